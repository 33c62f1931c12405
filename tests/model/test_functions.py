"""Functions, casts, the calendar and patterns: what is refused, and what test_evaluate_spark does not ask Spark."""

from __future__ import annotations

import time
from datetime import date, datetime, timezone

import pytest

from model.semantics import moments
from model.semantics.casts import cast, castable
from model.semantics.evaluate import evaluate
from model.semantics.patterns import rlike_expression
from model.vocabulary.predicate import Call, Cast, Expression, Function, Literal, Missing, Op, Relate
from model.vocabulary.values import NAN, AnyType, DecimalOf, Type, Value

TODAY = date(2019, 3, 10)
MONEY = DecimalOf(10, 2)


def typed(value: Value, type: AnyType | None = None) -> Literal:
    """A literal, by default of the type of the Python value."""
    own: dict[object, AnyType] = {str: Type.STRING, int: Type.INTEGER, float: Type.DOUBLE, bytes: Type.BINARY}
    own |= {bool: Type.BOOLEAN, date: Type.DATE, datetime: Type.TIMESTAMP}
    return Literal(value, own[float if value is NAN else value.__class__] if type is None else type)


def assert_gives(expression: Expression, expected: Literal) -> None:
    """Check the value of an expression without columns."""
    same = evaluate(Relate(expression, Op.EQ, expected), {}, zone="UTC", today=TODAY)
    assert same is True, f"{expression} is not {expected.value!r}"


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize("text", ["\u0264", "\ua7cb", "\U00010d50", "Ა", "\u0378\uab30"])
def test_letters_with_a_recent_other_case_are_not_supported(text: str) -> None:
    with pytest.raises(ValueError, match="the other case of"):
        evaluate(Missing(Call(Function.UPPER, (typed(text),))), {})


def test_dates_beyond_the_limits_of_python() -> None:
    tomorrow = Call(Function.DATE_ADD, (typed(date(9999, 12, 31)), typed(1)))
    assert_gives(Call(Function.YEAR, (tomorrow,)), typed(10000))
    assert_gives(Cast(tomorrow, Type.STRING), typed("+10000-01-01"))
    yesterday = Call(Function.DATE_SUB, (typed(date(1, 1, 1)), typed(400)))
    assert_gives(Cast(yesterday, Type.STRING), typed("-0001-11-28"))
    around = Call(Function.DATE_ADD, (typed(date(9999, 12, 31)), typed(2**31 - 1)))
    assert_gives(Cast(around, Type.STRING), typed("-5869611-06-20"))


# Casts ---------------------------------------------------------------------------------------------------------------


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


def test_an_ambiguous_local_time_is_the_earlier_instant() -> None:
    local = moments.micros_of(datetime(2019, 11, 3, 1, 30))
    assert moments.instant_of(local, CALIFORNIA) == moments.micros_of(utc(2019, 11, 3, 8, 30))
    assert not moments.is_unambiguous(local, CALIFORNIA)
    assert moments.is_unambiguous(local, "Asia/Kolkata")


def test_a_local_time_in_a_gap_uses_the_offset_before_it() -> None:
    local = moments.micros_of(datetime(2019, 3, 10, 2, 30))
    assert moments.instant_of(local, CALIFORNIA) == moments.micros_of(utc(2019, 3, 10, 10, 30))
    assert not moments.is_unambiguous(local, CALIFORNIA)


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


def test_concat_takes_strings_only() -> None:
    numbers = Call(Function.CONCAT, (typed("a"), typed(1)))
    with pytest.raises(TypeError, match="concat is not supported for arguments of these types: string, integer"):
        evaluate(Missing(numbers), {}, zone="UTC", today=TODAY)
