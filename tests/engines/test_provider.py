"""An engine that is not installed, or cannot be loaded, is one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from engines import provider
from engines.kind import Given, Provider, Settings
from engines.port import EngineUnavailable
from reports import command as reports


class Lacking:
    """An engine of which a package is not installed."""

    def with_options(self, given: Given) -> Lacking:
        return self

    def provider(self, settings: Settings) -> Provider:
        raise ModuleNotFoundError("No module named 'pyspark'", name="pyspark")

    def installed_version(self) -> str:
        raise PackageNotFoundError("delta-spark")


def test_an_engine_whose_package_is_missing_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "kind_of", lambda engine: Lacking())
    calls: dict[str, Callable[[], object]] = {
        "pyspark": lambda: provider.provider_for("spark", Settings(Path(), started=lambda pid: None)),
        "delta-spark": lambda: provider.installed_version("spark"),
    }
    for package, call in calls.items():
        with pytest.raises(EngineUnavailable) as refusal:
            call()
        assert str(refusal.value) == (
            f"spark cannot be judged in {sys.prefix}, where the package {package} is not installed: install it, or use "
            "`tombstone gate`, which makes an environment."
        )


def test_a_command_on_reports_needs_no_traceback_for_an_engine_that_is_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def merge(*_: object, **__: object) -> None:
        raise EngineUnavailable("my:ENGINE cannot be loaded: name a module that Python finds.")

    monkeypatch.setattr(reports, "merge", merge)
    assert reports.main(["merge", "docs"]) == 2
    assert capsys.readouterr().err == "my:ENGINE cannot be loaded: name a module that Python finds.\n"
