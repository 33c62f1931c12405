"""Storage other than a local file system: a bucket that is spoken to by S3's protocol, while the suite sees its objects as files.

The key of an object is the absolute path of its file, so a path is all that the port needs: an engine names it as a URI.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from engines.port import EngineDied

#: Seconds in which a server on this machine accepts a connection.
_REACH_LIMIT = 5


class Storage(str, Enum):
    """Where the tables of a run are: what ``--storage`` takes."""

    LOCAL = "local"
    S3 = "s3"


@dataclass(frozen=True)
class ObjectStore:
    """How to reach the bucket. All that is not local is in it."""

    endpoint: str  # the server's address: http://127.0.0.1:7070
    bucket: str
    access_key: str
    secret_key: str
    region: str = "us-east-1"

    def prefix(self, scheme: str) -> str:
        """What comes before an absolute path in a URI of this scheme: ``s3a://bucket``."""
        return f"{scheme}://{self.bucket}"

    def in_paths(self, text: str, scheme: str) -> str:
        """A text of the engine's, with paths instead of URIs."""
        return text.replace(f"{self.prefix(scheme)}/", "/")

    def require_reachable(self) -> None:
        """Raises EngineDied if the server accepts no connection: what an engine then says of its storage is no fault of it."""
        server = urlsplit(self.endpoint)
        try:
            socket.create_connection((server.hostname or "", server.port or 80), _REACH_LIMIT).close()
        except OSError as error:
            raise EngineDied(f"The S3 server at {self.endpoint} is gone ({error.strerror or error}).") from error
