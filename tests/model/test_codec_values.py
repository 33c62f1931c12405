"""The JSON form of types and values: it reads back, is canonical, and everything else is refused with one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from model.codec import InvalidCase
from model.codec.json_values import read_type, type_to_json, value_of, value_to_json
from model.codec.plain import integer, run_of, successive
from model.vocabulary.values import (
    NAN,
    ArrayOf,
    DecimalOf,
    MapOf,
    StructOf,
    Type,
)

UTC = timezone.utc
PRICE = DecimalOf(10, 2)
PAIR = StructOf((("x", Type.LONG), ("y", Type.STRING)))
LONGS = MapOf(Type.LONG, Type.LONG)


TYPES: list[tuple[Any, ...]] = [
    *((type, type.value) for type in Type),
    (PRICE, "decimal(10,2)"),
    (DecimalOf(1, 1), "decimal(1,1)"),
    (DecimalOf(38, 38), "decimal(38,38)"),
    (ArrayOf(Type.LONG), {"array": "long"}),
    (MapOf(Type.STRING, ArrayOf(DecimalOf(3, 0))), {"map": ["string", {"array": "decimal(3,0)"}]}),
    (StructOf((("a b", Type.DATE),)), {"struct": [{"name": "a b", "type": "date"}]}),
]


def test_types() -> None:
    assert [(type, type_to_json(type)) for type, _ in TYPES] == TYPES
    assert [(read_type(document), document) for _, document in TYPES] == TYPES


VALUES: list[tuple[Any, ...]] = [
    (None, Type.BINARY, None),
    ("", Type.STRING, ""),
    (True, Type.BOOLEAN, True),
    (-128, Type.BYTE, -128),
    (0.5, Type.FLOAT, 0.5),
    (-0.0, Type.DOUBLE, -0.0),
    (NAN, Type.DOUBLE, {"float": "NaN"}),
    (math.inf, Type.FLOAT, {"float": "Infinity"}),
    (-math.inf, Type.DOUBLE, {"float": "-Infinity"}),
    (Decimal("1.20"), PRICE, {"decimal": "1.20"}),
    (Decimal("-0.01"), DecimalOf(2, 2), {"decimal": "-0.01"}),
    (Decimal("0E-38"), DecimalOf(38, 38), {"decimal": "0." + "0" * 38}),
    (Decimal("9" * 38), DecimalOf(38, 0), {"decimal": "9" * 38}),
    (b"\x00\xff", Type.BINARY, {"binary": "00ff"}),
    (date(1, 1, 2), Type.DATE, {"date": "0001-01-02"}),
    (datetime(2020, 1, 31, 0, 0, 0, 1, UTC), Type.TIMESTAMP, {"timestamp": "2020-01-31T00:00:00.000001Z"}),
    (datetime(1, 1, 2, tzinfo=UTC), Type.TIMESTAMP, {"timestamp": "0001-01-02T00:00:00Z"}),
    (datetime(2020, 1, 31, 1, 2, 3), Type.TIMESTAMP_NTZ, {"timestamp_ntz": "2020-01-31T01:02:03"}),
    ((1, None), ArrayOf(Type.LONG), [1, None]),
    ((), ArrayOf(Type.LONG), []),
    ((1, None), PAIR, [1, None]),
    ((("a", 1.0), ("b", None)), MapOf(Type.STRING, Type.DOUBLE), [["a", 1.0], ["b", None]]),
]


def test_values() -> None:
    assert repr([(value, type, value_to_json(value)) for value, type, _ in VALUES]) == repr(VALUES)
    assert repr([(value_of(type)(document), type, document) for _, type, document in VALUES]) == repr(VALUES)


def test_nan_is_read_as_the_canonical_nan() -> None:
    assert value_of(Type.FLOAT)({"float": "NaN"}) is NAN
    assert value_of(ArrayOf(ArrayOf(Type.DOUBLE)))([[{"float": "NaN"}]]) == ((NAN,),)


def test_a_decimal_zero_has_no_sign() -> None:
    assert value_to_json(Decimal("-0.00")) == {"decimal": "0.00"}


def test_timestamps_are_written_in_utc() -> None:
    there = datetime.fromisoformat("2020-01-31T05:30:00+05:30")
    assert value_to_json(there) == {"timestamp": "2020-01-31T00:00:00Z"}


def test_whole_numbers_are_read_as_floats_for_float_types() -> None:
    assert repr(value_of(Type.DOUBLE)(1)) == "1.0"


# Refusals ------------------------------------------------------------------------------------------------------------


def refusal(read: Callable[..., object], *arguments: object) -> str:
    """What the codec says of a document."""
    try:
        return f"it is accepted as {read(*arguments)!r}"
    except InvalidCase as refused:
        return str(refused)


#: Documents, and how the sentence begins that refuses them.
NO_TYPES: list[tuple[Any, ...]] = [
    (None, "the document: must be one of string, binary, "),
    ("int", "the document: must be one of string, binary, byte, short, integer, long, float, double, boolean, date, "),
    ("decimal", "the document: must be one of "),
    ("decimal(10, 2)", "the document: must be one of "),
    ("decimal(010,2)", "the document: must be one of "),
    (
        "decimal(0,0)",
        "the document: decimal(0,0) is not a type: the precision is 1 to 38, the scale 0 to the precision",
    ),
    ("decimal(39,0)", "the document: decimal(39,0) is not a type"),
    ("decimal(2,3)", "the document: decimal(2,3) is not a type"),
    ({}, "the document: must have one of the fields array, map, struct, but is {}"),
    ({"array": "long", "map": ["long", "long"]}, "the document: must have one of the fields array, map, struct, but"),
    ({"list": "long"}, "list: is not a known field; those are array, map, struct"),
    ({"array": "int"}, "array: must be one of string, "),
    ({"map": ["long"]}, "map: has 1 values for 2 types (key, value)"),
    ({"map": ["long", "int"]}, "map[1]: must be one of string, "),
    (
        {"map": [{"map": ["long", "long"]}, "long"]},
        "map[0]: is or contains a map, which SQL does not allow in",
    ),
    ({"map": [{"array": {"map": ["long", "long"]}}, "long"]}, "map[0]: is or contains a map"),
    (
        {"map": [{"struct": [{"name": "a", "type": {"map": ["long"] * 2}}]}, "long"]},
        "map[0]: is or contains a map",
    ),
    ({"struct": []}, "struct: must have at least one field"),
    (
        {"struct": [{"name": "a", "type": "long"}, {"name": "A", "type": "long"}]},
        "struct[1].name: the field name a",
    ),
    ({"struct": [{"name": "a"}]}, "struct[0].type: is missing"),
]


def test_invalid_types_are_refused() -> None:
    wrong = {
        str(document): said
        for document, sentence in NO_TYPES
        if not (said := refusal(read_type, document)).startswith(sentence)
    }
    assert wrong == {}


NO_VALUES: list[tuple[Any, ...]] = [
    (128, Type.BYTE, "the document: 128 does not fit the type byte"),
    (-32769, Type.SHORT, "the document: -32769 does not fit the type short"),
    (2**63, Type.LONG, "the document: 9223372036854775808 does not fit the type long"),
    (1.0, Type.LONG, "the document: must be a whole number, but is 1.0"),
    (True, Type.BYTE, "the document: must be a whole number, but is true"),
    ("1", Type.DOUBLE, 'the document: must be a number, but is "1"'),
    (True, Type.DOUBLE, "the document: must be a number, but is true"),
    (2**53 + 1, Type.DOUBLE, "the document: 9007199254740993 does not fit the type double"),
    (10**400, Type.DOUBLE, "the document: 1000000000"),
    (math.nan, Type.DOUBLE, "the document: NaN does not fit the type double"),
    (math.inf, Type.DOUBLE, "the document: Infinity does not fit the type double"),
    ({"float": "nan"}, Type.DOUBLE, 'float: must be one of NaN, Infinity, -Infinity, but is "nan"'),
    ({"float": []}, Type.DOUBLE, "float: must be one of NaN, Infinity, -Infinity, but is []"),
    (0.1, Type.FLOAT, "the document: 0.1 does not fit the type float: 32 bits do not hold it exactly"),
    (1e39, Type.FLOAT, "the document: 1e+39 does not fit the type float: 32 bits do not hold it exactly"),
    ("1.20", PRICE, 'the document: must be an object, but is "1.20"'),
    ({"decimal": 1.2}, PRICE, "decimal: must be a string, but is 1.2"),
    (
        {"decimal": "1,2"},
        PRICE,
        'decimal: must be a decimal like 1.20, without a sign if it is zero, but is "1,2"',
    ),
    ({"decimal": "+1.20"}, PRICE, "decimal: must be a decimal like 1.20, without a sign if it is zero, but is"),
    ({"decimal": "01.20"}, PRICE, "decimal: must be a decimal like 1.20, without a sign if it is zero, but is"),
    (
        {"decimal": "1E+2"},
        DecimalOf(10, 0),
        "decimal: must be a decimal like 1.20, without a sign if it is zero, but is",
    ),
    ({"decimal": "-0.00"}, PRICE, "decimal: must be a decimal like 1.20, without"),
    ({"decimal": "1.2"}, PRICE, "decimal: 1.2 does not fit the type decimal(10,2)"),
    ({"decimal": "100.00"}, DecimalOf(4, 2), "decimal: 100.00 does not fit the type decimal(4,2)"),
    ({"decimal": "1.00"}, DecimalOf(2, 2), "decimal: 1.00 does not fit the type decimal(2,2)"),
    ({"binary": "0"}, Type.BINARY, "binary: must be pairs of hexadecimal digits in lower case, but is"),
    ({"binary": "FF"}, Type.BINARY, "binary: must be pairs of hexadecimal digits in lower case, but is"),
    ({"date": "2020-01-31"}, Type.TIMESTAMP, "date: is not a known field; those are timestamp"),
    ({"timestamp": "2020-01-31T00:00:00"}, Type.TIMESTAMP, "timestamp: must be an instant like 2020-01-31T"),
    ({"timestamp": "2020-01-31 00:00:00Z"}, Type.TIMESTAMP, "timestamp: must be an instant like"),
    ({"timestamp": "2020-01-31T00:00:00.5Z"}, Type.TIMESTAMP, "timestamp: must be an instant like"),
    ({"timestamp": "2020-01-31T00:00:00.000000Z"}, Type.TIMESTAMP, "timestamp: must be an instant like"),
    ({"timestamp": "2020-01-31T00:00:00+00:00"}, Type.TIMESTAMP, "timestamp: must be an instant like"),
    ({"timestamp": "2020-02-30T00:00:00Z"}, Type.TIMESTAMP, "timestamp: must be an instant like"),
    ({"timestamp_ntz": "2020-01-31"}, Type.TIMESTAMP_NTZ, "timestamp_ntz: must be a local time like 2020-01"),
    ({"timestamp_ntz": "2020-01-31T00:00:00Z"}, Type.TIMESTAMP_NTZ, "timestamp_ntz: must be a local time"),
    ("ab", ArrayOf(Type.STRING), 'the document: must be an array, but is "ab"'),
    ([1, "a"], ArrayOf(Type.LONG), '[1]: must be a whole number, but is "a"'),
    ([1], PAIR, "the document: has 1 values for 2 fields (x, y)"),
    ([1, 2], PAIR, "[1]: must be a string, but is 2"),
    ([[1]], LONGS, "[0]: must be a key and its value, but has 1 parts"),
    ([[None, 1]], LONGS, "[0][0]: is NULL, which is not allowed as a key"),
    ([[1, "a"]], LONGS, '[0][1]: must be a whole number, but is "a"'),
    ([[1, 1], [1, 2]], LONGS, "[1][0]: the key 1 is already taken"),
    ([[-0.0, 1], [0.0, 2]], MapOf(Type.DOUBLE, Type.LONG), "[1][0]: the key 0.0 is already taken"),
    (
        [[{"float": "NaN"}, 1]] * 2,
        MapOf(Type.DOUBLE, Type.LONG),
        '[1][0]: the key {"float": "NaN"} is already',
    ),
    ([["b", 1], ["a", 2]], MapOf(Type.STRING, Type.LONG), '[1][0]: the key "a" is out of order'),
]


def test_invalid_values_are_refused() -> None:
    wrong = {
        f"{document} as {type}": said
        for document, type, sentence in NO_VALUES
        if not (said := refusal(value_of(type), document)).startswith(sentence)
    }
    assert wrong == {}


def test_a_struct_says_which_fields_are_not_null() -> None:
    kind = StructOf((("x", Type.INTEGER), ("y", Type.STRING)), ("y",))
    document = type_to_json(kind)
    assert document == {
        "struct": [{"name": "x", "type": "integer"}, {"name": "y", "type": "string", "nullable": False}]
    }
    assert read_type(document) == kind
    assert value_of(kind)([None, "a"]) == (None, "a") and value_of(kind)(None) is None
    with pytest.raises(InvalidCase, match="must be a string, but is null"):
        value_of(kind)([1, None])


def test_many_numbers_in_turn_are_written_by_their_first_and_their_number() -> None:
    numbers = tuple(range(-3, 997))
    assert run_of(numbers) == {"from": -3, "count": 1000}
    assert successive(integer)({"from": -3, "count": 1000}) == numbers
    assert run_of(numbers[:50]) is run_of((*numbers, 5)) is run_of(("a",) * 200) is run_of(()) is None
    with pytest.raises(InvalidCase, match="must be at least 1"):
        successive(integer)({"from": 0, "count": 0})
