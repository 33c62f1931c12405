"""Calls of PySpark as values: the translation of a step makes them, the worker runs them and a script prints them.

An expression is built as it is written: ``SPARK.sql("SELECT 1").collect()`` is that call. Without PySpark.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from engines.quoting import Code, called, quoted
from model.vocabulary.steps import DeleteMistake, IOFault, VacuumMistake
from model.vocabulary.values import AnyType


class Expression:
    """An expression of Python; what is no Expression is a literal."""

    def __getattr__(self, name: str) -> Attribute:
        if name.startswith("_"):
            raise AttributeError(name)
        return Attribute(self, name)

    def __call__(self, *arguments: object) -> Call:
        return Call(self, arguments)


@dataclass(frozen=True)
class Name(Expression):
    """A variable of the caller, a function of ``script_functions``, or an import of that module."""

    word: str


@dataclass(frozen=True)
class Attribute(Expression):
    owner: Expression
    word: str


@dataclass(frozen=True)
class Call(Expression):
    function: Expression
    arguments: tuple[object, ...]


@dataclass(frozen=True)
class Operation(Expression):
    """An operator between two operands; ``~`` has one."""

    sign: str
    operands: tuple[object, ...]


#: The longest line of a call that has several arguments.
_LINE = 103

_OPERATORS: Mapping[str, Any] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "~": operator.invert,
}


def evaluated(value: object, names: Mapping[str, Any]) -> Any:
    """What an expression returns, where ``names`` are defined."""
    if isinstance(value, Name):
        return names[value.word]
    if isinstance(value, Attribute):
        return getattr(evaluated(value.owner, names), value.word)
    if isinstance(value, Call):
        return evaluated(value.function, names)(*(evaluated(argument, names) for argument in value.arguments))
    if isinstance(value, Operation):
        return _OPERATORS[value.sign](*(evaluated(operand, names) for operand in value.operands))
    return value


def written(value: object, names: Mapping[str, str], root: str) -> str:
    """An expression as Python: the path ``root`` is ``ROOT``, and ``names`` say what a name is called in the script."""

    def text(one: object) -> str:
        return written(one, names, root)

    if isinstance(value, Name):
        return names.get(value.word, value.word)
    if isinstance(value, Attribute):
        owner = text(value.owner)
        return f"({owner}).{value.word}" if isinstance(value.owner, Operation) else f"{owner}.{value.word}"
    if isinstance(value, Call):
        arguments = [Code(text(one)) if isinstance(one, Expression) or one == root else one for one in value.arguments]
        return _in_lines(
            called(text(value.function), *arguments, root=root), text(value.function), map(text, arguments)
        )
    if isinstance(value, Operation):
        pieces = [
            f"({text(one)})" if isinstance(one, Operation) and one.sign != "~" else text(one) for one in value.operands
        ]
        joint = "\n" if sum(map(len, pieces)) > _LINE else " "  # it is an argument of a call
        return value.sign + pieces[0] if len(pieces) == 1 else f"{joint}{value.sign} ".join(pieces)
    return "ROOT" if value == root else quoted(value, root)


def _in_lines(call: str, function: str, arguments: Iterable[str]) -> str:
    """A call that is too long for one line with as many arguments on each line as it has room for."""
    if len(call) <= _LINE or "\n" in call:
        return call
    lines = [""]
    for one in arguments:
        if len(lines[-1]) + len(one) > _LINE:
            lines.append("")
        lines[-1] += f"{one}, "
    return f"{function}(\n" + "".join(f"    {line.rstrip()}\n" for line in lines if line) + ")"


@dataclass(frozen=True)
class Let:
    """A variable."""

    name: Name
    value: object


@dataclass(frozen=True)
class Do:
    """A call that the command needs; ``undo`` removes what outlasts the step, if the session runs other steps."""

    call: Expression
    undo: Expression | None = None


@dataclass(frozen=True)
class Named:
    """The catalog has the table under this name."""

    name: str
    managed: bool


@dataclass(frozen=True)
class NoTable:
    """The target of an invalid command, beside the table: an empty directory, or nothing."""

    mistake: DeleteMistake | VacuumMistake

    @property
    def exists(self) -> bool:
        return self.mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE)


@dataclass(frozen=True)
class Faulty:
    """The file system has this fault at a path below the table's root."""

    path: str
    fault: IOFault


Needed = Union[Let, Do, Named, NoTable, Faulty]


@dataclass(frozen=True)
class Calls:
    """A command, and what it needs, in order. ``returns_rows``: what it returns is a DataFrame of its result.

    ``cached``: a read of the table that goes through the session's cache before the command, and is asked again after it.
    """

    command: Expression
    needed: tuple[Needed, ...] = ()
    returns_rows: bool = False
    cached: Expression | None = None


SPARK, DELTA_TABLE, FUNCTIONS = Name("spark"), Name("DeltaTable"), Name("F")

#: The session that opened the table, and what it has opened.
EARLIER, OPENED, OPENED_LOG = Name("earlier"), Name("opened"), Name("opened_log")

#: The clock of the step, in ms since the epoch; and the version that a RESTORE restores.
INSTANT = Name("instant")


#: The columns of a table: their names and types.
TypedColumns = Sequence[tuple[str, AnyType]]


@dataclass(frozen=True)
class Place:
    """Where a step runs. ``path``: the table's, as the step spells it; ``name`` and ``managed``: free names in the catalog;
    ``inventory``: a free path; ``storage``: how the storage names paths and tells times, if it is not a local file system;
    ``version``: the one that a RESTORE restores. What is read of the table is only read if a command depends on it."""

    root: str
    path: str
    name: str
    managed: str
    inventory: str
    columns: Callable[[], TypedColumns]
    partition: Callable[[], str]
    partition_by: Callable[[], Sequence[str]] = tuple
    storage: tuple[str | int, ...] = ()
    version: object = None
