"""Which commits are whose of two sessions at once, and in which order they happened."""

from __future__ import annotations

import pytest

from deltalog.entries.actions import CommitInfo
from deltalog.entries.commits import LoggedCommit
from engines.port import EngineError, Outcome
from harness.observing.steps.sessions import alike, in_order, reached, sessions_of
from model.vocabulary.commands import Checkpoint, Overwrite
from model.vocabulary.steps import AtOnce, CrashPoint, Delete, OtherCommand, Vacuum
from tests.handmade.at_once import APPEND, UPDATE
from tests.handmade.crashes import PARTITION, ROW

OK = Outcome((), None, 0, 1)
REFUSED = Outcome((), EngineError("ConcurrentAppendException", None, None, ""), 0, 1)


def versions(step: AtOnce, first: Outcome, second: Outcome, *operations: str, held: bool = True) -> tuple[object, ...]:
    """The versions of the first, those of the second, and the names of those that succeeded in their order."""
    outcome = Outcome(first.rows, first.error, 0, 1, second=second, held=held)
    commits = [
        LoggedCommit(number, (CommitInfo({"operation": one}),), 0, "") for number, one in enumerate(operations, 5)
    ]
    sessions = sessions_of(step, outcome, commits)
    order = in_order(step, outcome, sessions)
    return sessions[0].versions, sessions[1].versions, [one.name for one in order]


def test_commits_are_told_apart_by_their_operation() -> None:
    assert versions(AtOnce(ROW, APPEND), OK, OK, "WRITE", "DELETE") == ((6,), (5,), ["second", "first"])
    assert versions(AtOnce(ROW, APPEND), OK, OK, "DELETE", "WRITE") == ((5,), (6,), ["first", "second"])
    vacuum = AtOnce(Vacuum(), ROW, CrashPoint.DELETION)
    assert versions(vacuum, OK, OK, "VACUUM START", "DELETE", "VACUUM END") == ((5, 7), (6,), ["second", "first"])


def test_of_two_alike_the_one_that_was_held_commits_later() -> None:
    both = AtOnce(ROW, PARTITION)
    assert versions(both, OK, OK, "DELETE", "DELETE") == ((6,), (5,), ["second", "first"])
    assert versions(both, OK, OK, "DELETE", "DELETE", held=False) == ((5,), (6,), ["first", "second"])
    after = AtOnce(ROW, PARTITION, CrashPoint.CHECKSUM)
    assert versions(after, OK, OK, "DELETE", "DELETE") == ((5,), (6,), ["first", "second"])


def test_a_commit_too_many_is_that_of_the_one_that_was_refused() -> None:
    both = AtOnce(ROW, PARTITION)
    assert versions(both, REFUSED, OK, "DELETE") == ((), (5,), ["second"])
    assert versions(both, REFUSED, OK, "DELETE", "DELETE") == ((6,), (5,), ["second"])


def test_an_unknown_operation_may_be_of_either() -> None:
    assert versions(AtOnce(ROW, APPEND), OK, REFUSED, "OTHER") == ((5,), (), ["first"])


def test_without_commits_the_one_that_was_held_is_later() -> None:
    assert versions(AtOnce(ROW, PARTITION), OK, OK) == ((), (), ["second", "first"])
    assert versions(AtOnce(ROW, PARTITION), OK, OK, held=False) == ((), (), ["first", "second"])


@pytest.mark.parametrize(("version", "number"), [(4, 0), (5, 1), (6, 2)])
def test_how_many_have_happened_in_a_version(version: int, number: int) -> None:
    step, outcome = AtOnce(ROW, APPEND), Outcome((), None, 0, 1, second=OK, held=True)
    commits = [
        LoggedCommit(5, (CommitInfo({"operation": "WRITE"}),), 0, ""),
        LoggedCommit(6, (CommitInfo({"operation": "DELETE"}),), 0, ""),
    ]
    order = in_order(step, outcome, sessions_of(step, outcome, commits))
    assert reached(order, version) == number


def test_who_is_alike() -> None:
    assert alike(Delete(), ROW) and alike(APPEND, OtherCommand(Overwrite(())))
    assert not alike(ROW, UPDATE) and not alike(OtherCommand(Checkpoint()), OtherCommand(Checkpoint()))
