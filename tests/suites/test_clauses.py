"""The catalogue; clauses on small tables: a right outcome passes, a wrong one violates its clauses; observations.

The known-bad engines are in tests/suites/test_profiles.py and tests/faults/test_known_bad_vacuums.py.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from types import ModuleType

import pytest

from deltalog.entries.actions import Remove
from deltalog.entries.commits import write_commit
from deltalog.entries.descriptors import DeletionVectorDescriptor
from faults import FAULTS
from faults.machinery.fault import Tamper
from faults.machinery.tampering import Tampering
from harness.judging.clause import CHAPTERS, Clause, clause, matches
from harness.judging.declared import declared
from harness.judging.severity import data_loss
from harness.observing.observer import Observer
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.crash_observation import DeleteCrashObservation, VacuumCrashObservation
from harness.observing.steps.observation import (
    ChangesObservation,
    CommandObservation,
    ConflictObservation,
    DamagedTableObservation,
    DeleteObservation,
    EarlierReadObservation,
    InsertObservation,
    Observation,
    OpenObservation,
    ReadObservation,
    RefusalObservation,
    UnreadTableObservation,
    relative,
)
from harness.observing.steps.vacuum_observation import VacuumObservation, VacuumRefusalObservation
from model.prediction.fates import Fate, Reason
from model.prediction.retention import Cutoff
from model.vocabulary.commands import Optimize, Overwrite
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import (
    AtOnce,
    Delete,
    DeleteMistake,
    EngineStep,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
    VacuumMistake,
)
from model.vocabulary.table import HOUR, WEEK, Column, Commit, Table
from model.vocabulary.values import Type
from suites.catalogue import CATALOGUE
from tests.builders.observations import START, make, vacuum_observation
from tests.find_witnesses import imitating
from tests.handmade.steps import (
    AGED,
    DRY,
    IN_A,
    PA,
    PARTITIONED,
    PLAIN,
    V1,
    answering,
    data,
    refused,
    right,
    take,
    violated,
)

# The catalogue -----------------------------------------------------------------------------------------------------


def test_ids_are_well_formed() -> None:
    for id, entry in CATALOGUE.items():
        assert entry.id == id and re.fullmatch(r"((DEL|VAC)-[A-Z]+|READ|LIFE(-LOG)?|CRASH|CONC)-[1-9]\d*[A-Z]?", id)
        assert entry.chapter == CHAPTERS[id.split("-")[0]]


def test_clauses_are_different_sentences_with_sources() -> None:
    sentences = [entry.sentence for entry in CATALOGUE.values()]
    assert len(set(sentences)) == len(sentences)
    for entry in CATALOGUE.values():
        assert entry.sentence.endswith(".") and "\n" not in entry.sentence
        assert entry.sources and all(re.match(r"(S\d|[PCR] )", source) for source in entry.sources)


def test_every_clause_has_a_fault_and_every_fault_names_clauses() -> None:
    named = {id for fault in FAULTS.values() for id in fault.caught_by}
    assert named == set(CATALOGUE)
    assert all(fault.caught_by for fault in FAULTS.values())


def test_a_fault_spoils_the_kind_of_step_that_its_clauses_judge() -> None:
    kinds: dict[type[EngineStep], set[type[Observation]]] = {
        Delete: {
            *(
                DeleteObservation,
                RefusalObservation,
                DamagedTableObservation,
                UnreadTableObservation,
                ConflictObservation,
                DeleteCrashObservation,
            ),
            Observation,  # DEL-REF-5 judges all
        },
        InvalidDelete: {RefusalObservation},
        ReadChanges: {ChangesObservation},
        Vacuum: {
            *(VacuumObservation, VacuumRefusalObservation, UnreadTableObservation, VacuumCrashObservation),
            Observation,  # LIFE-4A judges all
        },
        InvalidVacuum: {VacuumRefusalObservation},
        Read: {ReadObservation, EarlierReadObservation},
        OpenSession: {OpenObservation},
        Insert: {InsertObservation, Observation},  # LIFE-1J judges other commands too
        OtherCommand: {CommandObservation, Observation},
        AtOnce: {AtOnceObservation},
    }
    for fault in FAULTS.values():
        assert {CATALOGUE[id].of for id in fault.caught_by} <= kinds[fault.on], fault.name
        assert fault.sentence.endswith(".") and re.fullmatch(r"[a-z]+(-[a-z]+)+", fault.name)


@pytest.mark.parametrize("id", ["DEL-safe-1", "DEL-X", "X-ROW-1", "DEL-ROW-1AB", "DEL-ROW-1 "])
def test_a_malformed_id_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match="is not a clause id"):
        clause(id, "A sentence.", sources=["S0"], harm=data_loss("A row is lost."))


@pytest.mark.parametrize(
    ("id", "prefix", "selects"),
    [
        ("VAC-SAFE-1", "VAC-SAFE-1", True),
        ("VAC-SAFE-10A", "VAC-SAFE-1", False),
        ("VAC-SAFE-10A", "VAC-SAFE-10", True),
        ("VAC-SAFE-10A", "VAC-SAFE", True),
        ("VAC-SAFE-10A", "VAC", True),
        ("DEL-ROW-5A", "DEL-ROW-5", True),
        ("DEL-ROW-5B", "DEL-ROW-5", True),
        ("DEL-ROW-5A", "DEL-ROW-5B", False),
        ("DEL-ROW-1B", "DEL-ROW-1", True),
        ("DEL-ROW-1", "DEL-ROW-1B", False),
        ("DEL-ROW-1", "DEL", True),
        ("DEL-ROW-1", "VAC", False),
        ("DEL-ROW-1", "del", False),
        ("DEL-ROW-1", "ROW", False),
    ],
)
def test_prefixes(id: str, prefix: str, selects: bool) -> None:
    assert matches(id, prefix) is selects


def test_parts_of_a_word_select_nothing() -> None:
    """``DEL-R`` could mean REM or ROW, and a typing mistake must select nothing."""
    assert not any(matches(id, prefix) for id in CATALOGUE for prefix in ("VAC-", "DEL-ROW-", "VAC-SAFE-1B2", "X"))


# DELETE ------------------------------------------------------------------------------------------------------------


def test_a_right_delete_violates_nothing(tmp_path: Path) -> None:
    for number, step in enumerate(
        (IN_A, Delete(), Delete(PA), Delete(V1), Delete(Compare("v", Op.GT, 50, Type.INTEGER)))
    ):
        assert not violated(PARTITIONED, step, right, tmp_path / str(number))


# Read ------------------------------------------------------------------------------------------------------------

LESS = answering(lambda rows: rows[1:])
OTHERS = answering(lambda rows: tuple(reversed(rows)))


@pytest.mark.parametrize(
    ("steps", "clauses"),
    [
        ([(IN_A, right), (Read(), right)], set()),
        ([(IN_A, right), (Read(), OTHERS)], set()),  # the order of rows is not promised
        ([(IN_A, right), (Read(), LESS)], {"DEL-ROW-5A"}),
        ([(IN_A, right), (Read(), refused)], {"DEL-ROW-5A"}),
        ([(IN_A, right), (Read(0), LESS)], {"DEL-TT-1", "READ-1B"}),
        ([(IN_A, right), (Read(0), refused)], {"DEL-TT-1", "READ-1B"}),
        ([(PLAIN, right), (Read(), LESS)], {"VAC-SAFE-10A"}),
        ([(IN_A, right), (PLAIN, right), (Read(0), LESS)], {"VAC-SAFE-10C"}),
        ([(DRY, right), (Read(), LESS)], {"READ-1A"}),
        ([(Read(), LESS)], {"READ-1A"}),
        ([(OtherCommand(Overwrite(((7, "c"),))), right), (Read(before_step=0), LESS)], {"READ-1B"}),
    ],
)
def test_a_read_must_return_the_expected_rows(
    steps: list[tuple[EngineStep, Tamper]], clauses: set[str], tmp_path: Path
) -> None:
    assert take(PARTITIONED, tmp_path, *steps) == clauses


# Observations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hours", "retain"), [(None, None), (0, 0), (0.4, 0), (-0.4, 0), (0.5, None), (1, None), (-1, None), (1e5, None)]
)
def test_only_a_retain_of_0_hours_has_an_effect(hours: float | None, retain: int | None, tmp_path: Path) -> None:
    assert vacuum_observation(AGED, make(AGED, tmp_path), Vacuum(retain_hours=hours)).retain == retain


@pytest.mark.parametrize(("hours", "retention"), [(None, WEEK), (1, HOUR), (0, 0), (240, 240 * HOUR)])
def test_the_cutoff_is_the_clock_minus_the_retention(hours: int | None, retention: int, tmp_path: Path) -> None:
    table = dataclasses.replace(AGED, retention_hours=hours)
    v = vacuum_observation(table, make(table, tmp_path), PLAIN, clock=77, wall=(1000, 2000))
    assert v.cutoff == Cutoff(*[START + 77 - retention] * 3)


def test_the_cutoff_of_retain_0_uses_the_wall_clock(tmp_path: Path) -> None:
    step = Vacuum(retain_hours=0, safety_check=False)
    v = vacuum_observation(AGED, make(AGED, tmp_path), step, clock=77, wall=(1000, 2000))
    assert v.cutoff == Cutoff(v.start + 1000, v.start + 2000, v.start + 77 - WEEK)
    assert v.fates["holds/young"].fate is Fate.DELETE


def test_the_latest_of_several_tombstones_counts(tmp_path: Path) -> None:
    """A file may be removed with one deletion vector after another (PROTOCOL.md, "Action Reconciliation")."""
    root = make(AGED, tmp_path)
    v = vacuum_observation(AGED, root, PLAIN)
    for version, deleted in ((2, v.start - HOUR), (3, v.start - 3 * WEEK)):
        vector = DeletionVectorDescriptor("i", f"x{version}", size=10, cardinality=1)
        write_commit(root, version, [Remove(data(1), deleted, data_change=True, deletion_vector=vector)])
    state = Observer(AGED, root).observe()
    assert state.tombstones[data(1)].deletion_timestamp == v.start - HOUR
    assert dataclasses.replace(v, before=state).fates[data(1)].reason is Reason.RETAINED


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("file:/t/table/p=a/x y", "p=a/x y"),
        ("file:///t/table/x", "x"),
        ("/t/table/x", "x"),
        ("file:/t/table", ""),
        ("file:/t/table-2/x", "/t/table-2/x"),
        ("s3://b/x", "s3://b/x"),
    ],
)
def test_paths_as_engines_print_them(path: str, expected: str) -> None:
    assert relative(path, "/t/table") == expected


# Faults ------------------------------------------------------------------------------------------------------------


STEPS: dict[type[EngineStep], EngineStep] = {
    Delete: Delete(),
    InvalidDelete: InvalidDelete(DeleteMistake.AGGREGATE),
    InvalidVacuum: InvalidVacuum(VacuumMistake.MISSING_PATH),
    ReadChanges: ReadChanges(of_step=0),
    Vacuum: Vacuum(),
    Read: Read(),
    OtherCommand: OtherCommand(Optimize()),
    AtOnce: AtOnce(Delete(), Delete()),
    OpenSession: OpenSession(streams=True),
}


def test_a_fault_changes_nothing_in_an_empty_table(tmp_path: Path) -> None:
    """Where it does not apply, a fault must not disturb the step: it would be noticed for the wrong reason."""
    empty = Table(columns=(Column("v", Type.INTEGER),), partition_by=(), files=(), commits=(Commit(-HOUR),))
    before_root = make(empty, tmp_path / "before", start=0)
    quiet: list[str] = []
    faults = {name: fault for name, fault in FAULTS.items() if fault.on is not Insert}  # which always writes
    for name, fault in faults.items():
        root = make(empty, tmp_path / name, start=0)
        step = STEPS[fault.on]
        outcome = imitating(fault).run(root, step, clock=0, version=0)
        before = Observer(empty, root).observe()
        answer = fault.tamper(Tampering(root, before_root, step, outcome, 0, 0, False))
        after = Observer(empty, root).observe(before)
        if answer is None and after.listing == before.listing:
            quiet.append(name)
    loud = set(faults) - set(quiet)
    assert loud == {
        "accepts-any-path",
        "accepts-mistakes",
        "claims-what-it-did-not-delete",
        "command-leaves-junk-in-the-log",
        "command-rewrites-an-old-commit",
        "commits-nothing",
        "counts-deleted-directories",
        "counts-rows-wrong",
        "delete-fails-with-a-million-words",
        "delete-fails-with-an-empty-line",
        "delete-fails-without-a-word",
        "empties-the-root",
        "ends-with-a-transaction",
        "ends-without-start",
        "full-keeps-the-bookmark",
        "in-commit-times-stand-still",
        "lists-files-for-a-delete",
        "read-fails-without-a-word",
        "refused-delete-writes-a-file",
        "refuses-to-run",
        "refuses-with-another-class",
        "returns-less-than-it-deleted",
        "returns-other-counts",
        "returns-what-is-left",
        "returns-what-never-was",
        "rewrites-the-log",
        "second-fails-without-a-word",
        "sql-answers-nothing",
        "start-and-end-are-dated-back",
        "start-and-end-are-stamped-zero",
        "start-counts-no-bytes",
        "start-counts-one-more",
        "starts-without-end",
        "two-at-once-leave-junk-in-the-log",
        "vacuum-changes-the-metadata",
        "vacuum-checksum-counts-a-file-less",
        "vacuum-checksum-loses-properties",
        "vacuum-fails-without-a-word",
        "vacuum-lists-twice",
        "vacuum-records-more",
        "vacuum-says-serializable",
        "vacuum-writes-a-file",
        "words-refusals-otherwise",
    }, "these faults need no file"


def test_two_clauses_with_the_same_id_are_an_error() -> None:
    definition = next(iter(CATALOGUE.values()))
    first, second = ModuleType("first"), ModuleType("second")
    first.clause = second.clause = definition  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="two clauses have the same id"):
        declared(Clause, "id", first, second)
