"""Trino (https://github.com/trinodb/trino): its connector delta_lake, on tables in S3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engines.bucket_limits import IN_BUCKETS
from engines.kind import Costs, EngineKind, Limits, Provider, Settings
from engines.object_store import Storage
from engines.port import Engine, EngineUnavailable
from examples.trino_engine.installation import VARIABLE, installation
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import DELTA_RS, Rules
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import DeleteMistake, Form, Literals, Mode, VacuumForm, VacuumMistake
from model.vocabulary.table import ColumnRule, Feature, Reference, VectorStorage

CAPABILITIES = Capabilities(
    # It refuses to write tables with the others (SUPPORTED_WRITER_FEATURES of DeltaLakeTableFeatures). It has no promise not to
    # read files that it need not read.
    features=frozenset(Feature)
    - {
        *(Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS, Feature.V2_CHECKPOINTS, Feature.WIDENED),
        Feature.UNREADABLE_FILES,
    },
    column_rules=frozenset({ColumnRule.CHECK}),
    # By absolute paths its VACUUM refuses the table, or deletes live files (findings.md).
    references=frozenset({Reference.RELATIVE}),
    vectors=frozenset(
        {VectorStorage.RELATIVE, VectorStorage.ABSOLUTE}
    ),  # DeletionVectors refuses those that are inline
    spellings=frozenset({Spelling.PLAIN}),
    functions=frozenset(),
    languages=frozenset(),
    casts=False,
    column_comparisons=False,
    literals=frozenset({Literals.EXACT}),
    wrappers=frozenset(),
    delete_forms=frozenset({Form.SQL_PATH}),  # that is: registered by its path, and then by name
    delete_mistakes=frozenset(
        {
            *(DeleteMistake.AGGREGATE, DeleteMistake.UNKNOWN_COLUMN, DeleteMistake.NOT_BOOLEAN),
            *(DeleteMistake.NOT_A_TABLE, DeleteMistake.MISSING_PATH),
        }
    ),
    vacuum_forms=frozenset({VacuumForm.SQL_PATH}),
    vacuum_mistakes=frozenset({VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH}),
    modes=frozenset({Mode.FULL}),
    io_faults=frozenset(),
    fractional_hours=False,
    commits_vacuums=False,
    logging=False,
    dry_run=False,
    default_retention=False,
    safety_check=False,  # the least retention is a property of the session, not of the table
    vacuums_vectors=False,
    keeps_versions=False,
    parallel=False,
    settings=frozenset(),
    zones=False,
    inserts=False,
    commands=frozenset(),
    earlier_sessions=False,
    streams=False,
    crashes=False,
    sessions=False,
    caches=False,
    sets_clock=False,
    version_checksums=False,
    checksum_details=False,
    pointer_checksums=False,
    counts_accesses=False,
)

#: It keeps nobody's promises but the format's. Of VACUUM: "removes all old files that are not in the transaction log, as well as
#: files that are not needed to read table snapshots newer than the current time minus the retention period"
#: (https://trino.io/docs/476/connector/delta-lake.html#vacuum), where a snapshot is as old as its commit's file
#: (VacuumProcedure, TransactionLogAccess.getPastTableVersions).
RULES: Rules = replace(
    DELTA_RS,
    implementation=None,
    writes_vectors=True,
    draws_processors=False,
    hides_names=False,
    ages_removed_files=True,
    keeps_removals_of_young_commits=True,
    reads_mapped_change_feed=True,
)


class Trino(EngineKind):
    name = "trino"
    costs = Costs(speed=3.0, start=20.0)

    def capabilities_of(self, version: str | None) -> Capabilities:
        return CAPABILITIES

    def rules_of(self, version: str) -> Rules:
        return RULES

    def installed_version(self) -> str:
        return installation().version

    def limits_in(self, storage: Storage) -> Sequence[Limits]:
        if storage is Storage.LOCAL:
            raise EngineUnavailable(
                "Trino's connector does not write to local file systems: give --storage s3, as `tox -e gate-trino` does."
            )
        return IN_BUCKETS

    # Trino's client need not be installed until it is judged.

    def provider(self, settings: Settings) -> Provider:
        from examples.trino_engine.server import TrinoProvider

        if settings.store is None:
            raise EngineUnavailable(f"Trino needs --storage s3, and a server of its own ({VARIABLE} names one).")
        return TrinoProvider(settings, settings.store)

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        from examples.trino_engine.adapter import TrinoEngine

        return TrinoEngine(self.installed_version(), lease, time_limit=time_limit)


ENGINE = Trino()
