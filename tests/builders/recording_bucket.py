"""A bucket on an S3 server that records each request and changes nothing: for tests that a table is only read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


@dataclass
class RecordingBucket:
    """The objects are the files below ``root``. ``requests``: ``LIST`` or the HTTP method, and the prefix or key."""

    root: Path
    place: str = ""  # HOST:PORT
    requests: list[tuple[str, str]] = field(default_factory=list)

    def uri(self, prefix: str) -> str:
        return f"s3://bucket/{prefix}?scheme=http&region=x&endpoint_override={self.place}"

    def assert_only_read(self, table: str) -> None:
        """That the table with this prefix was only read, each directory was listed once at most, and no data file was opened."""
        assert {kind for kind, _ in self.requests} <= {"GET", "HEAD", "LIST"}, self.requests
        listed = [prefix for kind, prefix in self.requests if kind == "LIST"]
        assert len(set(listed)) == len(listed), listed
        assert all(prefix.startswith(f"{table}/") for prefix in listed), listed
        opened = [key for kind, key in self.requests if kind != "LIST"]
        assert opened and all(key.startswith(f"{table}/_delta_log/") for key in opened), opened


@contextmanager
def recording_bucket(root: Path) -> Iterator[RecordingBucket]:
    """It answers while the block runs, on a port of its own."""
    bucket = RecordingBucket(root)
    handler = type("Bucket", (_Requests,), {"bucket": bucket})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    bucket.place = f"127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield bucket
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Requests(BaseHTTPRequestHandler):
    """As much of S3 as reading needs. Any other request is recorded and refused."""

    bucket: RecordingBucket

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
        self.bucket.requests.append((kind, query.get("prefix", key)))
        if kind == "LIST":
            self._answer(200, self._list(query.get("prefix", ""), query.get("delimiter", "")))
            return
        path = self.bucket.root / key
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
        self.bucket.requests.append((self.command, self.path))
        self._answer(403)

    do_PUT = do_POST = do_DELETE = _refuse  # noqa: N815

    def _list(self, prefix: str, delimiter: str) -> bytes:
        root = self.bucket.root
        keys = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        found = [key for key in keys if key.startswith(prefix)]
        folders = {prefix + key[len(prefix) :].partition("/")[0] + "/" for key in found if "/" in key[len(prefix) :]}
        if delimiter:
            found = [key for key in found if "/" not in key[len(prefix) :]]
        entries = [
            f"<Contents><Key>{escape(key)}</Key><Size>{status.st_size}</Size>"
            f"<LastModified>{_written(status.st_mtime)}</LastModified></Contents>"
            for key in found
            for status in [(root / key).stat()]
        ]
        common = [f"<CommonPrefixes><Prefix>{escape(one)}</Prefix></CommonPrefixes>" for one in sorted(folders)]
        text = "".join([*entries, *(common if delimiter else [])])
        return (
            f"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>{len(found)}</KeyCount>{text}</ListBucketResult>"
        ).encode()


def _written(seconds: float) -> str:
    """An instant since the epoch, as S3 writes it."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
