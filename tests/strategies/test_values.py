"""Values and weights: domains are valid, and choices follow their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.codec.json_values import value_of, value_to_json
from model.vocabulary.values import (
    NAN,
    WHOLE_NUMBERS,
    AnyType,
    ArrayOf,
    DecimalOf,
    MapOf,
    StructOf,
    Type,
    Value,
    canonical,
)
from strategies.tables.column_values import (
    LONG_STRINGS,
    NUMBER_STRINGS,
    POOL,
    STRINGS,
    comes_after,
    domain,
    pools,
    values,
)
from strategies.tables.types import DECIMALS, PARTITIONABLE, PRIMITIVES, nested, primitives, types
from strategies.weights import odds, one_in, weighted
from tests.sampling import sample

NESTED = (
    ArrayOf(Type.STRING),
    ArrayOf(StructOf((("x", Type.DOUBLE), ("y", Type.TIMESTAMP)))),
    MapOf(Type.STRING, Type.INTEGER),
    MapOf(Type.LONG, DecimalOf(38, 18)),
    MapOf(Type.DATE, Type.FLOAT),
    StructOf((("x", Type.BOOLEAN),)),
    StructOf((("x", Type.INTEGER), ("y", ArrayOf(Type.DATE)), ("path", Type.BINARY))),
)


def leaves(value: Value) -> Iterator[Value]:
    """The primitive values in a value."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


@pytest.mark.parametrize("type", [*PRIMITIVES, *NESTED], ids=str)
def test_values_are_canonical_distinct_and_of_their_type(type: AnyType) -> None:
    found = domain(type)
    assert [repr(canonical(value, type)) for value in found] == [repr(value) for value in found]
    assert [repr(value_of(type)(value_to_json(value))) for value in found] == list(map(repr, found))
    assert len(set(map(repr, found))) == len(found) >= 2
    assert None not in found
    assert all(value is NAN for whole in found for value in leaves(whole) if value != value)
    years = {value.year for whole in found for value in leaves(whole) if isinstance(value, date)}
    assert not any(2021 <= year <= 9000 for year in years), "none is near the present"
    moments = [value for whole in found for value in leaves(whole) if isinstance(value, datetime)]
    for moment in moments:  # it is a date in every zone
        assert (moment - timedelta(days=1)).year >= 1 and (moment + timedelta(days=1)).year <= 9999


def test_the_domains_of_numbers_have_their_ends() -> None:
    for type, (least, greatest) in WHOLE_NUMBERS.items():
        assert {least, greatest} <= set(domain(type))
    for type in (Type.FLOAT, Type.DOUBLE):
        assert {"nan", "-0.0", "0.0", "inf", "-inf"} <= set(map(repr, domain(type)))


@pytest.mark.parametrize("type", DECIMALS, ids=str)
def test_decimals_have_all_their_digits(type: DecimalOf) -> None:
    digits = [len(value.as_tuple().digits) for value in domain(type) if isinstance(value, Decimal)]
    assert max(digits) == type.precision


def test_long_strings_share_the_prefix_in_statistics() -> None:
    prefixes = [text[:32] for text in LONG_STRINGS]
    assert len(set(prefixes)) < len(prefixes)
    assert sum(len(text) > 100 for text in LONG_STRINGS) >= 2


def test_partition_values_fit_into_a_directory_name() -> None:
    for type in PARTITIONABLE:
        found = domain(type, partition=True)
        assert "" not in found
        if type is not Type.TIMESTAMP:  # moments of a repeated hour are replaced
            assert set(map(repr, found)) <= set(map(repr, domain(type)))
    moments = {value.isoformat() for value in domain(Type.TIMESTAMP, partition=True) if isinstance(value, datetime)}
    assert not moments & {"2020-11-01T09:30:00+00:00", "2020-04-04T15:00:00+00:00"}, "Delta moves such rows"
    texts = [value for value in domain(Type.STRING, partition=True) if isinstance(value, str)]
    assert all(len(text.encode()) < 60 and not any(ord(character) < 32 for character in text) for text in texts)


@given(st.data())
def test_pools_are_few_values_of_the_domain(data: st.DataObject) -> None:
    type = data.draw(types())
    pool = data.draw(pools(type))
    assert 1 <= len(pool) <= POOL
    assert set(map(repr, pool)) <= set(map(repr, (*domain(type), *NUMBER_STRINGS)))


@pytest.mark.parametrize("type", PRIMITIVES, ids=str)
def test_pools_cover_the_whole_domain(type: AnyType) -> None:
    drawn = sample(pools(type), examples=400, seeds=[1])
    assert {repr(value) for pool in drawn for value in pool} >= set(map(repr, domain(type)))


@pytest.mark.long
def test_every_type_is_drawn() -> None:
    primitive, whole, any_ = zip(*sample(st.tuples(primitives(), nested(), types()), examples=400, seeds=range(3)))
    assert set(primitive) == set(PRIMITIVES)
    assert {StructOf, ArrayOf, MapOf} <= set(map(type, whole))
    assert {depth(type) for type in whole} <= {1, 2}
    kinds = Counter("nested" if depth(type) else "primitive" for type in any_)
    assert kinds["nested"] * 10 > kinds["primitive"] > kinds["nested"]


def depth(type: AnyType) -> int:
    if isinstance(type, ArrayOf):
        return 1 + depth(type.element)
    if isinstance(type, MapOf):
        return 1 + max(depth(type.key), depth(type.value))
    if isinstance(type, StructOf):
        return 1 + max(depth(kind) for _, kind in type.fields)
    return 0


def test_strings_are_compared_by_their_bytes() -> None:
    assert comes_after("\U0001f600", "\uffff")
    assert not comes_after("a", "a")
    assert comes_after(2, 1)
    assert not comes_after(NAN, 1.0)


def test_strings_order_differently_in_utf16() -> None:
    by_bytes = sorted(STRINGS, key=lambda text: text.encode())
    assert by_bytes != sorted(STRINGS, key=lambda text: text.encode("utf-16-be"))


def test_strings_differ_on_file_systems_that_fold_case() -> None:
    assert len({text.casefold() for text in STRINGS}) == len(STRINGS)
    assert "" not in STRINGS
    assert not any(ord(character) < 32 for text in STRINGS for character in text)


@pytest.mark.parametrize("type", Type)
def test_nulls_and_the_empty_string_are_drawn_only_if_allowed(type: Type) -> None:
    drawn = sample(st.tuples(values(type), values(type, nulls=0, empty=False)), examples=400, seeds=[1])
    seen = Counter(value for value, _ in drawn)
    restricted = Counter(value for _, value in drawn)
    # One in six. BOOLEAN has fewer examples than the budget, so only shares can be compared.
    assert seen[None] >= seen.total() / 12
    assert restricted[None] == 0
    assert restricted[""] == 0
    if type is Type.STRING:
        assert seen[""] >= 1


def test_choices_follow_their_weights() -> None:
    letters = weighted((3, st.just("a")), (1, st.just("b")), (0, st.just("c")))
    drawn = sample(st.tuples(letters, odds((1, "x"), (3, "y")), one_in(4)), examples=400, seeds=[1])

    def share(index: int, wanted: object) -> float:
        return sum(example[index] == wanted for example in drawn) / len(drawn)

    assert 0.6 < share(0, "a") < 0.9
    assert share(0, "c") == 0
    assert 0.6 < share(1, "y") < 0.9
    assert 0.1 < share(2, True) < 0.4
