"""Tests that call any function of an engine, as texts of its SQL. The model does not evaluate them: the engine itself is asked.

A test compares the same expression with and without columns, ``upper(s) = upper('a')`` where ``'a'`` is a value of ``s``, so that
it is TRUE for some rows though nobody knows what the function does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import cache
from typing import Union

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.text.literals import identifier, type_sql, typed_literal
from model.vocabulary.predicate import Language, Verbatim
from model.vocabulary.signatures import ARGUMENTS, Signature
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, DecimalOf, Row, Type, Value
from strategies.conditions.signatures import SERIES, signatures_of
from strategies.weights import odds, one_in

_OPERATORS = odds((4, "="), (2, "<>"), (2, "<"), (2, "<="), (2, ">"), (2, ">="))
_SHAPES = odds((5, "anchor"), (2, "itself"), (1, "null"), (1, "in"), (1, "between"))

#: So deep are calls nested.
_DEPTH = 2


@dataclass(frozen=True)
class _Call:
    name: str
    arguments: tuple[_Node, ...]


@dataclass(frozen=True)
class _Column:
    name: str


#: A call, a column, or the text of a constant.
_Node = Union[_Call, _Column, str]


@st.composite
def verbatim_tests(draw: DrawFn, table: Table, rows: Sequence[Row], *, language: Language) -> Verbatim:
    """Tests of a call of any function, each equally often, with columns of the ``table`` among its arguments; two in three
    arguments of a type that other functions return are calls themselves, at most two deep.

    ``rows`` are full rows of the table, at least one: the value to compare with is that of one of them. Shrinks to the first
    function by name, without nested calls.
    """
    columns = {type_sql(column.type): column.name for column in reversed(table.columns)}
    names = _names(language, frozenset(columns))
    signature = draw(st.sampled_from(draw(st.sampled_from(names))))
    call = _call(draw, signature, columns, language, _DEPTH)
    types = {column.name: column.type for column in table.columns}
    anchors = [dict(zip(types, draw(st.sampled_from(list(rows))))) for _ in range(2)]

    def fixed(anchor: Mapping[str, Value]) -> str:
        return _text(call, {name: literal_text(value, types[name], language) for name, value in anchor.items()})

    columns_in_sql = {name: quoted(name, language) for name in types}
    text, shape = _text(call, columns_in_sql), draw(_SHAPES)
    if signature.result == "BOOLEAN" and shape in ("anchor", "itself", "between"):
        test = text
    elif signature.result not in ARGUMENTS or shape in ("null", "itself"):
        test = f"{text} IS NOT NULL" if draw(st.booleans()) else f"{text} IS NULL"
    elif shape == "in":
        test = f"{text} IN ({fixed(anchors[0])}, {fixed(anchors[1])})"
    elif shape == "between":
        test = f"{text} BETWEEN {fixed(anchors[0])} AND {fixed(anchors[1])}"
    else:
        test = f"{text} {draw(_OPERATORS)} {fixed(anchors[0])}"
    return Verbatim(test, tuple(sorted(_columns(call))), language)


@cache
def _names(language: Language, types: frozenset[str]) -> list[list[Signature]]:
    """The signatures of each function with at least one argument of these types."""
    found: dict[str, list[Signature]] = {}
    for signature in signatures_of(language):
        if types & set(signature.arguments):
            found.setdefault(signature.name, []).append(signature)
    return list(found.values())


def _call(draw: DrawFn, signature: Signature, columns: Mapping[str, str], language: Language, depth: int) -> _Call:
    """A call with at least one column: the first argument that can be one is, or has one within."""
    arguments: list[_Node] = []
    for argument in signature.arguments:
        if argument not in ARGUMENTS:
            arguments.append(argument)
        elif argument in columns and (depth == 1 or not any(map(_columns, arguments)) or draw(st.booleans())):
            inner = _inner(language, argument, frozenset(columns)) if depth > 1 and draw(one_in(3)) else ()
            chosen = draw(st.sampled_from(inner)) if inner else None
            column = _Column(columns[argument])
            arguments.append(_call(draw, chosen, columns, language, depth - 1) if chosen else column)
        else:
            arguments.append(ARGUMENTS[argument] or _EMPTY_ARRAYS[language])
    if signature.name in SERIES:
        arguments = [
            _near_zero(node) if type in ("INT", "BIGINT") else node
            for type, node in zip(signature.arguments, arguments)
        ]
    return _Call(signature.name, tuple(arguments))


def _near_zero(node: _Node) -> _Node:
    """A number's node, from -9 to 9."""
    return _Call("greatest", (_Call("least", (node, "9")), "-9"))


_EMPTY_ARRAYS = {Language.SPARK: "array('b')", Language.DATAFUSION: "make_array('b')"}


@cache
def _inner(language: Language, type: str, types: frozenset[str]) -> tuple[Signature, ...]:
    """The signatures that return the type, with an argument of these types."""
    return tuple(one for one in signatures_of(language) if one.result == type and types & set(one.arguments))


def _columns(node: _Node) -> frozenset[str]:
    if isinstance(node, _Column):
        return frozenset({node.name})
    return frozenset().union(*map(_columns, node.arguments)) if isinstance(node, _Call) else frozenset()


def _text(node: _Node, columns: Mapping[str, str]) -> str:
    """The text with each column replaced by its text in ``columns``."""
    if isinstance(node, _Call):
        return f"{node.name}({', '.join(_text(argument, columns) for argument in node.arguments)})"
    return columns[node.name] if isinstance(node, _Column) else node


def quoted(name: str, language: Language) -> str:
    """The name of a column."""
    return identifier(name) if language is Language.SPARK else '"' + name.replace('"', '""') + '"'


def literal_text(value: Value, type: AnyType, language: Language) -> str:
    """A literal of exactly this type."""
    if language is Language.SPARK:
        return typed_literal(value, type, "UTC")
    if isinstance(value, tuple):
        return f"make_array({', '.join(_datafusion(element, Type.STRING) for element in value)})"
    return _datafusion(value, type)


def _datafusion(value: Value, type: AnyType) -> str:
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, datetime):
        text = value.astimezone(timezone.utc).isoformat(sep="T") if value.tzinfo else value.isoformat(sep="T")
        return f"CAST('{text}' AS TIMESTAMP)"
    text = value.isoformat() if isinstance(value, date) else f"{value:f}" if isinstance(value, Decimal) else str(value)
    quoted = "'" + text.replace("'", "''") + "'"
    named = f"DECIMAL({type.precision}, {type.scale})" if isinstance(type, DecimalOf) else type_sql(type)
    return quoted if type is Type.STRING else f"CAST({quoted} AS {named})"
