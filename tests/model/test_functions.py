"""Functions, casts, the calendar and patterns: tables of values, checked with Spark in test_evaluate_spark."""

from __future__ import annotations

import math
import time
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from model.semantics import moments
from model.semantics.casts import Undefined, cast, castable, plain
from model.semantics.evaluate import WouldFail, evaluate
from model.semantics.patterns import rlike_expression
from model.vocabulary.predicate import Call, Cast, Expression, Function, Literal, Missing, Op, Relate
from model.vocabulary.values import NAN, AnyType, ArrayOf, DecimalOf, MapOf, Type, Value

TODAY = date(2019, 3, 10)
MONEY = DecimalOf(10, 2)


def typed(value: Value, type: AnyType | None = None) -> Literal:
    """A literal, by default of the type of the Python value."""
    own: dict[object, AnyType] = {str: Type.STRING, int: Type.INTEGER, float: Type.DOUBLE, bytes: Type.BINARY}
    own |= {bool: Type.BOOLEAN, date: Type.DATE, datetime: Type.TIMESTAMP}
    return Literal(value, own[float if value is NAN else value.__class__] if type is None else type)


def assert_gives(expression: Expression, expected: Literal, zone: str = "UTC") -> None:
    """Check the value of an expression without columns."""
    if expected.value is None:
        assert evaluate(Missing(expression), {}, zone=zone, today=TODAY) is True
        return
    same = evaluate(Relate(expression, Op.EQ, expected), {}, zone=zone, today=TODAY)
    assert same is True, f"{expression} is not {expected.value!r}"


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


NUMBERS = ArrayOf(Type.INTEGER)
COUNTS = MapOf(Type.STRING, Type.INTEGER)
NONE = typed(None, Type.INTEGER)
LONG, BYTE = Type.LONG, Type.BYTE


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (Function.UPPER, ("aß1é",), typed("ASS1É")),
        (Function.LOWER, ("AΣÉ\U0001f600",), typed("aσé\U0001f600")),
        (Function.TRIM, ("  a b\t ",), typed("a b\t")),
        (Function.TRIM, ("\u00a0 ",), typed("\u00a0")),
        (Function.LENGTH, ("e\u0301\U0001f600",), typed(3)),
        (Function.LENGTH, (b"\x00\xff",), typed(2)),
        (Function.SUBSTRING, ("abc", 1, 2), typed("ab")),
        (Function.SUBSTRING, ("abc", 0, 2), typed("ab")),
        (Function.SUBSTRING, ("abc", -2, 1), typed("b")),
        (Function.SUBSTRING, ("abc", -5, 3), typed("a")),
        (Function.SUBSTRING, ("abc", -5, 2), typed("")),
        (Function.SUBSTRING, ("abc", 2, -1), typed("")),
        (Function.SUBSTRING, ("abc", 4, 1), typed("")),
        (Function.SUBSTRING, ("a\U0001f600b", 2, 1), typed("\U0001f600")),
        (Function.CONCAT, ("a", "", "b"), typed("ab")),
        (Function.CONCAT, ("a", typed(None, Type.STRING)), typed(None, Type.STRING)),
        (Function.STARTSWITH, ("abc", ""), typed(True)),
        (Function.STARTSWITH, ("abc", "b"), typed(False)),
        (Function.RLIKE, ("abc", "b"), typed(True)),
        (Function.RLIKE, ("abc", "^b"), typed(False)),
        (Function.COALESCE, (NONE, 2, 3), typed(2)),
        (Function.COALESCE, (NONE,), NONE),
        (Function.ABS, (-3,), typed(3)),
        (Function.ABS, (-1.5,), typed(1.5)),
        (Function.ABS, (typed(Decimal("-1.50"), MONEY),), typed(Decimal("1.50"), MONEY)),
        (Function.ADD, (1, 2), typed(3)),
        (Function.ADD, (2**31 - 1, typed(1, LONG)), typed(2**31, LONG)),
        (Function.SUBTRACT, (typed(1, BYTE), typed(2, BYTE)), typed(-1, BYTE)),
        (Function.MULTIPLY, (1e308, 10.0), typed(math.inf)),
        (Function.REMAINDER, (-7, 3), typed(-1)),
        (Function.REMAINDER, (7, -3), typed(1)),
        (Function.REMAINDER, (-(2**31), -1), typed(0)),
        (Function.REMAINDER, (-7.5, 2.0), typed(-1.5)),
        (Function.REMAINDER, (2.0, math.inf), typed(2.0)),
        (Function.REMAINDER, (math.inf, 2.0), typed(NAN)),
        (Function.REMAINDER, (NONE, 0), NONE),  # NULL comes before the error
        (Function.YEAR, (date(2020, 2, 29),), typed(2020)),
        (Function.MONTH, (date(2020, 2, 29),), typed(2)),
        (Function.DAY, (date(2020, 2, 29),), typed(29)),
        (Function.DATE_ADD, (date(2020, 2, 28), 2), typed(date(2020, 3, 1))),
        (Function.DATE_ADD, (date(2020, 2, 28), typed(-28, BYTE)), typed(date(2020, 1, 31))),
        (Function.DATE_SUB, (date(2020, 3, 1), 1), typed(date(2020, 2, 29))),
        (Function.DATEDIFF, (date(2020, 3, 1), date(2020, 2, 28)), typed(2)),
        (Function.CURRENT_DATE, (), typed(TODAY)),
        (Function.ARRAY_CONTAINS, (typed((1, None), NUMBERS), 1), typed(True)),
        (Function.ARRAY_CONTAINS, (typed((1, None), NUMBERS), 2), typed(None, Type.BOOLEAN)),
        (Function.ARRAY_CONTAINS, (typed((1,), NUMBERS), 2), typed(False)),
        (Function.ARRAY_CONTAINS, (typed((), NUMBERS), NONE), typed(None, Type.BOOLEAN)),
        (Function.ARRAY_CONTAINS, (typed((NAN,), ArrayOf(Type.DOUBLE)), NAN), typed(True)),
        (Function.ARRAY_CONTAINS, (typed((utc(2020, 1, 1),), ArrayOf(Type.TIMESTAMP)), utc(2020, 1, 1)), typed(True)),
        (Function.SIZE, (typed((1, None), NUMBERS),), typed(2)),
        (Function.SIZE, (typed(None, NUMBERS),), NONE),
        (Function.SIZE, (typed((("a", 1),), COUNTS),), typed(1)),
        (Function.ELEMENT_AT, (typed((("a", 1), ("b", None)), COUNTS), "a"), typed(1)),
        (Function.ELEMENT_AT, (typed((("a", 1), ("b", None)), COUNTS), "b"), NONE),
        (Function.ELEMENT_AT, (typed((("a", 1),), COUNTS), "c"), NONE),
        (Function.ELEMENT_AT, (typed(((0.0, 1),), MapOf(Type.DOUBLE, Type.INTEGER)), -0.0), typed(1)),
        (Function.ISNAN, (NAN,), typed(True)),
        (Function.ISNAN, (typed(None, Type.FLOAT),), typed(False)),
    ],
)
def test_functions(function: Function, arguments: tuple[Value | Literal, ...], expected: Literal) -> None:
    given = tuple(one if isinstance(one, Literal) else typed(one) for one in arguments)
    assert_gives(Call(function, given), expected)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (Function.ADD, (typed(2**31 - 1), typed(1))),
        (Function.ADD, (typed(127, BYTE), typed(1, BYTE))),
        (Function.SUBTRACT, (typed(-(2**63), LONG), typed(1))),
        (Function.MULTIPLY, (typed(2**62, LONG), typed(2, LONG))),
        (Function.ABS, (typed(-128, BYTE),)),
        (Function.REMAINDER, (typed(1), typed(0))),
        (Function.REMAINDER, (typed(1.0), typed(-0.0))),
        (Function.REMAINDER, (typed(NAN), typed(0.0))),
    ],
)
def test_functions_that_raise(function: Function, arguments: tuple[Literal, ...]) -> None:
    with pytest.raises(WouldFail, match=r"does not fit|by zero"):
        evaluate(Missing(Call(function, arguments)), {})


@pytest.mark.parametrize("text", ["\u0264", "\ua7cb", "\U00010d50", "Ა", "\u0378\uab30"])
def test_letters_with_a_recent_other_case_are_not_supported(text: str) -> None:
    with pytest.raises(ValueError, match="the other case of"):
        evaluate(Missing(Call(Function.UPPER, (typed(text),))), {})


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Kolkata"])
def test_parts_of_timestamps_are_in_the_session_time_zone(zone: str) -> None:
    new_year = typed(utc(2020, 1, 1))
    west = zone == "America/Los_Angeles"
    assert_gives(Call(Function.YEAR, (new_year,)), typed(2019 if west else 2020), zone)
    assert_gives(Call(Function.DAY, (new_year,)), typed(31 if west else 1), zone)
    wall_clock = typed(datetime(2020, 1, 1), Type.TIMESTAMP_NTZ)
    assert_gives(Call(Function.YEAR, (wall_clock,)), typed(2020), zone)


def test_dates_beyond_the_limits_of_python() -> None:
    tomorrow = Call(Function.DATE_ADD, (typed(date(9999, 12, 31)), typed(1)))
    assert_gives(Call(Function.YEAR, (tomorrow,)), typed(10000))
    assert_gives(Cast(tomorrow, Type.STRING), typed("+10000-01-01"))
    yesterday = Call(Function.DATE_SUB, (typed(date(1, 1, 1)), typed(400)))
    assert_gives(Cast(yesterday, Type.STRING), typed("-0001-11-28"))
    around = Call(Function.DATE_ADD, (typed(date(9999, 12, 31)), typed(2**31 - 1)))
    assert_gives(Cast(around, Type.STRING), typed("-5869611-06-20"))


#: The bits of whole numbers.
SIZES = {Type.BYTE: 8, Type.SHORT: 16, Type.INTEGER: 32, Type.LONG: 64}


# Casts ---------------------------------------------------------------------------------------------------------------


#: Values with the type that each is of, the type that it is cast to, and what it becomes.
CASTS: list[tuple[Any, ...]] = [
    (" +7\n", Type.STRING, Type.INTEGER, 7),
    ("-128", Type.STRING, Type.BYTE, -128),
    ("1d", Type.STRING, Type.DOUBLE, 1.0),
    (" -infinity", Type.STRING, Type.DOUBLE, -math.inf),
    ("0x1.8p1", Type.STRING, Type.DOUBLE, 3.0),
    ("0x1p9999", Type.STRING, Type.DOUBLE, math.inf),
    ("-0x1p9999", Type.STRING, Type.DOUBLE, -math.inf),
    ("1e999", Type.STRING, Type.DOUBLE, math.inf),
    (" YES ", Type.STRING, Type.BOOLEAN, True),
    *((word, Type.STRING, Type.BOOLEAN, True) for word in ("t", "true", "y", "yes", "1")),
    *((word, Type.STRING, Type.BOOLEAN, False) for word in ("f", "false", "n", "no", "0")),
    *((f"{chr(blank)}7{chr(blank)}", Type.STRING, Type.INTEGER, 7) for blank in (*range(0x21), 0x7F)),
    ("0", Type.STRING, Type.BOOLEAN, False),
    ("2020-2-9 x", Type.STRING, Type.DATE, date(2020, 2, 9)),
    ("2020-2-9Tx\ny", Type.STRING, Type.DATE, date(2020, 2, 9)),
    ("2020", Type.STRING, Type.DATE, date(2020, 1, 1)),
    ("2020-02-29T12:00:00.5+01:00", Type.STRING, Type.TIMESTAMP, utc(2020, 2, 29, 11, 0, 0, 500000)),
    ("2020-02-29 1", Type.STRING, Type.TIMESTAMP, utc(2020, 2, 29, 1)),
    ("2020-02-29 23:59:59+18:00", Type.STRING, Type.TIMESTAMP, utc(2020, 2, 29, 5, 59, 59)),
    ("2020-02-29T12:00:00Z", Type.STRING, Type.TIMESTAMP, utc(2020, 2, 29, 12)),
    ("2020-02-29T12:00:00-01:30", Type.STRING, Type.TIMESTAMP, utc(2020, 2, 29, 13, 30)),
    (7, Type.INTEGER, Type.STRING, "7"),
    (2**53 + 1, Type.LONG, Type.DOUBLE, 2.0**53),
    (300, Type.LONG, Type.SHORT, 300),
    (-1, Type.LONG, Type.BOOLEAN, True),
    (-1.9, Type.DOUBLE, Type.INTEGER, -1),
    (2.0**63, Type.DOUBLE, Type.LONG, 2**63 - 1),
    (0.10000000149011612, Type.FLOAT, Type.DOUBLE, 0.10000000149011612),
    (True, Type.BOOLEAN, Type.STRING, "true"),
    (True, Type.BOOLEAN, Type.LONG, 1),
    (Decimal("-1.90"), MONEY, Type.INTEGER, -1),
    (Decimal("1.50"), MONEY, Type.STRING, "1.50"),
    (Decimal("0.10"), MONEY, Type.DOUBLE, 0.1),
    (date(1, 1, 2), Type.DATE, Type.STRING, "0001-01-02"),
    (date(2020, 2, 29), Type.DATE, Type.TIMESTAMP, utc(2020, 2, 29)),
    (utc(2020, 2, 29, 12, 0, 0, 500000), Type.TIMESTAMP, Type.STRING, "2020-02-29 12:00:00.5"),
    (utc(1969, 12, 31, 23, 59, 59, 500000), Type.TIMESTAMP, Type.LONG, -1),
    (datetime(2020, 2, 29, 12), Type.TIMESTAMP_NTZ, Type.DATE, date(2020, 2, 29)),
    (datetime(2020, 2, 29, 12), Type.TIMESTAMP_NTZ, Type.STRING, "2020-02-29 12:00:00"),
    (date(2020, 2, 29), Type.DATE, Type.TIMESTAMP_NTZ, datetime(2020, 2, 29)),
    *(
        (bound, Type.LONG, type, bound)
        for type, size in SIZES.items()
        for bound in (-(2 ** (size - 1)), 2 ** (size - 1) - 1)
    ),
]


def test_casts() -> None:
    wrong = []
    for value, source, target, expected in CASTS:
        found, wanted = cast(plain(value, source), source, target, "UTC"), plain(expected, target)
        again = cast(found, target, target, "UTC")
        if (
            not (found == wanted == again and type(found) is type(wanted))
            or cast(None, source, target, "UTC") is not None
        ):
            wrong.append((value, source, target, found, expected))
    assert wrong == []


@pytest.mark.parametrize("text", ["NaN", "nan", "+NaN", "-NaN", " NaN "])
def test_casts_of_invalid_numbers_raise(text: str) -> None:
    found = cast(text, Type.STRING, Type.DOUBLE, "UTC")
    assert isinstance(found, float) and math.isnan(found)


#: Values with the type that each is of, and one that it cannot be cast to.
NO_CASTS: list[tuple[Any, ...]] = [
    *(
        (text, Type.STRING, Type.INTEGER)
        for text in ("", "-", "1.0", "1e0", "1 2", "１", "\u00a01", "2147483648", "0x1", "1L")
    ),
    *((text, Type.STRING, Type.DOUBLE) for text in ("", ".", "1e", "1_0", "0x1", "ınf", "\x7f1")),
    *((text, Type.STRING, Type.BOOLEAN) for text in ("", "2", "yes!")),
    *((text, Type.STRING, Type.DATE) for text in ("", "20", "2020-02x", "2020/02/29", "9999999-01-01")),
    *((f"2020-{text}", Type.STRING, Type.DATE) for text in ("02-30", "02-29x", "002-29")),
    *((text, Type.STRING, Type.TIMESTAMP) for text in ("", "12", "2020-02-29T", "300000-01-01")),
    *(
        (f"2020-02-29 {text}", Type.STRING, Type.TIMESTAMP)
        for text in (
            "24:00",
            "00:60",
            "00:00:60",
            *(f"00:00:00{zone}" for zone in ("+19:00", "+18:01", "-18:01", "+01:60")),
        )
    ),
    *((2 ** (size - 1), Type.LONG, type) for type, size in SIZES.items() if type is not Type.LONG),
    *((-(2 ** (size - 1)) - 1, Type.LONG, type) for type, size in SIZES.items() if type is not Type.LONG),
    (2147483648.0, Type.DOUBLE, Type.INTEGER),
    (NAN, Type.DOUBLE, Type.LONG),
    (math.inf, Type.FLOAT, Type.LONG),
    (Decimal("128.00"), MONEY, Type.BYTE),
]


def test_casts_that_raise() -> None:
    accepted = []
    for value, source, target in NO_CASTS:
        try:
            accepted.append((value, source, target, cast(value, source, target, "UTC")))
        except Undefined:
            continue
    assert accepted == []


def test_unsupported_casts() -> None:
    assert not castable(Type.DOUBLE, Type.STRING)
    assert not castable(MONEY, DecimalOf(5, 2))
    with pytest.raises(TypeError, match="is not supported"):
        cast(1.0, Type.DOUBLE, Type.STRING, "UTC")
    for text in ("12:30", "T1", "2020-02-29 12:00:00 Europe/Paris"):
        with pytest.raises(TypeError, match="is not supported as a TIMESTAMP"):
            cast(text, Type.STRING, Type.TIMESTAMP, "UTC")
    with pytest.raises(ValueError, match="too far away"):
        cast(2**31 - 1, Type.DATE, Type.TIMESTAMP, "UTC")


# The calendar and the clocks -----------------------------------------------------------------------------------------

CALIFORNIA = "America/Los_Angeles"


@pytest.mark.parametrize(
    ("instant", "zone", "shown"),
    [
        (utc(2019, 7, 1, 12), CALIFORNIA, "2019-07-01 05:00:00"),
        (utc(2100, 7, 1, 12), CALIFORNIA, "2100-07-01 05:00:00"),
        (utc(1800, 1, 1), CALIFORNIA, "1799-12-31 16:07:02"),
        (utc(1, 1, 1), CALIFORNIA, "0000-12-31 16:07:02"),
        (utc(9999, 12, 31, 23, 59, 59, 1), "Asia/Kolkata", "+10000-01-01 05:29:59.000001"),
        (utc(2019, 12, 31, 14), "Australia/Lord_Howe", "2020-01-01 01:00:00"),
    ],
)
def test_local_times(instant: datetime, zone: str, shown: str) -> None:
    local = moments.local_micros(moments.micros_of(instant), zone)
    assert moments.timestamp_text(local) == shown
    assert moments.instant_of(local, zone) == moments.micros_of(instant)


def test_an_ambiguous_local_time_is_the_earlier_instant() -> None:
    local = moments.micros_of(datetime(2019, 11, 3, 1, 30))
    assert moments.instant_of(local, CALIFORNIA) == moments.micros_of(utc(2019, 11, 3, 8, 30))
    assert not moments.is_unambiguous(local, CALIFORNIA)
    assert moments.is_unambiguous(local, "Asia/Kolkata")


def test_a_local_time_in_a_gap_uses_the_offset_before_it() -> None:
    local = moments.micros_of(datetime(2019, 3, 10, 2, 30))
    assert moments.instant_of(local, CALIFORNIA) == moments.micros_of(utc(2019, 3, 10, 10, 30))
    assert not moments.is_unambiguous(local, CALIFORNIA)


@pytest.mark.parametrize(
    ("day", "zone", "start"),
    [
        (date(2019, 7, 1), CALIFORNIA, utc(2019, 7, 1, 7)),
        (date(1941, 10, 1), "Asia/Kolkata", utc(1941, 9, 30, 18, 30)),  # from 0:00 to 1:00
        (date(2018, 11, 4), "America/Sao_Paulo", utc(2018, 11, 4, 3)),  # from 0:00 to 1:00
        (date(1919, 3, 31), "America/Toronto", utc(1919, 3, 31, 4, 30)),  # from 23:30 of the day before to 0:30
    ],
)
def test_start_of_day(day: date, zone: str, start: datetime) -> None:
    assert moments.start_of_day(moments.days_of(day), zone) == moments.micros_of(start)


@given(st.dates())
def test_days_agree_with_python(day: date) -> None:
    days = moments.days_of(day)
    assert moments.year_month_day(days) == (day.year, day.month, day.day)
    assert moments.days_of_date(day.year, day.month, day.day) == days
    assert moments.date_text(days) == day.isoformat()


@given(st.integers(-(2**31), 2**31 - 1))
def test_all_days_have_a_date(days: int) -> None:
    year, month, day = moments.year_month_day(days)
    assert moments.days_of_date(year, month, day) == days


@given(
    st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)), st.sampled_from((CALIFORNIA, "UTC"))
)
def test_texts_of_timestamps_read_back(wall_clock: datetime, zone: str) -> None:
    local = moments.micros_of(wall_clock)
    assume(moments.is_unambiguous(local, zone))
    instant = moments.instant_of(local, zone)
    assert cast(moments.timestamp_text(local), Type.STRING, Type.TIMESTAMP, zone) == instant
    assert moments.local_micros(instant, zone) == local


# Patterns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        ("b", ("abc", "b"), ("", "B")),
        ("^a.c$", ("abc", "aXc", "abc\n", "a\U0001f600c\r\n"), ("a\nc", "a\rc", "a\u2028c", "abcd", "abc\n\n")),
        ("^$", ("", "\n", "\u0085"), ("\n\r", "a")),
        ("[a-c]+", ("xb",), ("x", "é")),
        ("[^a]", ("b", "\n"), ("a", "")),
        (r"^\d{2,3}$", ("12", "123"), ("1", "1234", "١٢")),
        (r"\w\s", ("a ", "_\t"), ("é ", "a\u00a0")),
        (r"a\.b", ("a.b",), ("aab",)),
        ("^(ab|c)*$", ("", "abcab"), ("a", "ba")),
        ("^ab{0}", ("a",), ("b",)),
        (r"[\]\-]", ("]", "-"), ("\\",)),
    ],
)
def test_rlike(pattern: str, found: tuple[str, ...], missed: tuple[str, ...]) -> None:
    expression = rlike_expression(pattern)
    assert [text for text in found if not expression.search(text)] == []
    assert [text for text in missed if expression.search(text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        "a*?", "a++", "(?i)a", "*a", "^*", "(|*)", "a{,2}", "a{2", "[a", "[a&&b]", "[[a]]", r"\b", r"\p{L}", r"[\d]",
        "}", "(a", "a)", "\\", "[b-a]",
    ],
)  # fmt: skip
def test_unsupported_rlike_patterns(pattern: str) -> None:
    with pytest.raises(ValueError, match="RLIKE pattern"):
        rlike_expression(pattern)


def test_the_time_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    noon = moments.micros_of(utc(2020, 2, 29, 12))
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        found = moments.local_micros(noon, "America/New_York")
    time.tzset()
    assert moments.timestamp_text(found) == "2020-02-29 07:00:00"


def test_a_date_is_cast_to_the_start_of_the_day() -> None:
    found = cast(plain(date(2020, 2, 29), Type.DATE), Type.DATE, Type.TIMESTAMP, "Asia/Tokyo")
    assert found == plain(utc(2020, 2, 28, 15), Type.TIMESTAMP)


def test_concat_takes_strings_only() -> None:
    numbers = Call(Function.CONCAT, (typed("a"), typed(1)))
    with pytest.raises(TypeError, match="concat is not supported for arguments of these types: string, integer"):
        evaluate(Missing(numbers), {}, zone="UTC", today=TODAY)
