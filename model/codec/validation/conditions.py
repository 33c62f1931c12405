"""Checks of conditions, by the types of the columns. Each raises InvalidCase, with a path from the condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from model.codec.plain import refuse
from model.semantics.evaluate import WouldFail, evaluate
from model.vocabulary.predicate import Between, CaseWhen, Compare, Expression, In, Like, Predicate, wrappers_of
from model.vocabulary.values import AnyType, Type, Value, type_name


def satisfies(
    condition: Predicate, row: Mapping[str, Value], types: Mapping[str, AnyType], name: str, at: str
) -> bool | None:
    """What the condition says of a row; ``name`` is its name in the sentence that refuses the row ``at`` this path."""
    try:
        return evaluate(condition, row, types=types)
    except (WouldFail, TypeError, ValueError) as error:
        refuse(f"{name} cannot be evaluated ({error})", at)


def check_types(predicate: Predicate, types: Mapping[str, AnyType]) -> None:
    """The types in a predicate are those of the columns, and no function of the user is a part of an expression.

    Unknown columns are not checked.
    """
    for where, part in _parts(predicate, ""):
        if isinstance(part, CaseWhen) and wrappers_of(part.condition):
            refuse("calls a function of the user, which no part of an expression may", f"{where}condition")
        if isinstance(part, (Compare, Between, In)):
            declared = types.get(part.column, part.type)
            if declared != part.type:
                stated = type_name(part.type)
                refuse(f"is {stated}, but {part.column!r} is of type {type_name(declared)}", f"{where}type")
        elif isinstance(part, Like):
            declared = types.get(part.column, Type.STRING)
            if declared is not Type.STRING:
                refuse(f"LIKE needs a string, but {part.column!r} is of type {type_name(declared)}", f"{where}column")


def _parts(condition: Predicate | Expression, path: str) -> Iterator[tuple[str, Predicate | Expression]]:
    """A condition and all its parts, with their paths, which end with a dot."""
    yield path, condition
    for field in fields(condition):
        part = getattr(condition, field.name)
        name = "of" if field.name == "expression" else field.name
        if field.name == "arguments":
            for index, argument in enumerate(part):
                yield from _parts(argument, f"{path}{name}[{index}].")
        elif field.name != "type" and is_dataclass(part):
            yield from _parts(part, f"{path}{name}.")  # type: ignore[arg-type]
