"""The functions of the user that a step calls. Without PySpark."""

from __future__ import annotations

from collections.abc import Sequence

from model.vocabulary.commands import conditions_of
from model.vocabulary.predicate import Predicate, Wrapper, wrappers_of
from model.vocabulary.steps import Delete, OtherCommand, Step


def called_by(step: Step) -> Sequence[Wrapper]:
    """The kinds of functions that the step's conditions call, in a fixed order."""
    used = {wrapper for condition in _conditions_of(step) for wrapper in wrappers_of(condition)}
    return [wrapper for wrapper in Wrapper if wrapper in used]


def _conditions_of(step: Step) -> tuple[Predicate, ...]:
    if isinstance(step, Delete):
        return () if step.where is None else (step.where,)
    return conditions_of(step.command) if isinstance(step, OtherCommand) else ()
