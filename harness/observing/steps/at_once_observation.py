"""The observation of two sessions at once: what each of them did, and what the table must be by the order of their commits."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from deltalog.entries.actions import Metadata, Protocol, Txn
from deltalog.errors import DeltaLogError
from harness.observing.steps.expected_versions import Expected
from harness.observing.steps.observation import Observation, partition_of
from harness.observing.steps.sessions import Session
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.table_state import Rows
from harness.observing.table.vacuum_inputs import files_of
from model.prediction.conflicts import Changed, Conflict, conflicts_named, is_founded
from model.prediction.fates import Fate
from model.vocabulary.commands import Restore, SetRetention
from model.vocabulary.steps import AFTER_COMMIT, AtOnce, OtherCommand, Read, Vacuum, named_step
from model.vocabulary.table import Table


@dataclass(frozen=True)
class AtOnceObservation(Observation):
    """``outcome`` is that of the first. ``promises`` are what the table must be before the step, and after each of ``order``."""

    step: AtOnce
    sessions: tuple[Session, Session]
    order: tuple[Session, ...]  # that succeeded, as the log has their commits
    promises: tuple[Expected, ...]
    other_rows: Rows  # those after the other order
    refusable: frozenset[str]  # the sessions that may be, whatever the other does
    version: int  # that a RESTORE or a Read names; else the current one

    @property
    def first(self) -> Session:
        return self.sessions[0]

    @property
    def second(self) -> Session:
        return self.sessions[1]

    def may_be_refused(self, session: Session) -> bool:
        """Whether it may be refused whatever the other does: for its condition, or as its version cannot be read."""
        if session.name in self.refusable or named_step(session.step) is not None:
            return True
        return any(one.step is session.step and one.due is not None for one in self.vacuums)

    def other(self, session: Session) -> Session:
        return self.second if session is self.first else self.first

    @property
    def promised(self) -> Rows:
        """The rows after the step."""
        return self.promises[-1].rows

    @property
    def defined(self) -> Table:
        """The definition after the step."""
        return self.promises[-1].table

    # Conflicts --------------------------------------------------------------------------------------------------------

    def conflicts(self, session: Session) -> frozenset[Conflict]:
        """The conflicts for which the session may have been refused, by its error; none: it names none, or succeeded."""
        error = session.outcome.error
        if error is None:
            return frozenset()
        return conflicts_named(error.exception, error.condition, classes=self.rules.error_classes)

    def is_founded(self, session: Session) -> bool:
        """Whether one of these conflicts is one: only the first can have had one, while it was held."""
        if session is self.second or not self.outcome.held:
            return False
        changed = self._changed_by(self.second)
        return any(is_founded(one, session.step, self.table, changed) for one in self.conflicts(session))

    def _changed_by(self, session: Session) -> Changed:
        commits = [commit for commit in self.commits if commit.version in session.versions]
        actions = [action for commit in commits for action in commit.actions]
        return Changed(
            added=frozenset(partition_of(self.table, add) for commit in commits for add in commit.adds),
            removed=frozenset(partition_of(self.table, one) for commit in commits for one in commit.removes),
            metadata=any(isinstance(action, Metadata) for action in actions),
            protocol=any(isinstance(action, Protocol) for action in actions),
            transactions=any(isinstance(action, Txn) for action in actions),
            anything=bool(commits),
        )

    # VACUUM -----------------------------------------------------------------------------------------------------------

    @cached_property
    def vacuums(self) -> tuple[VacuumObservation, ...]:
        """The VACUUMs of the two, each as if it had been alone on the table before the step."""
        common: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Observation)}
        return tuple(
            VacuumObservation(**{**common, "step": one.step, "outcome": replace(one.outcome, second=None)})
            for one in self.sessions
            if isinstance(one.step, Vacuum)
        )

    @cached_property
    def may_be_gone(self) -> frozenset[str]:
        """The paths that a VACUUM of the two may delete."""
        return frozenset(
            path for one in self.vacuums for path, found in one.fates.items() if found.fate is not Fate.KEEP
        )

    @cached_property
    def is_unsafe(self) -> bool:
        """Whether a VACUUM of the two may delete what the other needs: files that this writes, as they are not younger than the
        retention, or files of an earlier version (S5 warns of both)."""
        if not self.vacuums:
            return False
        if self._may_see_a_retention or any(one.cutoff.latest > self.outcome.started for one in self.vacuums):
            return True
        return named_step(self.step) is not None and not self.may_be_gone.isdisjoint(self._named)

    @property
    def _may_see_a_retention(self) -> bool:
        """Whether a VACUUM began when the other may have committed another retention than that before the step."""
        early = self.outcome.held and self.step.point not in AFTER_COMMIT
        return not early and any(
            isinstance(one.step, OtherCommand) and isinstance(one.step.command, (SetRetention, Restore))
            for one in self.sessions
        )

    @cached_property
    def _named(self) -> set[str]:
        """The files of the version that a RESTORE or a Read names."""
        try:
            snapshot = self.before.log.snapshot(self.version)
        except DeltaLogError:
            return set()
        return files_of(snapshot.adds.values(), self.before.root)

    @property
    def readers(self) -> tuple[Session, ...]:
        return tuple(one for one in self.sessions if isinstance(one.step, Read))
