"""Conditions that a known fault may be bound to (``when`` in ``known_faults/*.toml``), so that it excuses nothing else.

Conditions are about the table before the step, as it was seen, and the command, never about what the engine did: that is
the known fault's symptom (harness.judging.excusing.excuses).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from harness.judging.excusing.command_conditions import OF_COMMANDS
from harness.judging.excusing.subjects import Kinds
from harness.judging.excusing.table_conditions import OF_TABLES
from harness.observing.steps.observation import Observation
from harness.observing.table.not_read import is_told

#: By the name that a known fault gives as ``when``.
CONDITIONS: dict[str, Callable[[Observation], bool]] = {**OF_COMMANDS, **OF_TABLES}


class Circumstances:
    """The conditions that hold in a step, each computed once, when it is asked for; and the ``kinds`` of its subjects."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.kinds = Kinds(observation)
        self._known: dict[str, bool] = {}

    def hold(self, name: str) -> bool:
        """Whether the condition of this name holds; not if it needs data that was not read."""
        if name not in self._known:
            self._known[name] = is_told(partial(CONDITIONS[name], self.observation))
        return self._known[name]

    @property
    def names(self) -> frozenset[str]:
        """All that hold."""
        return frozenset(name for name in CONDITIONS if self.hold(name))
