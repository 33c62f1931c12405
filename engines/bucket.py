"""The objects of a bucket: to put, get, list and delete them, through boto3, Amazon's own client of S3's protocol.

boto3 passes keys on byte for byte, shows the empty objects that stand for directories, pages through listings, and tries again
when a server is busy (503). The clients that speak several protocols do not: obstore refuses some keys and reads ``a/`` as ``a``,
and pyarrow leaves an empty object where it deletes the last one of a prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from engines.machine import MachineFailed
from engines.object_store import ObjectStore
from engines.port import EngineUnavailable

#: The most keys in one request (https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html).
_MOST_KEYS = 1000

#: How many requests in a row must fail, each after all its tries, until the server is given up.
_MOST_FAILURES = 2

#: What a request's body cannot have, so that a key with it is deleted by a request of its own
#: (https://www.w3.org/TR/xml/#charsets).
_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class StoredObject:
    """An object; its key is a path. ``size`` in bytes, ``modified`` in ms since the epoch, a whole second. ``tag`` differs
    between two contents (S3's ETag).
    """

    path: str
    size: int
    modified: int
    tag: str


class Objects(Protocol):
    """Storage of objects that are named by absolute paths. Raises MachineFailed if it does not serve."""

    @property
    def lost(self) -> str:
        """Why it is given up, in a sentence; empty if it is not."""

    def list(self, above: str) -> Iterator[StoredObject]:
        """The objects whose paths begin with ``above``, in the order of their keys."""

    def put(self, path: str, content: bytes) -> None: ...

    def get(self, path: str) -> bytes: ...

    def delete(self, paths: Iterable[str]) -> None: ...


class Bucket:
    """The objects of a bucket, below a prefix of its keys."""

    def __init__(self, store: ObjectStore) -> None:
        """Raises EngineUnavailable, with the remedy, if the client is not installed."""
        try:
            import boto3
            from botocore.config import Config
        except ModuleNotFoundError as missing:
            raise EngineUnavailable(
                f"A bucket as --table-root needs the package {missing.name}: use tox -e own-bucket, or install boto3."
            ) from missing
        self._store = store
        self._failures = 0  # in a row
        self._lost = ""
        self._client: Any = boto3.client(
            "s3",
            endpoint_url=store.endpoint,
            region_name=store.region,
            aws_access_key_id=store.access_key,
            aws_secret_access_key=store.secret_key,
            aws_session_token=store.session_token,
            config=Config(
                connect_timeout=5,
                read_timeout=30,
                retries={"mode": "standard", "max_attempts": 5},
                s3={"addressing_style": "path" if store.endpoint else "auto"},
                # Not every server knows Amazon's newer checksums.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    @property
    def lost(self) -> str:
        return self._lost

    def list(self, above: str) -> Iterator[StoredObject]:
        with self._served():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._store.bucket, Prefix=self._store.key(above)
            )
            for page in pages:
                for found in page.get("Contents", ()):
                    path = f"/{found['Key']}".removeprefix(self._store.above)
                    modified = round(found["LastModified"].timestamp()) * 1000
                    yield StoredObject(path, found["Size"], modified, found.get("ETag", ""))

    def put(self, path: str, content: bytes) -> None:
        with self._served():
            self._client.put_object(Bucket=self._store.bucket, Key=self._store.key(path), Body=content)

    def get(self, path: str) -> bytes:
        with self._served():
            found = self._client.get_object(Bucket=self._store.bucket, Key=self._store.key(path))
            return bytes(found["Body"].read())

    def delete(self, paths: Iterable[str]) -> None:
        wanted_keys = list(map(self._store.key, paths))
        for key in filter(_NOT_IN_XML.search, wanted_keys):
            with self._served():
                self._client.delete_object(Bucket=self._store.bucket, Key=key)
        keys = [{"Key": key} for key in wanted_keys if not _NOT_IN_XML.search(key)]
        for begin in range(0, len(keys), _MOST_KEYS):
            with self._served():
                wanted = {"Objects": keys[begin : begin + _MOST_KEYS], "Quiet": True}
                answer = self._client.delete_objects(Bucket=self._store.bucket, Delete=wanted)
                if failed := answer.get("Errors"):
                    raise self._failed(f"{failed[0].get('Code')}: {failed[0].get('Message')}")

    @contextmanager
    def _served(self) -> Iterator[None]:
        """Raises MachineFailed for what the client says of the server, and at once for one that is given up."""
        from botocore.exceptions import BotoCoreError, ClientError

        if self._lost:
            raise MachineFailed(self._lost)
        try:
            yield
        except (BotoCoreError, ClientError) as failure:
            raise self._failed(str(failure)) from failure
        self._failures = 0

    def _failed(self, cause: str) -> MachineFailed:
        sentence = f"The bucket {self._store.bucket} at {self._store.address} does not serve ({cause.rstrip('.')})."
        self._failures += 1
        if self._failures >= _MOST_FAILURES:
            self._lost = sentence
        return MachineFailed(sentence)


def remove_below(objects: Objects, above: str) -> None:
    """Delete every object whose path begins with ``above``."""
    objects.delete([found.path for found in objects.list(above)])
