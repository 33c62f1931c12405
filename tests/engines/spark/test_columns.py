"""Conditions as Columns select the same rows as their SQL."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from engines.spark.commands.columns import condition
from model.text.sql import sql
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
from model.vocabulary.values import NAN, DecimalOf, Type, Value
from tests.slow import slow_after

pytestmark = pytest.mark.xdist_group("spark")

#: Rows for which the conditions below differ; with names that need backticks.
ROWS = """
    SELECT * FROM VALUES
    (0, 'ab_c%', NULL, double('NaN'), 1.50BD, DATE'2021-03-28', TIMESTAMP'2021-03-28 01:30:00Z', array('a', NULL), map('k', 1), named_struct('x.y', 1), TRUE),
    (1, 'abc', 'Z', -0.0D, 1.5BD, DATE'2021-03-27', TIMESTAMP'2021-03-28 03:30:00Z', array(), map('l', 2), named_struct('x.y', NULL), FALSE),
    (2, '', '\\\\', 2.5D, 9.99BD, DATE'9999-12-31', TIMESTAMP'2021-03-27 23:00:00Z', NULL, NULL, NULL, NULL),
    (NULL, NULL, 'a', NULL, NULL, NULL, NULL, array('b'), map(), named_struct('x.y', 7), TRUE)
    AS (id, `s.t`, `q``r`, d, c, dt, ts, tags, m, n, b)
"""  # noqa: E501 - a row is a line

TWO = Literal(2, Type.INTEGER)
ID = Of("id")
TEXT = Of("s.t")
NO_LONG = Literal(None, Type.LONG)
MOMENT = datetime(2021, 3, 28, 1, 30, tzinfo=timezone.utc)


def text(value: str) -> Expression:
    return Literal(value, Type.STRING)


def whole(function: Function, *arguments: Expression, to: Value) -> Relate:
    return Relate(Call(function, arguments), Op.EQ, Literal(to, Type.INTEGER))


def date_of(function: Function, *arguments: Expression, to: date) -> Relate:
    return Relate(Call(function, arguments), Op.EQ, Literal(to, Type.DATE))


#: A call of each function.
CALLS: dict[Function, Predicate] = {
    Function.UPPER: Relate(Call(Function.UPPER, (TEXT,)), Op.EQ, text("ABC")),
    Function.LOWER: Relate(Call(Function.LOWER, (Of("q`r"),)), Op.EQ, text("z")),
    Function.TRIM: Relate(Call(Function.TRIM, (text(" abc "),)), Op.EQ, TEXT),
    Function.LENGTH: whole(Function.LENGTH, TEXT, to=3),
    Function.SUBSTRING: Relate(Call(Function.SUBSTRING, (TEXT, TWO, Literal(1, Type.INTEGER))), Op.EQ, text("b")),
    Function.CONCAT: Relate(Call(Function.CONCAT, (TEXT, text("x"))), Op.EQ, text("abcx")),
    Function.STARTSWITH: Holds(Call(Function.STARTSWITH, (TEXT, text("ab_")))),
    Function.RLIKE: Holds(Call(Function.RLIKE, (TEXT, text("^ab.$")))),
    Function.COALESCE: whole(Function.COALESCE, ID, TWO, to=2),
    Function.ABS: whole(Function.ABS, ID, to=1),
    Function.ADD: whole(Function.ADD, ID, TWO, to=3),
    Function.SUBTRACT: whole(Function.SUBTRACT, ID, TWO, to=-1),
    Function.MULTIPLY: whole(Function.MULTIPLY, ID, TWO, to=2),
    Function.REMAINDER: whole(Function.REMAINDER, ID, TWO, to=1),
    Function.YEAR: whole(Function.YEAR, Of("dt"), to=2021),
    Function.MONTH: whole(Function.MONTH, Of("ts"), to=3),
    Function.DAY: whole(Function.DAY, Of("ts"), to=28),
    Function.DATE_ADD: date_of(Function.DATE_ADD, Of("dt"), Literal(-1, Type.INTEGER), to=date(2021, 3, 27)),
    Function.DATE_SUB: date_of(Function.DATE_SUB, Of("dt"), TWO, to=date(2021, 3, 26)),
    Function.DATEDIFF: whole(Function.DATEDIFF, Of("dt"), Literal(date(2021, 3, 27), Type.DATE), to=1),
    Function.CURRENT_DATE: Relate(Of("dt"), Op.LT, Call(Function.CURRENT_DATE)),
    Function.ARRAY_CONTAINS: Holds(Call(Function.ARRAY_CONTAINS, (Of("tags"), text("b")))),
    Function.SIZE: whole(Function.SIZE, Of("tags"), to=2),
    Function.ELEMENT_AT: whole(Function.ELEMENT_AT, Of("m"), text("k"), to=1),
    Function.ISNAN: Holds(Call(Function.ISNAN, (Of("d"),))),
}

#: All other kinds of conditions.
OTHERS: tuple[Predicate, ...] = (
    Constant(True),
    Constant(False),
    Constant(None),
    *(Compare("id", op, 1, Type.INTEGER) for op in Op),
    *(Compare("s.t", op, None, Type.STRING) for op in Op),
    *(Relate(ID, op, Literal(1, Type.INTEGER)) for op in Op),
    Compare("d", Op.EQ, NAN, Type.DOUBLE),
    Compare("d", Op.EQ, 0.0, Type.DOUBLE),
    Compare("c", Op.EQ, Decimal("1.50"), DecimalOf(4, 2)),
    Compare("ts", Op.GT, MOMENT, Type.TIMESTAMP),
    Between("id", 0, 1, Type.INTEGER),
    Not(Between("id", 1, None, Type.INTEGER)),
    In("s.t", ("abc", "", "it's \\ `é`"), Type.STRING),
    Not(In("s.t", ("abc", None), Type.STRING)),
    In("id", (None,), Type.INTEGER),
    IsNull("q`r"),
    Not(IsNull("q`r")),
    Like("s.t", "ab\\_c\\%"),
    Like("s.t", "ab%"),
    Like("q`r", "\\\\"),
    Not(Like("s.t", "a_c")),
    Holds(Of("b")),
    Not(Holds(Of("b"))),
    Missing(Member(Of("n"), "x.y")),
    Relate(Member(Of("n"), "x.y"), Op.GE, Literal(1, Type.INTEGER)),
    Relate(Cast(Of("ts"), Type.DATE), Op.EQ, Of("dt")),
    Relate(Cast(Of("c"), DecimalOf(3, 1)), Op.EQ, Literal(Decimal("1.5"), DecimalOf(3, 1))),
    Relate(Cast(ID, Type.STRING), Op.EQ, text("1")),
    Relate(CaseWhen(IsNull("id"), TWO, ID), Op.EQ, TWO),
    Relate(CaseWhen(Compare("id", Op.GT, 0, Type.INTEGER), NO_LONG, Cast(ID, Type.LONG)), Op.NULL_SAFE_EQ, NO_LONG),
    And(Or(IsNull("id"), Holds(Of("b"))), Not(Or(Holds(Of("b")), IsNull("ts")))),
    Or(And(IsNull("id"), Holds(Of("b"))), Compare("id", Op.EQ, 2, Type.INTEGER)),
)  # fmt: skip


def test_every_function_is_covered() -> None:
    assert set(CALLS) == set(Function)


@pytest.mark.parametrize("zone", slow_after(1, ["America/New_York", "UTC"]))
def test_a_column_selects_the_rows_that_its_sql_selects(spark: Any, zone: str) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    rows = spark.sql(ROWS)
    predicates = [*CALLS.values(), *OTHERS]
    texts = rows.selectExpr(*(f"{sql(predicate, zone)} AS p{n}" for n, predicate in enumerate(predicates))).collect()
    columns = rows.select(
        *(condition(predicate, zone).alias(f"p{n}") for n, predicate in enumerate(predicates))
    ).collect()
    for n, predicate in enumerate(predicates):
        assert [row[n] for row in columns] == [row[n] for row in texts], sql(predicate, zone)
    distinct = {tuple(row[n] for row in texts) for n in range(len(predicates))}
    assert len(distinct) > 20, "too many conditions select the same rows"
