"""The SQL text: what each form looks like, and that its literals read back under Spark's rules."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.text.commands import merge_text
from model.text.literals import identifier, literal, written_literal
from model.text.sql import delete_sql, expression_sql, sql, vacuum_settings, vacuum_sql
from model.vocabulary.commands import Merge
from model.vocabulary.predicate import (
    And,
    Between,
    CaseWhen,
    Cast,
    Compare,
    Constant,
    Holds,
    In,
    Like,
    Literal,
    Member,
    Not,
    Of,
    Op,
    Or,
    Relate,
)
from model.vocabulary.steps import Delete, Form, Literals, Mode, Vacuum, VacuumForm
from model.vocabulary.values import NAN, AnyType, ArrayOf, DecimalOf, StructOf, Type, Value

X = Compare("x", Op.GE, 5, Type.INTEGER)
Y = Compare("y", Op.EQ, "a", Type.STRING)
MONEY = DecimalOf(10, 2)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("value", "zone", "text"),
    [
        (utc(2020, 2, 29, 12), "UTC", "2020-02-29 12:00:00"),
        (utc(2020, 2, 29, 12, 0, 0, 500000), "Asia/Kolkata", "2020-02-29 17:30:00.5"),
        (utc(2019, 11, 3, 7, 30), "America/Los_Angeles", "2019-11-03 00:30:00"),
        # Clocks showed 1:30 twice that night.
        (utc(2019, 11, 3, 8, 30), "America/Los_Angeles", "2019-11-03 08:30:00Z"),
        (utc(2019, 11, 3, 9, 30), "America/Los_Angeles", "2019-11-03 09:30:00Z"),
        (utc(1800, 1, 1), "America/Los_Angeles", "1799-12-31 16:07:02"),
        # Years that literals do not have.
        (utc(9999, 12, 31, 23), "Asia/Kolkata", "9999-12-31 23:00:00Z"),
        (utc(1, 1, 1), "America/Los_Angeles", "0001-01-01 00:00:00Z"),
    ],
)
def test_timestamps_in_the_session_time_zone(value: datetime, zone: str, text: str) -> None:
    assert literal(value, Type.TIMESTAMP, zone) == f"TIMESTAMP'{text}'"
    assert sql(Compare("t", Op.LT, value, Type.TIMESTAMP), zone) == f"`t` < TIMESTAMP'{text}'"
    between = sql(Between("t", value, value, Type.TIMESTAMP), zone)
    assert between == f"`t` BETWEEN TIMESTAMP'{text}' AND TIMESTAMP'{text}'"
    assert sql(In("t", (value,), Type.TIMESTAMP), zone) == f"`t` IN (TIMESTAMP'{text}')"
    assert text in expression_sql(Literal(value, Type.TIMESTAMP), zone)


@pytest.mark.parametrize(
    ("value", "type", "plain", "exponents"),
    [
        (None, Type.INTEGER, "NULL", "NULL"),
        ("a", Type.STRING, "'a'", "'a'"),
        (True, Type.BOOLEAN, "TRUE", "TRUE"),
        (7, Type.BYTE, "7", "7E+0"),
        (-120, Type.SHORT, "-120", "-1.20E+2"),
        (2**53 - 1, Type.LONG, "9007199254740991", "9.007199254740991E+15"),
        (2**53, Type.LONG, "9007199254740992", "9007199254740992L"),  # the DOUBLE of 2**53 + 1 too
        (-(2**63), Type.LONG, "-9223372036854775808", "-9223372036854775808L"),
        (Decimal("1.20"), MONEY, "1.20", "1.20E+0"),
        (Decimal("123456789012345.67"), DecimalOf(18, 2), "123456789012345.67", "1.2345678901234567E+14"),
        (Decimal("999999999999999.99"), DecimalOf(17, 2), "999999999999999.99", "999999999999999.99BD"),
        (Decimal("0E-10"), DecimalOf(20, 10), "0.0000000000", "0E-10"),
        (0.1, Type.DOUBLE, "0.1", "1E-1"),
        (1e-7, Type.DOUBLE, "1e-07", "1E-7"),
        (0.10000000149011612, Type.FLOAT, "0.10000000149011612", "1.0000000149011612E-1"),
        (-0.0, Type.DOUBLE, "-0.0D", "-0.0D"),
        (math.inf, Type.DOUBLE, "CAST('Infinity' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)"),
        (NAN, Type.FLOAT, "CAST('NaN' AS FLOAT)", "CAST('NaN' AS FLOAT)"),
        (date(2020, 1, 31), Type.DATE, "'2020-01-31'", "'2020-01-31'"),
        (utc(2020, 2, 29, 12), Type.TIMESTAMP, "'2020-02-29 12:00:00Z'", "'2020-02-29 12:00:00Z'"),
        (datetime(2020, 1, 1), Type.TIMESTAMP_NTZ, *["TIMESTAMP_NTZ'2020-01-01 00:00:00'"] * 2),
        (b"\x01", Type.BINARY, "X'01'", "X'01'"),
    ],
)
def test_literals_without_types(value: Value, type: AnyType, plain: str, exponents: str) -> None:
    for literals, text in ((Literals.PLAIN, plain), (Literals.EXPONENTS, exponents)):
        assert written_literal(value, type, None, literals) == text
        assert sql(Compare("x", Op.LT, value, type), None, literals) == f"`x` < {text}"
        assert sql(Not(Between("x", value, value, type)), None, literals) == f"`x` NOT BETWEEN {text} AND {text}"
        exact = type in (Type.DATE, Type.TIMESTAMP)  # a list may be compared as texts
        listed = literal(value, type) if exact else text
        assert sql(And(X, Not(In("x", (value,), type))), None, literals).endswith(f" AND `x` NOT IN ({listed})")
    assert written_literal(value, type, None, Literals.EXACT) == literal(value, type)


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1, Type.STRING),
        ("1", Type.INTEGER),
        (True, Type.LONG),
        (1, Type.BOOLEAN),
        ("x", Type.DATE),
        (128, Type.BYTE),
        (1, Type.DOUBLE),
        (1.0, MONEY),
        (datetime(2020, 1, 1), Type.DATE),
        (datetime(2020, 1, 1), Type.TIMESTAMP),
        (utc(2020, 1, 1), Type.TIMESTAMP_NTZ),
        ("x", Type.BINARY),
        ((1,), StructOf((("a", Type.INTEGER), ("b", Type.INTEGER)))),
        (1, ArrayOf(Type.INTEGER)),
    ],
)
def test_a_literal_of_another_type_is_an_error(value: Value, type: AnyType) -> None:
    with pytest.raises(TypeError, match="is not a value of the type"):
        literal(value, type)


def read_back(text: str) -> str:
    """What Spark's default parser makes of a string literal, in the few escapes that are in use here."""
    assert text[0] == text[-1] == "'"
    short = {"n": "\n", "r": "\r", "t": "\t", "'": "'", "\\": "\\"}
    escape = re.compile(r"\\(?:u([0-9A-F]{4})|U([0-9A-F]{8})|(.))", re.DOTALL)
    return escape.sub(lambda m: short[m[3]] if m[3] else chr(int(m[1] or m[2], 16)), text[1:-1])


@given(st.text())
def test_string_literals_read_back_and_are_printable(text: str) -> None:
    written = literal(text, Type.STRING)
    assert read_back(written) == text
    assert written.isprintable()
    assert re.fullmatch(r"'(?:[^'\\]|\\.)*'", written), "a quote inside would end the literal"


@pytest.mark.parametrize(("name", "text"), [("p", "`p`"), ("a.b", "`a.b`"), ("a`b", "`a``b`"), ("größe", "`größe`")])
def test_identifiers(name: str, text: str) -> None:
    assert identifier(name) == text


def test_every_column_of_a_condition_has_the_alias_of_the_table() -> None:
    where = And(Not(In("x", (1, None), Type.INTEGER)), Or(Holds(Of("b")), Like("y", "a%")))
    with_alias = delete_sql(Delete(where, form=Form.SQL_NAME_ALIAS), "t")
    assert with_alias == "DELETE FROM t AS x WHERE x.`x` NOT IN (1, NULL) AND (x.`b` OR x.`y` LIKE 'a%')"
    assert delete_sql(Delete(form=Form.SQL_PATH_ALIAS), "t") == "DELETE FROM t AS x"
    member = Relate(Member(Of("s"), "a"), Op.LT, CaseWhen(X, Cast(Of("y"), Type.LONG), Literal(1, Type.LONG)))
    text = "x.`s`.`a` < (CASE WHEN x.`x` >= 5 THEN CAST(x.`y` AS BIGINT) ELSE 1L END)"
    assert sql(member, alias="x") == text


def test_truncates() -> None:
    assert delete_sql(Delete(form=Form.TRUNCATE), "t") == "TRUNCATE TABLE t"
    with pytest.raises(ValueError, match="cannot have a condition"):
        delete_sql(Delete(Y, form=Form.TRUNCATE), "t")


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
        (Vacuum(mode=Mode.FULL), "VACUUM t FULL"),
        (Vacuum(mode=Mode.LITE, retain_hours=0, dry_run=True), "VACUUM t LITE RETAIN 0 HOURS DRY RUN"),
        (Vacuum(mode=Mode.LITE_SETTING, parallel=True, logging=None), "VACUUM t"),
        (Vacuum(form=VacuumForm.API_PATH, retain_hours=7), "VACUUM t RETAIN 7 HOURS"),
    ],
)
def test_vacuums(step: Vacuum, text: str) -> None:
    assert vacuum_sql(step, "t") == text


@pytest.mark.parametrize("mode", [Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY])
def test_vacuums_with_an_inventory(mode: Mode) -> None:
    step = Vacuum(mode=mode, retain_hours=0, dry_run=True)
    assert vacuum_sql(step, "t", "delta.`/i`") == "VACUUM t USING INVENTORY delta.`/i` RETAIN 0 HOURS DRY RUN"
    assert vacuum_sql(Vacuum(mode=mode), "t", "(SELECT 1)") == "VACUUM t USING INVENTORY (SELECT 1)"
    with pytest.raises(ValueError, match=f"a VACUUM in the mode {mode.value} needs an inventory"):
        vacuum_sql(step, "t")


@pytest.mark.parametrize("mode", [mode for mode in Mode if not mode.inventory])
def test_an_inventory_needs_a_mode_that_uses_one(mode: Mode) -> None:
    with pytest.raises(ValueError, match=f"a VACUUM in the mode {mode.value} has no inventory"):
        vacuum_sql(Vacuum(mode=mode), "t", "(SELECT 1)")


def test_vacuum_settings_are_complete() -> None:
    prefix = "spark.databricks.delta."
    assert vacuum_settings(Vacuum()) == {
        f"{prefix}retentionDurationCheck.enabled": "true",
        f"{prefix}vacuum.logging.enabled": "true",
        f"{prefix}vacuum.lite.enabled": "false",
        f"{prefix}vacuum.parallelDelete.enabled": "false",
    }
    other = vacuum_settings(Vacuum(safety_check=False, logging=None, mode=Mode.LITE_SETTING, parallel=True))
    assert other == {
        f"{prefix}retentionDurationCheck.enabled": "false",
        f"{prefix}vacuum.logging.enabled": None,
        f"{prefix}vacuum.lite.enabled": "true",
        f"{prefix}vacuum.parallelDelete.enabled": "true",
    }
    assert vacuum_settings(Vacuum(logging=False))[f"{prefix}vacuum.logging.enabled"] == "false"
    # The keyword LITE needs no setting, and must not get one: a later step without it is a full one.
    assert vacuum_settings(Vacuum(mode=Mode.LITE)) == vacuum_settings(Vacuum())


@pytest.mark.parametrize("hours", [float("nan"), float("inf")])
def test_hours_must_be_finite(hours: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        vacuum_sql(Vacuum(retain_hours=hours), "t")


@pytest.mark.parametrize("name", ["größe", ".x", "a b", "a.b", "x`y"])
def test_a_merge_quotes_the_keys_of_both_sides(name: str) -> None:
    merge = Merge(Constant(True), keys=(name,), by_name=True)
    quoted = identifier(name)
    assert f" ON t.{quoted} = s.{quoted} WHEN" in merge_text(merge, "t", "(SELECT 1)", columns={name: name})
