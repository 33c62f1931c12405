"""Circumstances of a step that a known deviation may be bound to, so that it excuses nothing else.

A deviation without one excuses its clause everywhere, and hides whatever else breaks the clause. Circumstances are about
the case and the table, never about what the engine did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from deltalog.paths import encode
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
from suites.observation import Seen


@dataclass(frozen=True)
class Circumstance:
    name: str
    sentence: str
    holds: Callable[[Seen], bool]


CIRCUMSTANCES: dict[str, Circumstance] = {}


def _circumstance(name: str, sentence: str) -> Callable[[Callable[[Seen], bool]], Callable[[Seen], bool]]:
    def enter(holds: Callable[[Seen], bool]) -> Callable[[Seen], bool]:
        CIRCUMSTANCES[name] = Circumstance(name, sentence, holds)
        return holds

    return enter


@dataclass(frozen=True)
class Known:
    """A clause that is known to be broken: everywhere, or ``when`` the circumstance of this name holds."""

    clause: str
    when: str | None = None


class Excuses:
    """What is known of an engine."""

    def __init__(self, known: Iterable[Known | str] = ()) -> None:
        self._known: dict[str, set[str | None]] = {}
        for one in known:
            entry = Known(one) if isinstance(one, str) else one
            self._known.setdefault(entry.clause, set()).add(entry.when)

    def everywhere(self, clause: str) -> bool:
        """Whether the clause is known to be broken whatever the circumstances. A case goes on after that."""
        return None in self._known.get(clause, ())

    def excuse(self, clause: str, seen: Seen) -> bool:
        """Whether it is known that the clause is broken in such a step."""
        return any(when is None or CIRCUMSTANCES[when].holds(seen) for when in self._known.get(clause, ()))


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


def _conditions(seen: Seen) -> list[Predicate]:
    """The single tests of the step and of all DELETEs before it: what they did wrong stays wrong."""
    steps = [one.step for one in (*seen.earlier, seen)]
    return [
        test for step in steps if isinstance(step, Delete) and step.where is not None for test in _tests(step.where)
    ]


@_circumstance("compares with NULL", "The condition of the DELETE compares something with NULL.")
def _null(seen: Seen) -> bool:
    return any(
        None in _values(test) and not (isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ)
        for test in _conditions(seen)
    )


@_circumstance(
    "compares with NaN", "The condition of the DELETE compares a column that holds NaN, or something with NaN."
)
def _nan(seen: Seen) -> bool:
    named = {name for test in _conditions(seen) for name in columns_of(test)}
    places = [number for number, column in enumerate(seen.table.columns) if column.name in named]
    values = [value for test in _conditions(seen) for value in _values(test)]
    values += [row[place] for promised in seen.versions.values() for row in promised.rows for place in places]
    return any(isinstance(value, float) and math.isnan(value) for value in values)


def _zeros(value: object) -> Iterator[float]:
    """The signs of the zeros in a value or its parts: 1.0, -1.0."""
    if isinstance(value, float) and value == 0:
        yield math.copysign(1.0, value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _zeros(part)


@_circumstance(
    "zeros of both signs", "The condition of the DELETE compares with a zero, and the table has one of the other sign."
)
def _other_zero(seen: Seen) -> bool:
    tests = _conditions(seen)
    operands = [side for test in tests if isinstance(test, Relate) for side in (test.left, test.right)]
    literals = [operand.value for operand in operands if isinstance(operand, Literal)]
    asked = {sign for test in tests for sign in _zeros(_values(test))} | set(_zeros(tuple(literals)))
    return bool(asked) and any(
        -sign in asked for promised in seen.versions.values() for row in promised.rows for sign in _zeros(row)
    )


@_circumstance("test of a list", "The condition of the DELETE tests whether a column is IN a list.")
def _list(seen: Seen) -> bool:
    return any(isinstance(test, In) for test in _conditions(seen))


@_circumstance(
    "plain LIKE beside another test",
    "The condition of the DELETE tests a column by LIKE a pattern without wildcards, and otherwise.",
)
def _plain_like(seen: Seen) -> bool:
    tests = _conditions(seen)
    plain = {test.column for test in tests if isinstance(test, Like) and not set(test.pattern) & {"%", "_"}}
    return any(len([test for test in tests if name in columns_of(test)]) > 1 for name in plain)


@_circumstance("null-safe test of a partition", "The condition of the DELETE compares a partition column by <=>.")
def _null_safe(seen: Seen) -> bool:
    tests = [test for test in _conditions(seen) if isinstance(test, Compare) and test.op is Op.NULL_SAFE_EQ]
    return any(test.column in seen.table.partition_by for test in tests)


@_circumstance(
    "test of a BOOLEAN that is never NULL", "The condition of the DELETE tests a BOOLEAN column that cannot be NULL."
)
def _never_null(seen: Seen) -> bool:
    named = {name for test in _conditions(seen) for name in columns_of(test)}
    columns = [column for column in seen.table.columns if column.name in named]
    return any(column.type is Type.BOOLEAN and not column.nullable for column in columns)


@_circumstance("constant condition", "The condition of the DELETE, or a part of it, is a constant.")
def _constant(seen: Seen) -> bool:
    return any(isinstance(test, Constant) for test in _conditions(seen))


@_circumstance("test of a nested column", "The condition of the DELETE tests a struct, an array or a map.")
def _nested(seen: Seen) -> bool:
    named = {name for test in _conditions(seen) for name in columns_of(test)}
    return any(is_nested(column.type) for column in seen.table.columns if column.name in named)


# Of tables --------------------------------------------------------------------------------------------------------------


@_circumstance("file named by URI", "An action of the table names a file by its URI, not by its path from the root.")
def _uri(seen: Seen) -> bool:
    return bool(seen.before.by_uri) or any(file.reference.value != "relative" for file in seen.table.files)


@_circumstance("tombstone without a time", "A remove action of the table has no deletionTimestamp.")
def _timeless(seen: Seen) -> bool:
    return any(remove.deleted is None for commit in seen.table.commits for remove in commit.removes)


@_circumstance("encoded path", "The path of a data file has characters that a URI encodes.")
def _encoded(seen: Seen) -> bool:
    paths = {add.file for add in seen.before.live.values()} | set(seen.before.tombstones)
    return any(encode(path) != path or not path.isascii() for path in paths)


@_circumstance("link to a directory", "A symbolic link lies in the table's directory.")
def _link(seen: Seen) -> bool:
    return any(thing.kind is Kind.LINK for thing in seen.before.things.values())


@_circumstance("deletion vectors", "The table has deletion vectors.")
def _vectors(seen: Seen) -> bool:
    return seen.table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF)


@_circumstance("deletion vectors with column mapping", "The table has deletion vectors and column mapping.")
def _mapped_vectors(seen: Seen) -> bool:
    return _vectors(seen) and seen.table.maps_columns


@_circumstance(
    "deletion vectors and no ranges",
    "The table has deletion vectors, and no data column of a type that has a least value.",
)
def _vectors_without_ranges(seen: Seen) -> bool:
    bare = (Type.BOOLEAN, Type.BINARY)
    return _vectors(seen) and all(column.type in bare or is_nested(column.type) for column in seen.table.data_columns)


@_circumstance("deletion vectors and a column path", "The table has deletion vectors and a data column named path.")
def _path_with_vectors(seen: Seen) -> bool:
    return _vectors(seen) and any(column.name.lower() == "path" for column in seen.table.data_columns)


@_circumstance("long text beyond U+FFFF", "A text of more than 32 units in UTF-16 has characters that are two of them.")
def _long_text(seen: Seen) -> bool:
    rows = [row for promised in seen.versions.values() for row in promised.rows]
    return any(
        isinstance(value, str)
        and not value.isascii()
        and 32 < len(value.encode("utf-16-le", "surrogatepass")) // 2 != len(value)
        for row in rows
        for value in row
    )


def _is_fractional(type: AnyType) -> bool:
    return type in (Type.FLOAT, Type.DOUBLE) or isinstance(type, DecimalOf)


@_circumstance("fractional partition", "A partition column is of the type FLOAT, DOUBLE or DECIMAL.")
def _fractional_partition(seen: Seen) -> bool:
    return any(_is_fractional(column.type) for column in seen.table.partition_columns)


@_circumstance("fractional column", "A column is of the type FLOAT, DOUBLE or DECIMAL.")
def _fractional(seen: Seen) -> bool:
    return any(_is_fractional(column.type) for column in seen.table.columns)


@_circumstance("column mapping", "Files and actions name the table's columns by physical names.")
def _mapping(seen: Seen) -> bool:
    return seen.table.maps_columns


@_circumstance("several partition columns", "The table has two partition columns or more.")
def _partitions(seen: Seen) -> bool:
    return len(seen.table.partition_by) > 1


@_circumstance(
    "first of several partition columns begins with a dot",
    "The table has two partition columns or more, and the name of the first begins with a dot.",
)
def _dot_column(seen: Seen) -> bool:
    return len(seen.table.partition_by) > 1 and seen.table.partition_by[0].startswith(".")
