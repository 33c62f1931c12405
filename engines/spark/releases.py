"""The capabilities and rules of each release of Delta on Spark (docs/delta.md 5).

Source: TableFeature.scala, DeltaSqlBase.g4 and VacuumCommand.scala at the release's tag.
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

#: What each release introduced: a capability and its new members, or none if the whole capability is new.
_INTRODUCED: tuple[tuple[str, str, frozenset[Enum]], ...] = (
    ("3.0", "features", frozenset({Feature.V2_CHECKPOINTS})),
    ("3.0", "pruned_logs", frozenset()),  # multi-part checkpoints are older, but the capability covers both kinds
    # Before 3.2 these two are enabled only in Delta's own tests.
    ("3.2", "features", frozenset({Feature.VACUUM_PROTOCOL_CHECK, Feature.ROW_TRACKING})),
    ("3.2", "modes", frozenset({Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY})),
    (
        "3.2",
        "vacuum_mistakes",
        frozenset({VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE}),
    ),
    ("3.3", "features", frozenset({Feature.IN_COMMIT_TIMESTAMPS})),
    ("3.3", "column_rules", frozenset()),  # identity columns are the last of them
    ("3.3", "modes", frozenset({Mode.FULL, Mode.LITE, Mode.LITE_SETTING})),
    ("3.3", "vacuum_mistakes", frozenset({VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE})),
    ("4.3", "delete_forms", frozenset({Form.TRUNCATE})),
)


def capabilities_of(version: str) -> Capabilities:
    """What this release supports."""
    capabilities = EVERYTHING
    for since, name, members in _INTRODUCED:
        if parse(version) < parse(since):
            remaining: Any = getattr(capabilities, name) - members if members else False
            capabilities = replace(capabilities, **{name: remaining})
    return capabilities


def settings_of(version: str) -> Mapping[str, str]:
    """Settings that this release needs in addition to engines.spark.jvm.TUNING."""
    if parse(version) >= (3, 1):
        return {}
    # The vectorized reader cannot read deletion vectors without whole-stage code generation, which is too slow for the
    # gate. Users see this with tables of more than 100 columns (delta-io/delta#2246).
    return {"spark.sql.parquet.enableVectorizedReader": "false"}


def rules_of(version: str) -> Rules:
    """The rules that this release follows."""
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
