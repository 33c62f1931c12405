"""Column types: all primitive ones, decimals, and nested ones."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.values import AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type
from strategies.weights import odds

#: Small, as wide as a LONG, and with all the digits that there are.
DECIMALS = (DecimalOf(10, 2), DecimalOf(38, 18), DecimalOf(18, 0), DecimalOf(38, 0), DecimalOf(5, 5))

#: Every primitive type, the plain ones first.
PRIMITIVES: tuple[AnyType, ...] = (
    Type.INTEGER,
    Type.STRING,
    Type.LONG,
    Type.BOOLEAN,
    Type.DATE,
    Type.TIMESTAMP,
    Type.DOUBLE,
    DecimalOf(10, 2),
    Type.BYTE,
    Type.SHORT,
    Type.FLOAT,
    Type.TIMESTAMP_NTZ,
    Type.BINARY,
    *DECIMALS[1:],
)

#: What a partition column may be: everything primitive that has a text in the log and is no BINARY.
PARTITIONABLE: tuple[AnyType, ...] = tuple(type for type in PRIMITIVES if type is not Type.BINARY)

#: The types of the tables that are for features, not for types.
PLAIN: tuple[AnyType, ...] = (Type.INTEGER, Type.STRING, Type.LONG, Type.BOOLEAN, Type.DATE)

#: Names of the fields of structs.
FIELD_NAMES = ("x", "y", "path")

_ELEMENTS = st.sampled_from(PRIMITIVES[:-3])
_SHAPES = odds((2, "struct"), (2, "array"), (2, "map"), (1, "array of structs"), (1, "struct of an array"))


@cache
def primitives() -> SearchStrategy[AnyType]:
    """Primitive types, more often those that most functions are about: a STRING one time in four. Shrinks to INTEGER."""
    often = (Type.STRING,) * 10 + (Type.DATE,) * 5 + (Type.TIMESTAMP,) * 4 + (Type.INTEGER, Type.DOUBLE, Type.LONG)
    return st.sampled_from(PRIMITIVES + often)


@st.composite
def nested(draw: DrawFn) -> AnyType:
    """STRUCTs of one to three fields, ARRAYs, MAPs, and one level of nesting more. Shrinks to a STRUCT of two."""
    shape = draw(_SHAPES)
    if shape == "array":
        return ArrayOf(draw(_ELEMENTS))
    if shape == "map":
        return MapOf(draw(st.sampled_from((Type.STRING, Type.INTEGER, Type.LONG, Type.DATE))), draw(_ELEMENTS))
    if shape == "struct of an array":
        return StructOf((("x", draw(_ELEMENTS)), ("y", ArrayOf(draw(_ELEMENTS)))))
    fields = StructOf(tuple((name, draw(_ELEMENTS)) for name in FIELD_NAMES[: draw(odds((2, 2), (1, 1), (1, 3)))]))
    return ArrayOf(fields) if shape == "array of structs" else fields


@st.composite
def types(draw: DrawFn) -> AnyType:
    """Types of data columns: primitive ones, and nested ones one time in four. Shrinks to INTEGER."""
    return draw(draw(odds((3, primitives()), (1, nested()))))
