"""Ways to tamper with the rows of a Parquet checkpoint or sidecar: each action, and each field of each kind of action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from faults.machinery.documents import in_files
from faults.machinery.fault import Tamper
from faults.machinery.files import these
from faults.machinery.members import JsonAction
from faults.machinery.rows import read_rows
from faults.machinery.tampering import Tampering
from selfcheck.tampering.values import changed
from selfcheck.tampering.way import Way


def ways(what: str, path: str, t: Tampering) -> Iterator[Way]:
    """An action of each kind dropped and doubled; each of its fields changed and dropped, and swapped with another action's."""
    table = read_rows(t.root / path)
    rows = table.to_pylist()
    for kind in table.column_names:
        places = [place for place, row in enumerate(rows) if row[kind] is not None]
        if not places:
            continue
        first = places[0]
        yield Way(f"{what}: {kind} dropped", _take(path, [n for n in range(len(rows)) if n != first]))
        yield Way(f"{what}: {kind} doubled", _take(path, [*range(len(rows)), first]))
        for field in table.schema.field(kind).type if pa.types.is_struct(table.schema.field(kind).type) else ():
            value = rows[first][kind][field.name]
            named = f"{what}: {kind}.{field.name}"
            if value is not None:
                yield Way(f"{named} dropped", _set(path, first, kind, field.name, None))
            if value is not None and not pa.types.is_struct(field.type):
                yield Way(f"{named} changed", _set(path, first, kind, field.name, _other(value, field.type)))
            other = next((place for place in places[1:] if rows[place][kind][field.name] != value), None)
            if other is not None:
                yield Way(f"{named} swapped with another's", _swap(path, first, other, kind, field.name))


def _other(value: Any, type: pa.DataType) -> Any:
    """Another value of the type. A map has one more entry."""
    return [*value, ("x", "x")] if pa.types.is_map(type) else changed(value)


def _take(path: str, places: list[int]) -> Tamper:
    def take(rows: list[JsonAction]) -> None:
        rows[:] = [rows[place] for place in places]

    return in_files(these(path), take)


def _set(path: str, place: int, kind: str, field: str, value: Any) -> Tamper:
    return in_files(these(path), lambda rows: rows[place][kind].update({field: value}))


def _swap(path: str, one: int, other: int, kind: str, field: str) -> Tamper:
    def swap(rows: list[JsonAction]) -> None:
        first, second = rows[one][kind], rows[other][kind]
        first[field], second[field] = second[field], first[field]

    return in_files(these(path), swap)
