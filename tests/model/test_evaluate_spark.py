"""Evaluation against Spark: every type, comparison, function and cast, over rows of edge values, in several zones.

Each predicate is asked of each row, as ``SELECT predicate`` over a Parquet file, and must be TRUE, FALSE, NULL or an error
as the model says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812 - its name everywhere

from engines.spark.commands.calls import evaluated
from engines.spark.commands.columns import condition
from model.semantics.evaluate import WouldFail, evaluate, might_fail
from model.text.sql import sql
from model.vocabulary.predicate import (
    And,
    Cast,
    Compare,
    Constant,
    Expression,
    Function,
    In,
    IsNull,
    Missing,
    Op,
    Or,
    Predicate,
    Relate,
    columns_of,
)
from model.vocabulary.values import Type, Value
from tests.builders.arrow_rows import arrow_type, arrow_value
from tests.model.evaluation_questions import CHAPTERS, ROWS, TYPES, ZONES, call, column, of, text, whole

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

#: The error conditions of ANSI mode.
ERRORS = {
    "ARITHMETIC_OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW",
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "REMAINDER_BY_ZERO",
}


@pytest.fixture(scope="module")
def rows_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    arrays = {"id": pa.array(range(len(ROWS)), pa.int32())}
    for name, type in TYPES.items():
        arrays[name] = pa.array([arrow_value(row[name], type) for row in ROWS], arrow_type(type))
    path = tmp_path_factory.mktemp("evaluate") / "rows.parquet"
    pq.write_table(pa.table(arrays), path)
    return path


@pytest.fixture
def ask(spark: Any, rows_file: Path) -> Ask:
    """Runs queries on the file of rows in a separate session with the given time zone.

    The view ``at_hand`` has the same rows without the file: a query of it needs no job, as the optimizer evaluates it.
    """
    session = spark.newSession()  # the others' zone stays what it is
    rows = session.read.parquet(str(rows_file))
    rows.createOrReplaceTempView("evaluated")
    at_hand = session._jsparkSession.createDataFrame(rows._jdf.collectAsList(), rows._jdf.schema())
    at_hand.createOrReplaceTempView("at_hand")

    def answers(zone: str, question: str) -> list[tuple[bool | None, ...]]:
        session.conf.set("spark.sql.session.timeZone", zone)
        return [tuple(row) for row in session.sql(question).collect()]

    return answers


Ask = Callable[[str, str], "list[tuple[bool | None, ...]]"]


def verdict(predicate: Predicate, row: Mapping[str, Value], zone: str) -> bool | WouldFail | None:
    try:
        return evaluate(predicate, row, types=TYPES, zone=zone)
    except WouldFail as failure:
        return failure


def differences(ask: Ask, predicates: Sequence[Predicate], zone: str) -> list[str]:
    """The differences between Spark and the model. For rows where a predicate is an error see ``unfailing``."""
    ours = [[verdict(predicate, row, zone) for row in ROWS] for predicate in predicates]
    columns: list[str] = []
    for predicate, verdicts in zip(predicates, ours):
        sound = [str(number) for number, one in enumerate(verdicts) if not isinstance(one, WouldFail)]
        condition = sql(predicate, zone)
        if len(sound) < len(ROWS):
            condition = f"CASE WHEN id IN ({', '.join(sound) or 'NULL'}) THEN {condition} END"
        columns.append(f"{condition} AS p{len(columns)}")
    # Spark takes its time to analyse many columns at once.
    parts = [columns[start : start + 100] for start in range(0, len(columns), 100)]
    answered = [sorted(ask(zone, f"SELECT id, {', '.join(part)} FROM evaluated"), key=itemgetter(0)) for part in parts]
    answers = [[answer for part in answered for answer in part[number][1:]] for number in range(len(ROWS))]
    return [
        f"{sql(predicate, zone)} is {answers[number][place]} in Spark, not {one}, where {mentioned(predicate, row)}"
        for place, (predicate, verdicts) in enumerate(zip(predicates, ours))
        for number, (row, one) in enumerate(zip(ROWS, verdicts))
        if not isinstance(one, WouldFail) and answers[number][place] is not one
    ]


def unfailing(ask: Ask, predicates: Sequence[Predicate], zone: str) -> list[str]:
    """What is an error in the model but not in Spark. One row per expression, as each error takes a query."""
    seen: set[Predicate | Expression] = set()
    found = []
    for predicate in predicates:
        expression = predicate.left if isinstance(predicate, Relate) else predicate
        expression = predicate.expression if isinstance(predicate, Missing) else expression
        verdicts = [verdict(predicate, row, zone) for row in ROWS]
        failures = [(number, one) for number, one in enumerate(verdicts) if isinstance(one, WouldFail)]
        if not failures or expression in seen:
            continue
        seen.add(expression)
        number, ours = failures[0]
        condition = sql(predicate, zone)
        try:
            ((answer,),) = ask(zone, f"SELECT {condition} FROM at_hand WHERE id = {number}")
        except PySparkException as error:
            if str(error.getCondition()).split(".")[0] not in ERRORS:
                found.append(f"{condition} is no error of ANSI SQL: {error}")
            continue
        if not isinstance(predicate, (And, Or)) or answer is not ours.otherwise:
            found.append(f"{condition} is {answer} in Spark, not {ours!r}, where {mentioned(predicate, ROWS[number])}")
    return found


def mentioned(predicate: Predicate, row: Mapping[str, Value]) -> str:
    """The values of the predicate's columns."""
    return ", ".join(f"{name} = {row[name]!r}" for name in sorted(columns_of(predicate)))


def assert_agreed(ask: Ask, predicates: Sequence[Predicate], zone: str) -> None:
    wrong = differences(ask, predicates, zone) + unfailing(ask, predicates, zone)
    assert not wrong, f"in {zone}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("chapter", [name for name in CHAPTERS if name != "moments"])
def test_spark_agrees(ask: Ask, chapter: str) -> None:
    assert_agreed(ask, list(CHAPTERS[chapter]()), "UTC")


@pytest.mark.parametrize("zone", ZONES)
def test_spark_agrees_about_times(ask: Ask, zone: str) -> None:
    assert_agreed(ask, list(CHAPTERS["moments"]()), zone)


def one_of_each() -> list[Predicate]:
    """The first predicate with each kind of condition, each function, comparison and type."""
    seen: set[str] = set()
    found: list[Predicate] = [Constant(True), Constant(None)]
    for chapter in CHAPTERS.values():
        for predicate in chapter():
            kinds = {*re.findall(r"\w+(?=\()|<\w+\.\w+", repr(predicate))}
            if kinds - seen:
                found.append(predicate)
            seen |= kinds
    return found


def test_a_column_means_what_the_model_says(spark: Any, rows_file: Path) -> None:
    """A condition as a Column, which is another way to build it than its text."""
    session, zone, asked = spark.newSession(), ZONES[1], one_of_each()
    session.conf.set("spark.sql.session.timeZone", zone)
    ours = [[verdict(predicate, row, zone) for row in ROWS] for predicate in asked]
    columns = []
    for predicate, verdicts in zip(asked, ours):
        sound = [number for number, one in enumerate(verdicts) if not isinstance(one, WouldFail)]
        columns.append(F.when(F.col("id").isin(sound), evaluated(condition(predicate, zone), {"F": F})))
    rows = session.read.parquet(str(rows_file))
    answers = sorted(rows.select("id", *(column.alias(f"c{n}") for n, column in enumerate(columns))).collect())
    wrong = [
        f"{sql(predicate, zone)} is {answers[number][place + 1]}, not {one}, where {mentioned(predicate, ROWS[number])}"
        for place, (predicate, verdicts) in enumerate(zip(asked, ours))
        for number, one in enumerate(verdicts)
        if not isinstance(one, WouldFail) and answers[number][place + 1] is not one
    ]
    assert not wrong, "\n".join(wrong)


def test_all_functions_and_types_are_covered() -> None:
    asked = repr([list(chapter()) for chapter in CHAPTERS.values()])
    missing = [repr(function) for function in Function if repr(function) not in asked]
    missing += [repr(type) for type in Type if f"type={type!r}" not in asked]
    assert not missing


NEVER = text("never a number")
IS_ONE = Relate(Cast(of(Type.STRING), Type.INTEGER), Op.EQ, whole(1))


@pytest.mark.parametrize(
    "predicate",
    [
        pytest.param(Relate(Cast(NEVER, Type.INTEGER), Op.EQ, of(Type.INTEGER)), id="a constant"),
        pytest.param(
            And(IsNull(column(Type.BYTE)), Relate(Cast(NEVER, Type.BYTE), Op.EQ, of(Type.BYTE))), id="behind an AND"
        ),
        pytest.param(And(Compare(column(Type.STRING), Op.EQ, NEVER.value, Type.STRING), IS_ONE), id="put in"),
        pytest.param(And(In(column(Type.STRING), (NEVER.value,), Type.STRING), IS_ONE), id="put in from IN"),
        pytest.param(And(Relate(of(Type.STRING), Op.EQ, NEVER), IS_ONE), id="put in from an expression"),
        pytest.param(
            And(
                Compare(column(Type.LONG), Op.EQ, -(2**62), Type.LONG),
                Relate(call(Function.MULTIPLY, of(Type.LONG), whole(4, Type.LONG)), Op.EQ, whole(1)),
            ),
            id="an overflow put in",
        ),
    ],
)
def test_spark_fails_without_a_failing_row(ask: Ask, predicate: Predicate) -> None:
    """Every row is FALSE without evaluating the error, or there is no row, and still the query fails."""
    assert might_fail(predicate, (), types=TYPES)
    with pytest.raises(PySparkException) as refused:
        ask("UTC", f"SELECT id FROM evaluated WHERE {sql(predicate, 'UTC')}")
    assert str(refused.value.getCondition()).split(".")[0] in ERRORS
