"""The functions of reproduction scripts of Sail. A script has the source of those that it calls (engines.script_library)."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from pyspark.sql.connect.session import SparkSession

from engines.deltalake.script_functions import rows
from engines.script_names import ROOT


def started() -> Any:
    """A server, in a process that ends with this one, and a session in it."""
    lines = [
        "import os, sys",
        "from pysail.spark import SparkConnectServer",
        "server = SparkConnectServer('127.0.0.1', 0)",
        "server.start(background=True)",
        "print(server.listening_address[1], flush=True)",
        "sys.stdin.read()",
        "os._exit(0)",
    ]
    command = [sys.executable, "-c", "\n".join(lines)]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert server.stdout is not None
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.stdout.readline().strip()}").create()
    session.client.set_retry_policies([])  # else the client calls a server that is gone for ten minutes
    session.client.disable_reattachable_execute()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return server, session


def read(session: Any, version: int | None = None) -> Any:
    """The rows of the table, as it is or as it was in a version."""
    reader = session.read.format("delta")
    return rows((reader if version is None else reader.option("versionAsOf", str(version))).load(ROOT).toArrow())
