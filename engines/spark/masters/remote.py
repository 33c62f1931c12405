"""Spark Connect: a server in the run's own JVM, and the session of a client, through which a step's commands and queries go."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

from pyspark.sql import SparkSession

from engines.port import EngineUnavailable
from engines.spark.jvm.jars import spark_jars

_PLUGINS = "spark.plugins"

#: By which the server knows the clients of a run.
_USER = "tombstone"

_PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"


def server_settings(conf: Mapping[str, str]) -> Mapping[str, str]:
    """The settings with which a JVM serves Connect on a free port of this machine, and keeps what the user's have.

    Raises EngineUnavailable, with the remedy, if this environment has no server, or no client.
    """
    if not any(spark_jars().glob("spark-connect_*.jar")):
        raise EngineUnavailable(
            "This PySpark has no server for Spark Connect: judge one of Spark 4 (Delta 4.0 or newer)."
        )
    try:
        importlib.import_module("pyspark.sql.connect.session")
    except ImportError as missing:
        raise EngineUnavailable(
            f"The client of Spark Connect cannot be loaded ({missing}): use `tombstone gate VERSION`, or install "
            "'pyspark[connect]'."
        ) from missing
    return {
        _PLUGINS: ",".join([*([conf[_PLUGINS]] if conf.get(_PLUGINS) else []), _PLUGIN]),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
    }


def over_connect(spark: SparkSession) -> SparkSession:
    """A session for who runs SQL, sets settings and reads, through a client of the server in this session's JVM."""
    return cast(SparkSession, _OverConnect(spark))


class _OverConnect:
    """What the adapter uses of a SparkSession.

    What no client can do goes to the JVM: the clock, the entries of the catalog, and the file system that fails. There,
    ``_jsparkSession`` is the session of the client.
    """

    def __init__(self, own: SparkSession) -> None:
        self._own = own
        jvm: Any = own._jvm
        self._jvm = jvm
        self.sparkContext = own.sparkContext
        services = jvm.org.apache.spark.sql.connect.service
        port = getattr(getattr(services, "SparkConnectService$"), "MODULE$").localPort()  # of a Scala object
        self._remote = _client(f"sc://127.0.0.1:{port}/;user_id={_USER}")
        nothing = jvm.scala.Option.apply(None)
        self._jsparkSession = services.SparkConnectService.getOrCreateIsolatedSession(
            _USER, self._remote.session_id, nothing
        ).session()
        self.sql = self._remote.sql
        self.table = self._remote.table
        self.createDataFrame = self._remote.createDataFrame
        self.conf = self._remote.conf
        self.catalog = self._remote.catalog

    @property
    def read(self) -> Any:
        return self._remote.read

    @property
    def readStream(self) -> Any:  # noqa: N802 - its name in PySpark
        return self._remote.readStream

    def newSession(self) -> _OverConnect:  # noqa: N802 - its name in PySpark
        return _OverConnect(self._own)


def _client(address: str) -> Any:
    """A session of a client that gives up at once when the server is gone, where it would try again for minutes."""
    session = importlib.import_module("pyspark.sql.connect.session")
    remote = session.SparkSession.builder.remote(address).create()
    remote.client.set_retry_policies([])
    return remote
