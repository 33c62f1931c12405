"""Clauses of VACUUM on their own: what no witness of a known-bad engine shows, and what exercises no clause.

``tests/suites/test_recorded.py`` judges the witnesses: a fault that violates the clause, and a healthy engine that keeps it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from engines.port import Outcome
from faults.machinery import files
from faults.machinery.fault import Tamper
from faults.machinery.tampering import Tampering
from harness.judging.clause import NOT_EXERCISED, Judgement
from harness.observing.steps.observation import Observation, ReadObservation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.root_paths import RelativeLog
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import (
    AddStrayFiles,
    Delete,
    InvalidVacuum,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import (
    DAY,
    HOUR,
    WEEK,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE, unsupported
from suites.clauses.vacuum.reading import older_versions_are_refused
from tests.handmade.steps import DRY, PLAIN, in_commit, judged, leaving, refused, removing, restoring, right
from tests.recorded import recorded

OLD = -4 * WEEK
FULL, LITE = PLAIN, Vacuum(mode=Mode.LITE)


# The tables: the cutoff of each is at -1 week, to the millisecond ---------------------------------------------------


def file(id: int, *, modified: int = OLD) -> DataFile:
    return DataFile(id, (1,), ((10 * id,), (10 * id + 1,), (10 * id + 2,)), modified)


def table(
    files: list[DataFile],
    commits: list[Commit],
    *stray_files: StrayFile,
    features: tuple[Feature, ...] = (),
    retention_hours: int | None = None,
) -> Table:
    return Table(
        columns=(Column("v", Type.INTEGER), Column("_d", Type.INTEGER)),
        partition_by=("_d",),
        files=tuple(files),
        commits=tuple(commits),
        stray_files=stray_files,
        retention_hours=retention_hours,
        features=tuple(feature.value for feature in features),
    )


STRAYS = (
    StrayFile("old", modified=-WEEK - 1),
    StrayFile("young", modified=-WEEK),
    StrayFile("_change_data/old", modified=OLD),
    StrayFile("_d=1/old", modified=OLD),
    StrayFile("_ds=1/old", modified=OLD),
    StrayFile("_hidden", modified=OLD),
    StrayFile("deep/_hidden", modified=OLD),
    StrayFile("empty", kind=Kind.DIRECTORY, size=0),
    StrayFile("holds/young", modified=-HOUR),
    StrayFile("../table2/part", modified=OLD),
)

#: File 1 is expired by one ms, 2 is retained by one, 3 was removed long ago.
FILES = [file(id) for id in range(4)]
REMOVES = Commit(-2 * WEEK, removes=(Removal(1, -WEEK - 1), Removal(2, -WEEK + 1), Removal(3, OLD)))
LISTED = table(FILES, [Commit(-3 * WEEK, adds=(0, 1, 2, 3)), REMOVES], *STRAYS)
WEEKLY = dataclasses.replace(LISTED, retention_hours=168)
AGED_READ = table(FILES, [Commit(-3 * WEEK, adds=(0, 1, 2, 3)), Commit(-2 * WEEK, removes=(Removal(1, -2 * WEEK),))])

INLINE = table(
    [file(0)],
    [Commit(OLD, adds=(0,)), Commit(-DAY, deletion_vectors=(DeletionVector(0, (0,), -DAY, VectorStorage.INLINE),))],
    features=(Feature.DELETION_VECTORS,),
)
LINKED = table(
    FILES[:1],
    [Commit(OLD, adds=(0,))],
    StrayFile("../away/old", modified=OLD),
    StrayFile("lnk", kind=Kind.LINK, modified=OLD, size=0, target="../away"),
)
LINKED_INSIDE = table(
    FILES[:1],
    [Commit(OLD, adds=(0,))],
    StrayFile("lnk", kind=Kind.LINK, modified=OLD, size=0, target="_d=1"),
)


#: For LITE: file 1 is expired, 2 retained at the cutoff, 3 of a commit at the cutoff, 4 of one a ms later; 5 is young.
LOGGED = table(
    [*(file(id) for id in range(5)), file(5, modified=-HOUR)],
    [
        Commit(OLD, adds=(0, 1, 2, 3, 4, 5)),
        Commit(-2 * WEEK, removes=(Removal(1, -WEEK - 1), Removal(2, -WEEK), Removal(5, -2 * WEEK))),
        Commit(-WEEK, removes=(Removal(3, -2 * WEEK),)),
        Commit(-WEEK + 1, removes=(Removal(4, -2 * WEEK),)),
    ],
    StrayFile("old", modified=OLD),
)
CHANGED = table([file(0)], [Commit(OLD, adds=(0,))], features=(Feature.CHANGE_DATA_FEED,))
SOME = Delete(Compare("v", Op.EQ, 1, Type.INTEGER))

UNKNOWN = table(FILES, [Commit(-3 * WEEK, adds=(0, 1, 2, 3))], features=(Feature.UNKNOWN_WRITER,))
HALF = table(FILES, [Commit(-3 * WEEK, adds=(0, 1, 2, 3), checkpoint=True)], features=(Feature.HALF_CHECKPOINT,))


def nothing_done(t: Tampering) -> Outcome:
    """Refused, and the log is as before."""
    files.delete_all(files.new("_delta_log/*"))(t)
    return refused(t)


#: A clause that no witness violates, a table, steps of which it judges the last, and a fault after that one.
# fmt: off
EXAMPLES: list[tuple[str, Table, list[Step], Tamper]] = [
    ("VAC-SAFE-10A", LISTED, [FULL, Read()], refused),
    ("VAC-PROTO-2", UNKNOWN, [FULL], leaving("new")),
    ("VAC-DRY-2A", LISTED, [DRY, FULL], removing("young")),
    ("VAC-DRY-2B", LISTED, [DRY, FULL], restoring("old")),
]
# fmt: on


def run(
    table: Table, directory: Path, steps: list[Step], last: Tamper
) -> tuple[dict[str, tuple[int, int]], Observation]:
    """The number of subjects and of violations at the last step, by clause; clauses without either are left out."""
    tampers: list[Tamper | None] = [None if isinstance(step, (SetClock, AddStrayFiles)) else right for step in steps]
    tampers[-1] = last
    before: dict[str, tuple[int, int]] = {}
    if len(steps) > 1:
        tallies, _ = (
            judged(table, directory / "before", *zip(steps[:-1], tampers[:-1])) if any(tampers[:-1]) else ({}, None)
        )
        before = {id: (tally.subjects, len(tally.violations)) for id, tally in tallies.items()}
    tallies, seen = judged(table, directory / "whole", *zip(steps, tampers))
    last_step = {}
    for id, tally in tallies.items():
        subjects, violations = before.get(id, (0, 0))
        last_step[id] = (tally.subjects - subjects, len(tally.violations) - violations)
    return {id: counts for id, counts in last_step.items() if any(counts)}, seen


@pytest.mark.parametrize(
    ("id", "table", "steps", "tamper"), EXAMPLES, ids=[f"{row[0]}-{number}" for number, row in enumerate(EXAMPLES)]
)
def test_a_clause_is_kept_by_a_right_run_and_violated_by_a_wrong_one(
    id: str, table: Table, steps: list[Step], tamper: Tamper, tmp_path: Path
) -> None:
    held, _ = run(table, tmp_path / "right", steps, right)
    assert held.get(id, (0, 0))[0] > 0, f"{id} must be exercised"
    assert not any(violations for _, violations in held.values()), "nothing is wrong with a right run"
    broken, _ = run(table, tmp_path / "wrong", steps, tamper)
    assert broken.get(id, (0, 0))[1] > 0, f"{id} must be violated"


@pytest.mark.parametrize("table", [LINKED, LINKED_INSIDE])
def test_where_a_link_was_followed_only_the_status_is_judged(table: Table, tmp_path: Path) -> None:
    broken, _ = run(table, tmp_path / "status", [FULL], in_commit("COMPLETED", "FAILED"))
    assert broken["VAC-LOG-1B"] == (1, 1)
    wrong = in_commit(r'("numDeletedFiles":)"\d+"', r'\1"99"')
    broken, _ = run(table, tmp_path / "count", [FULL], wrong)
    assert broken["VAC-LOG-1B"] == (1, 0)
    twice, _ = run(table, tmp_path / "twice", [FULL, FULL], right)
    assert "VAC-IDEM-1A" not in twice and "VAC-IDEM-1B" not in twice


@pytest.mark.parametrize(("modified", "broken"), [(OLD, 0), (0, 1)], ids=["deleted", "kept"])
def test_start_may_count_a_link_that_is_kept_since_its_target_was_deleted_first(
    modified: int, broken: int, tmp_path: Path
) -> None:
    stray_files = (StrayFile("d/x", modified=modified, size=43), StrayFile("link", Kind.LINK, OLD, 0, target="d/x"))
    linking = table(FILES[:1], [Commit(-HOUR, adds=(0,))], *stray_files)
    more = in_commit(r'("sizeOfDataToDelete":)"\d+"', rf'\1"{43 * (2 - broken)}"', last=2)
    held, seen = run(linking, tmp_path, [FULL], more)
    assert isinstance(seen, VacuumObservation) and seen.vanished == frozenset(() if broken else {"d/x"})
    assert held["VAC-LOG-1B"] == (1, broken)


@pytest.mark.parametrize(
    ("counted", "directories", "broken"),
    [(1, True, 1), (3, True, 1), (0, False, 1), (1, False, 0), (2, False, 0), (9, False, 1)],
)
def test_in_a_bucket_end_may_count_markers_too(counted: int, directories: bool, broken: int, tmp_path: Path) -> None:
    """The empty objects that stand for directories: VACUUM deletes one file, and perhaps one of them."""
    stray_files = (StrayFile("old", modified=OLD), StrayFile("empty", kind=Kind.DIRECTORY, modified=0, size=0))
    told = in_commit(r'("numDeletedFiles":)"\d+"', rf'\1"{counted}"') if counted != 2 else right
    _, seen = run(table(FILES[:1], [Commit(-HOUR, adds=(0,))], *stray_files), tmp_path, [FULL], told)
    assert isinstance(seen, VacuumObservation) and seen.vanished == {"old", "empty"}
    there = dataclasses.replace(seen, rules=dataclasses.replace(seen.rules, directories=directories))
    assert len(CATALOGUE["VAC-LOG-1B"].judge(there).violations) == broken


def test_lite_counts_files_of_its_window_that_are_already_deleted(tmp_path: Path) -> None:
    held, seen = run(LOGGED, tmp_path / "right", [FULL, LITE], right)
    assert held["VAC-LOG-1F"] == (1, 0)
    assert isinstance(seen, VacuumObservation) and any(
        path not in seen.before.listing for path in seen.references.tombstones
    )
    wrong = in_commit(r'("numFilesToDelete":)"\d+"', r'\1"0"', last=2)
    broken, _ = run(LOGGED, tmp_path / "wrong", [FULL, LITE], wrong)
    assert broken["VAC-LOG-1F"] == (1, 1)


#: A table of one live file, and steps that exercise few clauses.
PLAINEST = table(FILES[:1], [Commit(-HOUR, adds=(0,))])
BARE: list[tuple[Table, list[Step]]] = [
    (PLAINEST, [FULL]),
    (PLAINEST, [DRY]),
    (PLAINEST, [Vacuum(logging=False)]),
    (PLAINEST, [Read()]),
    (PLAINEST, [SOME]),
    (CHANGED, [SOME, ReadChanges(0)]),
    (PLAINEST, [InvalidVacuum(VacuumMistake.TEMPORARY_VIEW)]),
    (PLAINEST, [InvalidVacuum(VacuumMistake.MISSING_PATH)]),
    (UNKNOWN, [FULL]),
    (LISTED, [Vacuum(retain_hours=0)]),
    (table([], [Commit(-HOUR)]), [LITE]),
    (WEEKLY, [FULL]),
    (HALF, [Delete()]),
]


#: Clauses that hold for other engines only: tests/faults/test_known_bad_vacuums.py has these.
OTHERS = unsupported(ReferenceEngine()).keys()


@pytest.fixture(scope="module")
def exercised_by_bare_steps(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Observation, set[str]]]:
    """The observation of each of these steps, and the clauses that it exercised."""
    found = []
    for number, (bare, steps) in enumerate(BARE):
        counts, seen = run(bare, tmp_path_factory.mktemp(f"bare-{number}"), steps, right)
        assert not any(violations for _, violations in counts.values())
        found.append((seen, {id for id, (subjects, _) in counts.items() if subjects}))
    return found


def test_every_clause_has_a_witness_or_an_example_and_is_not_exercised_elsewhere(
    exercised_by_bare_steps: list[tuple[Observation, set[str]]],
) -> None:
    wanted = sorted(id for id in CATALOGUE.keys() - OTHERS if id.startswith("VAC"))
    shown = {id for found in recorded("faulty").values() for id in found["violated"]} | {row[0] for row in EXAMPLES}
    assert [id for id in wanted if id not in shown] == []
    # A clause that each step of its kind exercises would never be reported as not exercised.
    met = {
        id: [id in ids for seen, ids in exercised_by_bare_steps if isinstance(seen, CATALOGUE[id].of)] for id in wanted
    }
    assert [id for id in wanted if all(met[id])] == []


@pytest.mark.parametrize(
    "step", [FULL, DRY, Vacuum(parallel=True), Vacuum(form=VacuumForm.SQL_NAME), Vacuum(retain_hours=7)]
)
def test_a_vacuum_that_refuses_inline_vectors_violates_one_clause(step: Vacuum, tmp_path: Path) -> None:
    broken, _ = run(INLINE, tmp_path, [step], nothing_done)
    assert {id for id, (_, violations) in broken.items() if violations} == {"VAC-LIVE-6"}


def test_a_version_that_the_log_has_lost_need_not_be_refused_for_its_age(tmp_path: Path) -> None:
    """It cannot be read for two reasons, and which of them is reported is not promised."""
    _, seen = run(AGED_READ, tmp_path, [SOME, SetClock(Moment(2 * WEEK)), Read(0)], right)
    assert isinstance(seen, ReadObservation) and isinstance(seen.before.log, RelativeLog)
    assert older_versions_are_refused.judge(seen) == Judgement(1)
    left = {version: commit for version, commit in seen.before.log.commits.items() if version > seen.version}
    stored = dataclasses.replace(seen.before.log.stored, commits=left)
    log = dataclasses.replace(seen.before.log, commits=left, stored=stored)
    pruned = dataclasses.replace(seen, before=dataclasses.replace(seen.before, log=log))
    assert older_versions_are_refused.judge(pruned) == NOT_EXERCISED
