"""A foreign server of Spark Connect: its address, a client, and what the run must know of it before it begins."""

from __future__ import annotations

import importlib
import json
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pyspark.errors import PySparkException

from engines.bucket import Bucket, remove_below
from engines.machine import MachineFailed
from engines.object_store import ObjectStore
from engines.port import EngineUnavailable, now
from engines.spark.commands.statements import INT96, INTERPRETED, SESSION, SPARK_4
from engines.spark.masters.names import REACH_LIMIT, unreachable, without_parameters
from engines.targets import table_text
from model.prediction.paths import LOG_DIRECTORY

#: Settings of a session without which the model predicts other answers.
NEEDED: Mapping[str, str] = {
    "spark.sql.session.timeZone": SESSION["spark.sql.session.timeZone"],
    **SPARK_4,
    **INT96,
}

#: Settings for speed alone, as the tables are tiny: the server may refuse them.
FASTER: Mapping[str, str] = {
    **{key: value for key, value in SESSION.items() if value == "1"},
    **INTERPRETED,
}

#: Delta writes it into each commit: PROTOCOL.md, "Commit Provenance Information", has it as an example.
_ENGINE_INFO = re.compile(r"Apache-Spark/(?P<spark>\S+) Delta-Lake/(?P<delta>\S+)")

#: ms by which the server's clock may differ from this machine's: a case has no age that is nearer to a cutoff.
_SKEW = 1000


@dataclass(frozen=True)
class ServerLease:
    """How to reach the server, and the version of its Spark. ``generation`` counts how often it was lost, from 1."""

    generation: int
    address: str
    spark: str
    store: ObjectStore | None = None  # where the tables are; None: they are files that both reach


def client(address: str) -> Any:
    """A new session of a client, with the settings that the model needs. It gives up at once when the server is gone. Raises
    EngineUnavailable, with the remedy, for an invalid address, and for a setting that the server refuses.
    """
    try:
        session = importlib.import_module("pyspark.sql.connect.session")
    except ImportError as missing:
        raise EngineUnavailable(
            f"The client of Spark Connect cannot be loaded ({missing}): use tox -e own-server, or install 'pyspark[connect]'."
        ) from missing
    place = without_parameters(address)
    try:
        remote = session.SparkSession.builder.remote(address).create()
        remote.client.set_retry_policies([])
        for key, value in NEEDED.items():
            if remote.conf.get(key, None) != value:
                remote.conf.set(key, value)
        for key, value in FASTER.items():
            with suppress(PySparkException):
                remote.conf.set(key, value)
    except PySparkException as refusal:
        raise EngineUnavailable(f"--spark-remote {place} cannot be used: {_first_line(refusal)}") from refusal
    return remote


def require_reachable(address: str, *, limit: float = REACH_LIMIT) -> None:
    """Raises EngineUnavailable, with the remedy, if nothing listens there within ``limit`` seconds."""
    place = without_parameters(address)
    parts = urlsplit(place)
    if cause := unreachable((parts.hostname or "", parts.port or 0), limit):
        raise EngineUnavailable(
            f"--spark-remote {place} cannot be reached ({cause}): start the server, or correct its address."
        )


@dataclass(frozen=True)
class ServerVersions:
    """The versions of its Spark and its Delta. ``delta``: None if its commits do not tell it. ``engine_info``: the text in its
    commits.
    """

    spark: str
    delta: str | None
    engine_info: str


def probed(remote: Any, address: str, directory: Path, store: ObjectStore | None = None) -> ServerVersions:
    """The server's versions, from a table that it makes below ``directory``, which both must reach; in a bucket, below its path
    there. Raises EngineUnavailable, with the remedy, if it cannot make one, or if its clock is not this machine's.
    """
    place = without_parameters(address)
    begun = now()
    try:
        content = _made_here(remote, directory) if store is None else _made_in_bucket(remote, directory, store)
    except (PySparkException, OSError, MachineFailed) as refusal:
        raise EngineUnavailable(
            f"--spark-remote {place} and this run do not share {_shared(directory, store)} ({_first_line(refusal)})."
        ) from refusal
    ended = now()
    info = next(
        entry["commitInfo"] for line in content.split(b"\n") if line and "commitInfo" in (entry := json.loads(line))
    )
    if not begun - _SKEW <= info["timestamp"] <= ended + _SKEW:
        seconds = (info["timestamp"] - ended) / 1000
        raise EngineUnavailable(
            f"The clock of --spark-remote {place} differs from this machine's by {seconds:+.0f} s: let both follow the same "
            "time server."
        )
    said = str(info.get("engineInfo", ""))
    found = _ENGINE_INFO.fullmatch(said)
    return ServerVersions(str(remote.version), found["delta"] if found else None, said)


#: The first commit of a table that the server makes, below the run's directory.
_PROBE = "server-probe/table"
_FIRST_COMMIT = f"{LOG_DIRECTORY}/{0:020}.json"


def _shared(directory: Path, store: ObjectStore | None) -> str:
    """What server and run must share, and the remedy if they do not."""
    if store is None:
        remedy = "name a directory with --table-root that the server writes and this machine reads by the same path"
        return f"{directory.parent}: {remedy}"
    remedy = "name a bucket with --table-root that the server writes by this URI, with keys of its own"
    return f"{store.prefix(store.scheme)}: {remedy}"


def _made_here(remote: Any, directory: Path) -> bytes:
    root = directory / _PROBE
    root.parent.mkdir()
    try:
        # It may be another user's, and may make directories for nobody else.
        root.parent.chmod(0o777)
        remote.sql(f"CREATE TABLE {table_text(root)} (v INT) USING delta").collect()
        return (root / _FIRST_COMMIT).read_bytes()
    finally:
        shutil.rmtree(root.parent, ignore_errors=True)


def _made_in_bucket(remote: Any, directory: Path, store: ObjectStore) -> bytes:
    root, objects = directory / _PROBE, Bucket(store)
    try:
        remote.sql(f"CREATE TABLE {table_text(f'{store.prefix(store.scheme)}{root}')} (v INT) USING delta").collect()
        return objects.get(f"{root}/{_FIRST_COMMIT}")
    finally:
        remove_below(objects, f"{root}/")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
