"""Inventories of a directory, without an engine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engines.spark.commands.inventories import Listed, listed

DIRECTORY_MTIME = 1_500_000_000_123


def touch(path: Path, content: str = "", modified_ns: int = 1_600_000_000_123_999_999) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    os.utime(path, ns=(modified_ns, modified_ns))
    return path


def age_directories(root: Path) -> None:
    for directory in [path for path in root.rglob("*") if path.is_dir() and not path.is_symlink()]:
        os.utime(directory, ns=(DIRECTORY_MTIME * 1_000_000, DIRECTORY_MTIME * 1_000_000))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "table"
    touch(root / "_delta_log" / "0.json", "{}")
    touch(root / "p=a%20 b" / ".hidden", "abc")
    (root / "empty" / "deeper").mkdir(parents=True)
    age_directories(root)
    return root


def test_all_entries_are_listed_with_length_and_mtime(root: Path) -> None:
    assert listed(root, files_only=False) == [
        Listed("_delta_log", 0, True, DIRECTORY_MTIME),
        Listed("_delta_log/0.json", 2, False, 1_600_000_000_123),
        Listed("empty", 0, True, DIRECTORY_MTIME),
        Listed("empty/deeper", 0, True, DIRECTORY_MTIME),
        Listed("p=a%20 b", 0, True, DIRECTORY_MTIME),
        Listed("p=a%20 b/.hidden", 3, False, 1_600_000_000_123),
    ]


def test_files_only(root: Path) -> None:
    assert [found.path for found in listed(root, files_only=True)] == ["_delta_log/0.json", "p=a%20 b/.hidden"]


def test_a_link_is_listed_as_its_target(root: Path, tmp_path: Path) -> None:
    touch(tmp_path / "elsewhere" / "file", "12345", 1_550_000_000_000_000_000)
    os.utime(tmp_path / "elsewhere", ns=(0, DIRECTORY_MTIME * 1_000_000))
    (root / "to-a-file").symlink_to("../elsewhere/file")
    (root / "to-nothing").symlink_to("../nowhere")
    (root / "to-a-directory").symlink_to(tmp_path / "elsewhere")
    found = {thing.path: thing for thing in listed(root, files_only=False)}
    assert found["to-a-file"] == Listed("to-a-file", 5, False, 1_550_000_000_000)
    assert found["to-a-directory"] == Listed("to-a-directory", 0, True, DIRECTORY_MTIME)
    assert found["to-a-directory/file"] == Listed("to-a-directory/file", 5, False, 1_550_000_000_000)
    assert "to-nothing" not in found


def test_a_link_to_a_directory_above_is_not_followed(root: Path) -> None:
    (root / "empty" / "loop").symlink_to("..")
    (root / "empty" / "self").symlink_to("self")
    paths = [found.path for found in listed(root, files_only=False)]
    assert "empty/loop" in paths and "empty/self" not in paths
    assert not [path for path in paths if path.startswith("empty/loop/")]
