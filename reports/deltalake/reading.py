"""What a reproduction script reads through delta-rs, the table and its change feed; and single files, through pyarrow.

``reports.reproduction`` copies what a script needs of this module into it, so it uses deltalake, pyarrow and the standard
library only.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from reports.laws.actions import file_of
from reports.laws.evidence import Action, CannotJudge, Row, Unreadable
from reports.looking import read_actions
from reports.values import plain


def read_table(engine: Any, root: str, version: int | None) -> list[Row]:
    table = engine.DeltaTable(root, version=version)
    return rows_of(table, engine.QueryBuilder().register("t", table).execute("SELECT * FROM t"))


def read_feed(engine: Any, root: str, schema: list[Action], versions: list[int]) -> list[Row]:
    """The table's columns and _change_type. Nothing where there is no version to read."""
    if not versions:
        return []
    table = engine.DeltaTable(root)
    return rows_of(table, table.load_cdf(starting_version=versions[0], ending_version=versions[-1]), "_change_type")


def read_row_ids(engine: Any, root: str, version: int | None) -> list[Row]:
    raise CannotJudge("delta-rs does not tell row ids.")


def rows_of(table: Any, batches: Any, *others: str) -> list[Row]:
    """The rows of a query: the table's columns, and others that are strings."""
    kinds = {field["name"]: field["type"] for field in json.loads(table.schema().to_json())["fields"]}
    kinds |= dict.fromkeys(others, "string")
    found = pa.table(batches.read_all() if hasattr(batches, "read_all") else batches)
    columns = [[plain(value, kind) for value in found.column(name).to_pylist()] for name, kind in kinds.items()]
    return [list(row) for row in zip(*columns)]


def stored_rows(engine: Any, root: str, action: Action) -> list[dict[str, Any]]:
    """What the file of an action stores: the columns of each row by their names. Raises Unreadable."""
    rows: list[dict[str, Any]] = read_parquet(root, action).to_pylist()
    return rows


def stored_fields(engine: Any, root: str, action: Action) -> list[Action]:
    """The columns of the file of an action, in the form of a Delta schema: what is not nested has no type here."""
    return [{"name": field.name, "type": nested(field.type)} for field in read_parquet(root, action).schema]


def nested(kind: Any) -> Any:
    if pa.types.is_struct(kind):
        return {"type": "struct", "fields": [{"name": field.name, "type": nested(field.type)} for field in kind]}
    if pa.types.is_map(kind):
        return {"type": "map", "keyType": nested(kind.key_type), "valueType": nested(kind.item_type)}
    return {"type": "array", "elementType": nested(kind.value_type)} if pa.types.is_list(kind) else str(kind)


def read_parquet(root: str, action: Action) -> pa.Table:
    path = file_of(action, root)
    try:
        return pq.ParquetFile(os.path.join(root, path)).read()
    except (OSError, pa.ArrowException) as problem:
        raise Unreadable(f"{path} cannot be read: {problem}") from problem


def paths_in_checkpoint(engine: Any, place: str, kind: str) -> list[str]:
    """The paths of all actions of this kind in one file of a checkpoint."""
    if place.endswith(".json"):
        actions = read_actions(place)
    else:
        actions = pq.ParquetFile(place).read().to_pylist()
    return [action[kind]["path"] for action in actions if action.get(kind) is not None]
