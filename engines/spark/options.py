"""Spark's own options: its settings, the jars, and the master."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engines.kind import Given
from engines.port import EngineUnavailable
from engines.spark.masters.names import (
    REMOTE,
    is_master,
    is_server,
    is_server_address,
    own_cluster,
    without_parameters,
)
from tombstone.options import of_engine

#: The master if none is named.
LOCAL = "local[*]"

OPTIONS = of_engine("spark")


@dataclass(frozen=True)
class SparkOptions:
    conf: Mapping[str, str] = field(default_factory=dict)
    patches: tuple[Path, ...] = ()  # jars or directories in front of Delta's classes
    jars: tuple[Path, ...] = ()  # none: Maven's
    master: str = LOCAL
    wall_clock: bool = False  # the machine's, which the run does not set
    server: str = ""  # the whole address of a foreign server of Spark Connect

    @classmethod
    def of(cls, given: Given) -> SparkOptions:
        """Those that are given. Raises EngineUnavailable, with the remedy."""
        conf = dict(map(_setting, given.get("spark_conf", ())))
        named = conf.get("spark.master", given.get("spark_master"))
        master = _master(named, cluster=given.get("spark_cluster"), remote=given.get("spark_remote"))
        wall_clock = _is_of_the_machine(given.get("spark_clock"))
        server = str(given["spark_remote"]) if is_server(master) else ""
        if server:
            _require_nothing_else(given)
        return cls(conf, given.get("extra_classpath", ()), given.get("jars", ()), master, wall_clock, server)


def _require_nothing_else(given: Given) -> None:
    """Raises EngineUnavailable for options of a JVM that the run starts."""
    for option in ("spark_conf", "extra_classpath", "jars", "spark_clock"):
        if given.get(option):
            raise EngineUnavailable(
                f"--{option.replace('_', '-')} is for a Spark that the run starts: leave it out with --spark-remote sc://…, "
                "whose server has its own."
            )


def _is_of_the_machine(clock: str | None) -> bool:
    if clock not in (None, "machine"):
        raise EngineUnavailable(
            f"--spark-clock {clock} is not known: write machine, or leave it out, and the run sets Delta's clock."
        )
    return clock is not None


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise EngineUnavailable(f"--spark-conf {text} is not of the form K=V: give a key, = and a value.")
    return key, value


def _master(named: str | None, *, cluster: int | None, remote: str | None) -> str:
    """The master that is ``named``, or the one that the run starts."""
    starts = [
        option for option, value in (("--spark-cluster", cluster), ("--spark-remote", remote)) if value is not None
    ]
    if len(starts) > 1:
        raise EngineUnavailable(f"{' and '.join(starts)} cannot be judged in one run: name one of them.")
    if starts and named is not None:
        raise EngineUnavailable(f"{starts[0]} starts a master of its own: leave out the other one, {named}.")
    if cluster is not None:
        if not cluster:
            raise EngineUnavailable("--spark-cluster 0 has no workers: give a number, such as --spark-cluster 2.")
        return own_cluster(cluster)
    if remote is not None:
        if remote == "local":
            return REMOTE
        if not is_server_address(remote):
            raise EngineUnavailable(
                f"--spark-remote {without_parameters(remote)} is no address of a server: write sc://HOST:PORT, or local."
            )
        return without_parameters(remote)
    if not is_master(named or LOCAL):
        raise EngineUnavailable(
            f"--spark-master {named} is not a master of Spark: name one such as local[*], local[4] or spark://HOST:7077."
        )
    return named or LOCAL
