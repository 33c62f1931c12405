"""Evaluation: exhaustive truth tables, every operator, and a second opinion from another SQL engine."""

from __future__ import annotations

from datetime import date
from itertools import product

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.evaluate import evaluate, like_expression
from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or, Predicate
from model.table import Table
from model.values import Type, Value
from strategies.predicates import predicates
from strategies.tables import tables

TRUTHS = (True, False, None)

AND = {
    (True, True): True,
    (True, False): False,
    (True, None): None,
    (False, True): False,
    (False, False): False,
    (False, None): False,
    (None, True): None,
    (None, False): False,
    (None, None): None,
}
OR = {
    (True, True): True,
    (True, False): True,
    (True, None): True,
    (False, True): True,
    (False, False): False,
    (False, None): None,
    (None, True): True,
    (None, False): None,
    (None, None): None,
}
NOT = {True: False, False: True, None: None}


@pytest.mark.parametrize("left", TRUTHS)
@pytest.mark.parametrize("right", TRUTHS)
def test_and_and_or_follow_kleene(left: bool | None, right: bool | None) -> None:
    assert evaluate(And(Constant(left), Constant(right)), {}) is AND[left, right]
    assert evaluate(Or(Constant(left), Constant(right)), {}) is OR[left, right]


@pytest.mark.parametrize("value", TRUTHS)
def test_not_keeps_null(value: bool | None) -> None:
    assert evaluate(Constant(value), {}) is value
    assert evaluate(Not(Constant(value)), {}) is NOT[value]


def test_de_morgan_holds_for_all_truths() -> None:
    for left, right in product(TRUTHS, repeat=2):
        both = Not(And(Constant(left), Constant(right)))
        either = Or(Not(Constant(left)), Not(Constant(right)))
        assert evaluate(both, {}) is evaluate(either, {})


#: Ascending values of each type, as SQL orders them.
ASCENDING: dict[Type, tuple[Value, ...]] = {
    Type.INTEGER: (-(2**31), -1, 0, 2, 10, 2**31 - 1),
    Type.LONG: (-(2**63), -1, 0, 2, 10, 2**63 - 1),
    Type.BOOLEAN: (False, True),
    Type.DATE: (date(1900, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2020, 2, 29), date(9999, 12, 31)),
    # By UTF-8 bytes; upper case before lower case, a prefix before what it begins, U+FFFF before U+1F600.
    Type.STRING: ("", " ", "10", "2", "A", "a", "a ", "a b", "ab", "b", "e\u0301", "é", "ü", "\uffff", "\U0001f600"),
}


@pytest.mark.parametrize("type", Type)
def test_comparisons_follow_the_order_of_the_type(type: Type) -> None:
    values = ASCENDING[type]
    for (i, left), (j, right) in product(enumerate(values), repeat=2):
        expected = {
            Op.EQ: i == j,
            Op.NE: i != j,
            Op.LT: i < j,
            Op.LE: i <= j,
            Op.GT: i > j,
            Op.GE: i >= j,
            Op.NULL_SAFE_EQ: i == j,
        }
        for op in Op:
            assert evaluate(Compare("c", op, right, type), {"c": left}) is expected[op], (
                f"{left!r} {op.value} {right!r}"
            )


@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize(("left", "right"), [(None, 1), (1, None), (None, None)])
def test_comparisons_with_null(op: Op, left: int | None, right: int | None) -> None:
    expected = (left is right) if op is Op.NULL_SAFE_EQ else None
    assert evaluate(Compare("c", op, right, Type.INTEGER), {"c": left}) is expected


@pytest.mark.parametrize(
    ("value", "candidates", "expected"),
    [
        (1, (1, 2), True),
        (3, (1, 2), False),
        (3, (1, None), None),
        (1, (1, None), True),
        (1, (None, 1), True),
        (None, (1, 2), None),
        (None, (None,), None),
    ],
)
def test_in(value: Value, candidates: tuple[Value, ...], expected: bool | None) -> None:
    assert evaluate(In("c", candidates, Type.INTEGER), {"c": value}) is expected
    assert evaluate(Not(In("c", candidates, Type.INTEGER)), {"c": value}) is NOT[expected]


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (2, 1, 3, True),
        (1, 1, 3, True),
        (3, 1, 3, True),
        (4, 1, 3, False),
        (0, 1, 3, False),
        (2, 3, 1, False),
        (None, 1, 3, None),
        (2, None, 3, None),
        (4, None, 3, False),  # FALSE AND NULL
        (0, 1, None, False),
        (2, 1, None, None),
    ],
)
def test_between(value: Value, low: Value, high: Value, expected: bool | None) -> None:
    assert evaluate(Between("c", low, high, Type.INTEGER), {"c": value}) is expected


@pytest.mark.parametrize(("value", "expected"), [(None, True), (0, False), ("", False), (False, False)])
def test_is_null_is_never_null(value: Value, expected: bool) -> None:
    assert evaluate(IsNull("c"), {"c": value}) is expected


@pytest.mark.parametrize(
    ("value", "pattern", "expected"),
    [
        ("abc", "abc", True),
        ("abc", "ABC", False),
        ("abc", "a%", True),
        ("abc", "%c", True),
        ("abc", "%b%", True),
        ("abc", "a_c", True),
        ("abc", "a_", False),
        ("abc", "b%", False),
        ("", "%", True),
        ("", "", True),
        ("", "_", False),
        ("a\nb\n", "a%", True),
        ("\n", "_", True),
        ("abc\n", "abc", False),
        ("\U0001f600", "_", True),  # one code point, two UTF-16 units, four bytes
        ("e\u0301", "_", False),  # two code points
        ("e\u0301", "__", True),
        ("50%", "50\\%", True),
        ("500", "50\\%", False),
        ("_x", "\\_x", True),
        ("ax", "\\_x", False),
        ("back\\slash", "back\\\\slash", True),
        ("a.c", "a.c", True),
        ("abc", "a.c", False),  # nothing of a regular expression gets through
        ("[a]*", "[a]*", True),
        (None, "%", None),
    ],
)
def test_like(value: Value, pattern: str, expected: bool | None) -> None:
    assert evaluate(Like("c", pattern), {"c": value}) is expected


@pytest.mark.parametrize("pattern", ["a\\", "\\", "\\a", "a\\\\\\", "%\\n"])
@pytest.mark.parametrize("value", ["a", None])
def test_a_malformed_pattern_is_an_error_even_on_null(pattern: str, value: str | None) -> None:
    with pytest.raises(ValueError, match="backslash"):
        evaluate(Like("c", pattern), {"c": value})


def test_values_of_different_types_are_an_error() -> None:
    pairs: list[tuple[Value, Value]] = [(1, "1"), (True, 1), (date(2020, 1, 1), "2020-01-01")]
    for left, right in pairs:
        with pytest.raises(TypeError, match="different types"):
            evaluate(Compare("c", Op.EQ, right, Type.STRING), {"c": left})
    with pytest.raises(TypeError, match="LIKE needs a string"):
        evaluate(Like("c", "%"), {"c": 1})


def test_a_column_that_the_row_lacks_is_an_error_on_either_side() -> None:
    with pytest.raises(KeyError, match="missing"):
        evaluate(And(Constant(False), IsNull("missing")), {})
    with pytest.raises(KeyError, match="missing"):
        evaluate(Or(Constant(True), IsNull("missing")), {})


@given(st.text(max_size=6))
def test_an_escaped_string_matches_itself_only(text: str) -> None:
    escaped = "".join(f"\\{character}" if character in "%_\\" else character for character in text)
    assert like_expression(escaped).fullmatch(text) is not None
    assert like_expression(escaped).fullmatch(text + "x") is None


# A second opinion ---------------------------------------------------------------------------------------------------

DUCKDB_TYPES = {
    Type.STRING: "VARCHAR",
    Type.INTEGER: "INTEGER",
    Type.LONG: "BIGINT",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
}


def duckdb_sql(predicate: Predicate, types: dict[str, Type], parameters: list[Value]) -> str:
    """The predicate in DuckDB's SQL, its values as parameters: nothing in common with model.sql."""

    def value(value: Value, type: Type) -> str:
        parameters.append(value)
        return f"CAST(? AS {DUCKDB_TYPES[type]})"

    if isinstance(predicate, Constant):
        return f"({value(predicate.value, Type.BOOLEAN)})"
    if isinstance(predicate, Not):
        return f"(NOT {duckdb_sql(predicate.operand, types, parameters)})"
    if isinstance(predicate, (And, Or)):
        left = duckdb_sql(predicate.left, types, parameters)
        right = duckdb_sql(predicate.right, types, parameters)
        return f"({left} {'AND' if isinstance(predicate, And) else 'OR'} {right})"
    column = f'"{predicate.column}"'
    if isinstance(predicate, Compare):
        op = "IS NOT DISTINCT FROM" if predicate.op is Op.NULL_SAFE_EQ else predicate.op.value
        return f"({column} {op} {value(predicate.value, predicate.type)})"
    if isinstance(predicate, Between):
        low, high = value(predicate.low, predicate.type), value(predicate.high, predicate.type)
        return f"({column} BETWEEN {low} AND {high})"
    if isinstance(predicate, In):
        return f"({column} IN ({', '.join(value(item, predicate.type) for item in predicate.values)}))"
    if isinstance(predicate, IsNull):
        return f"({column} IS NULL)"
    return f"({column} LIKE {value(predicate.pattern, Type.STRING)} ESCAPE '\\')"


def duckdb_answers(table: Table, predicate: Predicate) -> list[bool | None]:
    types = {column.name: column.type for column in table.columns}
    parameters: list[Value] = []
    condition = duckdb_sql(predicate, types, parameters)
    rows = [table.row(file.partition, row) for file in table.files for row in file.rows]
    columns = ", ".join(f'"{name}"' for name in types)
    casts = ", ".join(f"CAST(? AS {DUCKDB_TYPES[type]})" for type in types.values())
    parameters += [value for number, row in enumerate(rows) for value in (number, *row)]
    values = ", ".join(f"(CAST(? AS INTEGER), {casts})" for _ in rows)
    query = f"SELECT {condition} FROM (VALUES {values}) AS t(row_number, {columns}) ORDER BY row_number"
    return [answer for (answer,) in duckdb.execute(query, parameters).fetchall()]


@settings(deadline=None)
@given(st.data())
def test_duckdb_agrees_on_drawn_predicates_and_rows(data: st.DataObject) -> None:
    table = data.draw(tables())
    predicate = data.draw(predicates(table, over="any"))
    names = [column.name for column in table.columns]
    rows = [table.row(file.partition, row) for file in table.files for row in file.rows]
    if rows:
        ours = [evaluate(predicate, dict(zip(names, row))) for row in rows]
        assert ours == duckdb_answers(table, predicate), f"{predicate} on {rows}"
