"""Nothing of a user's table is written: by permissions, by times, by the requests, and by what the code has in its hands."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import shapes
from deltalog.errors import StoreError
from deltalog.storage.store import LocalFiles, Store, Stored
from shapes.__main__ import main
from shapes.reading import ReadTable, RefusedTable, Wanted, read_table
from shapes.refusals import RefusalReason
from shapes.store import ArrowStore, LocalStore, Root, root_of
from tests.builders.recording_bucket import recording_bucket
from tests.shapes.tables import SECRET, write_table

_NOBODY = 65534


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may write anywhere: another user may not."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(own)


def status(root: Path) -> dict[str, tuple[int, int, int]]:
    """Of all that is there: size, and the times of contents and of the entry itself."""
    return {
        str(path): (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        for path in [root, *root.rglob("*")]
        for found in [path.lstat()]
    }


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / SECRET, v2=True)


def make_unwritable(table: Path, scratch: Path) -> None:
    """Take all rights to write from the table below ``scratch``; let any user come there."""
    for path in [*table.rglob("*"), table]:
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (scratch, *list(scratch.parents)[:-2]):
        if os.geteuid() == 0 and path.stat().st_uid == 0 and path != Path("/dev/shm"):
            path.chmod(path.stat().st_mode | 0o055)


def test_a_table_that_nobody_may_write_is_read(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_unwritable(table, tmp_path)
    before = status(table)
    with without_rights():
        with pytest.raises(PermissionError):
            (table / "_delta_log" / "x").touch()
        assert main([str(table), "--listing"]) == 0
    assert '"listing":{"files":' in capsys.readouterr().out
    assert status(table) == before


class Recording:
    """A store that records the requests."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.requests: list[tuple[str, str]] = []

    def list(self, directory: str) -> Iterator[Stored]:
        self.requests.append(("LIST", directory))
        return self._store.list(directory)

    def read(self, path: str) -> Any:
        self.requests.append(("GET", path))
        return self._store.read(path)


@pytest.mark.parametrize("listing", [False, True])
def test_each_file_of_the_log_is_asked_for_once_and_no_other(table: Path, listing: bool) -> None:
    (table / "a.parquet").write_bytes(b"data")
    recording = Recording(root_of(str(table)).store)
    assert isinstance(read_table("a", Root(recording, str(table)), Wanted(listing=listing)), ReadTable)
    assert len(set(recording.requests)) == len(recording.requests)
    assert [path for kind, path in recording.requests if kind == "LIST"] == ["_delta_log", *([""] if listing else [])]
    assert all(path.startswith("_delta_log/") for kind, path in recording.requests if kind == "GET")


def test_a_store_can_only_list_and_read() -> None:
    for store in (ArrowStore, LocalFiles, LocalStore):
        assert {name for name in vars(store) if not name.startswith("_")} == {"list", "read"}
    file = root_of(str(Path(__file__).parent)).store.read("test_reads_alone.py")
    assert file.readable() and not file.writable()
    assert b"Nothing of a user" in file.read(100)


def test_only_the_store_touches_storage_and_only_the_command_writes() -> None:
    """What opens, makes, moves or deletes files is called in these modules alone: the first has pyarrow's file systems, the
    others the user's list, the answer and the schema."""
    touching = {
        *("open", "mkdir", "write_text", "write_bytes", "unlink", "remove", "rename", "replace_file", "rmdir", "touch"),
        *("open_output_stream", "open_append_stream", "delete_file", "create_dir", "move", "copy_file", "delete_dir"),
        *("open_input_file", "open_input_stream", "write_new", "write_commit", "makedirs", "chmod", "utime"),
    }
    found = {
        (path.name, name)
        for path in Path(shapes.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in [getattr(node, "attr", None) or getattr(node, "id", None)]
        if name in touching
    }
    assert found == {("store.py", "open_input_file"), ("__main__.py", "mkdir"), ("__main__.py", "write_text")}


class Failing(Recording):
    """A store whose Parquet files cannot be read to their ends."""

    def read(self, path: str) -> Any:
        source = super().read(path)
        if path.endswith(".parquet"):
            source.readinto = fail  # type: ignore[method-assign]
        return source


def fail(_: object) -> int:
    raise StoreError(PermissionError("no more"))


def test_storage_that_fails_is_no_damaged_checkpoint(table: Path) -> None:
    found = read_table("a", Root(Failing(root_of(str(table)).store), str(table)), Wanted())
    assert isinstance(found, RefusedTable) and found.reason is RefusalReason.NO_ACCESS


@pytest.mark.parametrize("listing", [False, True])
def test_on_s3_the_requests_are_get_head_and_list(
    table: Path, listing: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (table / "p=1").mkdir()
    (table / "p=1" / "a.parquet").write_bytes(b"data")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    more = ["--listing"] if listing else []
    with recording_bucket(table.parent) as bucket:
        code = main([bucket.uri(table.name), *more])
    said = capsys.readouterr()
    assert code == 0, said.err + str(bucket.requests)
    assert main([str(table), *more]) == 0
    assert said.out == capsys.readouterr().out
    bucket.assert_only_read(table.name)
    listed = sorted(prefix.removeprefix(table.name) for kind, prefix in bucket.requests if kind == "LIST")
    assert listed == (["/", "/_delta_log/", "/p=1/"] if listing else ["/_delta_log/"])
