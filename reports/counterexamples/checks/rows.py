"""Checks of rows: of the answer, of the table, of the change data feed."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Context, Decimal
from itertools import zip_longest
from typing import Any

from engines.dialect import Code, Dialect
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, ArrayOf, MapOf, StructOf, Type
from records.expectations import Of, Readable, RowsAre
from reports.counterexamples.checks.pieces import Check, made, of_log


def _attempted(rows: Code, dialect: Dialect, *, when: str = "") -> str:
    """``answer`` and ``error`` of another read than the judged step. ``when``: on which condition there are rows."""
    return f"""try:
    answer, error = {rows.text}{when}, None
except {dialect.errors} as problem:
    answer, error = [], problem
"""


def rows_are(expects: RowsAre, dialect: Dialect, table: Table) -> Check:
    types = [column.type for column in table.columns]
    rows = [_comparable(row, types) for row in expects.rows]
    simple = all(map(_is_simple, types))
    short = len(repr(rows)) < 60
    one = "row, default=str" if simple else "plain(row)"
    compared = f"""expected = sorted(json.dumps(row) for row in {rows if short else "EXPECTED"})
found = sorted(json.dumps({one}) for row in answer) if error is None else str(error)[:500]"""
    uses = "json" if simple else "json plain"
    data = {} if short else {"EXPECTED": rows}
    if expects.of is Of.ANSWER:
        found = made("the rows of the result", compared, f"answer error {uses}", data=data)
    elif expects.of is Of.TABLE:
        read = dialect.rows(dialect.read(""))
        after = "# The table as it is now\n" + _attempted(read, dialect) + compared
        found = made("the rows of the table", after, uses, read, data=data)
    else:
        read = dialect.rows(dialect.changes("min(new)", "max(new)"))
        after = "# The change data feed of the step\n" + _attempted(read, dialect, when=" if new else []") + compared
        found = of_log("the rows of the change data feed", after, uses, read, data=data)
    return replace(found, local_times=not simple)


def readable(expects: Readable, dialect: Dialect) -> Check:
    rows = dialect.rows(dialect.read(""))
    after = (
        _attempted(rows, dialect) + 'expected = "readable"\nfound = "readable" if error is None else str(error)[:500]'
    )
    return made("the table", after, "", rows)


# Values in the form that a script compares: numbers, texts, NULL and lists ----------------------------------------------


def _comparable(row: Any, types: list[AnyType]) -> list[Any]:
    """A row of the table, or a row with other columns as it is."""
    return [_plain(value, type) for value, type in zip_longest(row, types)] if len(row) >= len(types) else list(row)


def _is_simple(type: AnyType) -> bool:
    """Whether ``json.dumps(value, default=str)`` has one text for each value."""
    return type in (Type.STRING, Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.BOOLEAN, Type.DATE)


def _plain(value: Any, type: AnyType | None) -> Any:
    if isinstance(type, MapOf) and value is not None:
        pairs = [[_plain(key, type.key), _plain(item, type.value)] for key, item in value]
        return sorted(pairs, key=json.dumps)
    if isinstance(type, ArrayOf) and value is not None:
        return [_plain(part, type.element) for part in value]
    if isinstance(type, StructOf) and value is not None:
        return [_plain(part, field) for part, (_, field) in zip(value, type.fields)]
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        if kind == "float":
            return repr(float(text))
        if kind == "decimal":
            return format(Decimal(text).normalize(Context(60)), "f")
        return text.rstrip("Z").replace("T", " ") if kind.startswith("timestamp") else text
    return repr(value + 0.0) if isinstance(value, float) else value
