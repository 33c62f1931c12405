"""The SQL text: what each form looks like, and that its literals read back under Spark's rules."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or, Predicate
from model.sql import delete_sql, identifier, literal, sql, vacuum_sql
from model.steps import Delete, Vacuum
from model.values import Type, Value
from strategies.predicates import predicates
from strategies.tables import tables

X = Compare("x", Op.GE, 5, Type.INTEGER)
Y = Compare("y", Op.EQ, "a", Type.STRING)
Z = IsNull("z")


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (None, Type.INTEGER, "NULL"),
        (None, Type.STRING, "NULL"),
        (7, Type.INTEGER, "7"),
        (-(2**31), Type.INTEGER, "-2147483648"),
        (7, Type.LONG, "7"),
        (2**31, Type.LONG, "2147483648L"),
        (-(2**31) - 1, Type.LONG, "-2147483649L"),
        (-(2**63), Type.LONG, "-9223372036854775808L"),
        (True, Type.BOOLEAN, "TRUE"),
        (False, Type.BOOLEAN, "FALSE"),
        (date(1900, 1, 1), Type.DATE, "DATE'1900-01-01'"),
        ("", Type.STRING, "''"),
        ("it's", Type.STRING, r"'it\'s'"),
        ('say "a"', Type.STRING, "'say \"a\"'"),
        ("back\\slash", Type.STRING, r"'back\\slash'"),
        ("a\tb\n", Type.STRING, r"'a\tb\n'"),
        ("\x01", Type.STRING, r"'\u0001'"),
        ("\uffff", Type.STRING, r"'\uFFFF'"),
        ("\U000e0001", Type.STRING, r"'\U000E0001'"),
        ("ü\U0001f600", Type.STRING, "'ü\U0001f600'"),
    ],
)
def test_literals(value: Value, type: Type, text: str) -> None:
    assert literal(value, type) == text


@pytest.mark.parametrize(
    ("value", "type"), [(1, Type.STRING), ("1", Type.INTEGER), (True, Type.LONG), (1, Type.BOOLEAN), ("x", Type.DATE)]
)
def test_a_literal_of_another_type_is_an_error(value: Value, type: Type) -> None:
    with pytest.raises(TypeError, match="is not a value of the type"):
        literal(value, type)


def read_back(text: str) -> str:
    """What Spark's default parser makes of a string literal, in the few escapes that are in use here."""
    assert text[0] == text[-1] == "'"
    short = {"n": "\n", "r": "\r", "t": "\t", "'": "'", "\\": "\\"}
    escape = re.compile(r"\\(?:u([0-9A-F]{4})|U([0-9A-F]{8})|(.))", re.DOTALL)
    return escape.sub(lambda m: short[m[3]] if m[3] else chr(int(m[1] or m[2], 16)), text[1:-1])


@given(st.text())
def test_string_literals_read_back_and_show_all(text: str) -> None:
    written = literal(text, Type.STRING)
    assert read_back(written) == text
    assert written.isprintable()
    assert re.fullmatch(r"'(?:[^'\\]|\\.)*'", written), "a quote inside would end the literal"


@pytest.mark.parametrize(("name", "text"), [("p", "`p`"), ("a.b", "`a.b`"), ("a`b", "`a``b`"), ("größe", "`größe`")])
def test_identifiers(name: str, text: str) -> None:
    assert identifier(name) == text


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Constant(True), "TRUE"),
        (Constant(False), "FALSE"),
        (Constant(None), "CAST(NULL AS BOOLEAN)"),
        (X, "`x` >= 5"),
        (Compare("x", Op.NULL_SAFE_EQ, None, Type.INTEGER), "`x` <=> NULL"),
        (Compare("x", Op.NE, -3, Type.INTEGER), "`x` <> -3"),
        (Between("x", 1, None, Type.INTEGER), "`x` BETWEEN 1 AND NULL"),
        (In("x", (1, None), Type.INTEGER), "`x` IN (1, NULL)"),
        (Z, "`z` IS NULL"),
        (Like("y", "50\\%_"), r"`y` LIKE '50\\%_'"),
        (Not(X), "NOT (`x` >= 5)"),
        (Not(Not(X)), "NOT (NOT (`x` >= 5))"),
        (Not(Z), "`z` IS NOT NULL"),
        (Not(In("x", (1,), Type.INTEGER)), "`x` NOT IN (1)"),
        (Not(Between("x", 1, 2, Type.INTEGER)), "`x` NOT BETWEEN 1 AND 2"),
        (Not(Like("y", "a%")), "`y` NOT LIKE 'a%'"),
        (And(X, Y), "`x` >= 5 AND `y` = 'a'"),
        (And(And(X, Y), Z), "`x` >= 5 AND `y` = 'a' AND `z` IS NULL"),
        (And(X, And(Y, Z)), "`x` >= 5 AND (`y` = 'a' AND `z` IS NULL)"),
        (Or(And(X, Y), Z), "(`x` >= 5 AND `y` = 'a') OR `z` IS NULL"),
        (And(Or(X, Y), Z), "(`x` >= 5 OR `y` = 'a') AND `z` IS NULL"),
        (Not(Or(X, Y)), "NOT (`x` >= 5 OR `y` = 'a')"),
    ],
)
def test_predicates(predicate: Predicate, text: str) -> None:
    assert sql(predicate) == text


@given(st.data())
def test_different_predicates_have_different_texts(data: st.DataObject) -> None:
    table = data.draw(tables())
    first, second = data.draw(predicates(table)), data.draw(predicates(table))
    assert (sql(first) == sql(second)) == (first == second)


def test_deletes() -> None:
    assert delete_sql(Delete(), "delta.`/tmp/t`") == "DELETE FROM delta.`/tmp/t`"
    assert delete_sql(Delete(Y), "t") == "DELETE FROM t WHERE `y` = 'a'"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Vacuum(), "VACUUM t"),
        (Vacuum(dry_run=True), "VACUUM t DRY RUN"),
        (Vacuum(retain_hours=0, dry_run=True), "VACUUM t RETAIN 0 HOURS DRY RUN"),
        (Vacuum(retain_hours=0.4), "VACUUM t RETAIN 0.4 HOURS"),
        (Vacuum(retain_hours=-0.0), "VACUUM t RETAIN 0 HOURS"),
        (Vacuum(retain_hours=-1), "VACUUM t RETAIN -1 HOURS"),
        (Vacuum(retain_hours=100000), "VACUUM t RETAIN 100000 HOURS"),
        (Vacuum(retain_hours=1e300), f"VACUUM t RETAIN 1{'0' * 300} HOURS"),
        (Vacuum(retain_hours=1e-7), "VACUUM t RETAIN 0.0000001 HOURS"),
        (Vacuum(retain_hours=1, safety_check=False, logging=False), "VACUUM t RETAIN 1 HOURS"),
    ],
)
def test_vacuums(step: Vacuum, text: str) -> None:
    assert vacuum_sql(step, "t") == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_hours_read_back_and_have_no_exponent(hours: float) -> None:
    found = re.fullmatch(r"VACUUM t RETAIN (-?\d+(?:\.\d+)?) HOURS", vacuum_sql(Vacuum(retain_hours=hours), "t"))
    assert found
    assert float(found[1]) == hours


@pytest.mark.parametrize("hours", [float("nan"), float("inf")])
def test_hours_must_be_finite(hours: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        vacuum_sql(Vacuum(retain_hours=hours), "t")
