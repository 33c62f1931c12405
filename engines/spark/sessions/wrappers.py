"""The functions of the user that a step calls. Without PySpark."""

from __future__ import annotations

from collections.abc import Sequence

from model.vocabulary.commands import condition_of
from model.vocabulary.predicate import Predicate, Wrapper, wrappers_of
from model.vocabulary.steps import Delete, OtherCommand, Step


def called_by(step: Step) -> Sequence[Wrapper]:
    """The kinds of functions that the step's condition calls, in a fixed order."""
    condition = _condition_of(step)
    used = frozenset[Wrapper]() if condition is None else wrappers_of(condition)
    return [wrapper for wrapper in Wrapper if wrapper in used]


def _condition_of(step: Step) -> Predicate | None:
    if isinstance(step, Delete):
        return step.where
    return condition_of(step.command) if isinstance(step, OtherCommand) else None
