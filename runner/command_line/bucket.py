"""A bucket as ``--table-root``: how to reach it, by the variables that Amazon's tools read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from engines.object_store import ObjectStore
from records.mistakes import UsageMistake

#: Keys that mean the same to every client, in a URI and in a path.
_PLAIN = re.compile(r"[A-Za-z0-9_=-][A-Za-z0-9_.=-]*(/[A-Za-z0-9_=-][A-Za-z0-9_.=-]*)*")

_SCHEMES = ("s3", "s3a", "s3n")


def is_bucket(table_root: str | None) -> bool:
    """Whether ``--table-root`` names a bucket, and not a directory."""
    return urlsplit(table_root or "").scheme in _SCHEMES


def bucket_of(
    table_root: str | None, endpoint: str | None, environ: Mapping[str, str] = os.environ
) -> ObjectStore | None:
    """The bucket that ``--table-root`` names; None if it names a directory. ``endpoint``: the value of ``--endpoint-url``.
    Raises UsageMistake.
    """
    parts = urlsplit(table_root or "")
    if not is_bucket(table_root):
        if endpoint is not None:
            raise UsageMistake("--endpoint-url is for a bucket: name it with --table-root s3://bucket/prefix.")
        return None
    prefix = parts.path.strip("/")
    if not parts.netloc or not _PLAIN.fullmatch(prefix):
        raise UsageMistake(
            f"--table-root {table_root}: name a bucket and a new prefix of letters, digits, and -_.=/, such as "
            "s3://bucket/tests/tombstone."
        )
    lacking = [name for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY") if not environ.get(name)]
    if lacking:
        raise UsageMistake(f"--table-root {table_root}: set {' and '.join(lacking)} in the environment.")
    served = endpoint or environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL") or None
    if served is not None and urlsplit(served).scheme not in ("http", "https"):
        raise UsageMistake(
            f"--endpoint-url {served} is not a URL of a server: name one, such as http://127.0.0.1:9000."
        )
    return ObjectStore(
        served,
        parts.netloc,
        environ["AWS_ACCESS_KEY_ID"],
        environ["AWS_SECRET_ACCESS_KEY"],
        environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or "us-east-1",
        environ.get("AWS_SESSION_TOKEN") or None,
        prefix,
        parts.scheme,
    )
