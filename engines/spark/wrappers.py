"""The functions of the user that a step calls, and how a script registers them. Without PySpark."""

from __future__ import annotations

from collections.abc import Sequence

from model.text.sql import WRAPPERS
from model.vocabulary.commands import condition_of
from model.vocabulary.predicate import Predicate, Wrapper, wrappers_of
from model.vocabulary.steps import Delete, OtherCommand, Step

#: The arguments of ``SparkSession.udf.register``.
_REGISTERED = {
    Wrapper.PYTHON: f'"{WRAPPERS[Wrapper.PYTHON]}", lambda b: b, "boolean"',
    Wrapper.ARROW: f'"{WRAPPERS[Wrapper.ARROW]}", arrow_udf(lambda b: b, "boolean")',
}


def called_by(step: Step) -> Sequence[Wrapper]:
    """The kinds of functions that the step's condition calls, in a fixed order."""
    condition = _condition_of(step)
    used = frozenset[Wrapper]() if condition is None else wrappers_of(condition)
    return [wrapper for wrapper in Wrapper if wrapper in used]


def _condition_of(step: Step) -> Predicate | None:
    if isinstance(step, Delete):
        return step.where
    return condition_of(step.command) if isinstance(step, OtherCommand) else None


def lines(wrappers: Sequence[Wrapper], session: str) -> list[str]:
    """The lines that register these in the session of this name. They use ``sys``, and ``arrow_udf`` for an Arrow function."""
    if not wrappers:
        return []
    own = f"{session}.sparkContext.pythonExec = sys.executable  # else the first Python of the PATH"
    return [own, *(f"{session}.udf.register({_REGISTERED[wrapper]})" for wrapper in wrappers)]
