"""Equality of values, NaN included, alone and in rows and cases."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter

import pytest

from model.vocabulary.predicate import Between, Literal
from model.vocabulary.values import NAN, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, canonical, type_name


def test_nan_equals_every_nan_and_nothing_else() -> None:
    for nan in (NAN, float("nan"), -math.nan):
        assert nan == NAN
        assert not nan != NAN  # noqa: SIM202 - the other operator
    for other in (1.0, math.inf, "nan", None):
        assert other != NAN
    assert math.isnan(NAN)
    assert repr(NAN) == "nan"
    assert abs(NAN) is NAN


def test_conditions_with_nan_are_equal() -> None:
    # From Python 3.13 on, dataclasses compare field by field.
    assert Literal(NAN, Type.DOUBLE) == Literal(canonical(math.nan, Type.DOUBLE), Type.DOUBLE)
    assert Between("v", NAN, NAN, Type.FLOAT) == Between("v", canonical(-math.nan, Type.FLOAT), NAN, Type.FLOAT)


@pytest.mark.parametrize("copied", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy])
def test_a_row_with_nan_equals_its_copy(copied: object) -> None:
    assert callable(copied)
    row = (1, NAN, (NAN, None))
    assert Counter([copied(row)]) == Counter([row])
    assert copied(NAN) is NAN


@pytest.mark.parametrize("type", [Type.FLOAT, Type.DOUBLE])
def test_canonical_nan(type: Type) -> None:
    assert canonical(math.nan, type) is NAN
    assert canonical([[math.nan]], ArrayOf(ArrayOf(type))) == ((NAN,),)
    assert repr(canonical(-0.0, type)) == "-0.0"


def test_rows_with_zeros_of_either_sign_are_equal() -> None:
    assert Counter([(-0.0,), (0.0,)]) == Counter({(0.0,): 2})


@pytest.mark.parametrize(
    ("type", "name"),
    [
        (Type.LONG, "long"),
        (DecimalOf(10, 2), "decimal(10,2)"),
        (ArrayOf(Type.DATE), "array<date>"),
        (MapOf(Type.BYTE, ArrayOf(Type.LONG)), "map<byte,array<long>>"),
        (StructOf((("a", Type.LONG), ("b c", Type.STRING))), "struct<a:long,b c:string>"),
    ],
)
def test_types_have_names(type: AnyType, name: str) -> None:
    assert type_name(type) == name
