"""Column types: primitive types, decimals and nested types."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type
from strategies.weights import odds

#: Small, as wide as a LONG, with the greatest precision, and with more digits than a DOUBLE.
DECIMALS = (DecimalOf(10, 2), DecimalOf(38, 18), DecimalOf(18, 0), DecimalOf(38, 0), DecimalOf(5, 5), DecimalOf(17, 2))

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

#: Types of partition columns: every primitive type that the log stores as text, except BINARY.
PARTITIONABLE: tuple[AnyType, ...] = tuple(type for type in PRIMITIVES if type is not Type.BINARY)

#: Types of tables that test features rather than types.
PLAIN: tuple[AnyType, ...] = (Type.INTEGER, Type.STRING, Type.LONG, Type.BOOLEAN, Type.DATE)

#: Names of the fields of structs.
FIELD_NAMES = ("x", "y", "path")

_ELEMENTS = st.sampled_from(PRIMITIVES[:-4])
_SHAPES = odds((2, "struct"), (2, "array"), (2, "map"), (1, "array of structs"), (1, "struct of an array"))


@cache
def primitives() -> SearchStrategy[AnyType]:
    """Primitive types, more often those with many functions: a quarter are STRING. Shrinks to INTEGER."""
    often = (Type.STRING,) * 10 + (Type.DATE,) * 5 + (Type.TIMESTAMP,) * 4 + (Type.INTEGER, Type.DOUBLE, Type.LONG)
    return st.sampled_from(PRIMITIVES + often)


@st.composite
def nested(draw: DrawFn) -> AnyType:
    """STRUCTs of one to three fields, ARRAYs, MAPs; some nest one level deeper. Half of the STRUCTs of primitive fields have
    NOT NULL ones. Shrinks to a STRUCT of two nullable fields.
    """
    shape = draw(_SHAPES)
    if shape == "array":
        return ArrayOf(draw(_ELEMENTS))
    if shape == "map":
        return MapOf(draw(st.sampled_from((Type.STRING, Type.INTEGER, Type.LONG, Type.DATE))), draw(_ELEMENTS))
    if shape == "struct of an array":
        return StructOf((("x", draw(_ELEMENTS)), ("y", ArrayOf(draw(_ELEMENTS)))))
    fields = tuple((name, draw(_ELEMENTS)) for name in FIELD_NAMES[: draw(odds((2, 2), (1, 1), (1, 3)))])
    if shape == "array of structs":
        return ArrayOf(StructOf(fields))
    # Delta allows NOT NULL for fields of a struct, not for those inside an array or a map.
    return StructOf(fields, draw(odds((2, ()), (1, ("x",)), (1, tuple(name for name, _ in fields)))))


@st.composite
def types(draw: DrawFn) -> AnyType:
    """Types of data columns, a quarter of them nested. Shrinks to INTEGER."""
    return draw(draw(odds((3, primitives()), (1, nested()))))
