"""What delta-rs can be asked for (its source: python/deltalake/table.py, crates/core/src/kernel/transaction/protocol.rs)."""

from __future__ import annotations

from model.capabilities import Capabilities
from model.steps import Blunder, Form, Mode, VacuumBlunder, VacuumForm
from model.table import Feature, Reference
from model.versions import parse


def capabilities_of(version: str) -> Capabilities:
    """What this version of deltalake can be asked for."""
    return NEWEST if parse(version) >= (1, 0) else Capabilities()


NEWEST = Capabilities(
    # Row tracking, in-commit timestamps, the unknown and VACUUM's protocol check it refuses to write, or to read.
    features=frozenset(Feature)
    - {
        Feature.ROW_TRACKING,
        Feature.IN_COMMIT_TIMESTAMPS,
        Feature.VACUUM_PROTOCOL_CHECK,
        Feature.FREQUENT_CHECKPOINTS,
    },
    column_rules=False,
    references=frozenset({Reference.RELATIVE, Reference.ABSOLUTE}),
    writes_vectors=False,
    functions=frozenset(),
    casts=False,
    delete_forms=frozenset({Form.SQL_PATH}),
    delete_blunders=frozenset({Blunder.UNKNOWN_COLUMN, Blunder.NOT_A_TABLE, Blunder.MISSING_PATH}),
    vacuum_forms=frozenset({VacuumForm.SQL_PATH}),
    vacuum_blunders=frozenset({VacuumBlunder.NOT_A_TABLE, VacuumBlunder.MISSING_PATH}),
    modes=frozenset({Mode.FULL, Mode.LITE}),
    troubles=frozenset(),
    fractional_hours=False,
    logging=False,
    parallel=False,
    zones=False,
    mapped_change_feed=False,  # "Column mapping is not supported for read operation 'CHANGE DATA FEED scans' yet"
)
