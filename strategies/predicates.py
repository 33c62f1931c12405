"""Predicates over a table's columns, made of the table's own values: so they match some rows, and not others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or, Predicate
from model.table import Column, Table
from model.values import Type, Value
from strategies.tables import live_files
from strategies.values import values
from strategies.weights import odds, one_in, weighted

Over = Literal["partition", "data", "mixed", "any"]

_OPS = odds((4, Op.EQ), (2, Op.NE), (2, Op.LT), (2, Op.LE), (2, Op.GT), (2, Op.GE), (2, Op.NULL_SAFE_EQ))
_SHAPES = odds((6, "leaf"), (2, "and"), (3, "or"), (1, "not"))
_TESTS = odds((6, "compare"), (2, "between"), (2, "in"), (1, "null"))
_STRING_TESTS = odds((4, "compare"), (1, "between"), (2, "in"), (1, "null"), (3, "like"))
_IN_SIZES = odds((2, 1), (3, 2), (2, 3))
_FORMS = odds((2, "whole"), (3, "prefix"), (2, "suffix"), (2, "inside"), (2, "one"), (1, "all"))
_ONE_IN_TWO = st.booleans()
_ONE_IN_FOUR = one_in(4)
_ONE_IN_SIX = one_in(6)


def constants() -> SearchStrategy[Predicate]:
    """TRUE, FALSE or NULL as a whole condition. Shrinks to TRUE."""
    return st.sampled_from([Constant(True), Constant(False), Constant(None)])


@st.composite
def predicates(draw: DrawFn, table: Table, *, over: Over = "any") -> Predicate:
    """Predicates of one to four tests on columns of ``table``, with the columns' own types.

    ``over`` says which columns: ``"partition"``, ``"data"`` or ``"any"`` of them alike, or ``"mixed"``: a predicate
    over data columns, joined (by AND mostly) with a test of a partition column. Half are a single test. Most values are
    out of the table's live files, and half of those out of one row, so that tests joined by AND meet in a row. Shrinks
    to a single equality. Raises ValueError where the table has no column to test.
    """
    rows = _live_rows(table)
    own = {column.name: tuple(row[column.name] for row in rows) for column in table.columns}
    anchor = draw(st.sampled_from(rows)) if rows else dict.fromkeys(own)
    domains = [_Domain(column, own[column.name], anchor[column.name]) for column in table.columns]
    partition = [domain for domain in domains if domain.column.name in table.partition_by]
    data = [domain for domain in domains if domain.column.name not in table.partition_by]
    if over == "mixed" and partition and data:
        halves = [draw(_trees(data, depth=1)), draw(_trees(partition, depth=0))]
        left, right = halves if draw(_ONE_IN_TWO) else halves[::-1]
        # OR takes the narrowing away: a metadata-only reading of the partition half would then be wrong.
        return Or(left, right) if draw(_ONE_IN_FOUR) else And(left, right)
    wanted = {"partition": partition, "data": data, "any": domains, "mixed": []}[over]
    if not wanted:
        raise ValueError(f"a predicate over {over} columns was asked for, but the table lacks such columns")
    return draw(_trees(wanted, depth=2))


@dataclass(frozen=True)
class _Domain:
    """A column, and what to compare it with."""

    column: Column
    own: tuple[Value, ...]  # what the live files hold, as often as they hold it: frequent values are drawn more
    anchor: Value  # what one row holds, the same row for all columns


def _live_rows(table: Table) -> list[dict[str, Value]]:
    """The rows of the live files, by column. An empty file stands for a row of its partition values and NULLs."""
    names = [column.name for column in table.columns]
    nulls = (None,) * len(table.data_columns)
    return [
        # A metadata-only DELETE removes an empty file too.
        dict(zip(names, table.row(file.partition, row)))
        for file in live_files(table)
        for row in file.rows or (nulls,)
    ]


@st.composite
def _trees(draw: DrawFn, domains: list[_Domain], *, depth: int) -> Predicate:
    shape = draw(_SHAPES) if depth else "leaf"
    if shape == "leaf":
        return draw(_tests(draw(st.sampled_from(domains))))
    smaller = _trees(domains, depth=depth - 1)
    if shape == "not":
        return Not(draw(smaller))
    return (And if shape == "and" else Or)(draw(smaller), draw(smaller))


@st.composite
def _tests(draw: DrawFn, domain: _Domain) -> Predicate:
    name, type = domain.column.name, domain.column.type
    test = draw(_STRING_TESTS if type is Type.STRING else _TESTS)
    literals = _literals(domain)
    if test == "compare":
        return Compare(column=name, op=draw(_OPS), value=draw(literals), type=type)
    if test == "between":
        low, high = draw(literals), draw(literals)
        # Ends in the wrong order match nothing: one in six is left so.
        if low is not None and high is not None and _after(low, high) and not draw(_ONE_IN_SIX):
            low, high = high, low
        return Between(column=name, low=low, high=high, type=type)
    if test == "in":
        return In(column=name, values=tuple(draw(literals) for _ in range(draw(_IN_SIZES))), type=type)
    if test == "like":
        return Like(column=name, pattern=draw(patterns(tuple(value for value in domain.own if isinstance(value, str)))))
    is_null = IsNull(column=name)
    return Not(is_null) if draw(_ONE_IN_TWO) else is_null


def _literals(domain: _Domain) -> SearchStrategy[Value]:
    """Values to compare with: the column's own mostly, others of its type, and NULL about one time in sixteen."""
    present = [value for value in domain.own if value is not None]
    others = values(domain.column.type, nulls=0)
    anchor = others if domain.anchor is None else st.just(domain.anchor)
    return weighted(
        (7, anchor),
        (6, st.sampled_from(present) if present else others),
        (2, others),
        (1, st.none()),
    )


def _after(left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left.encode() > right.encode()
    return left > right  # type: ignore[operator]  # both are of the column's type, and not NULL


@st.composite
def patterns(draw: DrawFn, own: tuple[str, ...]) -> str:
    """LIKE patterns made of the strings in ``own``, always well formed. Shrinks to a whole string without wildcards.

    Characters above U+FFFF only ever meet a wildcard. Spark 4.2 matches them by name, but older ones build the regular
    expression out of UTF-16 halves and miss them: a fault of LIKE, not of DELETE, that is not for this suite to judge.
    """
    text = draw(st.sampled_from(own or ("a",)))
    parts = ["_" if character > "\uffff" else _escaped(character) for character in text]
    cut = draw(st.integers(0, len(parts)))
    form = draw(_FORMS)
    if form == "prefix":
        return "".join(parts[:cut]) + "%"
    if form == "suffix":
        return "%" + "".join(parts[cut:])
    if form == "inside":
        return "%" + "".join(parts[cut : cut + 1]) + "%"
    if form == "one" and parts:
        place = min(cut, len(parts) - 1)
        return "".join(parts[:place]) + "_" + "".join(parts[place + 1 :])
    return "%" if form == "all" else "".join(parts)


def _escaped(character: str) -> str:
    return f"\\{character}" if character in "%_\\" else character
