"""Two sessions at once: which commits of the log are whose, and in which order they happened.

The log tells by the operation in a commit's commitInfo. Where both do the same, the one that was held commits later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deltalog.entries.commits import LoggedCommit
from engines.port import Outcome
from model.vocabulary.commands import (
    Command,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    Restore,
    SetRetention,
    StreamAppend,
    Switch,
    Update,
)
from model.vocabulary.steps import AFTER_COMMIT, AtOnce, Delete, Insert, OtherCommand, SessionStep, Vacuum

#: The operations that commands write into commitInfo, Delta on Spark and delta-rs alike.
_OPERATIONS: Mapping[type[SessionStep] | type[Command], tuple[str, ...]] = {
    Delete: ("DELETE",),
    Vacuum: ("VACUUM START", "VACUUM END"),
    Insert: ("WRITE",),
    Overwrite: ("WRITE",),
    Update: ("UPDATE",),
    Merge: ("MERGE",),
    Optimize: ("OPTIMIZE",),
    Purge: ("REORG", "OPTIMIZE"),
    Restore: ("RESTORE",),
    StreamAppend: ("STREAMING UPDATE",),
    SetRetention: ("SET TBLPROPERTIES",),
    Switch: ("SET TBLPROPERTIES",),
}


@dataclass(frozen=True)
class Session:
    """One of the two."""

    name: str  # "first" or "second"
    step: SessionStep
    outcome: Outcome
    versions: tuple[int, ...]  # that it committed

    @property
    def refused(self) -> bool:
        return self.outcome.error is not None


def sessions_of(step: AtOnce, outcome: Outcome, commits: Sequence[LoggedCommit]) -> tuple[Session, Session]:
    """The first and the second, with the commits of the step."""
    assert outcome.second is not None, "the outcome of an AtOnce has that of the second"
    outcomes = {"first": outcome, "second": outcome.second}
    steps = {"first": step.first, "second": step.second}
    late = outcome.held and step.point not in AFTER_COMMIT
    names = ("second", "first") if late else ("first", "second")
    due = {name: len(_operations(one)) if isinstance(one, Vacuum) else 1 for name, one in steps.items()}
    found: dict[str, list[int]] = {"first": [], "second": []}
    for commit in commits:
        operation = commit.info.fields.get("operation") if commit.info else None
        able = [name for name in names if operation in _operations(steps[name])] or list(names)
        # What succeeded has committed; what it has not committed is of one that was refused and should have no commit.
        author = next(
            (name for name in able if outcomes[name].error is None and len(found[name]) < due[name]),
            next((name for name in able if outcomes[name].error is not None), able[-1]),
        )
        found[author].append(commit.version)
    first, second = (Session(name, steps[name], outcomes[name], tuple(found[name])) for name in ("first", "second"))
    return first, second


def in_order(step: AtOnce, outcome: Outcome, sessions: tuple[Session, Session]) -> tuple[Session, ...]:
    """Those that succeeded, in the order of their commits. Without commits the one that was held is the later one."""
    first, second = sessions
    late = outcome.held and step.point not in AFTER_COMMIT
    if first.versions and second.versions:
        late = first.versions[-1] > second.versions[-1]
    return tuple(one for one in ((second, first) if late else (first, second)) if not one.refused)


def reached(order: Sequence[Session], version: int) -> int:
    """How many of these, from the first on, had happened in a version."""
    happened = [all(one <= version for one in session.versions) for session in order]
    return happened.index(False) if False in happened else len(happened)


def alike(one: SessionStep, other: SessionStep) -> bool:
    """Whether the log cannot tell a commit of one from one of the other."""
    return not set(_operations(one)).isdisjoint(_operations(other))


def _operations(step: SessionStep) -> tuple[str, ...]:
    kind = type(step.command) if isinstance(step, OtherCommand) else type(step)
    return _OPERATIONS.get(kind, ())
