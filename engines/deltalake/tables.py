"""Opens tables by their paths: on a local file system, or as objects of a bucket."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable

NONE: Mapping[str, Any] = {}

#: The scheme of URIs by which delta-rs names objects in S3.
SCHEME = "s3"


def options_of(store: ObjectStore) -> Mapping[str, str]:
    """The storage options for this bucket. A server that is gone is given up soon."""
    return {
        **({} if store.endpoint is None else {"AWS_ENDPOINT_URL": store.endpoint}),
        **({} if store.session_token is None else {"AWS_SESSION_TOKEN": store.session_token}),
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
        "AWS_REGION": store.region,
        "AWS_ALLOW_HTTP": "true",
        "max_retries": "2",
        "retry_timeout": "10s",
    }


def require_usable(store: ObjectStore, path: Path) -> None:
    """Write a small table at ``path`` in the bucket, and read it. Raises EngineUnavailable, in one sentence, if that fails."""
    tables = Tables(store)
    try:
        write_deltalake(tables.named(path), pa.table({"n": [1]}), storage_options=dict(options_of(store)))
        tables.opened(path).file_uris()
    except BaseException as failure:  # a panic of Rust is not an Exception
        if isinstance(failure, (KeyboardInterrupt, SystemExit)):
            raise
        raise EngineUnavailable(
            f"deltalake cannot write and read a table in the bucket {store.bucket} at {store.address} ({_cause(failure)}): "
            "see that the server runs and has the bucket, and that it knows the access key."
        ) from failure


def _cause(failure: BaseException) -> str:
    """What the server says, or the end of the chain of causes that delta-rs prints."""
    text = re.sub("\x1b\\[[0-9;]*m", "", str(failure))
    if told := re.search("<Message>(.*?)</Message>", text):
        return told[1].rstrip(".")
    lines = [line.strip(" ↳") for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else type(failure).__name__


@dataclass(frozen=True)
class Tables:
    """``store`` is where they are; None: on a local file system."""

    store: ObjectStore | None = None

    def named(self, path: Path | str) -> str:
        """delta-rs' name for a path. Everything after a scheme is encoded."""
        text = str(path)
        if self.store is not None:
            return self.store.prefix(SCHEME) + quote(text)
        return quote(text, safe="/:") if text.startswith("file:") else text

    def path_of(self, named: str) -> str:
        """The path of a result of VACUUM: a URI is encoded as in the log, and may lack its second slash."""
        if self.store is None:
            return named
        uri = re.match(f"{SCHEME}://?{re.escape(self.store.bucket + self.store.above)}(?=/)", named)
        return unquote(named[uri.end() :]) if uri else named

    def opened(self, path: Path | str, version: int | None = None, given: Mapping[str, Any] = NONE) -> DeltaTable:
        """The table at a path, with parameters of its own. Raises deltalake's exceptions."""
        options = None if self.store is None else dict(options_of(self.store))
        return DeltaTable(self.named(path), **{"version": version, "storage_options": options, **given})
