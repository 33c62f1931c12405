"""The predicate in commitInfo, read back: texts that Spark wrote, and those of drawn conditions."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.running.judge import Judge
from model.semantics.domains import combined, difference
from model.text.sql import sql
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    Compare,
    Constant,
    Function,
    Holds,
    In,
    IsNull,
    Like,
    Literal,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Wrapped,
    Wrapper,
)
from model.vocabulary.table import Column
from model.vocabulary.values import AnyType, DecimalOf, Type
from reference_engine import ReferenceEngine
from reference_engine.recorded_predicate import recorded
from strategies.conditions.predicates import predicates
from strategies.tables.initial_tables import tables
from suites.catalogue import CATALOGUE
from suites.clauses.delete.recorded_predicate import is_simple, readings
from tests.find_witnesses import smoke_cases

COLUMNS = (
    Column("v", Type.INTEGER),
    Column("l", Type.LONG),
    Column("s", Type.STRING),
    Column("b", Type.BOOLEAN),
    Column("d", Type.DATE),
    Column("t", Type.TIMESTAMP),
    Column("n", Type.TIMESTAMP_NTZ),
    Column("c", DecimalOf(20, 18)),
    Column("x", Type.BINARY),
    Column("f", Type.DOUBLE),
    Column("a.b", Type.INTEGER, nullable=False),
    Column("(d)", Type.DATE),
)
TYPES: dict[str, AnyType] = {column.name: column.type for column in COLUMNS}
ROWS = [(None,) * 10 + (1, None), (2, 2, "a", True, date(2020, 1, 1), None, None, None, b"", 0.5, 2, date(2020, 2, 1))]
ZONE = "America/Los_Angeles"


def v(op: Op, value: int | None) -> Compare:
    return Compare("v", op, value, Type.INTEGER)


def s(op: Op, value: str) -> Compare:
    return Compare("s", op, value, Type.STRING)


def means(text: str, where: Predicate) -> bool | None:
    """Whether a reading of the text means the condition; None if the text cannot be read."""
    found = readings(text, TYPES, where, ZONE)
    return any(difference(where, reading, COLUMNS, ROWS, ZONE) is None for reading in found) if found else None


NEW_YEAR = datetime(2020, 1, 1, 8, tzinfo=timezone.utc)

#: As Delta 4.4.0 records them: conditions, and texts.
SAME: list[tuple[Predicate, str]] = [
    (v(Op.EQ, 2), "(v#12 = 2)"),
    (Compare("l", Op.NE, -1, Type.LONG), "NOT (l#12L = -1)"),
    (Not(v(Op.GT, 2)), "(v#1 <= 2)"),
    (Between("v", 2, 3, Type.INTEGER), "((v#1 >= 2) AND (v#1 <= 3))"),
    (Between("v", None, 3, Type.INTEGER), "(null AND (v#1 <= 3))"),
    (Not(Between("v", 2, 3, Type.INTEGER)), "((v#1 < 2) OR (v#1 > 3))"),
    (In("v", (1, 3), Type.INTEGER), "v#1 IN (1,3)"),
    (In("v", (1, None), Type.INTEGER), "v#1 IN (1,null)"),
    (In("v", tuple(range(12)), Type.INTEGER), "v#1 INSET 0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9"),
    (
        And(In("l", tuple(range(3_000)), Type.LONG), s(Op.EQ, "a")),
        f"(l#1L INSET {', '.join(sorted(map(str, range(3_000))))} AND (s#2 = a))",
    ),
    (In("v", (1, 1), Type.INTEGER), "(v#1 = 1)"),
    (Or(IsNull("v"), Not(IsNull("s"))), "(isnull(v#1) OR isnotnull(s#2))"),
    (Or(v(Op.EQ, 1), v(Op.NE, 1)), "(isnotnull((v#1 = 1)) OR null)"),
    (v(Op.NULL_SAFE_EQ, None), "isnull(v#1)"),
    (Compare("b", Op.EQ, True, Type.BOOLEAN), "b#1: boolean"),
    (And(Compare("b", Op.EQ, False, Type.BOOLEAN), v(Op.LT, 1)), "(NOT b#1 AND (v#2 < 1))"),
    (Like("s", "a b%"), "StartsWith(s#1, a b)"),
    (Or(Like("s", "% %"), Like("s", "a_b")), "(Contains(s#1,  ) OR s#1 LIKE a_b)"),
    (Like("s", "%50\\%"), "EndsWith(s#1, 50%)"),
    (s(Op.EQ, ") AND (v#1 = 2"), "(s#1 = ) AND (v#1 = 2)"),
    (In("s", ("b", "a,b", ""), Type.STRING), "s#1 IN (b,a,b,)"),
    (s(Op.LE, "trail "), "(s#1 <= trail )"),
    (Compare("d", Op.LT, date(2020, 2, 29), Type.DATE), "(d#1 < 2020-02-29)"),
    (Compare("t", Op.EQ, NEW_YEAR, Type.TIMESTAMP), "(t#1 = 2020-01-01 00:00:00)"),
    (Compare("n", Op.EQ, datetime(2020, 1, 1, 0, 0, 0, 5000), Type.TIMESTAMP_NTZ), "(n#1 = 2020-01-01 00:00:00.005)"),
    (Compare("c", Op.NE, Decimal(0), TYPES["c"]), "NOT (c#1 = 0E-18)"),
    (Compare("x", Op.EQ, b"\x7f", Type.BINARY), "(x#1 = 0x7F)"),
    (Compare("f", Op.LE, 2.2250738585072014e-308, Type.DOUBLE), "(f#1 <= 2.2250738585072014E-308)"),
    (Compare("f", Op.EQ, float("inf"), Type.DOUBLE), "(f#1 = Infinity)"),
    (Compare("a.b", Op.EQ, 3, Type.INTEGER), "(a.b#1 = 3)"),
    (Compare("(d)", Op.EQ, date(2020, 2, 1), Type.DATE), "((d)#82046 = 2020-02-01)"),
    (Not(IsNull("a.b")), "true"),  # the column cannot be NULL
    (Constant(None), "null"),
    (And(Wrapped(v(Op.GT, 2), Wrapper.PYTHON), v(Op.LT, 9)), "(tombstone_python((v#1 > 2))#7 AND (v#1 < 9))"),
    (Not(Wrapped(s(Op.EQ, "a)"), Wrapper.ARROW)), "NOT tombstone_arrow((s#1 = a)))#7"),
]

OTHERS: list[tuple[Predicate, str]] = [
    (v(Op.EQ, 2), "(v#12 = 3)"),
    (v(Op.EQ, 2), "(v#12 >= 2)"),
    (v(Op.EQ, 2), "(l#12 = 2)"),
    (v(Op.LT, 2), "(v#12 <= 2)"),
    (v(Op.NE, 2), "(v#12 = 2)"),
    (And(v(Op.GT, 1), s(Op.EQ, "a")), "((v#1 > 1) OR (s#2 = a))"),
    (And(v(Op.GT, 1), s(Op.EQ, "a")), "(v#1 > 1)"),
    (And(v(Op.GT, 1), s(Op.EQ, "a")), "((v#1 > 1) AND (s#2 = b))"),
    (In("v", (1, 3), Type.INTEGER), "v#1 IN (1)"),
    (In("v", tuple(range(12)), Type.INTEGER), "v#1 INSET 0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9"),
    (IsNull("v"), "isnotnull(v#1)"),
    (Like("s", "a%"), "EndsWith(s#1, a)"),
    (Compare("d", Op.LT, date(2020, 2, 29), Type.DATE), "(d#1 < 2020-02-28)"),
    (Compare("t", Op.EQ, NEW_YEAR, Type.TIMESTAMP), "(t#1 = 2020-01-01 08:00:00)"),
    (Compare("b", Op.EQ, True, Type.BOOLEAN), "NOT b#1"),
    (v(Op.EQ, 2), "true"),
    (Wrapped(v(Op.GT, 2), Wrapper.PYTHON), "tombstone_python((v#1 >= 2))#7"),
]

#: Texts in another form: not judged.
UNREAD = [
    "",
    "(v#1 = 2",
    "(v = 2)",
    "(v#1 = 2) AND",
    "(w#1 = 2)",
    "v#1 IN (1,2, ... 3 more fields)",
    "(cast(v#1 as bigint) = 2)",
    "StartsWith(v#1, a)",
    "v#1 LIKE a",
    "s#1 LIKE a\\",
    "(d#1 = 2020-02-30)",
    "(t#1 = 2020-11-01 01:30:00)",  # twice in this zone
    "(v#1 = 1.5)",
]


@pytest.mark.parametrize(("where", "text"), SAME, ids=[text[:80] for _, text in SAME])
def test_a_text_of_the_condition_means_it(where: Predicate, text: str) -> None:
    assert means(text, where) is True


@pytest.mark.parametrize(("where", "text"), OTHERS, ids=[text for _, text in OTHERS])
def test_a_text_of_another_condition_does_not(where: Predicate, text: str) -> None:
    assert means(text, where) is False


@pytest.mark.parametrize("text", UNREAD)
def test_other_texts_are_not_judged(text: str) -> None:
    assert means(text, v(Op.EQ, 2)) is None


@given(st.data())
def test_what_is_recorded_of_a_drawn_condition_means_it(data: st.DataObject) -> None:
    table = data.draw(tables())
    where = data.draw(predicates(table))
    assume(is_simple(where))
    zone = data.draw(st.sampled_from(["UTC", ZONE]))
    types = {column.name: column.type for column in table.columns}
    found = readings(recorded(where, zone), types, where, zone)
    assert any(difference(where, reading, table.columns, (), zone) is None for reading in found), sql(where, zone)


def test_conditions_with_functions_are_not_simple() -> None:
    with_function = Holds(Call(Function.STARTSWITH, (Of("s"), Literal("a", Type.STRING))))
    assert not is_simple(And(v(Op.EQ, 1), Not(with_function)))


@pytest.mark.long
def test_most_conditions_of_the_smoke_profile_are_judged(tmp_path: Path) -> None:
    clauses = [CATALOGUE["DEL-INFO-4"], CATALOGUE["DEL-INFO-2D"]]
    judge = Judge(ReferenceEngine(), clauses, tmp_path)
    met = {clause.id: 0 for clause in clauses}
    for case in smoke_cases()[::3]:
        for id, tally in judge.judge(case).tallies.items():
            met[id] += tally.met
    assert met["DEL-INFO-2D"] > 0.6 * met["DEL-INFO-4"], met


def test_combinations_are_spread_evenly() -> None:
    choices = {"a": list(range(8)), "b": list(range(8)), "c": list(range(8))}
    few = list(combined(choices, 100))
    assert 64 <= len(few) <= 100
    assert all({values[name] for values in few} == set(range(8)) for name in choices)
    assert len(list(combined({"a": [1, 2], "b": [3]}, 100))) == 2
    assert list(combined({}, 100)) == [{}]
    assert list(combined({"a": []}, 100)) == []
