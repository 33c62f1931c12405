"""What a known fault may be bound to: conditions and kinds of subjects, each declared in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from harness.observing.steps.observation import Observation
from shapes.told import OnShape, untold


@dataclass(frozen=True)
class Condition:
    """What must hold in a step (``when``). ``whom`` ends the sentence "Concerns you only if …".

    ``on_shape``: whether it holds for tables of a shape. It never says False where ``holds`` may say True.
    """

    name: str
    whom: str
    holds: Callable[[Observation], bool]
    on_shape: OnShape = untold


T = TypeVar("T")
#: Makes a condition of the decorated function, which looks at one thing.
Decorator = Callable[[Callable[[T], object]], Condition]


def condition(name: str, whom: str, on_shape: OnShape = untold) -> Decorator[Observation]:
    """The decorated function sees the step."""
    return lambda holds: Condition(name, whom, lambda o: bool(holds(o)), on_shape)


@dataclass(frozen=True)
class Subject:
    """A kind of what a violation is about (``symptom.of``).

    ``of``: what tells of a step's subjects whether they are of the kind. What is the same for all is computed once.
    """

    name: str
    of: Callable[[Observation], Callable[[str], bool]]
    on_shape: OnShape = untold


def paths(name: str, on_shape: OnShape = untold) -> Callable[[Callable[[Observation, str], bool]], Subject]:
    """Turn the decorated function, which looks at one path, into a kind of subjects."""
    return lambda is_one: Subject(name, lambda observation: partial(is_one, observation), on_shape)


def wrong_rows(name: str, on_shape: OnShape = untold) -> Callable[[Callable[[Observation], bool]], Subject]:
    """Turn the decorated function into a kind of wrong rows: of them is every subject of the step, or none."""

    def make(are: Callable[[Observation], bool]) -> Subject:
        def of(observation: Observation) -> Callable[[str], bool]:
            found = are(observation)
            return lambda subject: found

        return Subject(name, of, on_shape)

    return make
