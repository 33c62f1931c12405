"""The S3 server is built once, with Go."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engines.port import EngineUnavailable
from engines.s3_gateway import INSTALL, VARIABLE
from records.mistakes import UsageMistake
from tests.rigs import versitygw

pytestmark = pytest.mark.process


def go(directory: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A program that stands for Go."""
    path = directory / "go"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: str(path))


def test_it_is_built_into_the_directory_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(tmp_path, monkeypatch, 'echo "$@" >> "$GOBIN/versitygw"')
    assert versitygw.main([str(tmp_path)]) == versitygw.main([str(tmp_path)]) == 0
    assert (tmp_path / "versitygw").read_text(encoding="utf-8").split() == INSTALL.split()[1:]


def test_one_of_the_users_own_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(tmp_path, monkeypatch, "exit 1")
    monkeypatch.setenv(VARIABLE, "/opt/versitygw")
    assert versitygw.main([str(tmp_path)]) == 0


def test_a_build_that_fails_is_told_with_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(tmp_path, monkeypatch, "echo no network >&2; exit 1")
    with pytest.raises(EngineUnavailable, match=r"failed \(no network\): see that Go is 1.25"):
        versitygw.main([str(tmp_path)])


def test_without_go_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(EngineUnavailable, match=r"install Go 1\.25 or newer"):
        versitygw.main([str(tmp_path)])


def test_a_directory_must_be_named() -> None:
    with pytest.raises(UsageMistake):
        versitygw.main([])
