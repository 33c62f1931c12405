"""Cleans up after a run that was killed: a separate process whose standard input ends with the run.

Its input lines: ``remove PATH`` (a directory of the run), ``kill PID`` (a process of the run), ``bucket JSON`` (what to delete
in a bucket), ``done`` (the run has cleaned up). Runs as a script, with the standard library only; a bucket needs boto3.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
from collections.abc import Iterable


def reap(lines: Iterable[str]) -> None:
    """Read to the end of the input, then clean up, unless a line is ``done``."""
    directories: list[str] = []
    processes: list[int] = []
    buckets: list[dict[str, str | None]] = []
    for line in lines:
        word, _, argument = line.rstrip("\n").partition(" ")
        if word == "done":
            return
        if word == "remove":
            directories.append(argument)
        elif word == "kill":
            processes.append(int(argument))
        elif word == "bucket":
            buckets.append(json.loads(argument))
    for pid in processes:
        end(pid)
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)
    for bucket in buckets:
        empty(bucket)


def empty(bucket: dict[str, str | None]) -> None:
    """Delete the objects whose keys begin with ``prefix``. What raises ends this process: nobody is left to be told."""
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=bucket["endpoint"],
        region_name=bucket["region"],
        aws_access_key_id=bucket["access_key"],
        aws_secret_access_key=bucket["secret_key"],
        aws_session_token=bucket["session_token"],
    )
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket["bucket"], Prefix=bucket["prefix"])
    for key in [found["Key"] for page in pages for found in page.get("Contents", ())]:
        client.delete_object(Bucket=bucket["bucket"], Key=key)


def end(pid: int) -> None:
    """Kill a process, and wait until it is gone: at most a second, as its parent may never reap it."""
    for _ in range(100):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            return
        select.select([], [], [], 0.01)


if __name__ == "__main__":
    reap(sys.stdin)
