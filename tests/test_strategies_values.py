"""Values and weights: domains hold what they promise, and choices fall as weighted."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from model.values import Type, Value
from strategies.values import DOMAINS, STRINGS, rows, values
from strategies.weights import odds, one_in, weighted

KINDS: dict[Type, type] = {
    Type.STRING: str,
    Type.INTEGER: int,
    Type.LONG: int,
    Type.BOOLEAN: bool,
    Type.DATE: date,
}

measured = settings(max_examples=400, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("type", Type)
def test_domains_hold_values_of_their_type(type: Type) -> None:
    assert all(value.__class__ is KINDS[type] for value in DOMAINS[type])
    assert len(set(DOMAINS[type])) == len(DOMAINS[type])


def test_strings_order_differently_in_utf16() -> None:
    by_bytes = sorted(STRINGS, key=lambda text: text.encode())
    assert by_bytes != sorted(STRINGS, key=lambda text: text.encode("utf-16-be"))


def test_strings_differ_on_file_systems_that_fold_case() -> None:
    assert len({text.casefold() for text in STRINGS}) == len(STRINGS)
    assert "" not in STRINGS
    assert not any(ord(character) < 32 for text in STRINGS for character in text)


@pytest.mark.parametrize("type", Type)
def test_nulls_and_the_empty_string_come_only_where_allowed(type: Type) -> None:
    seen: Counter[Value] = Counter()
    bare: Counter[Value] = Counter()

    @seed(1)
    @measured
    @given(values(type), values(type, nulls=0, empty=False))
    def draw(value: Value, other: Value) -> None:
        seen[value] += 1
        bare[other] += 1

    draw()
    # One in six. The domain of BOOLEAN is exhausted before the budget is: only shares can be compared.
    assert seen[None] >= seen.total() / 12
    assert bare[None] == 0
    assert bare[""] == 0
    if type is Type.STRING:
        assert seen[""] >= 1


@given(rows((Type.STRING, Type.DATE)))
def test_rows_have_a_value_for_each_type(row: tuple[Value, ...]) -> None:
    assert len(row) == 2
    assert row[0] is None or isinstance(row[0], str)
    assert row[1] is None or isinstance(row[1], date)


def test_choices_fall_as_weighted() -> None:
    seen: Counter[tuple[str, str, bool]] = Counter()

    @seed(1)
    @measured
    @given(weighted((3, st.just("a")), (1, st.just("b")), (0, st.just("c"))), odds((1, "x"), (3, "y")), one_in(4))
    def draw(strategy: str, value: str, flag: bool) -> None:
        seen[strategy, value, flag] += 1

    draw()

    def share(index: int, wanted: object) -> float:
        return sum(count for key, count in seen.items() if key[index] == wanted) / seen.total()

    assert 0.6 < share(0, "a") < 0.9
    assert share(0, "c") == 0
    assert 0.6 < share(1, "y") < 0.9
    assert 0.1 < share(2, True) < 0.4
