"""A fault: a name, what it makes wrong, the clauses of which at least one must notice it, and how it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.capabilities import Need
from model.steps import EngineStep

#: Makes its one thing wrong, if the step gives occasion to. Returns the answer to give instead of the engine's, if another.
Tamper = Callable[[Tampering], Outcome | None]


@dataclass(frozen=True)
class Fault:
    name: str
    sentence: str
    on: type[EngineStep]
    caught_by: tuple[str, ...]
    tamper: Tamper
    needs: tuple[Need, ...] = ()  # what it tampers with; one of these at least an engine must have
    rules: Mapping[str, object] = field(default_factory=dict)  # of model.rules, by which it is a fault at all


FAULTS: dict[str, Fault] = {}


def fault(
    name: str,
    sentence: str,
    *,
    on: type[EngineStep],
    caught_by: str,
    needs: Iterable[Need] = (),
    rules: Mapping[str, object] | None = None,
) -> Callable[[Tamper], Tamper]:
    """Enter the decorated function under a name. ``caught_by`` are clause ids, separated by spaces."""

    def enter(tamper: Tamper) -> Tamper:
        assert name not in FAULTS, name
        FAULTS[name] = Fault(name, sentence, on, tuple(caught_by.split()), tamper, tuple(needs), rules or {})
        return tamper

    return enter
