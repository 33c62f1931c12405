"""An S3 server for a run: versitygw, which serves a directory of this machine and tells the times of its files.

Source: https://github.com/versity/versitygw (the backend posix).
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from engines.object_store import ObjectStore
from engines.port import EngineDied, EngineUnavailable
from engines.served import Served, free_port

#: The environment variable that names the server's binary.
VARIABLE = "TOMBSTONE_VERSITYGW"

#: What installs the server, and the version that the suite was tried with.
VERSION = "v1.8.0"
INSTALL = f"go install github.com/versity/versitygw/cmd/versitygw@{VERSION}"

#: The bucket. Its name is what URIs have as their host, where S3's rules for names allow no underscore.
BUCKET = "tombstone"

#: Seconds for the server to accept a connection.
START_LIMIT = 30

#: How many free ports are tried: another process may take one between its choice and the server's start.
_PORTS = 3

#: The most letters of the server's log in a message.
_MOST_LETTERS = 300


class Server:
    """A server whose buckets are the directories below ``served``. ``store`` is how to reach ``bucket``."""

    def __init__(self, served: Path, bucket: str, started: Callable[[int], None], *options: str) -> None:
        """``started`` is called with the id of each process that is started; ``options`` are more of the server's.

        Raises EngineUnavailable, with the remedy.
        """
        self._served = served
        self._bucket = bucket
        self._options = options
        self._process: Served | None = None
        self.store = self._start(_binary(), started)

    def _start(self, binary: str, started: Callable[[int], None]) -> ObjectStore:
        said = ""
        for _ in range(_PORTS):
            address = f"127.0.0.1:{free_port()}"
            store = ObjectStore(f"http://{address}", self._bucket, secrets.token_hex(8), secrets.token_hex(16))
            process = self._process = self._run(binary, address, store, started)
            if process.wait_until(partial(_reachable, store), seconds=START_LIMIT, every=0.02):
                return store
            said = process.said
            self.close()
        end = " ".join(said[-_MOST_LETTERS:].split()) or "empty"
        raise EngineUnavailable(
            f"The S3 server {binary} did not start (its log ends: {end}): see that it is versitygw {VERSION} or newer, and that "
            f"the file system of {self._served} has extended attributes (--table-root DIR names another)."
        )

    def _run(self, binary: str, address: str, store: ObjectStore, started: Callable[[int], None]) -> Served:
        command = [binary, "--port", address, "--region", store.region, "--quiet", *self._options]
        # A file that the suite writes past the server has no ETag of its own, without which S3A does not read it.
        command += ["posix", "--default-etag", "tombstone", str(self._served)]
        environ: dict[str, str] = {
            **os.environ,
            "ROOT_ACCESS_KEY": store.access_key,
            "ROOT_SECRET_KEY": store.secret_key,
        }
        try:
            return Served(command, log=self._served / "log", started=started, environ=environ)
        except OSError as error:
            raise EngineUnavailable(
                f"The S3 server {binary} cannot be run ({error.strerror}): `{INSTALL}`, and name the binary with {VARIABLE}."
            ) from error

    def close(self) -> None:
        """End the server: it has nothing to save."""
        if self._process is not None:
            self._process.close()
            self._process = None


def _reachable(store: ObjectStore) -> bool | None:
    """Whether the server accepts connections; None: not yet."""
    try:
        store.require_reachable()
    except EngineDied:
        return None
    return True


class Gateway(Server):
    """The S3 server of a run, which serves its directory."""

    def __init__(self, directory: Path, started: Callable[[int], None]) -> None:
        """Serve ``directory``, the run's own, so that an object's key is the path of its file. See ``Server``."""
        served = directory / "s3"
        # The bucket has the directories above the run's, and a link to that: the server follows it.
        above = served / BUCKET / directory.parent.relative_to("/")
        above.mkdir(parents=True)
        (above / directory.name).symlink_to(directory)
        requests = served / "requests"
        super().__init__(served, BUCKET, started, "--access-log", str(requests))
        self.store = replace(self.store, requests=requests)


def _binary() -> str:
    """The path of the server's binary. Raises EngineUnavailable."""
    named = os.environ.get(VARIABLE) or "versitygw"
    found = shutil.which(named)
    if found is None:
        raise EngineUnavailable(
            f"The S3 server versitygw is needed, and {named} is not found: use `tox -e s3` or `tox -e own-bucket`, or "
            f"`{INSTALL}` with Go 1.25 or newer, and name the binary with {VARIABLE} if it is not on PATH."
        )
    return found
