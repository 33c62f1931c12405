"""Inventories of a directory, without an engine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from engines.spark.script_functions import inventory

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


def listed(root: Path, *, only_files: bool = False, **storage: Any) -> list[tuple[str, int, bool, int]]:
    """The rows, with paths relative to the root."""
    session = MagicMock()
    inventory(session, str(root), only_files, **storage)
    rows, _ = session.createDataFrame.call_args.args
    scheme = storage.get("scheme", "file:")
    return [(path.removeprefix(f"{scheme}{root}/"), *others) for path, *others in rows]


def test_all_entries_are_listed_with_length_and_mtime(root: Path) -> None:
    assert sorted(listed(root)) == [
        ("_delta_log", 0, True, DIRECTORY_MTIME),
        ("_delta_log/0.json", 2, False, 1_600_000_000_123),
        ("empty", 0, True, DIRECTORY_MTIME),
        ("empty/deeper", 0, True, DIRECTORY_MTIME),
        ("p=a%20 b", 0, True, DIRECTORY_MTIME),
        ("p=a%20 b/.hidden", 3, False, 1_600_000_000_123),
    ]


def test_files_only_as_a_bucket_tells_their_times(root: Path) -> None:
    found = listed(root, only_files=True, scheme="s3a://lake", unit=1000)
    assert found == [
        ("_delta_log/0.json", 2, False, 1_600_000_000_000),
        ("p=a%20 b/.hidden", 3, False, 1_600_000_000_000),
    ]


def test_a_link_is_listed_as_its_target(root: Path, tmp_path: Path) -> None:
    touch(tmp_path / "elsewhere" / "file", "12345", 1_550_000_000_000_000_000)
    os.utime(tmp_path / "elsewhere", ns=(0, DIRECTORY_MTIME * 1_000_000))
    (root / "to-a-file").symlink_to("../elsewhere/file")
    (root / "to-nothing").symlink_to("../nowhere")
    (root / "to-a-directory").symlink_to(tmp_path / "elsewhere")
    found = {path: others for path, *others in listed(root)}
    assert found["to-a-file"] == found["to-a-directory/file"] == [5, False, 1_550_000_000_000]
    assert found["to-a-directory"] == [0, True, DIRECTORY_MTIME]
    assert "to-nothing" not in found


def test_a_link_to_a_directory_above_is_not_followed(root: Path) -> None:
    (root / "empty" / "loop").symlink_to("..")
    (root / "empty" / "self").symlink_to("self")
    paths = [path for path, *_ in listed(root)]
    assert "empty/loop" in paths and "empty/self" not in paths
    assert not [path for path in paths if path.startswith("empty/loop/")]
