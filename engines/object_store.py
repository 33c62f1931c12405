"""Storage other than a local file system: a bucket behind S3's protocol, whose objects the suite sees as files.

An object's key is the absolute path of its file, below a prefix of the bucket, so the port only needs paths: an engine names a
path as a URI.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

from engines.port import EngineDied

#: Seconds in which a server on this machine accepts a connection.
_REACH_LIMIT = 5


class Storage(str, Enum):
    """Where the tables of a run are: a value of ``--storage``, or a bucket that ``--table-root`` names."""

    LOCAL = "local"
    S3 = "s3"  # the run's own directory, served as a bucket: the times of its objects can be set
    BUCKET = "bucket"  # of the user's: an object is as old as its upload


@dataclass(frozen=True)
class ObjectStore:
    """How to reach the bucket. Everything that is not local is in it, below ``key_prefix``."""

    endpoint: str | None  # the server's address: http://127.0.0.1:7070; None: Amazon's, of the region
    bucket: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    region: str = "us-east-1"
    session_token: str | None = field(default=None, repr=False)
    #: What each key begins with, before the absolute path of its file: "team/tests"; empty: nothing.
    key_prefix: str = ""
    scheme: str = "s3a"  # of the URIs by which Spark knows the objects
    requests: Path | None = None  # the server's log of them, if it is the run's own

    def prefix(self, scheme: str) -> str:
        """What comes before an absolute path in a URI of this scheme: ``s3a://bucket/team/tests``."""
        return f"{scheme}://{self.bucket}{self.above}"

    @property
    def address(self) -> str:
        """The server, for a message."""
        return self.endpoint or f"Amazon S3 in {self.region}"

    @property
    def above(self) -> str:
        """What comes before an absolute path in the bucket: ``/team/tests``; empty if its objects are at the top."""
        return f"/{self.key_prefix}" if self.key_prefix else ""

    def key(self, path: str) -> str:
        """The key of the object at an absolute path."""
        return f"{self.above}{path}".removeprefix("/")

    def in_paths(self, text: str, scheme: str) -> str:
        """A text of the engine, with paths instead of URIs."""
        return text.replace(f"{self.prefix(scheme)}/", "/")

    def require_reachable(self) -> None:
        """Raises EngineDied if the server accepts no connection: the engine's errors about its storage are then no fault of the
        engine.
        """
        if self.endpoint is None:
            return  # a failure of Amazon's is known by what the client says of it
        server = urlsplit(self.endpoint)
        port = server.port or (443 if server.scheme == "https" else 80)
        try:
            socket.create_connection((server.hostname or "", port), _REACH_LIMIT).close()
        except OSError as error:
            raise EngineDied(f"The S3 server at {self.endpoint} is gone ({error.strerror or error}).") from error
