"""Circumstances are those of the table that was seen and of the command at hand, not of the case: and each is asked for once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.judging.excusing.conditions import CONDITIONS, Circumstances
from harness.judging.excusing.declarations import Condition
from harness.observing.steps.observation import Observation
from model.vocabulary.commands import Checkpoint, Restore
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Insert, OpenSession, OtherCommand, Read, Step, Vacuum
from model.vocabulary.table import DAY, HOUR, Commit, DataFile, Feature, Reference, Removal, Table
from model.vocabulary.values import Type
from tests.harness.test_conditions import NULLS, ONE, PLAIN, encode_removes, in_partition, observed, with_vectors

ALL_OF_1 = Compare("p", Op.EQ, 1, Type.INTEGER)
REMOVED = replace(PLAIN, commits=(*PLAIN.commits, Commit(-HOUR // 2, removes=(Removal(0, -HOUR // 2),))))


def hold(name: str, table: Table, directory: Path, *steps: Step) -> bool:
    return Circumstances(observed(table, directory, *steps)).hold(name)


def test_a_file_that_was_restored_and_removed_again_has_two_tombstones(tmp_path: Path) -> None:
    again = (OtherCommand(Restore(-1)), Delete(ALL_OF_1))
    assert hold("several tombstones of a file", REMOVED, tmp_path / "a", *again, Read())
    assert not hold("several tombstones of a file", REMOVED, tmp_path / "b", Read())


def test_of_a_file_that_was_restored_readers_find_a_tombstone_too(tmp_path: Path) -> None:
    assert hold("several tombstones of a file", REMOVED, tmp_path, OtherCommand(Restore(-1)), Read())


def test_readers_do_not_find_what_a_checkpoint_leaves_out(tmp_path: Path) -> None:
    """A tombstone that has expired is in no checkpoint (PROTOCOL.md, "Checkpoints")."""
    old = replace(PLAIN, commits=(*PLAIN.commits, Commit(-HOUR // 2, removes=(Removal(0, -30 * DAY),))))
    twice = (OtherCommand(Restore(-1)), Delete(ALL_OF_1), OtherCommand(Checkpoint()), Read())
    assert not hold("several tombstones of a file", old, tmp_path / "both", *twice)
    by_itself = replace(old, features=(Feature.FREQUENT_CHECKPOINTS.value,))
    steps = (Delete(Compare("v", Op.EQ, 3.0, Type.DOUBLE)), Read())
    assert hold("tombstones that a checkpoint left out", by_itself, tmp_path / "by itself", *steps)
    assert not hold("tombstones that a checkpoint left out", old, tmp_path / "without", Read())


@pytest.mark.parametrize("reference", Reference)
def test_a_file_counts_that_a_step_can_meet_not_one_of_the_case(reference: Reference, tmp_path: Path) -> None:
    files = tuple(replace(file, reference=reference) for file in PLAIN.files)
    by_uri = reference is not Reference.RELATIVE
    assert hold("file named by URI", replace(PLAIN, files=files), tmp_path / "live", Read()) is by_uri
    spare = (*PLAIN.files, DataFile(9, (1,), ((1.0,),), -DAY, reference=reference))
    assert not hold("file named by URI", replace(PLAIN, files=spare), tmp_path / "of no version", Read())


def test_the_command_at_hand_counts_not_an_earlier_one(tmp_path: Path) -> None:
    assert hold("compares with NULL", PLAIN, tmp_path / "at hand", Delete(ONE), Delete(NULLS))
    assert hold("compares with NULL", PLAIN, tmp_path / "read", Delete(ONE), Delete(NULLS), Read(), Read())
    assert not hold("compares with NULL", PLAIN, tmp_path / "earlier", Delete(NULLS), Delete(ONE))
    assert not hold("checkpoint by a command", PLAIN, tmp_path / "later", OtherCommand(Checkpoint()), Vacuum())


def test_a_vector_counts_in_the_version_that_a_restore_brings_back(tmp_path: Path) -> None:
    table = with_vectors(1)
    gone = (Delete(), OtherCommand(Checkpoint()))
    assert hold("deletion vectors", table, tmp_path / "a", *gone, OtherCommand(Restore(0)))
    assert not hold("deletion vectors", PLAIN, tmp_path / "b", *gone, OtherCommand(Restore(0)))


@pytest.mark.parametrize(
    ("where", "others", "expected"),
    [
        (ONE, True, False),  # the session's version has the row: a conflict is due
        (Compare("v", Op.EQ, 9.0, Type.DOUBLE), True, True),
        (None, True, True),
        (Compare("v", Op.EQ, 9.0, Type.DOUBLE), False, False),
    ],
)
def test_a_session_that_finds_rows_in_its_version_must_notice_others(
    where: Compare | None, others: bool, expected: bool, tmp_path: Path
) -> None:
    between = (Insert(((1, 9.0),)),) if others else ()
    steps = (OpenSession(), *between, Delete(where, by_earlier=True))
    assert hold("session that deletes all, or no row of its version", PLAIN, tmp_path, *steps) is expected


def test_a_remove_that_spells_its_path_otherwise_leaves_the_file_live_by_its_text(tmp_path: Path) -> None:
    same = observed(in_partition(Type.STRING, "a"), tmp_path / "same", Delete(), Read(), spoil=encode_removes).before
    assert not same.live and not same.facts.live_by_text and not same.facts.spelled_otherwise
    other = observed(in_partition(Type.STRING, "ü"), tmp_path / "other", Delete(), Read(), spoil=encode_removes).before
    assert not other.live and {add.file for add in other.facts.live_by_text} == other.facts.spelled_otherwise
    assert len(other.facts.spelled_otherwise) == 1


def test_a_condition_is_computed_once_for_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Observation] = []

    def ask(observation: Observation) -> bool:
        asked.append(observation)
        return True

    monkeypatch.setitem(CONDITIONS, "whole files", Condition("whole files", "it is asked", ask))
    circumstances = Circumstances(observed(PLAIN, tmp_path))
    assert circumstances.hold("whole files") and circumstances.hold("whole files")
    assert "whole files" in circumstances.names and len(asked) == 1
