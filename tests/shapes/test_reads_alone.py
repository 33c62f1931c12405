"""Nothing of a user's table is written: by permissions, by times, by the requests, and by what the code has in its hands."""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest

import shapes
from shapes.__main__ import main
from shapes.reading import ReadTable, Wanted, read_table
from shapes.store import ArrowStore, Root, Store, Stored, root_of
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


def test_a_table_that_nobody_may_write_is_read(table: Path, tmp_path: Path) -> None:
    for path in [*table.rglob("*"), table]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (tmp_path, *list(tmp_path.parents)[:-2]):
        if os.geteuid() == 0 and path.stat().st_uid == 0 and path != Path("/dev/shm"):
            path.chmod(path.stat().st_mode | 0o055)
    before = status(table)
    with without_rights():
        with pytest.raises(PermissionError):
            (table / "_delta_log" / "x").touch()
        found = read_table("a", root_of(str(table)), Wanted(listing=True))
    assert isinstance(found, ReadTable), found
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
    assert {name for name in vars(ArrowStore) if not name.startswith("_")} == {"list", "read"}
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


# S3 -------------------------------------------------------------------------------------------------------------------


class _Bucket(BaseHTTPRequestHandler):
    """As much of S3 as reading needs: objects are the files below ``root``. Every request is recorded."""

    root: Path
    requests: list[str]

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        key = unquote(asked.path).lstrip("/").partition("/")[2]
        kind = "LIST" if "list-type" in query else self.command
        self.requests.append(f"{kind} {query.get('prefix', key)}")
        if kind == "LIST":
            self._answer(200, self._list(query.get("prefix", ""), query.get("delimiter", "")))
            return
        path = self.root / key
        if not path.is_file():
            self._answer(404)
            return
        data = path.read_bytes()
        first, last = 0, len(data) - 1
        if "Range" in self.headers:
            ends = self.headers["Range"].removeprefix("bytes=").split("-")
            first, last = int(ends[0]), min(int(ends[1] or last), last)
        part = data[first : last + 1]
        extra = {"Content_Range": f"bytes {first}-{last}/{len(data)}"} if "Range" in self.headers else {}
        when = "Tue, 14 Nov 2023 00:00:00 GMT"
        body = {"Content_Length": str(len(part)), "Last_Modified": when, "ETag": '"x"', **extra}
        self._answer(206 if extra else 200, part, **body)

    do_HEAD = do_GET  # noqa: N815

    def _refuse(self) -> None:
        self.requests.append(f"{self.command} {self.path}")
        self._answer(403)

    do_PUT = do_POST = do_DELETE = _refuse  # noqa: N815

    def _list(self, prefix: str, delimiter: str) -> bytes:
        keys = sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file())
        found = [key for key in keys if key.startswith(prefix)]
        folders = {prefix + key[len(prefix) :].partition("/")[0] + "/" for key in found if "/" in key[len(prefix) :]}
        if delimiter:
            found = [key for key in found if "/" not in key[len(prefix) :]]
        entries = [
            f"<Contents><Key>{escape(key)}</Key><Size>{(self.root / key).stat().st_size}</Size>"
            "<LastModified>2023-11-14T00:00:00.000Z</LastModified></Contents>"
            for key in found
        ]
        common = [f"<CommonPrefixes><Prefix>{escape(one)}</Prefix></CommonPrefixes>" for one in sorted(folders)]
        text = "".join([*entries, *(common if delimiter else [])])
        return (
            f"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>{len(found)}</KeyCount>{text}</ListBucketResult>"
        ).encode()


def test_on_s3_the_requests_are_get_head_and_list(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requests: list[str] = []
    handler = type("Bucket", (_Bucket,), {"root": table.parent, "requests": requests})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    try:
        place = f"127.0.0.1:{server.server_address[1]}"
        uri = f"s3://bucket/{table.name}?scheme=http&region=x&endpoint_override={place}"
        code = main([uri, "--listing"])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    said = capsys.readouterr()
    assert code == 0, said.err + str(requests)
    on_s3 = said.out
    assert main([str(table), "--listing"]) == 0
    assert on_s3 == capsys.readouterr().out
    assert {one.partition(" ")[0] for one in requests} == {"GET", "HEAD", "LIST"}
    assert all(one.partition(" ")[2].startswith(f"{table.name}/") for one in requests), requests
