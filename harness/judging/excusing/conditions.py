"""The conditions and kinds of subjects that a known fault may be bound to, so that it excuses nothing else, by the names that
``known_faults/*.toml`` gives them: ``when`` and ``symptom.of``.

Conditions are about the table before the step, as it was seen, and the command, never about what the engine did: that is
the known fault's symptom (harness.judging.excusing.excuses).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from harness.judging.declared import declared
from harness.judging.excusing import command_conditions, subjects, table_conditions, wrong_rows
from harness.judging.excusing.declarations import Condition, Subject
from harness.observing.steps.observation import Observation
from harness.observing.table.not_read import NotRead, is_told

CONDITIONS = declared(Condition, "name", command_conditions, table_conditions)
WRONG_ROWS = declared(Subject, "name", wrong_rows)
SUBJECTS = declared(Subject, "name", subjects, wrong_rows)


class Circumstances:
    """The conditions that hold in a step, each computed once, when it is asked for; and the ``kinds`` of its subjects."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.kinds = Kinds(observation)
        self._known: dict[str, bool] = {}

    def hold(self, name: str) -> bool:
        """Whether the condition of this name holds; not if it needs data that was not read."""
        if name not in self._known:
            self._known[name] = is_told(partial(CONDITIONS[name].holds, self.observation))
        return self._known[name]

    @property
    def names(self) -> frozenset[str]:
        """All that hold."""
        return frozenset(name for name in CONDITIONS if self.hold(name))


class Kinds:
    """The kinds that subjects of a step are of, by the names that a known fault may give."""

    def __init__(self, observation: Observation) -> None:
        self._observation = observation
        self._known: dict[str, Callable[[str], bool]] = {}

    def are(self, subject: str, kind: str) -> bool:
        """Whether a subject is of this kind; not if that needs data that was not read."""
        try:
            if kind not in self._known:
                self._known[kind] = SUBJECTS[kind].of(self._observation)
            return self._known[kind](subject)
        except NotRead:
            return False

    def of(self, subject: str) -> frozenset[str]:
        return frozenset(name for name in SUBJECTS if self.are(subject, name))
