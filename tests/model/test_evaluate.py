"""Evaluation: LIKE, errors, and what is refused.

DuckDB's second opinion (``second_opinions/test_delete.py``) has comparisons and three-valued logic; test_evaluate_spark
asks Spark the same.
"""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal

import pytest

from model.semantics.evaluate import WouldFail, evaluate, might_fail
from model.vocabulary.predicate import (
    And,
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
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, StructOf, Type, Value


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


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
