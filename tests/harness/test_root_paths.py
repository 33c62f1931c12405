"""A file has one name, whether actions name it by path or by URI."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Add, Cdc, Metadata, Protocol, Remove
from deltalog.entries.commits import write_commit
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.paths import from_root
from deltalog.values.schemas import schema_string
from harness.observing.table.root_paths import named_by_uri, relative_action, relative_log

ROOT = "/cases/case 1/table"


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("p=1/f", "p=1/f"),
        ("/cases/case 1/table/p=1/f", "p=1/f"),
        ("/cases/case 1/elsewhere/f", "../elsewhere/f"),
        ("/cases/case 1/table-2/f", "../table-2/f"),
        ("../elsewhere/f", "../elsewhere/f"),
        ("/cases/case 10/f", "/cases/case 10/f"),
        ("/f", "/f"),
        ("s3://bucket/cases/case 1/table/f", "f"),
        ("s3a://bucket/cases/case 1/elsewhere/f", "../elsewhere/f"),
        ("s3://bucket/cases/case 10/f", "s3://bucket/cases/case 10/f"),
        ("s3a://bucket", "s3a://bucket"),
    ],
)
def test_paths_relative_to_the_root(file: str, path: str) -> None:
    assert from_root(file, ROOT) == path


def test_the_path_of_an_action_is_relative_to_the_root() -> None:
    inside = Add("file:///cases/case%201/table/p=a%20b/f", {"p": "a b"}, 1, 1, True)
    outside = Remove("file:/cases/case%201/elsewhere/f", 7, True)
    plain = Cdc("_change_data/f", {}, 1)
    assert relative_action(inside, ROOT) == Add("p=a%20b/f", {"p": "a b"}, 1, 1, True)
    assert relative_action(outside, ROOT).file == "../elsewhere/f"
    assert relative_action(plain, ROOT) is plain
    protocol = Protocol(1, 2)
    assert relative_action(protocol, ROOT) is protocol
    assert named_by_uri([inside, outside, plain, protocol], ROOT) == {"p=a b/f", "../elsewhere/f"}


def test_the_paths_of_snapshots_and_checkpoints_are_relative_too(tmp_path: Path) -> None:
    root = tmp_path / "table"

    def add(path: str) -> Add:
        return Add(path, {}, 1, 1, True)

    first = (Protocol(1, 2), Metadata("id", schema_string([("a", "long")])), add((root / "f").as_uri()), add("g"))
    write_commit(root, 0, first)
    write_commit(root, 1, [Remove((root / "f").as_uri(), 5, True), add((tmp_path / "elsewhere" / "h").as_uri())])
    write_checkpoint(root, read_log(root).snapshot())
    write_commit(root, 2, [Remove((tmp_path / "elsewhere" / "h").as_uri(), 6, True)])
    (root / LOG_DIRECTORY / commit_name(0)).unlink()
    log = relative_log(read_log(root))
    assert [action.file for action in log.commits[1].adds] == ["../elsewhere/h"]
    now, before = log.snapshot(), log.snapshot(1)
    assert [one.file for one in now.adds.values()] == ["g"] and {key[0] for key in now.adds} == {"g"}
    assert sorted(one.file for one in now.removes.values()) == ["../elsewhere/h", "f"]
    assert sorted(one.file for one in before.adds.values()) == ["../elsewhere/h", "g"]
    assert log.stored.snapshot().adds == now.adds, "paths that are no URIs are unchanged"


def test_a_remove_by_path_does_not_remove_what_was_added_by_uri(tmp_path: Path) -> None:
    """The format treats these as two files (PROTOCOL.md, "Action Reconciliation"), so the add is live."""
    root = tmp_path / "table"
    first = (Protocol(1, 2), Metadata("id", schema_string([("a", "long")])), Add((root / "f").as_uri(), {}, 1, 1, True))
    write_commit(root, 0, first)
    write_commit(root, 1, [Remove("f", 5, True)])
    snapshot = relative_log(read_log(root)).snapshot()
    assert [one.file for one in snapshot.adds.values()] == [one.file for one in snapshot.removes.values()] == ["f"]
