"""Spark's masters: which of them are only this machine, which one a run starts itself, and whether one can be reached."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from engines.port import EngineUnavailable
from engines.processors import processors

#: Masters whose tasks run in the driver's JVM: org.apache.spark.SparkContext, SparkMasterRegex.
_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(\s*,\s*\d+)?\])?")

#: Local mode without retries, with so many threads; ``*``: as many as there are processors.
_THREADS = re.compile(r"local(?:\[\s*(\d+|\*)\s*\])?")

#: The workers of a run: ``--maxprocesses`` of tox.ini.
_MOST_HELD = 8

#: Masters with executors of their own whose addresses Spark itself finds.
_OTHERS = re.compile(r"local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]|yarn|k8s://.+")

_STANDALONE = "spark://"

#: A standalone cluster that the run starts for itself. Spark does not know this name, and its address is another in each run.
_OWN = re.compile(r"standalone\[([1-9]\d*)\]")

#: Spark in local mode, through a client of the Connect server in the run's own JVM. Spark does not know this name for a master.
REMOTE = "sc://local"

_CONNECT = "sc://"

#: Seconds for a master's machine to accept a connection. Spark itself tries for a minute.
REACH_LIMIT = 5


def is_local(master: str) -> bool:
    """Whether tasks run in the driver's JVM. ``local-cluster[…]`` is not local: its executors are processes."""
    return _LOCAL.fullmatch(master) is not None


def is_server(master: str) -> bool:
    """Whether it is the address of a foreign server of Spark Connect: ``sc://host:15002``."""
    return master.startswith(_CONNECT) and master != REMOTE


def is_server_address(text: str) -> bool:
    """Whether the text is ``sc://host:port``, with or without parameters."""
    try:
        parts = urlsplit(without_parameters(text))
        return parts.scheme == "sc" and bool(parts.hostname and parts.port) and not parts.path
    except ValueError:  # a port that is no number
        return False


def is_cluster(master: str) -> bool:
    """Whether tasks run in other processes than the driver; unknown for a foreign server."""
    return not is_local(master) and not master.startswith(_CONNECT)


def without_parameters(address: str) -> str:
    """The address of a server without its parameters, which may hold a token: for reports and sentences."""
    return address.partition("/;")[0].rstrip("/")


def is_master(master: str) -> bool:
    """Whether Spark takes it for a master."""
    standalone = master.startswith(_STANDALONE) and bool(_addresses(master))
    return is_local(master) or standalone or _OTHERS.fullmatch(master) is not None


def with_free_slots(conf: Mapping[str, str]) -> dict[str, str]:
    """The settings of a JVM, in local mode with more task slots than the master names; data are split as without them.

    A session that is held keeps the slot of its task, and each worker of a run can hold one: without a free slot the sessions
    beside them would wait until the limit.
    """
    named = _THREADS.fullmatch(conf["spark.master"])
    if named is None:
        return dict(conf)
    slots = processors() if named[1] == "*" else int(named[1] or 1)
    return {"spark.default.parallelism": str(slots), **conf, "spark.master": f"local[{slots + _MOST_HELD}]"}


def own_cluster(workers: int) -> str:
    """The name of a cluster with so many workers that the run starts for itself: ``engines.spark.masters.cluster``."""
    return f"standalone[{workers}]"


def own_workers(master: str) -> int:
    """How many workers the cluster has that the run starts for itself; 0: it starts none."""
    own = _OWN.fullmatch(master)
    return int(own[1]) if own else 0


def require_reachable(master: str, *, limit: float = REACH_LIMIT) -> None:
    """Raises EngineUnavailable if no address of a ``spark://`` master accepts a connection within ``limit`` seconds."""
    addresses = _addresses(master) if master.startswith(_STANDALONE) else ()
    cause = ""
    for address in addresses:
        cause = unreachable(address, limit)
        if not cause:
            return
    if addresses:
        raise EngineUnavailable(
            f"--spark-master {master} cannot be reached ({cause}): start the master, or correct its address."
        )


def unreachable(address: tuple[str, int], limit: float) -> str:
    """Why a host and port accept no connection within ``limit`` seconds; empty if they do."""
    try:
        socket.create_connection(address, limit).close()
    except OSError as error:
        return error.strerror or f"no answer within {limit:g} s"
    return ""


def _addresses(master: str) -> tuple[tuple[str, int], ...]:
    """The hosts and ports of ``spark://one:7077,other:7077``; none if one of them is not an address."""
    try:
        parts = [urlsplit(f"//{part}") for part in master.removeprefix(_STANDALONE).split(",")]
        found = tuple((part.hostname or "", part.port or 0) for part in parts)
    except ValueError:  # a port that is no number
        return ()
    whole = all(host and port and not (part.path or part.query) for (host, port), part in zip(found, parts))
    return found if whole else ()
