"""What Delta on Spark can be asked for, and by which rules it goes, release by release (docs/delta.md 5).

What a release lacks is from its source at the tag: TableFeature.scala, DeltaSqlBase.g4, VacuumCommand.scala.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from model.capabilities import EVERYTHING, Capabilities
from model.rules import SPARK, Retain, Rules
from model.steps import Form, Mode, VacuumMistake
from model.table import Feature
from model.versions import parse

#: What came with which release: the name of a capability, and those of its members that came; all of it, where none is named.
_CAME: tuple[tuple[str, str, frozenset[Enum]], ...] = (
    ("3.0", "features", frozenset({Feature.V2_CHECKPOINTS})),
    ("3.0", "pruned_logs", frozenset()),  # multi-part checkpoints are older, but come together with v2
    (
        "3.2",
        "features",
        frozenset({Feature.VACUUM_PROTOCOL_CHECK, Feature.ROW_TRACKING}),
    ),  # before, in Delta's own tests
    ("3.2", "modes", frozenset({Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY})),
    (
        "3.2",
        "vacuum_mistakes",
        frozenset({VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE}),
    ),
    ("3.3", "features", frozenset({Feature.IN_COMMIT_TIMESTAMPS})),
    ("3.3", "column_rules", frozenset()),  # the last of them: identity columns
    ("3.3", "modes", frozenset({Mode.FULL, Mode.LITE, Mode.LITE_SETTING})),
    ("3.3", "vacuum_mistakes", frozenset({VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE})),
    ("4.3", "delete_forms", frozenset({Form.TRUNCATE})),
)


def capabilities_of(version: str) -> Capabilities:
    """What this release of Delta on Spark can be asked for."""
    found = EVERYTHING
    for since, name, members in _CAME:
        if parse(version) < parse(since):
            left: Any = getattr(found, name) - members if members else False
            found = replace(found, **{name: left})
    return found


def settings_of(version: str) -> Mapping[str, str]:
    """Settings that this release needs besides the others (engines.spark.jvm.TUNING)."""
    if parse(version) >= (3, 1):
        return {}
    # Without whole-stage code generation, which costs the gate too much time, it cannot read deletion vectors with the
    # vectorized reader. Users meet that with tables of more than 100 columns (delta-io/delta#2246).
    return {"spark.sql.parquet.enableVectorizedReader": "false"}


def rules_of(version: str) -> Rules:
    """The rules by which this release goes."""
    number = parse(version)
    if number >= (4, 1):
        return replace(SPARK, release=number[:2])
    return replace(
        SPARK,
        retain=Retain.ANY,
        retain_error_class=False,
        blocks_expired_versions=False,
        reserved_names=frozenset({"metadata"}) if (3, 1) <= number < (3, 3) else frozenset(),
        counts_vectors=number >= (3,),
        release=number[:2],
    )
