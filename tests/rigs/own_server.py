"""``python -m tests.rigs.own_server files|bucket [--power] [ARGUMENT ...]``: smoke's cases on a separate Spark Connect server.

The server is Spark's own, with the settings that Delta's documentation names. It shares only a directory (``files``) or only a
bucket with the run. ``--power``: known-bad engines are judged (``selfcheck.power``). ``ARGUMENT``: those of a gate, or of that
command. Returns its exit code; 2: the server does not start; in a bucket 1 too, as ``tests.rigs.watched_bucket`` says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pyspark

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.provider import DEFAULT
from engines.served import Served
from engines.spark.adapter import installed_delta
from engines.spark.commands.statements import SESSION
from engines.spark.jvm.driver import tail
from engines.spark.jvm.jars import delta_jars, spark_jars
from engines.spark.jvm.java import Java, find_java
from engines.spark.jvm.options import jvm_options
from engines.spark.storage.s3a import client_settings, s3a_jars
from engines.spark.versions import artifact_for
from runner.command_line.commands import Parser, ended
from runner.gate_version import ROOT
from runner.processes.child_process import exit_code_of
from runner.processes.workspace import Workspace
from tests.rigs.smoke_command import smoke_arguments, smoke_command
from tests.rigs.watched_bucket import WatchedBucket

#: Seconds for the server to start.
START_LIMIT = 180

#: Delta's documentation, "Set up Apache Spark with Delta Lake".
_DOCUMENTED = ("spark.sql.extensions", "spark.sql.catalog.spark_catalog")

_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
_STARTED = re.compile(r"Spark Connect server started at: .*:(\d+)")


def server_command(java: Java, jars: Sequence[Path], directory: Path, store: ObjectStore | None = None) -> list[str]:
    """What starts the server on a free port of this machine, with its own files in the directory. ``store``: a bucket that it
    reaches.

    As ``sbin/start-connect-server.sh`` does, which asks for a module that not every Java has.
    """
    conf = {
        **{key: SESSION[key] for key in _DOCUMENTED},
        "spark.jars": ",".join(map(str, jars)),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(directory / "scratch"),
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        **({} if store is None else client_settings(store, directory)),
    }
    settings = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    options = [
        *jvm_options(java.release, heap="3g"),
        f"-Djava.io.tmpdir={directory}",
        f"-Dderby.system.home={directory}",
    ]
    submit = ["-cp", f"{spark_jars()}/*", "org.apache.spark.deploy.SparkSubmit", "--class", _SERVER]
    return [str(java.path), *options, *submit, *settings, "spark-internal"]


class Server:
    """The server, as a process that ends with this object."""

    def __init__(self, workspace: Workspace, store: ObjectStore | None = None) -> None:
        """Start it, and wait until it serves. Raises EngineUnavailable with the end of its log."""
        java = find_java()
        delta = installed_delta()
        artifact = artifact_for(delta=delta, pyspark=pyspark.__version__)
        jars = delta_jars(artifact, delta, java=java.path, tell=print)
        if store is not None:
            jars = (*jars, *s3a_jars(java=java.path, ivy_settings=None))
        directory = workspace.directory / "server"
        directory.mkdir()
        environ = {**os.environ, "SPARK_HOME": str(spark_jars().parent), "LC_ALL": "C.UTF-8"}
        command = server_command(java, jars, directory, store)
        self._server = Served(
            command, log=directory / "server.log", started=workspace.started, directory=directory, environ=environ
        )
        try:
            port = self._server.wait_until(self._port, seconds=START_LIMIT, every=0.1)
            if port is None:
                raise EngineUnavailable(f"Spark's Connect server did not start; its log ends: {tail(self._server.log)}")
            self.address = f"sc://127.0.0.1:{port}"
        except BaseException:
            self.close()
            raise

    def _port(self) -> int | None:
        found = _STARTED.search(self._server.said)
        return int(found[1]) if found else None

    def close(self) -> None:
        self._server.close()


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m tests.rigs.own_server", description=__doc__, allow_abbrev=False)
    parser.add_argument("shared", choices=("files", "bucket"), help="what the server and the run share")
    options, others = smoke_arguments(parser, arguments)
    workspace = Workspace(None)
    try:
        with ExitStack() as opened:
            bucket = WatchedBucket(workspace) if options.shared == "bucket" else None
            if bucket is not None:
                opened.callback(bucket.close)
            print("Starting a server of Spark Connect.", flush=True)
            server = Server(workspace, None if bucket is None else bucket.store)
            opened.callback(server.close)
            tables = str(workspace.directory / "tables") if bucket is None else bucket.table_root("s3a")
            place = "--spark-remote", server.address, "--table-root", tables
            command = smoke_command(DEFAULT, *place, *others, power=options.power)
            environ = {**os.environ, **({} if bucket is None else bucket.environ)}
            code = exit_code_of(command, directory=ROOT, environ=environ, started=workspace.started)
        return code if bucket is None else bucket.code_after(code)
    finally:
        workspace.close()


if __name__ == "__main__":
    ended(main)
