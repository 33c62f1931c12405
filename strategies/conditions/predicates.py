"""Predicates over a table's columns. They use the table's own values, so that they match some rows but not others."""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.prediction.history import hidden_rows, visible_rows
from model.vocabulary.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or, Predicate
from model.vocabulary.table import Table
from model.vocabulary.values import WHOLE_NUMBERS, Type, Value, is_nested
from strategies.conditions.expressions import OPS, Domain, draw_call, draw_columns, same_type
from strategies.tables.column_values import comes_after, values
from strategies.tables.initial_tables import live_files
from strategies.weights import odds, one_in, weighted

Over = Literal["partition", "data", "mixed", "any"]


def constants() -> SearchStrategy[Predicate]:
    """TRUE, FALSE or NULL as a whole condition. Shrinks to TRUE."""
    return st.sampled_from([Constant(True), Constant(False), Constant(None)])


@st.composite
def predicates(
    draw: DrawFn, table: Table, *, over: Over = "any", functions: bool = False, zone: str = "UTC"
) -> Predicate:
    """Predicates of one to four tests on columns of ``table``, with the columns' types. Half are a single test.

    ``over`` selects the columns: ``"partition"``, ``"data"``, ``"any"``, or ``"mixed"``: a predicate over data columns,
    joined (mostly by AND) with a test of a partition column. Most values are from the table's live files, half of these
    from one row, so that tests joined by AND can match it. With ``functions``, two in three tests call functions
    (``expressions``) in a session of the time ``zone``; tests of nested columns always do, or test for NULL. A
    quarter of the other tests compare the column with another one of its type, where there is one. Shrinks to a single
    equality. Raises ValueError if the table has no such column.

    >>> step = Delete(draw(predicates(table, over="partition")))
    """
    rows = _live_rows(table)
    own = {column.name: tuple(row[column.name] for row in rows) for column in table.columns}
    anchor = draw(st.sampled_from(rows)) if rows else dict.fromkeys(own)
    domains = [Domain(column, own[column.name], anchor[column.name]) for column in table.columns]
    partition = [domain for domain in domains if domain.column.name in table.partition_by]
    data = [domain for domain in domains if domain.column.name not in table.partition_by]
    calls = zone if functions else None
    if over == "mixed" and partition and data:
        halves = [draw(_trees(data, depth=1, zone=calls)), draw(_trees(partition, depth=0, zone=calls))]
        left, right = halves if draw(st.booleans()) else halves[::-1]
        # With OR, the partition half does not restrict the files: an engine that prunes by it would be wrong.
        return Or(left, right) if draw(one_in(4)) else And(left, right)
    wanted = {"partition": partition, "data": data, "any": domains, "mixed": []}[over]
    if not wanted:
        raise ValueError(f"the table has no columns for a predicate over {over} columns")
    return draw(_trees(wanted, depth=2, zone=calls))


@st.composite
def picks(draw: DrawFn, table: Table) -> Predicate:
    """Conditions that select the rows equal to one row of a live file, in one or two of its data columns.

    Most files have other rows too, so they are rewritten or not changed. Shrinks to one equality. Raises ValueError if
    the table has no data column of a primitive type.
    """
    rows = _live_rows(table)
    columns = [column for column in table.data_columns if not is_nested(column.type)]
    if not columns:
        raise ValueError("rows cannot be picked: the table has no data column of a primitive type")
    anchor = draw(st.sampled_from(rows)) if rows else dict.fromkeys(column.name for column in table.columns)
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2, unique_by=lambda column: column.name))
    tests: list[Predicate] = [
        IsNull(column.name)
        if anchor[column.name] is None
        else Compare(column=column.name, op=Op.EQ, value=anchor[column.name], type=column.type)
        for column in chosen
    ]
    return tests[0] if len(tests) == 1 else And(tests[0], tests[1])


def _live_rows(table: Table) -> list[dict[str, Value]]:
    """The visible rows of the live files, by column name. A file without any counts as one row of NULLs in its partition."""
    names = [column.name for column in table.columns]
    nulls = (None,) * len(table.data_columns)
    hidden = hidden_rows(table)
    return [
        # Empty files count because a metadata-only DELETE removes them too.
        dict(zip(names, table.row(file.partition, row)))
        for file in live_files(table)
        for row in visible_rows(file, hidden.get(file.id, frozenset())) or (nulls,)
    ]


@st.composite
def _trees(draw: DrawFn, domains: list[Domain], *, depth: int, zone: str | None) -> Predicate:
    """A test, or tests joined by AND, OR or NOT. ``zone`` is the session's time zone; None excludes functions."""
    shape = draw(odds((6, "leaf"), (2, "and"), (3, "or"), (1, "not"))) if depth else "leaf"
    if shape == "leaf":
        domain = draw(st.sampled_from(domains))
        if is_nested(domain.column.type) or (zone is not None and draw(odds((1, False), (2, True)))):
            return draw_call(draw, domain, domains, zone=zone or "UTC")
        comparable = bool(same_type(domain, domains))
        if comparable and draw(one_in(4)):
            return draw_columns(draw, domain, domains)
        return draw(_tests(domain))
    smaller = _trees(domains, depth=depth - 1, zone=zone)
    if shape == "not":
        return Not(draw(smaller))
    return (And if shape == "and" else Or)(draw(smaller), draw(smaller))


@st.composite
def _tests(draw: DrawFn, domain: Domain) -> Predicate:
    name, type = domain.column.name, domain.column.type
    if type is Type.STRING:
        test = draw(odds((4, "compare"), (1, "between"), (2, "in"), (1, "null"), (3, "like")))
    else:
        test = draw(odds((6, "compare"), (2, "between"), (2, "in"), (1, "null")))
    literals = _literals(domain)
    if test == "compare":
        return Compare(column=name, op=draw(OPS), value=draw(literals), type=type)
    if test == "between":
        low, high = draw(literals), draw(literals)
        # Bounds in the wrong order match nothing; one in six of these is kept.
        if low is not None and high is not None and comes_after(low, high) and not draw(one_in(6)):
            low, high = high, low
        return Between(column=name, low=low, high=high, type=type)
    if test == "in" and type in WHOLE_NUMBERS and draw(one_in(12)):
        return _long_list(draw, domain)
    if test == "in":
        size = draw(odds((2, 1), (3, 2), (2, 3)))
        return In(column=name, values=tuple(draw(literals) for _ in range(size)), type=type)
    if test == "like":
        return Like(column=name, pattern=draw(patterns(tuple(value for value in domain.own if isinstance(value, str)))))
    is_null = IsNull(column=name)
    return Not(is_null) if draw(st.booleans()) else is_null


def _long_list(draw: DrawFn, domain: Domain) -> Predicate:
    """A list of 150 to 30,000 successive numbers around a value of the column, as programs write them."""
    assert isinstance(domain.column.type, Type), "a type of whole numbers"
    least, greatest = WHOLE_NUMBERS[domain.column.type]
    count = min(draw(odds((3, 150), (2, 2_000), (1, 30_000))), greatest - least + 1)
    own = [value for value in domain.own if isinstance(value, int)]
    around = draw(st.sampled_from(own)) if own else 0
    first = min(max(around - draw(st.integers(0, count - 1)), least), greatest - count + 1)
    return In(domain.column.name, tuple(range(first, first + count)), domain.column.type)


def _literals(domain: Domain) -> SearchStrategy[Value]:
    """Values to compare with: mostly the column's own, others of its type, and one in sixteen NULL."""
    present = [value for value in domain.own if value is not None]
    others = values(domain.column.type, nulls=0)
    anchor = others if domain.anchor is None else st.just(domain.anchor)
    return weighted(
        (7, anchor),
        (6, st.sampled_from(present) if present else others),
        (2, others),
        (1, st.none()),
    )


@st.composite
def patterns(draw: DrawFn, own: tuple[str, ...]) -> str:
    """Valid LIKE patterns made of the strings in ``own``. Shrinks to a whole string without wildcards.

    Characters above U+FFFF are always matched by a wildcard: Spark before 4.2 does not match them literally, which is an
    error of LIKE, not of DELETE.
    """
    text = draw(st.sampled_from(own or ("a",)))
    parts = ["_" if character > "\uffff" else _escaped(character) for character in text]
    cut = draw(st.integers(0, len(parts)))
    form = draw(odds((2, "whole"), (3, "prefix"), (2, "suffix"), (2, "inside"), (2, "one"), (1, "all")))
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
