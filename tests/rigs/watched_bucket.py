"""A bucket for one run, on a server in a process and with a directory of its own: what a run has left there, and asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from engines.object_store import ObjectStore
from engines.s3_gateway import VERSION, Server
from runner.processes.workspace import Workspace

#: The bucket, the prefix that the run gets, and an object of somebody else's beside it.
BUCKET = "lake"
PREFIX = "team/tombstone"
_NEIGHBOUR = "team/tombstones/part-00000.parquet"
_THEIRS = b"of somebody else"


class WatchedBucket:
    """The server. It ends with this object."""

    def __init__(self, workspace: Workspace) -> None:
        """Raises EngineUnavailable if it does not start."""
        self._served, self._requests = workspace.directory / "served", workspace.directory / "requests"
        neighbour = self._served / BUCKET / _NEIGHBOUR
        neighbour.parent.mkdir(parents=True)
        neighbour.write_bytes(_THEIRS)
        self._server = Server(self._served, BUCKET, workspace.started, "--access-log", str(self._requests))

    @property
    def store(self) -> ObjectStore:
        return self._server.store

    def table_root(self, scheme: str = "s3") -> str:
        """What the run gets as ``--table-root``."""
        return f"{scheme}://{BUCKET}/{PREFIX}"

    @property
    def environ(self) -> Mapping[str, str]:
        """The variables by which the run reaches it."""
        return {
            "AWS_ACCESS_KEY_ID": self.store.access_key,
            "AWS_SECRET_ACCESS_KEY": self.store.secret_key,
            "AWS_ENDPOINT_URL": str(self.store.endpoint),
            "AWS_REGION": self.store.region,
        }

    def close(self) -> None:
        self._server.close()

    def code_after(self, code: int) -> int:
        """The exit code of a run that ended with ``code``: 1 if it has left an object, changed one that is not its own, or asked
        to write one that is not below its prefix. Each is printed.
        """
        faults = [*left_in(self._served / BUCKET), *strange_in(self._requests)]
        for fault in faults:
            print(fault)
        return max(code, 1) if faults else code


def left_in(bucket: Path) -> Iterator[str]:
    for path in sorted(path for path in bucket.rglob("*") if path.is_file()):
        key = path.relative_to(bucket).as_posix()
        if key != _NEIGHBOUR:
            yield f"The run has left {key} in the bucket."
        elif path.read_bytes() != _THEIRS:
            yield f"The run has changed {key}."


#: The used part of a line in versitygw's log of requests: the request, and its key (``-``: none).
_REQUEST = re.compile(r" s3_(?P<asked>[A-Za-z]+) (?P<key>\S*)")

#: What requests that change nothing begin with.
_READS = ("Get", "Head", "List")


def strange_in(requests: Path) -> Iterator[str]:
    found = [match for line in requests.read_text(encoding="utf-8").split("\n") if (match := _REQUEST.search(line))]
    writes = [match for match in found if not match["asked"].startswith(_READS)]
    if not writes:
        yield f"The log of the server shows no request that writes: see that it is versitygw {VERSION}, whose log is read here."
    for match in writes:
        if match["asked"] == "DeleteObjects":
            continue  # of many, whose keys are in its body
        if not match["key"].startswith(f"{PREFIX}/"):
            yield f"The run has asked for {match['asked']} of {match['key']}."
