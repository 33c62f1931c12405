"""A server of S3's protocol for tests, in a thread: as much of it as a run needs. It records each request."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import format_datetime
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

BUCKET = "lake"


@dataclass
class Served:
    """``objects`` by key: content and time. ``requests``: the method, ``LIST`` or ``DELETE``, and the prefix or key."""

    endpoint: str = ""
    objects: dict[str, tuple[bytes, datetime]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    refuses: frozenset[str] = frozenset()  # methods for which there is no permission
    page: int = 3  # keys in an answer to LIST
    busy: int = 0  # how many of the next requests are answered with 503
    expires: int | None = None  # after how many requests the key has expired; None: it does not

    @property
    def environ(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.endpoint,
        }


@contextmanager
def s3_server() -> Iterator[Served]:
    """It answers while the block runs, on a port of its own."""
    served = Served()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Requests,), {"served": served}))
    served.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Requests(BaseHTTPRequestHandler):
    served: Served
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def _asked(self) -> tuple[str, str, dict[str, str]]:
        """The bucket, the key and the query."""
        asked = urlsplit(self.path)
        bucket, _, key = unquote(asked.path).lstrip("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(asked.query, keep_blank_values=True).items()}
        return bucket, key, query

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            found = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _handle(self) -> None:
        body = self._body()
        bucket, key, query = self._asked()
        kind = "LIST" if "list-type" in query else self.command
        keys = [key]
        if self.command == "POST" and "delete" in query:
            kind, keys = "DELETE", [unescape(one) for one in re.findall("<Key>(.*?)</Key>", body.decode())]
        served = self.served
        served.requests += [(kind, query.get("prefix", one)) for one in keys]
        if served.expires is not None and len(served.requests) > served.expires:
            self._refuse(400, "ExpiredToken")
        elif served.busy:
            served.busy -= 1
            self._refuse(503, "SlowDown")
        elif bucket != BUCKET:
            self._refuse(404, "NoSuchBucket")
        elif kind in served.refuses:
            self._refuse(403, "AccessDenied")
        elif kind == "LIST":
            self._list(query)
        elif kind == "DELETE":
            for one in keys:
                served.objects.pop(one, None)
            done = b"<DeleteResult/>"
            self._answer(*((200, done) if self.command == "POST" else (204, b"")))
        elif kind == "PUT":
            self._put(key, body)
        elif key in served.objects:
            self._send(key)
        else:
            self._refuse(404, "NoSuchKey")

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _handle  # noqa: N815

    def _put(self, key: str, body: bytes) -> None:
        if self.headers.get("If-None-Match") == "*" and key in self.served.objects:
            self._refuse(412, "PreconditionFailed")
            return
        if source := self.headers.get("x-amz-copy-source"):
            body = self.served.objects[unquote(source).lstrip("/").partition("/")[2]][0]
        self.served.objects[key] = body, datetime.now(timezone.utc)
        self._answer(200, b"", ETag=_tag(body))

    def _send(self, key: str) -> None:
        data, at = self.served.objects[key]
        headers = {"ETag": _tag(data), "Last-Modified": format_datetime(at, usegmt=True)}
        if "Range" in self.headers:
            first, last = self.headers["Range"].removeprefix("bytes=").split("-")
            begin = int(first) if first else max(len(data) - int(last), 0)
            end = min(int(last), len(data) - 1) if first and last else len(data) - 1
            headers["Content-Range"] = f"bytes {begin}-{end}/{len(data)}"
            self._answer(206, data[begin : end + 1], **headers)
        else:
            self._answer(200, data, **headers)

    def _list(self, query: dict[str, str]) -> None:
        """A listing with a delimiter has one page."""
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = bytes.fromhex(query.get("continuation-token", "")).decode() or query.get("start-after", "")
        found = [key for key in sorted(self.served.objects) if key.startswith(prefix) and key > after]
        folders = sorted(
            {
                prefix + key[len(prefix) :].partition(delimiter)[0] + delimiter
                for key in found
                if delimiter and delimiter in key[len(prefix) :]
            }
        )
        if delimiter:
            found = [key for key in found if delimiter not in key[len(prefix) :]]
        page = found if delimiter else found[: self.served.page]
        more = "" if page == found else f"<NextContinuationToken>{page[-1].encode().hex()}</NextContinuationToken>"
        entries = "".join(self._entry(key, query) for key in page)
        common = "".join(f"<CommonPrefixes><Prefix>{_text(one, query)}</Prefix></CommonPrefixes>" for one in folders)
        coded = "<EncodingType>url</EncodingType>" if "encoding-type" in query else ""
        cut = f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
        self._answer(200, f"<ListBucketResult>{coded}{cut}{more}{entries}{common}</ListBucketResult>".encode())

    def _entry(self, key: str, query: dict[str, str]) -> str:
        data, at = self.served.objects[key]
        when = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        fields = f"<LastModified>{when}</LastModified><ETag>{escape(_tag(data))}</ETag><Size>{len(data)}</Size>"
        return f"<Contents><Key>{_text(key, query)}</Key>{fields}</Contents>"

    def _refuse(self, code: int, error: str) -> None:
        self._answer(code, f"<Error><Code>{error}</Code><Message>{error} says the server</Message></Error>".encode())

    def _answer(self, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _text(key: str, query: dict[str, str]) -> str:
    return quote(key) if "encoding-type" in query else escape(key)


def _tag(data: bytes) -> str:
    return f'"{md5(data, usedforsecurity=False).hexdigest()}"'
