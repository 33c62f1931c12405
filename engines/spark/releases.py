"""The capabilities and rules of each release of Delta on Spark (docs/delta.md 5).

Source: TableFeature.scala, DeltaSqlBase.g4 and VacuumCommand.scala at the release's tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Any

from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.commands import CommandKind
from model.vocabulary.predicate import Language, Wrapper
from model.vocabulary.rules import SPARK, Retain, RuleChange, Rules
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Form, Mode, VacuumMistake
from model.vocabulary.table import ColumnRule, Feature
from model.vocabulary.versions import parse
from model.vocabulary.withdrawals import METADATA_DELETED, OLD_VERSIONS_REFUSED, RETAIN_IGNORED

#: What each release introduced: a capability and its new members, or none if the whole capability is new.
_INTRODUCED: tuple[tuple[str, str, frozenset[Enum]], ...] = (
    ("3.0", "features", frozenset({Feature.V2_CHECKPOINTS})),
    ("3.0", "pruned_logs", frozenset()),  # multi-part checkpoints are older, but the capability covers both kinds
    ("3.0", "indexed_columns", frozenset()),
    # Before 3.2 these two are enabled only in Delta's own tests.
    ("3.2", "features", frozenset({Feature.VACUUM_PROTOCOL_CHECK, Feature.ROW_TRACKING})),
    ("3.2", "modes", frozenset({Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY})),
    (
        "3.2",
        "vacuum_mistakes",
        frozenset({VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE}),
    ),
    ("3.2", "settings", frozenset({Setting.NO_METADATA_ROW_INDEX})),
    ("3.3", "settings", frozenset({Setting.NO_FILES_IN_CHECKSUMS, Setting.NO_INCREMENTAL_COMMITS})),
    ("3.3", "features", frozenset({Feature.IN_COMMIT_TIMESTAMPS})),
    ("3.3", "version_checksums", frozenset()),
    ("3.3", "column_rules", frozenset(ColumnRule)),  # identity columns are the last of them
    ("3.3", "modes", frozenset({Mode.FULL, Mode.LITE, Mode.LITE_SETTING})),
    ("3.3", "vacuum_mistakes", frozenset({VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE})),
    # Before, “Cannot enable Row IDs on an existing table” (alterDeltaTableCommands.scala).
    ("3.3", "switchable", frozenset({Feature.ROW_TRACKING})),
    # Before, none of the features that commands switch could be dropped; 3.3 drops commit timestamps alone.
    ("3.3", "commands", frozenset({CommandKind.DROP_FEATURE})),
    # Since 4.0, but 4.0.0 fails with Spark 4.0.1 after it has switched them off (known_faults/spark.toml).
    ("4.0.1", "droppable", frozenset({Feature.DELETION_VECTORS})),
    ("4.0", "commands", frozenset({CommandKind.WIDEN_COLUMN})),
    ("4.0", "features", frozenset({Feature.WIDENED})),  # earlier ones have a preview of it, with a name of its own
    # Of PySpark 4.1, which comes with it.
    ("4.1", "wrappers", frozenset({Wrapper.ARROW})),
    ("4.1", "droppable", frozenset({Feature.ROW_TRACKING})),
    # By Delta Kernel, which comes with it: Delta on Spark itself reads such files, and never wrote one.
    ("4.2", "commands", frozenset({CommandKind.COMPACT_LOG})),
    ("4.3", "delete_forms", frozenset({Form.TRUNCATE})),
)


@cache
def capabilities_of(version: str) -> Capabilities:
    """What this release supports."""
    # VACUUM has no clause that keeps versions.
    capabilities = replace(EVERYTHING, languages=frozenset({Language.SPARK}), keeps_versions=False)
    for since, name, members in _INTRODUCED:
        if parse(version) < parse(since):
            remaining: Any = getattr(capabilities, name) - members if members else False
            capabilities = replace(capabilities, **{name: remaining})
    return capabilities


def settings_of(version: str) -> Mapping[str, str]:
    """Settings that this release needs in addition to engines.spark.jvm.driver.TUNING."""
    if parse(version) >= parse("3.1"):
        return {}
    # The vectorized reader cannot read deletion vectors without whole-stage code generation, which is too slow for the
    # gate. Users see this with tables of more than 100 columns (delta-io/delta#2246).
    return {"spark.sql.parquet.enableVectorizedReader": "false"}


#: The rules of the oldest release, 2.4.
_OLDEST = replace(
    SPARK,
    retain=Retain.ANY,
    counts_vectors=False,
    release=(2, 4),
    retain_error_class=False,
    blocks_expired_versions=False,
    checks_write_protocol=False,
    random_directories=False,
    utc_partition_values=False,
    reads_struct_statistics=False,
)

_PULL = "https://github.com/delta-io/delta/pull"
_FILES = "https://github.com/delta-io/delta/blob/{}/spark/src/main/scala/org/apache/spark/sql/delta"

_RANDOM_DIRECTORIES = (
    "New files of tables with column mapping are in directories with random names, not in partitions or at the root."
)

#: What each release changed, oldest first.
RULE_CHANGES = (
    RuleChange(
        "3.0",
        "counts_vectors",
        True,
        "DELETE reports how many deletion vectors it added, removed and updated.",
        f"{_FILES.format('v3.0.0')}/DeltaOperations.scala",
    ),
    RuleChange(
        "3.0",
        "release",
        (3, 0),
        "VACUUM has other error classes for a partition's directory, a view, and a path without a table.",
        "https://github.com/delta-io/delta/blob/v3.0.0/spark/src/main/scala/io/delta/tables/execution/VacuumTableCommand.scala",
    ),
    RuleChange(
        "3.1",
        "checks_write_protocol",
        True,
        "VACUUM checks that it may write the table; before, only its commits did, so not with DRY RUN or without logging.",
        "https://github.com/delta-io/delta/commit/16c386b155",
    ),
    RuleChange(
        "3.1",
        "reserved_names",
        frozenset({"metadata"}),
        "VACUUM skips every file and directory named metadata.",
        f"{_FILES.format('v3.1.0')}/DeltaTable.scala",
    ),
    RuleChange(
        "3.3",
        "reserved_names",
        frozenset(),
        "VACUUM skips what is named metadata in UniForm tables only.",
        "https://github.com/delta-io/delta/commit/4ceba238a4",
        METADATA_DELETED,
    ),
    RuleChange(
        "3.3",
        "utc_partition_values",
        True,
        "TIMESTAMP partition values are written in UTC (2020-01-31T08:00:00.000000Z), before in the session's time zone.",
        f"{_PULL}/3378",
    ),
    RuleChange("3.3.3", "random_directories", True, _RANDOM_DIRECTORIES, f"{_PULL}/5263"),
    RuleChange(
        "4.0",
        "release",
        (4, 0),
        "Spark 4, which comes with it, has names and SQLSTATEs for errors that had none.",
        "https://github.com/apache/spark/blob/v4.0.0/common/utils/src/main/resources/error/error-conditions.json",
    ),
    RuleChange(
        "4.0",
        "random_directories",
        False,
        "New files of tables with column mapping are in the directories of their partitions or at the root, unlike in 3.3.3.",
        f"{_FILES.format('v4.0.0')}/files/TransactionalWrite.scala",
    ),
    RuleChange(
        "4.0",
        "row_versions_with_widening",
        True,
        "New files of a table with type widening have a defaultRowCommitVersion, which is of row tracking.",
        f"{_FILES.format('v4.0.0')}/DefaultRowCommitVersion.scala",
    ),
    RuleChange(
        "4.1",
        "row_versions_with_widening",
        False,
        "New files of a table with type widening have a defaultRowCommitVersion only with row tracking.",
        f"{_PULL}/4881",
    ),
    RuleChange(
        "4.1",
        "retain",
        Retain.ZERO,
        "VACUUM ignores a RETAIN that does not round to 0 hours, and never refuses it.",
        f"{_PULL}/5028",
        RETAIN_IGNORED,
    ),
    RuleChange(
        "4.1",
        "retain_error_class",
        True,
        "A retention that is too short is refused with an error class of its own.",
        f"{_PULL}/5722",
    ),
    RuleChange(
        "4.1",
        "reads_struct_statistics",
        True,
        "Statistics that a checkpoint has as a struct only (writeStatsAsJson=false) are read; before, such files had none.",
        f"{_FILES.format('v4.1.0')}/Snapshot.scala",
    ),
    RuleChange(
        "4.1",
        "blocks_expired_versions",
        True,
        "A version older than the retention cannot be read, whether its files exist or not.",
        f"{_PULL}/5022",
        OLD_VERSIONS_REFUSED,
    ),
    RuleChange(
        "4.1",
        "random_directories",
        True,
        _RANDOM_DIRECTORIES,
        f"{_PULL}/5229",
    ),
)


@cache
def rules_of(version: str) -> Rules:
    """The rules that this release follows."""
    number = parse(version)
    rules = _OLDEST
    for change in RULE_CHANGES:
        rules = change.applied_to(rules) if parse(change.since) <= number else rules
    return replace(rules, release=number.release[:2])
