"""Ways to tamper with the rows of a Parquet checkpoint or sidecar: each action, and each field of each kind of action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from faults.machinery.documents import in_files, rows_in
from faults.machinery.fault import Tamper
from faults.machinery.files import these
from faults.machinery.members import Edit, JsonAction, put
from faults.machinery.rows import read_rows
from faults.machinery.tampering import Tampering
from selfcheck.tampering.values import changed
from selfcheck.tampering.way import Way, of_actions


def ways(what: str, path: str, t: Tampering) -> Iterator[Way]:
    """An action of each kind dropped and doubled; each of its fields changed and dropped, and swapped with another action's."""
    table = read_rows(t.root / path)

    def changes(kind: str, action: JsonAction) -> Iterator[tuple[str, Edit]]:
        for field in table.schema.field(kind).type:
            value = action[field.name]
            if value is not None:
                yield f"{field.name} dropped", put(**{field.name: None})
            if value is not None and not pa.types.is_struct(field.type):
                yield f"{field.name} changed", put(**{field.name: _other(value, field.type)})

    def save(rows: list[JsonAction]) -> Tamper:
        return in_files(these(path), lambda old: old.__setitem__(slice(None), rows))

    yield from of_actions(what, rows_in(table), save, changes)


def _other(value: Any, type: pa.DataType) -> Any:
    """Another value of the type. A map has one more entry."""
    return [*value, ("x", "x")] if pa.types.is_map(type) else changed(value)
