"""``python -m runner.own_bucket ENGINE [ARGUMENT ...]``: smoke's cases in a bucket that is not the run's.

The server is versitygw, in a process and with a directory of its own: the run reaches it by S3's protocol alone. ``ARGUMENT``:
those of a gate. Its exit code is returned; 1 too if the run has left an object, or touched one that is not its own.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from engines.s3_gateway import Server
from records.mistakes import UsageMistake
from runner.command_line.commands import ended
from runner.gate_version import ROOT
from runner.processes.child_process import exit_code_of
from runner.processes.workspace import Workspace

#: The bucket, the prefix that the run gets, and an object of somebody else's beside it.
_BUCKET = "lake"
_PREFIX = "team/tombstone"
_NEIGHBOUR = "team/tombstones/part-00000.parquet"
_THEIRS = b"of somebody else"


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        raise UsageMistake("python -m runner.own_bucket ENGINE …: name the engine, such as deltalake or spark.")
    workspace = Workspace(None)
    try:
        served, requests = workspace.directory / "served", workspace.directory / "requests"
        neighbour = served / _BUCKET / _NEIGHBOUR
        neighbour.parent.mkdir(parents=True)
        neighbour.write_bytes(_THEIRS)
        server = Server(served, _BUCKET, workspace.started, "--access-log", str(requests))
        try:
            command = [sys.executable, "-m", "pytest", "-c", "tox.ini", "suites", "--profile", "smoke"]
            command += ["--engine", arguments[0], "--table-root", f"s3://{_BUCKET}/{_PREFIX}", *arguments[1:]]
            keys = {"AWS_ACCESS_KEY_ID": server.store.access_key, "AWS_SECRET_ACCESS_KEY": server.store.secret_key}
            address = {"AWS_ENDPOINT_URL": str(server.store.endpoint), "AWS_REGION": server.store.region}
            code = exit_code_of(command, directory=ROOT, environ={**os.environ, **keys, **address})
        finally:
            server.close()
        faults = [*_left(served / _BUCKET), *_strange(requests)]
        for fault in faults:
            print(fault)
        return max(code, 1) if faults else code
    finally:
        workspace.close()


def _left(bucket: Path) -> Iterator[str]:
    """What the run has left in the bucket, or changed in it: a sentence each."""
    for path in sorted(path for path in bucket.rglob("*") if path.is_file()):
        key = path.relative_to(bucket).as_posix()
        if key != _NEIGHBOUR:
            yield f"The run has left {key} in the bucket."
        elif path.read_bytes() != _THEIRS:
            yield f"The run has changed {key}."


#: A line of S3's log of requests, as far as it is looked at: what was asked for, and of which key.
_REQUEST = re.compile(r'"(?P<method>[A-Z]+) /(?P<path>[^ ?"]*)')


def _strange(requests: Path) -> Iterator[str]:
    """The requests that write, and are not below the run's prefix: a sentence each."""
    for line in requests.read_text(encoding="utf-8").split("\n"):
        found = _REQUEST.search(line)
        if found is None or found["method"] in ("GET", "HEAD"):
            continue
        if found["method"] == "POST" and found["path"] == _BUCKET:
            continue  # a deletion of many, whose keys are in its body
        if not found["path"].startswith(f"{_BUCKET}/{_PREFIX}/"):
            yield f"The run has asked for {found['method']} {found['path']}."


if __name__ == "__main__":
    ended(main)
