"""Checks of rows: of the answer, of the table, of the change data feed."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from itertools import zip_longest
from typing import Any

from engines.dialect import Dialect
from engines.quoting import Code
from model.vocabulary.readings import Reading
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, ArrayOf, MapOf, StructOf, Type
from records.expectations import Answers, ExpectedRows, Readable, RowsAre, RowsOf
from reports.counterexamples.checks.pieces import NEW, OLD, CannotCheck, Check, lines
from reports.counterexamples.runtime import compared


def _attempted(rows: str, dialect: Dialect) -> tuple[str, ...]:
    """``answer`` and ``error`` of another read than the judged step."""
    attempt = ("try:", f"    answer, error = {rows}, None")
    return (*attempt, f"except {dialect.errors} as problem:", "    answer, error = [], problem")


def rows_are(expects: RowsAre, dialect: Dialect, table: Table) -> Check:
    verdict, data, local_times = _compared(expects.rows, [column.type for column in table.columns])
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


def answers(expects: Answers, dialect: Dialect, table: Table) -> Check:
    sought = {name: _text_of(value) for name, value in zip(expects.columns, expects.sought)}
    asked = dialect.asked(expects.reading, sought)
    if asked is None:
        raise CannotCheck("a script reads all rows")
    read, what = _attempted(asked, dialect), f"the answer when asked for {expects.reading.value}"
    if expects.reading is Reading.COUNTED:
        limit = expects.rows[0][0]
        found = f"found = error or (expected if answer[0][0] <= {limit} else answer[0][0])"
        return Check(what, (*read, f'expected = "at most {limit}"', found))
    of_table = expects.reading is Reading.ROWS
    verdict, data, local_times = _compared(expects.rows, [column.type for column in table.columns] if of_table else [])
    return Check(what, (*read, *verdict), data=data, local_times=local_times)


def _text_of(value: Any) -> Any:
    """A JSON value of a case without its kind."""
    return next(iter(value.values())) if isinstance(value, dict) else value


def readable(expects: Readable, dialect: Dialect) -> Check:
    read = _attempted(dialect.rows(dialect.read("")), dialect)
    found = '"readable" if error is None else str(error)[:500]'
    return Check("the table", (*read, 'expected = "readable"', f"found = {found}"))


def _compared(rows: ExpectedRows, types: list[AnyType]) -> tuple[tuple[str, ...], dict[str, Any], bool]:
    """The lines that compare rows of columns of these types with the answer, their data, and whether these may be TIMESTAMPs."""
    wanted = [_comparable(row, types) for row in rows]
    simple = all(map(_is_simple, types))
    short = len(repr(wanted)) < 60
    verdict = (
        *lines("expected", compared.rows_expected, rows=wanted if short else Code("EXPECTED")),
        *lines("found", compared.rows_answered if simple else compared.plain_rows_answered),
    )
    return verdict, {} if short else {"EXPECTED": wanted}, not simple


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
