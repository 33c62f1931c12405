"""What delta-rs supports. Source: python/deltalake/table.py, crates/core/src/kernel/transaction/protocol.rs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engines.deltalake.operations import DELETE_MISTAKES
from engines.deltalake.sql import FUNCTIONS
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.commands import CommandKind
from model.vocabulary.predicate import Language
from model.vocabulary.steps import Form, Mode, VacuumForm, VacuumMistake
from model.vocabulary.table import ColumnRule, Feature, Reference
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.versions import parse


def capabilities_of(version: str) -> Capabilities:
    """What this version of deltalake, 1.0 or later, supports."""
    later = {feature for feature, since in _SINCE.items() if parse(version) < parse(since)}
    commands = NEWEST.commands if parse(version) >= parse("1.5") else NEWEST.commands - {CommandKind.COMPACT_LOG}
    keeps_versions = parse(version) >= parse("1.1")  # the argument keep_versions of DeltaTable.vacuum
    return replace(NEWEST, features=NEWEST.features - later, commands=commands, keeps_versions=keeps_versions)


#: The first version that writes tables with a feature; older ones refuse ("Unsupported … features required").
_SINCE: Mapping[Feature, str] = {
    Feature.DELETION_VECTORS: "1.4",
    Feature.DELETION_VECTORS_OFF: "1.4",
    Feature.COLUMN_MAPPING_NAME: "1.6.1",
    Feature.COLUMN_MAPPING_ID: "1.6.1",
    Feature.V2_CHECKPOINTS: "1.6.3",
}

NEWEST = Capabilities(
    # It refuses tables with these features.
    features=frozenset(Feature)
    - {
        Feature.ROW_TRACKING,
        Feature.IN_COMMIT_TIMESTAMPS,
        Feature.VACUUM_PROTOCOL_CHECK,
        Feature.FREQUENT_CHECKPOINTS,
        Feature.WIDENED,
    },
    column_rules=frozenset({ColumnRule.CHECK, ColumnRule.GENERATED}),
    trimmed_decimals=False,  # it refuses such tables (docs/findings-deltalake.md)
    references=frozenset({Reference.RELATIVE, Reference.ABSOLUTE}),
    roots=frozenset(TableRoot) - {TableRoot.ENCODED},  # it opens a%20table as "a table" (docs/findings-deltalake.md)
    writes_vectors=False,
    functions=frozenset(FUNCTIONS),
    languages=frozenset({Language.DATAFUSION}),
    casts=False,  # it casts a DECIMAL wrong (docs/findings-deltalake.md), and CASE comes with them
    wrappers=frozenset(),
    delete_forms=frozenset({Form.SQL_PATH}),
    delete_mistakes=DELETE_MISTAKES,
    vacuum_forms=frozenset({VacuumForm.SQL_PATH}),
    vacuum_mistakes=frozenset({VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH}),
    modes=frozenset({Mode.FULL, Mode.LITE}),
    io_faults=frozenset(),
    fractional_hours=False,
    logging=False,
    parallel=False,
    streams=False,
    # Those that the package has; RESTORE goes to earlier versions only, a log compaction has two commits at least.
    commands=frozenset(CommandKind)
    - {
        CommandKind.PURGE,
        CommandKind.STREAM_APPEND,
        CommandKind.DROP_FEATURE,
        CommandKind.RENAME_COLUMN,
        CommandKind.DROP_COLUMN,
        CommandKind.WIDEN_COLUMN,
        CommandKind.SHALLOW_CLONE,
        CommandKind.VACUUM_CLONE,
    },
    dynamic_overwrites=False,
    crashes=False,
    sessions=False,
    settings=frozenset(),
    zones=False,
    caches=False,
    sets_clock=False,
    version_checksums=False,
    pointer_checksums=False,
    counts_accesses=False,
    mapped_change_feed=False,  # "Column mapping is not supported for read operation 'CHANGE DATA FEED scans' yet"
)
