"""Evaluation: exhaustive truth tables, every operator, expressions, errors, and a second opinion from another SQL engine.

test_evaluate_spark asks Spark the same.
"""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from decimal import Decimal
from itertools import product
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.semantics.evaluate import WouldFail, evaluate, might_fail
from model.semantics.patterns import like_expression
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Constant,
    Expression,
    Function,
    Holds,
    In,
    IsNull,
    Like,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
)
from model.vocabulary.values import NAN, AnyType, ArrayOf, DecimalOf, StructOf, Type, Value
from strategies.tables.column_values import values

TRUTHS = (True, False, None)

#: Left, right, their conjunction, their disjunction.
KLEENE = [
    (True, True, True, True),
    (True, False, False, True),
    (True, None, None, True),
    (False, True, False, True),
    (False, False, False, False),
    (False, None, False, None),
    (None, True, None, True),
    (None, False, False, None),
    (None, None, None, None),
]


@pytest.mark.parametrize(("left", "right", "both", "either"), KLEENE)
def test_and_and_or_follow_kleene(
    left: bool | None, right: bool | None, both: bool | None, either: bool | None
) -> None:
    assert evaluate(And(Constant(left), Constant(right)), {}) is both
    assert evaluate(Or(Constant(left), Constant(right)), {}) is either


@pytest.mark.parametrize("value", TRUTHS)
def test_not_keeps_null(value: bool | None) -> None:
    assert evaluate(Constant(value), {}) is value
    assert evaluate(Not(Constant(value)), {}) is (None if value is None else not value)


def test_de_morgan() -> None:
    for left, right in product(TRUTHS, repeat=2):
        both = Not(And(Constant(left), Constant(right)))
        either = Or(Not(Constant(left)), Not(Constant(right)))
        assert evaluate(both, {}) is evaluate(either, {})


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


MONEY = DecimalOf(10, 2)
REALS = (-math.inf, -1.5, -5e-324, 0.0, 5e-324, 0.1, 1e300, math.inf, NAN)

#: Ascending values of each type, as SQL orders them.
ASCENDING: dict[AnyType, tuple[Value, ...]] = {
    Type.BYTE: (-128, -1, 0, 2, 10, 127),
    Type.SHORT: (-(2**15), -1, 0, 2, 10, 2**15 - 1),
    Type.INTEGER: (-(2**31), -1, 0, 2, 10, 2**31 - 1),
    Type.LONG: (-(2**63), -1, 0, 2, 10, 2**63 - 1),
    Type.FLOAT: (-math.inf, -1.5, -1.401298464324817e-45, 0.0, 0.10000000149011612, math.inf, NAN),
    Type.DOUBLE: REALS,
    MONEY: (Decimal("-99999999.99"), Decimal("-0.01"), Decimal("0.00"), Decimal("2.00"), Decimal("10.00")),
    Type.BOOLEAN: (False, True),
    Type.DATE: (date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2020, 2, 29), date(9999, 12, 31)),
    Type.TIMESTAMP: (
        utc(1, 1, 1),
        utc(1969, 12, 31, 23, 59, 59, 999999),
        utc(2020, 2, 29),
        utc(2020, 2, 29, 0, 0, 0, 1),
    ),
    Type.TIMESTAMP_NTZ: (datetime(1, 1, 1), datetime(2020, 2, 29), datetime(2020, 2, 29, 0, 0, 0, 1)),
    # By bytes without a sign; a prefix before what it begins.
    Type.BINARY: (b"", b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"\x7f", b"\x80", b"\xff"),
    # By UTF-8 bytes; upper case before lower case, a prefix before what it begins, U+FFFF before U+1F600.
    Type.STRING: ("", " ", "10", "2", "A", "a", "a ", "a b", "ab", "b", "e\u0301", "é", "ü", "\uffff", "\U0001f600"),
}


@pytest.mark.parametrize("type", ASCENDING)
def test_comparisons_follow_the_order_of_the_type(type: AnyType) -> None:
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
            asked = Compare("c", op, right, type), Relate(Of("c"), op, Literal(right, type))
            for predicate in asked:
                found = evaluate(predicate, {"c": left}, types={"c": type})
                assert found is expected[op], f"{left!r} {op.value} {right!r}"


def test_every_primitive_type_has_a_comparison_test() -> None:
    assert {*Type} <= {*ASCENDING}


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


def test_comparing_different_types_raises() -> None:
    pairs: list[tuple[Value, Value]] = [
        (1, "1"),
        (True, 1),
        (date(2020, 1, 1), "2020-01-01"),
        (date(2020, 1, 1), datetime(2020, 1, 1)),
        (datetime(2020, 1, 1), utc(2020, 1, 1)),
        (1, 1.0),
        (1.0, Decimal(1)),
        (b"a", "a"),
        ((1,), (1,)),
    ]
    for left, right in pairs:
        with pytest.raises(TypeError, match="different types"):
            evaluate(Compare("c", Op.EQ, right, Type.STRING), {"c": left})
    with pytest.raises(TypeError, match="LIKE needs a string"):
        evaluate(Like("c", "%"), {"c": 1})


def test_an_unknown_column_raises_on_either_side() -> None:
    with pytest.raises(KeyError, match="missing"):
        evaluate(And(Constant(False), IsNull("missing")), {})
    with pytest.raises(KeyError, match="missing"):
        evaluate(Or(Constant(True), IsNull("missing")), {})


@pytest.mark.long
@given(st.text(max_size=6))
def test_an_escaped_string_matches_itself_only(text: str) -> None:
    escaped = "".join(f"\\{character}" if character in "%_\\" else character for character in text)
    assert like_expression(escaped).fullmatch(text) is not None
    assert like_expression(escaped).fullmatch(text + "x") is None


# Expressions --------------------------------------------------------------------------------------------------------

POINT = StructOf((("x", Type.INTEGER), ("y", Type.INTEGER)))
TYPES: dict[str, AnyType] = {
    "s": Type.STRING,
    "i": Type.INTEGER,
    "l": Type.LONG,
    "d": Type.DOUBLE,
    "p": POINT,
    "b": Type.BOOLEAN,
}
ROW: dict[str, Value] = {"s": "12", "i": 2**31 - 1, "l": 5, "d": 0.5, "p": (1, None), "b": None}


def whole(number: int | None) -> Literal:
    return Literal(number, Type.INTEGER)


def call(function: Function, *arguments: Expression) -> Call:
    return Call(function, arguments)


#: An error for ROW, and what could be one but is not.
FAILING = Relate(call(Function.ADD, Of("i"), whole(1)), Op.GT, whole(0))
SOUND = Relate(call(Function.ADD, Of("l"), Literal(1, Type.LONG)), Op.EQ, whole(6))


def says(predicate: Predicate, row: dict[str, Value] = ROW) -> bool | str | None:
    """The result, or for an error the result without it: ``or TRUE``, ``or NULL``."""
    try:
        return evaluate(predicate, row, types=TYPES)
    except WouldFail as failure:
        return f"or {'NULL' if failure.otherwise is None else str(failure.otherwise).upper()}"


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (FAILING, "or NULL"),
        (Not(FAILING), "or NULL"),
        (And(FAILING, Constant(True)), "or NULL"),
        (And(Constant(False), FAILING), "or FALSE"),
        (And(FAILING, Constant(False)), "or FALSE"),  # the order in which an engine looks is its own affair
        (Or(FAILING, Constant(True)), "or TRUE"),
        (Not(And(FAILING, Constant(False))), "or TRUE"),
        (Or(Constant(None), FAILING), "or NULL"),
        (Missing(FAILING.left), "or FALSE"),  # a sum of what is never NULL is never NULL
        (Relate(FAILING.left, Op.NULL_SAFE_EQ, FAILING.left), "or TRUE"),
        (Relate(FAILING.left, Op.LT, FAILING.left), "or FALSE"),
        (Relate(FAILING.left, Op.NULL_SAFE_EQ, whole(None)), "or FALSE"),
        (Relate(FAILING.left, Op.EQ, whole(None)), "or NULL"),
        (Missing(call(Function.REMAINDER, FAILING.left, whole(None))), "or TRUE"),  # the NULL may be seen first
        (Relate(CaseWhen(FAILING, whole(1), whole(2)), Op.EQ, whole(2)), "or TRUE"),
        (Relate(CaseWhen(Constant(False), FAILING.left, whole(2)), Op.EQ, whole(2)), True),
        (Relate(call(Function.COALESCE, whole(2), FAILING.left), Op.EQ, whole(2)), True),
        (Relate(call(Function.COALESCE, whole(None), FAILING.left), Op.EQ, whole(2)), "or NULL"),
    ],
)
def test_errors_have_the_result_without_them(predicate: Predicate, expected: bool | str) -> None:
    assert says(predicate) == expected


def test_errors_have_a_reason() -> None:
    with pytest.raises(WouldFail, match=r"\+ gives 2147483648, which does not fit the type integer"):
        evaluate(FAILING, ROW, types=TYPES)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (SOUND, False),
        (FAILING, True),
        (Compare("s", Op.EQ, "a", Type.STRING), False),
        # A constant part is worked out before any row is read, wherever it stands.
        (And(Constant(False), Relate(Cast(Literal("a", Type.STRING), Type.INTEGER), Op.EQ, whole(1))), True),
        (
            Relate(CaseWhen(Constant(True), whole(1), Cast(Literal("a", Type.STRING), Type.INTEGER)), Op.EQ, whole(1)),
            True,
        ),
        # An equality is propagated into other conditions.
        (And(Compare("s", Op.EQ, "a", Type.STRING), Relate(Cast(Of("s"), Type.INTEGER), Op.EQ, whole(1))), True),
        (And(Compare("s", Op.EQ, "1", Type.STRING), Relate(Cast(Of("s"), Type.INTEGER), Op.EQ, whole(1))), False),
        (And(In("s", ("a",), Type.STRING), Relate(Cast(Of("s"), Type.INTEGER), Op.EQ, whole(1))), True),
        (And(Compare("s", Op.LT, "a", Type.STRING), Relate(Cast(Of("s"), Type.INTEGER), Op.EQ, whole(1))), False),
        (
            And(
                Relate(Of("l"), Op.EQ, Literal(0, Type.LONG)),
                Relate(call(Function.REMAINDER, Of("i"), Of("l")), Op.EQ, whole(1)),
            ),
            True,
        ),
        (And(Relate(Of("l"), Op.EQ, Of("i")), Relate(Cast(Of("l"), Type.BYTE), Op.EQ, Literal(1, Type.BYTE))), True),
    ],
)
def test_predicates_that_may_fail_without_a_failing_row(predicate: Predicate, expected: bool) -> None:
    assert might_fail(predicate, [ROW], types=TYPES) is expected


def test_constants_may_fail_on_an_empty_table() -> None:
    failing = Relate(Cast(Literal("a", Type.STRING), Type.INTEGER), Op.EQ, whole(1))
    assert might_fail(And(IsNull("i"), failing), [], types=TYPES) is True
    assert might_fail(FAILING, [], types=TYPES) is False


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        (Relate(Of("unknown"), Op.EQ, whole(1)), "the type of the column unknown is missing"),
        (Relate(Of("s"), Op.EQ, whole(1)), "comparing"),
        (Relate(Of("p"), Op.EQ, Of("p")), "comparing"),
        (Relate(Literal(Decimal(1), DecimalOf(38, 0)), Op.EQ, Literal(Decimal(1), DecimalOf(10, 10))), "comparing"),
        (Holds(Of("i")), "a condition must be BOOLEAN"),
        (Missing(Member(Of("p"), "z")), "has no field z"),
        (Missing(Cast(Of("d"), Type.STRING)), "the cast from .* is not supported"),
        (Missing(CaseWhen(Constant(True), Of("i"), Of("l"))), "branches of CASE WHEN"),
        (Missing(call(Function.UPPER, Of("i"))), "upper is not supported for arguments of these types: integer"),
        (Missing(call(Function.ADD, Of("i"), call(Function.ADD, Of("i"), whole(1)))), r"\+ is not supported"),
        (Missing(call(Function.COALESCE, Of("i"), Of("l"))), "coalesce is not supported"),
        (Missing(call(Function.RLIKE, Of("s"), Of("s"))), "must be a literal"),
        (
            Missing(call(Function.ARRAY_CONTAINS, Literal(((),), ArrayOf(ArrayOf(Type.BYTE))), Of("p"))),
            "array_contains is",
        ),
    ],
)
def test_unsupported_expressions_raise(predicate: Predicate, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        evaluate(predicate, {**ROW, "unknown": 1}, types=TYPES)


# A second opinion ---------------------------------------------------------------------------------------------------

DUCKDB_TYPES: dict[AnyType, str] = {
    Type.STRING: "VARCHAR",
    Type.BINARY: "BLOB",
    Type.BYTE: "TINYINT",
    Type.SHORT: "SMALLINT",
    Type.INTEGER: "INTEGER",
    Type.LONG: "BIGINT",
    Type.FLOAT: "FLOAT",
    Type.DOUBLE: "DOUBLE",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP_NTZ: "TIMESTAMP",
    MONEY: "DECIMAL(10, 2)",
}

#: Of a column of each type, one value and another one to compare it with.
COLUMNS: dict[str, AnyType] = {f"c{number}": type for number, type in enumerate(DUCKDB_TYPES)}
DRAWN_ROWS = st.fixed_dictionaries({name: values(type) for name, type in COLUMNS.items()})


@st.composite
def comparisons(draw: st.DrawFn) -> Predicate:
    """A test of one column, without expressions."""
    name = draw(st.sampled_from(sorted(COLUMNS)))
    type = COLUMNS[name]
    one = values(type)
    if type is Type.STRING and draw(st.booleans()):
        text = draw(values(type, nulls=0))
        assert isinstance(text, str)
        escaped = "".join(f"\\{character}" if character in "%_\\" else character for character in text[1:])
        return Like(name, draw(st.sampled_from(("%", "_", ""))) + escaped)
    return draw(
        st.sampled_from(Op).flatmap(lambda op: st.builds(Compare, st.just(name), st.just(op), one, st.just(type)))
        | st.builds(Between, st.just(name), one, one, st.just(type))
        | st.builds(In, st.just(name), st.lists(one, min_size=1, max_size=3).map(tuple), st.just(type))
        | st.just(IsNull(name))
    )


DRAWN_PREDICATES: st.SearchStrategy[Predicate] = st.recursive(
    comparisons(),
    lambda inner: st.builds(Not, inner) | st.builds(And, inner, inner) | st.builds(Or, inner, inner),
    max_leaves=4,
)


def duckdb_sql(predicate: Predicate, parameters: list[Any]) -> str:
    """The predicate in DuckDB's SQL with values as parameters, independent of model.text.sql."""

    def value(value: Value, type: AnyType) -> str:
        parameters.append(value)
        return f"CAST(? AS {DUCKDB_TYPES[type]})"

    if isinstance(predicate, Not):
        return f"(NOT {duckdb_sql(predicate.operand, parameters)})"
    if isinstance(predicate, (And, Or)):
        left = duckdb_sql(predicate.left, parameters)
        right = duckdb_sql(predicate.right, parameters)
        return f"({left} {'AND' if isinstance(predicate, And) else 'OR'} {right})"
    if isinstance(predicate, Compare):
        op = "IS NOT DISTINCT FROM" if predicate.op is Op.NULL_SAFE_EQ else predicate.op.value
        return f"({predicate.column} {op} {value(predicate.value, predicate.type)})"
    if isinstance(predicate, Between):
        low, high = value(predicate.low, predicate.type), value(predicate.high, predicate.type)
        return f"({predicate.column} BETWEEN {low} AND {high})"
    if isinstance(predicate, In):
        return f"({predicate.column} IN ({', '.join(value(item, predicate.type) for item in predicate.values)}))"
    if isinstance(predicate, IsNull):
        return f"({predicate.column} IS NULL)"
    assert isinstance(predicate, Like)
    return f"({predicate.column} LIKE {value(predicate.pattern, Type.STRING)} ESCAPE '\\')"


def duckdb_answers(rows: list[dict[str, Value]], predicate: Predicate) -> list[bool | None]:
    parameters: list[Any] = []
    condition = duckdb_sql(predicate, parameters)
    casts = ", ".join(f"CAST(? AS {DUCKDB_TYPES[type]})" for type in COLUMNS.values())
    parameters += [value for number, row in enumerate(rows) for value in (number, *map(row.__getitem__, COLUMNS))]
    every = ", ".join(f"(CAST(? AS INTEGER), {casts})" for _ in rows)
    query = f"SELECT {condition} FROM (VALUES {every}) AS t(row_number, {', '.join(COLUMNS)}) ORDER BY row_number"
    return [answer for (answer,) in duckdb.execute(query, parameters).fetchall()]


@pytest.mark.long
@given(rows=st.lists(DRAWN_ROWS, min_size=1, max_size=4), predicate=DRAWN_PREDICATES)
def test_duckdb_agrees_on_drawn_predicates_and_rows(rows: list[dict[str, Value]], predicate: Predicate) -> None:
    ours = [evaluate(predicate, row) for row in rows]
    assert ours == duckdb_answers(rows, predicate), f"{predicate} on {rows}"
