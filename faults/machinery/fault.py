"""A fault: its name, its mistake, the clauses (at least one must catch it), and how it tampers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from engines.port import Outcome
from faults.machinery.table_log import TableLog
from faults.machinery.tampering import Tampering
from model.vocabulary.capabilities import Need
from model.vocabulary.predicate import Predicate
from model.vocabulary.steps import Delete, EngineStep, OtherCommand, Vacuum

#: Changes the table after a step. Returns the outcome to report instead of the engine's, None to keep that.
Tamper = Callable[[Tampering], Outcome | None]

#: Whether to tamper with a step.
Condition = Callable[[Tampering], bool]


@dataclass(frozen=True)
class Question:
    """What the engine is asked: a step, at a time of its clock (ms since the epoch), of a table with this log before."""

    step: EngineStep
    clock: int
    log: TableLog

    def with_condition(self, where: Predicate) -> Question:
        """The same with another condition of the DELETE."""
        assert isinstance(self.step, Delete), "a DELETE"
        return replace(self, step=replace(self.step, where=where))

    def at(self, clock: int) -> Question:
        """The same at another time."""
        return replace(self, clock=clock)


@dataclass(frozen=True)
class Fault:
    name: str
    sentence: str
    on: type[EngineStep]
    caught_by: tuple[str, ...]
    tamper: Tamper
    needs: tuple[Need, ...] = ()  # the fault makes sense only on an engine that has at least one of these
    rules: Mapping[str, object] = field(default_factory=dict)  # ... and whose model.vocabulary.rules have these values
    despite: bool = False  # whether it differs from the known faults of ``caught_by``, and must be noticed beside them
    asks: Callable[[Question], Question] | None = None  # what the real engine is asked instead


def fault(
    name: str,
    caught_by: str,
    tamper: Tamper,
    sentence: str,
    *,
    on: type[EngineStep],
    run: Condition | None = None,
    needs: Iterable[Need] = (),
    rules: Mapping[str, object] | None = None,
    despite: bool = False,
    asks: Callable[[Question], Question] | None = None,
) -> Fault:
    """A row in a table of faults: ``caught_by`` are clause ids, separated by spaces; ``run`` is a condition on the step."""
    tamper = when(run, tamper) if run else tamper
    return Fault(name, sentence, on, tuple(caught_by.split()), tamper, tuple(needs), rules or {}, despite, asks)


def nothing(t: Tampering) -> None:
    """What was asked wrongly is done well."""


def has(key: str) -> Condition:
    """A table property is "true"."""
    return lambda t: t.log.has(key)


def when(condition: Condition, tamper: Tamper) -> Tamper:
    """Tamper with some of the steps only."""
    return lambda t: tamper(t) if condition(t) else None


def committed(t: Tampering) -> bool:
    """The step committed a version."""
    return bool(t.log.written)


def succeeds(t: Tampering) -> bool:
    """The step ended without an error."""
    return not t.failed


delete_fault = partial(fault, on=Delete)
vacuum_fault = partial(fault, on=Vacuum)
command_fault = partial(fault, on=OtherCommand)
