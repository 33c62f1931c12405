"""Nothing of the user's table is written: by permissions, by times, and by the requests."""

from __future__ import annotations

import ast
import shutil
import tempfile
from pathlib import Path

import pytest

import rehearsal
import rehearsal.__main__ as command
from rehearsal.__main__ import main
from rehearsal.reading import read_table
from shapes.store import Root, root_of
from tests.builders.recording_bucket import recording_bucket
from tests.rehearsal.tables import AGES, WRITTEN, write_table
from tests.shapes.test_reads_alone import Recording, make_unwritable, status, without_rights


@pytest.fixture
def table(tmp_path: Path) -> Path:
    root = write_table(tmp_path / "table")
    (root / "link").symlink_to("p=1")
    return root


class Scratch:
    """A workspace without the process that cleans up after a killed one: another user may not start this interpreter."""

    def __init__(self, _: None) -> None:
        self.directory = Path(tempfile.mkdtemp())

    def close(self) -> None:
        shutil.rmtree(self.directory)


def test_a_table_that_nobody_may_write_is_rehearsed(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_unwritable(table, tmp_path)
    monkeypatch.setattr(command, "Workspace", Scratch)
    copy, out = tmp_path / "copy", tmp_path / "out"
    for made in (copy, out):
        made.mkdir()
        made.chmod(0o777)
    before = status(table)
    words = [str(table), "3.3.2", "deltalake==1.6.6", "--model-only", "--at", WRITTEN, "--out", str(out)]
    with without_rights():
        with pytest.raises(PermissionError):
            (table / "x").touch()
        read = read_table(root_of(str(table)), copy)
        assert main(words) == 0
    assert read.state.version == 2 and set(AGES) < set(read.state.listing)
    assert (out / "rehearsal.json").exists()
    assert status(table) == before


def test_on_s3_the_requests_are_get_head_and_list(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the answer is that for the same files on a local disk."""
    (table / "link").unlink()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    with recording_bucket(table.parent) as bucket:
        assert main([bucket.uri(table.name), "--at", WRITTEN, "--out", str(tmp_path / "s3")]) == 0
    bucket.assert_only_read(table.name)
    listed = [prefix.removeprefix(table.name) for kind, prefix in bucket.requests if kind == "LIST"]
    assert sorted(listed) == ["/", "/_delta_log/", "/_mine/", "/p=1/", "/p=2/"]
    assert main([str(table), "--at", WRITTEN, "--out", str(tmp_path / "local")]) == 0
    name = "delete-A.txt"
    assert (tmp_path / "s3" / name).read_bytes() == (tmp_path / "local" / name).read_bytes() != b""


def test_each_directory_is_listed_once_and_no_data_file_is_read(table: Path, tmp_path: Path) -> None:
    recording = Recording(root_of(str(table)).store)
    read_table(Root(recording, str(table)), tmp_path / "copy")
    assert len(set(recording.requests)) == len(recording.requests)
    listed = sorted(path for kind, path in recording.requests if kind == "LIST")
    assert listed == ["", "_delta_log", "_mine", "empty", "p=1", "p=2"]
    assert all(path.startswith("_delta_log/") for kind, path in recording.requests if kind == "GET")


def test_only_the_copy_and_the_report_are_written() -> None:
    """What opens, makes, moves or deletes files is called in these modules alone: they write the copy of the log, that
    copy after a DELETE, the stand-ins and the report."""
    touching = {
        *(
            "open",
            "mkdir",
            "write_text",
            "write_bytes",
            "unlink",
            "remove",
            "rename",
            "rmdir",
            "touch",
            "makedirs",
            "chmod",
        ),
        *("utime", "set_modified", "write_commit", "symlink_to", "symlink", "rmtree", "copyfileobj", "truncate"),
    }
    found = {
        (path.name, name)
        for path in Path(rehearsal.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in [getattr(node, "attr", None) or getattr(node, "id", None)]
        if name in touching
    }
    assert found == {
        *(("reading.py", name) for name in ("mkdir", "open", "copyfileobj", "set_modified", "unlink")),
        ("deletion.py", "write_commit"),
        *(("stand_ins.py", name) for name in ("mkdir", "open", "utime", "symlink_to", "truncate")),
        *(("report.py", name) for name in ("mkdir", "write_text", "unlink")),
    }
