"""Checks of rows: of the answer, of the table, of the change data feed."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from itertools import zip_longest
from typing import Any

from engines.dialect import Dialect
from engines.quoting import Code
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, ArrayOf, MapOf, StructOf, Type
from records.expectations import Readable, RowsAre, RowsOf
from reports.counterexamples.checks.pieces import NEW, OLD, Check, lines
from reports.counterexamples.runtime import compared


def _attempted(rows: str, dialect: Dialect) -> tuple[str, ...]:
    """``answer`` and ``error`` of another read than the judged step."""
    attempt = ("try:", f"    answer, error = {rows}, None")
    return (*attempt, f"except {dialect.errors} as problem:", "    answer, error = [], problem")


def rows_are(expects: RowsAre, dialect: Dialect, table: Table) -> Check:
    types = [column.type for column in table.columns]
    rows = [_comparable(row, types) for row in expects.rows]
    simple = all(map(_is_simple, types))
    short = len(repr(rows)) < 60
    verdict = (
        *lines("expected", compared.rows_expected, rows=rows if short else Code("EXPECTED")),
        *lines("found", compared.rows_answered if simple else compared.plain_rows_answered),
    )
    data, local_times = {} if short else {"EXPECTED": rows}, not simple
    if expects.of is RowsOf.ANSWER:
        return Check("the rows of the result", verdict, data=data, local_times=local_times)
    if expects.of is RowsOf.TABLE:
        read = _attempted(dialect.rows(dialect.read("")), dialect)
        after = ("# The table as it is now", *read, *verdict)
        return Check("the rows of the table", after, data=data, local_times=local_times)
    feed = dialect.rows(dialect.changes("min(new)", "max(new)"))
    read = _attempted(f"{feed} if new else []", dialect)
    after = ("# The change data feed of the step", *NEW, *read, *verdict)
    return Check("the rows of the change data feed", after, OLD, data, local_times)


def readable(expects: Readable, dialect: Dialect) -> Check:
    read = _attempted(dialect.rows(dialect.read("")), dialect)
    found = '"readable" if error is None else str(error)[:500]'
    return Check("the table", (*read, 'expected = "readable"', f"found = {found}"))


# Values in the form that a script compares: numbers, texts, NULL and lists ----------------------------------------------


def _comparable(row: Any, types: list[AnyType]) -> list[Any]:
    """A row of the table, or a row with other columns as it is."""
    return [_plain(value, type) for value, type in zip_longest(row, types)] if len(row) >= len(types) else list(row)


def _is_simple(type: AnyType) -> bool:
    """Whether ``json.dumps(value, default=str)`` is unique for each value."""
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
