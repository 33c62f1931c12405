"""The SQL of DELETEs and VACUUMs that must be refused (``model.prediction.refusals``)."""

from __future__ import annotations

from collections.abc import Mapping

from model.text.literals import identifier
from model.vocabulary.steps import DeleteMistake, VacuumMistake

#: A column that no table has.
UNKNOWN_COLUMN = "tombstone_unknown_column"

#: A partition directory that no table has, for tables without a real one.
UNKNOWN_PARTITION = f"{UNKNOWN_COLUMN}=1"

_CONDITIONS = {
    DeleteMistake.IN_SUBQUERY: "1 IN (SELECT 1)",
    DeleteMistake.SCALAR_SUBQUERY: "1 = (SELECT 1)",
    DeleteMistake.EXISTS_SUBQUERY: "EXISTS (SELECT 1)",
    DeleteMistake.NON_DETERMINISTIC: "rand() < 2",
    DeleteMistake.AGGREGATE: "count(*) > 0",
    DeleteMistake.WINDOW_FUNCTION: "row_number() OVER (ORDER BY 1) > 0",
    DeleteMistake.UNKNOWN_COLUMN: f"{identifier(UNKNOWN_COLUMN)} = 1",
    DeleteMistake.NOT_BOOLEAN: "1",
}


def invalid_delete_sql(mistake: DeleteMistake, target: str) -> str:
    """The DELETE of an InvalidDelete, for any table: its condition uses no column, and would be TRUE for every row.

    ``target`` in SQL: for PARTITION_DIRECTORY, NOT_A_TABLE and MISSING_PATH that path as ``delta.`…` ``, for VIEW the
    name of the view, else the table.
    """
    condition = _CONDITIONS.get(mistake)
    return f"DELETE FROM {target}" if condition is None else f"DELETE FROM {target} WHERE {condition}"


def view_sql(view: str, table_text: str) -> str:
    """The statement that creates the view of DeleteMistake.VIEW. It is an aggregate, so its row is no row of the table."""
    return f"CREATE OR REPLACE TEMPORARY VIEW {view} AS SELECT count(*) AS n FROM {table_text}"


#: The columns that an inventory must have, each with an expression of its type. Delta accepts nullable columns only, so
#: literals would be refused for a reason other than the intended one.
_INVENTORY = {
    "path": "nullif('', '')",
    "length": "nullif(0L, 0L)",
    "isDir": "nullif(true, true)",
    "modificationTime": "nullif(0L, 0L)",
}


def _inventory(columns: Mapping[str, str]) -> str:
    return f"USING INVENTORY (SELECT {', '.join(f'{value} AS {name}' for name, value in columns.items())})"


_CLAUSES = {
    VacuumMistake.INVENTORY_WITHOUT_COLUMN: _inventory(
        {name: value for name, value in _INVENTORY.items() if name != "modificationTime"}
    ),
    VacuumMistake.INVENTORY_OF_OTHER_TYPE: _inventory({**_INVENTORY, "length": "nullif(0, 0)"}),
    VacuumMistake.LITE_WITH_INVENTORY: f"LITE {_inventory(_INVENTORY)}",
    VacuumMistake.CLAUSE_TWICE: "RETAIN 168 HOURS RETAIN 168 HOURS",
}


def invalid_vacuum_sql(mistake: VacuumMistake, target: str, dry_run: bool = False) -> str:
    """The VACUUM of an InvalidVacuum.

    ``target`` in SQL: for PARTITION_DIRECTORY, NOT_A_TABLE and MISSING_PATH that path as ``delta.`…` ``, for
    TEMPORARY_VIEW the name of the view, else the table. Inventories have one row, whose path is NULL.
    """
    clause = _CLAUSES.get(mistake)
    return f"VACUUM {target}{'' if clause is None else f' {clause}'}{' DRY RUN' if dry_run else ''}"
