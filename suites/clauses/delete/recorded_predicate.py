"""Reads the text of a condition in commitInfo back: Spark's ``Expression.simpleString``, with an id behind each column.

``((v#12L >= 2) AND NOT isnull(s#13))``. Strings have no quotes, so a text may have several readings: all are given.
Spark has optimized the condition before: BETWEEN is two comparisons, ``LIKE 'a%'`` is ``StartsWith(s#13, a)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Union

from model.semantics import moments
from model.semantics.patterns import like_expression
from model.text.sql import WRAPPERS
from model.vocabulary.predicate import (
    And,
    Between,
    Compare,
    Constant,
    In,
    IsNull,
    Like,
    Not,
    Op,
    Or,
    Predicate,
    Wrapped,
    compared_values,
    leaves,
)
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value, canonical

_ID = re.compile(r"#\d+L?")
_END_OF_CALL = re.compile(r"\)#\d+")  # of a user's function, which has an id of its own
_OPERATOR = re.compile(" (" + "|".join(sorted((re.escape(op.value) for op in Op), key=len, reverse=True)) + ") ")
_CONSTANTS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}

#: What follows a string within an expression.
_END_OF_STRING = re.compile(r"[(),]| AND | OR |$")

#: The functions that Spark makes of LIKE, with the pattern of their argument.
_TESTS = {"StartsWith": "{}%", "EndsWith": "%{}", "Contains": "%{}%"}


def is_simple(where: Predicate) -> bool:
    """Whether the condition consists of tests of columns against values, without functions."""
    return all(isinstance(test, (Constant, Compare, Between, In, IsNull, Like)) for test in leaves(where))


def readings(text: str, types: Mapping[str, AnyType], where: Predicate, zone: str) -> list[Predicate]:
    """The conditions that the text may be, over columns of these ``types``; none if it is written in another way.

    ``where`` is a condition whose strings the text probably has; ``zone`` is the session's time zone, an IANA name.
    """
    reader = _Reader(text, types, frozenset(_strings(where)), zone)
    ends = (len(text), len(text.removesuffix(": boolean")))  # a bare column has its type behind it
    return [condition for condition, end in reader.conditions(0) if end in ends]


def _strings(where: Predicate) -> Iterator[str]:
    """The strings in a condition, and those that Spark makes of the patterns of its LIKEs."""
    for test in leaves(where):
        if isinstance(test, Like):
            yield test.pattern
            yield re.sub(r"\\(.)", r"\1", test.pattern.strip("%"), flags=re.DOTALL)
        yield from (value for value in compared_values(test) if isinstance(value, str))


_Found = tuple[Predicate, int]

#: A value, and those before it.
_Values = tuple[Value, Union["_Values", None]]


def _in_order(values: _Values | None) -> tuple[Value, ...]:
    found: list[Value] = []
    while values is not None:
        value, values = values
        found.append(value)
    return tuple(reversed(found))


class _Reader:
    """Reads conditions at a place of the text: each method gives what it finds, and where that ends."""

    def __init__(self, text: str, types: Mapping[str, AnyType], strings: frozenset[str], zone: str) -> None:
        self._text = text
        self._types = types
        self._strings = strings
        self._zone = zone
        self._known: dict[int, list[_Found]] = {}

    def conditions(self, at: int) -> list[_Found]:
        if at not in self._known:
            self._known[at] = list(self._conditions(at))
        return self._known[at]

    def _conditions(self, at: int) -> Iterator[_Found]:
        for word, value in _CONSTANTS.items():
            if self._text.startswith(word, at):
                yield Constant(value), at + len(word)
        if self._text.startswith("NOT ", at):
            yield from ((Not(operand), end) for operand, end in self.conditions(at + 4))
        if self._text.startswith("(", at):
            yield from self._joined(at + 1)
            yield from self._compared(at + 1)
        for wrapper, called in WRAPPERS.items():
            if self._text.startswith(f"{called}(", at):
                for operand, last in self.conditions(at + len(called) + 1):
                    if found := _END_OF_CALL.match(self._text, last):
                        yield Wrapped(operand, wrapper), found.end()
        for word in ("isnull", "isnotnull"):
            if self._text.startswith(f"{word}(", at):
                for missing, end in self._missing(at + len(word) + 1):
                    yield (missing if word == "isnull" else Not(missing)), end
        for word, pattern in _TESTS.items():
            if self._text.startswith(f"{word}(", at):
                yield from self._matched(at + len(word) + 1, pattern)
        for name, end in self._columns(at):
            if self._types[name] is Type.BOOLEAN:
                yield Compare(name, Op.EQ, True, Type.BOOLEAN), end
            if self._text.startswith(" IN (", end):
                yield from ((In(name, values, self._types[name]), last) for values, last in self._listed(name, end + 5))
            if self._text.startswith(" INSET ", end):  # Spark's name for a long list
                listed = self._separated(name, end + len(" INSET "), ", ", end="")
                yield from ((In(name, values, self._types[name]), last) for values, last in listed)
            if self._text.startswith(" LIKE ", end):
                yield from self._like(name, self._texts(end + 6))

    def _joined(self, at: int) -> Iterator[_Found]:
        """``left AND right)``, ``left OR right)``"""
        for left, end in self.conditions(at):
            for word, kind in ((" AND ", And), (" OR ", Or)):
                if self._text.startswith(word, end):
                    for right, last in self.conditions(end + len(word)):
                        yield from self._closed(kind(left, right), last)

    def _compared(self, at: int) -> Iterator[_Found]:
        """``column op value)``"""
        for name, end in self._columns(at):
            found = _OPERATOR.match(self._text, end)
            for value, last in self._values(name, found.end()) if found else ():
                assert found is not None
                yield from self._closed(Compare(name, Op(found[1]), value, self._types[name]), last)

    def _missing(self, at: int) -> Iterator[_Found]:
        """``column)``, and ``(column op value))``, which is NULL where the column is, if the value is not."""
        for name, end in self._columns(at):
            yield from self._closed(IsNull(name), end)
        for condition, end in self.conditions(at):
            if isinstance(condition, Compare) and condition.value is not None and condition.op is not Op.NULL_SAFE_EQ:
                yield from self._closed(IsNull(condition.column), end)

    def _matched(self, at: int, pattern: str) -> Iterator[_Found]:
        """``column, text)``"""
        for name, end in self._columns(at):
            if self._text.startswith(", ", end):
                escaped = ((re.sub(r"([%_\\])", r"\\\1", part), last) for part, last in self._texts(end + 2))
                for condition, last in self._like(name, ((pattern.format(part), last) for part, last in escaped)):
                    yield from self._closed(condition, last)

    def _like(self, name: str, patterns: Iterable[tuple[str, int]]) -> Iterator[_Found]:
        """Tests of a STRING column by these patterns, without those that are invalid."""
        for pattern, end in patterns if self._types[name] is Type.STRING else ():
            try:
                like_expression(pattern)
            except ValueError:
                continue
            yield Like(name, pattern), end

    def _closed(self, condition: Predicate, at: int) -> Iterator[_Found]:
        if self._text.startswith(")", at):
            yield condition, at + 1

    def _columns(self, at: int) -> Iterator[tuple[str, int]]:
        for name in self._types:
            id = _ID.match(self._text, at + len(name)) if self._text.startswith(name, at) else None
            if id:
                yield name, id.end()

    def _listed(self, name: str, at: int) -> Iterator[tuple[tuple[Value, ...], int]]:
        """``value,value)``"""
        yield from self._separated(name, at, ",", end=")")

    def _separated(self, name: str, at: int, separator: str, *, end: str) -> Iterator[tuple[tuple[Value, ...], int]]:
        """Values with this text between them, up to this one after the last. A list may be long, so none is copied."""
        found: list[tuple[_Values | None, int]] = [(None, at)]
        while found:
            before, place = found.pop()
            for value, last in self._values(name, place):
                values: _Values = (value, before)
                if self._text.startswith(separator, last):
                    found.append((values, last + len(separator)))
                elif self._text.startswith(end, last):
                    yield _in_order(values), last + len(end)

    def _values(self, name: str, at: int) -> Iterator[tuple[Value, int]]:
        type = self._types[name]
        if self._text.startswith("null", at):
            yield None, at + 4
        if type is Type.STRING:
            yield from self._texts(at)
            return
        pattern, value_of = _LITERALS["decimal" if isinstance(type, DecimalOf) else str(getattr(type, "value", ""))]
        found = pattern.match(self._text, at)
        if found is None:
            return
        try:
            value = value_of(found[0])
        except (ValueError, ArithmeticError):
            return
        if type is Type.TIMESTAMP:
            local = moments.micros_of(value)
            if not moments.is_unambiguous(local, self._zone):
                return
            value = moments.moment(moments.instant_of(local, self._zone))
        yield value if isinstance(type, DecimalOf) else canonical(value, type), found.end()

    def _texts(self, at: int) -> Iterator[tuple[str, int]]:
        """The strings of the condition that are here, and the text up to where a string seems to end."""
        end = _END_OF_STRING.search(self._text, at)
        assert end is not None, "the pattern matches the end"
        for string in sorted({self._text[at : end.start()], *self._strings}):
            if self._text.startswith(string, at):
                yield string, at + len(string)


_WHOLE = re.compile(r"-?\d+")
_REAL = re.compile(r"-?(?:\d+\.?\d*(?:E[+-]?\d+)?|Infinity|NaN)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?")


def _moment(text: str) -> datetime:
    seconds, _, fraction = text.partition(".")
    return datetime.strptime(seconds, "%Y-%m-%d %H:%M:%S").replace(microsecond=int(fraction.ljust(6, "0") or 0))


#: How Spark writes the values of each type, and what they are.
_LITERALS: Mapping[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    **{type.value: (_WHOLE, int) for type in WHOLE_NUMBERS},
    Type.FLOAT.value: (_REAL, float),
    Type.DOUBLE.value: (_REAL, float),
    "decimal": (_REAL, Decimal),
    Type.BOOLEAN.value: (re.compile("true|false"), lambda text: text == "true"),
    Type.DATE.value: (re.compile(r"\d{4}-\d\d-\d\d"), date.fromisoformat),
    Type.TIMESTAMP.value: (_MOMENT, _moment),
    Type.TIMESTAMP_NTZ.value: (_MOMENT, _moment),
    Type.BINARY.value: (re.compile("0x(?:[0-9A-F]{2})*"), lambda text: bytes.fromhex(text[2:])),
    "": (re.compile("(?!)"), str),  # none of nested types
}
