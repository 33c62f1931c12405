"""Circumstances of a step that a known deviation may be bound to, so that it excuses nothing else.

A deviation without one excuses its clause everywhere, and hides whatever else breaks the clause. Circumstances are about
the case and the table, never about what the engine did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from deltalog.paths import encode
from harness.observation import Observation
from model.predicate import (
    And,
    Between,
    Compare,
    Constant,
    In,
    Like,
    Literal,
    Not,
    Op,
    Or,
    Predicate,
    Relate,
    columns_of,
)
from model.steps import Delete
from model.table import Feature, Kind
from model.values import AnyType, DecimalOf, Type, Value, is_nested


@dataclass(frozen=True)
class Condition:
    name: str
    sentence: str
    holds: Callable[[Observation], bool]


CONDITIONS: dict[str, Condition] = {}


def _condition(name: str, sentence: str) -> Callable[[Callable[[Observation], bool]], Callable[[Observation], bool]]:
    def enter(holds: Callable[[Observation], bool]) -> Callable[[Observation], bool]:
        CONDITIONS[name] = Condition(name, sentence, holds)
        return holds

    return enter


@dataclass(frozen=True)
class KnownDeviation:
    """A clause that is known to be broken: everywhere, or ``when`` the circumstance of this name holds."""

    clause: str
    when: str | None = None


class Excuses:
    """What is known of an engine."""

    def __init__(self, known: Iterable[KnownDeviation | str] = ()) -> None:
        self._known: dict[str, set[str | None]] = {}
        for one in known:
            entry = KnownDeviation(one) if isinstance(one, str) else one
            self._known.setdefault(entry.clause, set()).add(entry.when)

    def everywhere(self, clause: str) -> bool:
        """Whether the clause is known to be broken whatever the circumstances. A case goes on after that."""
        return None in self._known.get(clause, ())

    def excuse(self, clause: str, observation: Observation) -> bool:
        """Whether it is known that the clause is broken in such a step."""
        return any(when is None or CONDITIONS[when].holds(observation) for when in self._known.get(clause, ()))


# Of conditions ----------------------------------------------------------------------------------------------------------


def _tests(predicate: Predicate) -> Iterator[Predicate]:
    """The single tests of a condition."""
    if isinstance(predicate, Not):
        yield from _tests(predicate.operand)
    elif isinstance(predicate, (And, Or)):
        yield from _tests(predicate.left)
        yield from _tests(predicate.right)
    else:
        yield predicate


def _values(test: Predicate) -> tuple[Value, ...]:
    if isinstance(test, Compare):
        return (test.value,)
    if isinstance(test, Between):
        return test.low, test.high
    return test.values if isinstance(test, In) else ()


def _conditions(observation: Observation) -> list[Predicate]:
    """The single tests of the step and of all DELETEs before it: what they did wrong stays wrong."""
    steps = [one.step for one in (*observation.earlier, observation)]
    return [
        test for step in steps if isinstance(step, Delete) and step.where is not None for test in _tests(step.where)
    ]


@_condition("compares with NULL", "The condition of the DELETE compares something with NULL.")
def _null(observation: Observation) -> bool:
    return any(
        None in _values(test) and not (isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ)
        for test in _conditions(observation)
    )


@_condition("compares with NaN", "The condition of the DELETE compares a column that holds NaN, or something with NaN.")
def _nan(observation: Observation) -> bool:
    named = {name for test in _conditions(observation) for name in columns_of(test)}
    places = [number for number, column in enumerate(observation.table.columns) if column.name in named]
    values = [value for test in _conditions(observation) for value in _values(test)]
    values += [row[place] for promised in observation.versions.values() for row in promised.rows for place in places]
    return any(isinstance(value, float) and math.isnan(value) for value in values)


def _zeros(value: object) -> Iterator[float]:
    """The signs of the zeros in a value or its parts: 1.0, -1.0."""
    if isinstance(value, float) and value == 0:
        yield math.copysign(1.0, value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _zeros(part)


@_condition(
    "zeros of both signs", "The condition of the DELETE compares with a zero, and the table has one of the other sign."
)
def _other_zero(observation: Observation) -> bool:
    tests = _conditions(observation)
    operands = [side for test in tests if isinstance(test, Relate) for side in (test.left, test.right)]
    literals = [operand.value for operand in operands if isinstance(operand, Literal)]
    asked = {sign for test in tests for sign in _zeros(_values(test))} | set(_zeros(tuple(literals)))
    return bool(asked) and any(
        -sign in asked for promised in observation.versions.values() for row in promised.rows for sign in _zeros(row)
    )


@_condition("test of a list", "The condition of the DELETE tests whether a column is IN a list.")
def _list(observation: Observation) -> bool:
    return any(isinstance(test, In) for test in _conditions(observation))


@_condition(
    "plain LIKE beside another test",
    "The condition of the DELETE tests a column by LIKE a pattern without wildcards, and otherwise.",
)
def _plain_like(observation: Observation) -> bool:
    tests = _conditions(observation)
    plain = {test.column for test in tests if isinstance(test, Like) and not set(test.pattern) & {"%", "_"}}
    return any(len([test for test in tests if name in columns_of(test)]) > 1 for name in plain)


@_condition("null-safe test of a partition", "The condition of the DELETE compares a partition column by <=>.")
def _null_safe(observation: Observation) -> bool:
    tests = [test for test in _conditions(observation) if isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ]
    return any(test.column in observation.table.partition_by for test in tests)


@_condition(
    "test of a BOOLEAN that is never NULL", "The condition of the DELETE tests a BOOLEAN column that cannot be NULL."
)
def _never_null(observation: Observation) -> bool:
    named = {name for test in _conditions(observation) for name in columns_of(test)}
    columns = [column for column in observation.table.columns if column.name in named]
    return any(column.type is Type.BOOLEAN and not column.nullable for column in columns)


@_condition("constant condition", "The condition of the DELETE, or a part of it, is a constant.")
def _constant(observation: Observation) -> bool:
    return any(isinstance(test, Constant) for test in _conditions(observation))


@_condition("test of a nested column", "The condition of the DELETE tests a struct, an array or a map.")
def _nested(observation: Observation) -> bool:
    named = {name for test in _conditions(observation) for name in columns_of(test)}
    return any(is_nested(column.type) for column in observation.table.columns if column.name in named)


# Of tables --------------------------------------------------------------------------------------------------------------


@_condition("file named by URI", "An action of the table names a file by its URI, not by its path from the root.")
def _uri(observation: Observation) -> bool:
    return bool(observation.before.by_uri) or any(
        file.reference.value != "relative" for file in observation.table.files
    )


@_condition("tombstone without a time", "A remove action of the table has no deletionTimestamp.")
def _timeless(observation: Observation) -> bool:
    return any(remove.deleted is None for commit in observation.table.commits for remove in commit.removes)


@_condition("encoded path", "The path of a data file has characters that a URI encodes.")
def _encoded(observation: Observation) -> bool:
    paths = {add.file for add in observation.before.live.values()} | set(observation.before.tombstones)
    return any(encode(path) != path or not path.isascii() for path in paths)


@_condition("link to a directory", "A symbolic link lies in the table's directory.")
def _link(observation: Observation) -> bool:
    return any(thing.kind is Kind.LINK for thing in observation.before.things.values())


@_condition("deletion vectors", "The table has deletion vectors.")
def _vectors(observation: Observation) -> bool:
    return observation.table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF)


@_condition("deletion vectors with column mapping", "The table has deletion vectors and column mapping.")
def _mapped_vectors(observation: Observation) -> bool:
    return _vectors(observation) and observation.table.maps_columns


@_condition(
    "deletion vectors and no ranges",
    "The table has deletion vectors, and no data column of a type that has a least value.",
)
def _vectors_without_ranges(observation: Observation) -> bool:
    bare = (Type.BOOLEAN, Type.BINARY)
    return _vectors(observation) and all(
        column.type in bare or is_nested(column.type) for column in observation.table.data_columns
    )


@_condition("deletion vectors and a column path", "The table has deletion vectors and a data column named path.")
def _path_with_vectors(observation: Observation) -> bool:
    return _vectors(observation) and any(column.name.lower() == "path" for column in observation.table.data_columns)


@_condition("long text beyond U+FFFF", "A text of more than 32 units in UTF-16 has characters that are two of them.")
def _long_text(observation: Observation) -> bool:
    rows = [row for promised in observation.versions.values() for row in promised.rows]
    return any(
        isinstance(value, str)
        and not value.isascii()
        and 32 < len(value.encode("utf-16-le", "surrogatepass")) // 2 != len(value)
        for row in rows
        for value in row
    )


def _is_fractional(type: AnyType) -> bool:
    return type in (Type.FLOAT, Type.DOUBLE) or isinstance(type, DecimalOf)


@_condition("fractional partition", "A partition column is of the type FLOAT, DOUBLE or DECIMAL.")
def _fractional_partition(observation: Observation) -> bool:
    return any(_is_fractional(column.type) for column in observation.table.partition_columns)


@_condition("fractional column", "A column is of the type FLOAT, DOUBLE or DECIMAL.")
def _fractional(observation: Observation) -> bool:
    return any(_is_fractional(column.type) for column in observation.table.columns)


@_condition("column mapping", "Files and actions name the table's columns by physical names.")
def _mapping(observation: Observation) -> bool:
    return observation.table.maps_columns


@_condition("several partition columns", "The table has two partition columns or more.")
def _partitions(observation: Observation) -> bool:
    return len(observation.table.partition_by) > 1


@_condition(
    "first of several partition columns begins with a dot",
    "The table has two partition columns or more, and the name of the first begins with a dot.",
)
def _dot_column(observation: Observation) -> bool:
    return len(observation.table.partition_by) > 1 and observation.table.partition_by[0].startswith(".")
