"""Delta on Spark as an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from engines.bucket_limits import AS_OLD_AS_UPLOADS, IN_BUCKETS, NO_NONCHARACTERS
from engines.dialect import DialectFor
from engines.kind import EngineKind, Given, Limits, Provider, Settings
from engines.object_store import Storage
from engines.port import Engine, EngineUnavailable
from engines.spark.masters.names import REMOTE, is_cluster, is_local
from engines.spark.options import OPTIONS, SparkOptions
from engines.spark.releases import RULE_CHANGES, capabilities_of, rules_of
from engines.spark.script import SparkScript
from engines.spark.versions import JUDGED, DeltaReleases
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.commands import CommandKind
from model.vocabulary.rules import Rules
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_DELETE_FORMS,
    API_VACUUM_FORMS,
    DeleteMistake,
    Form,
    Mode,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import Reference, VectorStorage

_ON_A_CLUSTER = Limits(
    replace(EVERYTHING, crashes=False, sessions=False, counts_accesses=False),
    "It needs a file system that stops or holds at one effect on storage, and the suite counts those of the driver's JVM alone: "
    "on a cluster, executors write and delete too.",
)

_OVER_CONNECT = Limits(
    replace(
        EVERYTHING,
        delete_forms=EVERYTHING.delete_forms - {*API_DELETE_FORMS},
        vacuum_forms=EVERYTHING.vacuum_forms - {*API_VACUUM_FORMS},
        earlier_sessions=False,
        wrappers=frozenset(),
        counts_accesses=False,
    ),
    "It needs Delta's class DeltaTable, which over Spark Connect needs plugins of Delta's in the server, or users' functions, "
    "which the suite registers in the server's own session: only SQL without them is judged.",
)

#: Commands that are no SQL, or leave URIs of the table's directory, which has another name while a server works on it.
_OF_THE_JVM = (
    CommandKind.CHECKPOINT,
    CommandKind.COMPACT_LOG,
    CommandKind.CLEAN_UP_LOG,
    CommandKind.SHALLOW_CLONE,
    CommandKind.VACUUM_CLONE,
)

#: In a bucket, beside what holds for every engine.
_NO_EMPTY_DIRECTORY = Limits(
    replace(
        EVERYTHING,
        delete_mistakes=EVERYTHING.delete_mistakes - {DeleteMistake.NOT_A_TABLE},
        vacuum_mistakes=EVERYTHING.vacuum_mistakes - {VacuumMistake.NOT_A_TABLE},
    ),
    "A directory that is no table would be an empty one, and there is none in a bucket.",
)
_NO_FAULTS = Limits(
    replace(EVERYTHING, io_faults=frozenset(), crashes=False, sessions=False, counts_accesses=False),
    "It needs a file system that fails, stops, holds or counts, which the suite has for local files alone.",
)

_NO_FILES = Limits(
    replace(
        EVERYTHING,
        modes=frozenset(mode for mode in Mode if not mode.inventory),
        streams=False,
        commands=EVERYTHING.commands - {CommandKind.COMPACT_LOG},
    ),
    "It needs files beside the table: in a bucket of your own there are objects alone.",
)

_NO_SHARED_FILES = Limits(
    replace(EVERYTHING, commands=EVERYTHING.commands - {CommandKind.STREAM_APPEND}),
    "It needs a directory that all processes of Spark reach: they share a bucket alone.",
)

_ON_A_SERVER = Limits(
    replace(
        _OVER_CONNECT.capabilities,
        delete_forms=_OVER_CONNECT.capabilities.delete_forms - {Form.SQL_MANAGED},
        delete_mistakes=EVERYTHING.delete_mistakes - {DeleteMistake.PARTITION_DIRECTORY},
        vacuum_forms=_OVER_CONNECT.capabilities.vacuum_forms - {VacuumForm.SQL_MANAGED},
        vacuum_mistakes=EVERYTHING.vacuum_mistakes - {VacuumMistake.PARTITION_DIRECTORY},
        commands=EVERYTHING.commands - {*_OF_THE_JVM},
        references=frozenset({Reference.RELATIVE}),
        vectors=EVERYTHING.vectors - {VectorStorage.ABSOLUTE},
        spellings=EVERYTHING.spellings - {Spelling.RELATIVE},
        io_faults=frozenset(),
        crashes=False,
        sessions=False,
        sets_clock=False,
    ),
    "It needs more than SQL, or a class or a clock of the suite in the foreign server.",
)

_ON_A_WALL_CLOCK = Limits(
    replace(EVERYTHING, sessions=False),
    "It needs two sessions of one instant, and the machine's clock goes on between them.",
)


#: The setting of Spark that gives sessions another time zone than the JVM's.
_SESSION_ZONE = "spark.sql.session.timeZone"


@dataclass(frozen=True)
class Spark(EngineKind):
    chosen: SparkOptions = field(default_factory=SparkOptions)

    name = "spark"
    options = OPTIONS
    releases = DeltaReleases()
    rule_changes = RULE_CHANGES

    def capabilities_of(self, version: str | None) -> Capabilities:
        return capabilities_of(version or JUDGED[-1])

    def rules_of(self, version: str) -> Rules:
        return rules_of(version)

    def with_options(self, given: Given) -> Spark:
        return replace(self, chosen=SparkOptions.of(given))

    def limits_in(self, storage: Storage) -> Sequence[Limits]:
        on = self._on_its_master
        if storage is Storage.LOCAL:
            return (*on, _ON_A_WALL_CLOCK) if self.chosen.wall_clock else on
        in_bucket = (*on, *IN_BUCKETS, _NO_EMPTY_DIRECTORY, _NO_FAULTS)
        if storage is Storage.BUCKET:
            if self.chosen.patches and is_cluster(self.chosen.master):
                raise EngineUnavailable(
                    "--extra-classpath reaches executors by a directory that they share with the driver: with a bucket as "
                    "--table-root, put its classes into a jar of Delta's, and name that with --jars."
                )
            apart = () if is_local(self.chosen.master) or self.chosen.master == REMOTE else (_NO_SHARED_FILES,)
            aged = (AS_OLD_AS_UPLOADS,) if self.chosen.server else ()
            return (*in_bucket, NO_NONCHARACTERS, _NO_FILES, *apart, *aged)
        if on:
            raise EngineUnavailable(
                f"--storage {storage.value} serves a local directory, and works only with Spark in one process: leave out what "
                f"names {self.chosen.master}, or name a bucket of your own with --table-root s3://bucket/prefix."
            )
        return in_bucket

    @property
    def _on_its_master(self) -> tuple[Limits, ...]:
        if self.chosen.server:
            return (_ON_A_SERVER,)
        if is_local(self.chosen.master):
            return ()
        return (_OVER_CONNECT if self.chosen.master == REMOTE else _ON_A_CLUSTER,)

    @property
    def machine(self) -> Mapping[str, str]:
        """The master of a cluster, whose machines may differ from this one in everything that a header describes."""
        return {} if is_local(self.chosen.master) else {"master": self.chosen.master}

    @property
    def remembers_tables(self) -> bool:
        return bool(self.chosen.server)

    @property
    def session_zone(self) -> str | None:
        return self.chosen.conf.get(_SESSION_ZONE)

    @property
    def is_scripted(self) -> bool:
        return is_local(self.chosen.master) and not (
            self.chosen.wall_clock or self.chosen.conf or self.chosen.patches or self.chosen.jars
        )

    def dialect_of(self, versions: Mapping[str, str]) -> DialectFor:
        return partial(SparkScript, delta=versions["delta"], pyspark=versions["pyspark"])

    # PySpark need not be installed until it is judged.

    def installed_version(self) -> str:
        from engines.spark.adapter import installed_delta

        return installed_delta()

    def provider(self, settings: Settings) -> Provider:
        if self.chosen.server:
            from engines.spark.server_provider import SparkServerProvider

            return SparkServerProvider(settings, self.chosen.server)
        from engines.spark.provider import SparkProvider

        return SparkProvider(settings, self.chosen)

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        from engines.spark.adapter import SparkEngine
        from engines.spark.masters.server import ServerLease
        from engines.spark.server_adapter import SparkServerEngine

        first = lease(0)
        if isinstance(first, ServerLease):
            return SparkServerEngine(lease, first.store, time_limit=time_limit)
        return SparkEngine(lease, first.store, time_limit=time_limit, wall_clock=self.chosen.wall_clock)


ENGINE = Spark()
