"""Cases on the reference engine: where their tables are, which versions must be readable, and how they are recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.port import Outcome
from harness.judge import Judge
from harness.normalise import step_text
from harness.observation import Observation, ReadObservation
from harness.record import case_line
from harness.vacuum_observation import VacuumObservation, VacuumRefusalObservation
from model.case import Case
from model.refusals import CANNOT_VACUUM_LITE, expected_vacuum_refusal
from model.steps import (
    AddStrayFiles,
    Append,
    EngineStep,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Read,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import DAY, WEEK, Column, Commit, DataFile, Kind, Reference, Removal, StrayFile, Table
from model.values import Type
from selfcheck.reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE

FILES = tuple(
    DataFile(id, (), ((id,),), -4 * WEEK, reference=one)
    for id, one in enumerate((Reference.RELATIVE, Reference.ABSOLUTE, Reference.OUTSIDE, Reference.RELATIVE))
)
TABLE = Table(
    (Column("v", Type.INTEGER),),
    (),
    FILES,
    (
        Commit(-3 * WEEK, adds=(0, 1, 2, 3)),
        Commit(-2 * WEEK, removes=(Removal(3, -2 * WEEK),), checkpoint=True),
        Commit(-DAY),
    ),
    stray_files=(StrayFile("../around/f"), StrayFile("old", modified=-4 * WEEK)),
    pruned=1,
)


class Watching(ReferenceEngine):
    """Notes where it is asked to run, and what lies there."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Path] = []
        self.around: set[str] = set()

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        self.roots.append(root)
        self.around |= {path.name for path in root.parent.iterdir()}
        return super().run(root, step, clock=clock, version=version)


def take(directory: Path, *steps: Step, table: Table = TABLE) -> list[Observation]:
    engine = ReferenceEngine()
    judge = Judge(engine, list(CATALOGUE.values()), directory)
    run = judge.start(table, judge.new_root())
    for step in steps:
        run.take(step)
    assert not any(tally.violations for tally in run.tallies.values())
    return run.observations


def test_a_case_has_a_directory_of_its_own_and_leaves_nothing(tmp_path: Path) -> None:
    engine = Watching()
    judge = Judge(engine, list(CATALOGUE.values()), tmp_path)
    for _ in range(2):
        result = judge.judge(Case(TABLE, (Vacuum(), Read())))
        assert result.failure is None and not result.violated
    assert sorted(set(engine.roots)) == [tmp_path / "case-1" / "table", tmp_path / "case-2" / "table"]
    assert engine.around == {"table", "around", "elsewhere"}
    assert not list(tmp_path.iterdir())


def test_versions_that_the_log_has_lost_are_not_promised(tmp_path: Path) -> None:
    (read,) = take(tmp_path, Read())
    assert isinstance(read, ReadObservation) and sorted(read.versions) == [1, 2]
    assert read.rows == read.expected_version.rows and len(read.rows) == 3


def test_what_is_arranged_in_between_may_lie_beside_the_table(tmp_path: Path) -> None:
    appended = DataFile(9, (), ((9,),), 0, reference=Reference.OUTSIDE)
    new_stray_files = AddStrayFiles(
        (StrayFile("../around/g"), StrayFile("link", Kind.LINK, size=0, target="../around/g"))
    )
    (seen,) = take(tmp_path, Append((appended,)), new_stray_files, Read())
    assert {"../around/f", "../around/g"} <= set(seen.before.beside) and seen.before.target("link") == "../around/g"
    assert any("part-00009" in path for path in seen.before.live) and len(seen.outcome.rows) == 4


def test_a_vacuum_is_seen_as_one_or_as_a_refusal(tmp_path: Path) -> None:
    mistake = InvalidVacuum(VacuumMistake.CLAUSE_TWICE)
    plain, lite, bad = take(tmp_path, Vacuum(), Vacuum(mode=Mode.LITE), mistake)
    assert isinstance(plain, VacuumObservation) and plain.vanished
    assert isinstance(lite, VacuumRefusalObservation) and lite.due == CANNOT_VACUUM_LITE and lite.refused
    assert isinstance(bad, VacuumRefusalObservation) and bad.due == expected_vacuum_refusal(mistake.mistake)


def test_occasions_are_summed_and_recorded(tmp_path: Path) -> None:
    judge = Judge(ReferenceEngine(), list(CATALOGUE.values()), tmp_path)
    result = judge.judge(Case(TABLE, (Vacuum(dry_run=True), Vacuum(), Vacuum())))
    assert result.coverage["vacuums", "table's default", "default"] == 3
    paths = {"orphaned file": {"delete": 1}, "live add by URI": {"keep": 2}}
    line: dict[str, Any] = case_line(result, campaign="c", shard=0, index=0, origin="generated")
    assert line["coverage"]["vacuums"] == {"table's default": {"default": 3}}
    assert paths.items() <= line["coverage"]["paths"].items()
    vanished = json.loads(json.dumps(line))["steps"][1]["observed"]["vanished"]
    assert "old" in vanished and len(vanished) == 2


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Vacuum(), "VACUUM t"),
        (Vacuum(mode=Mode.LITE, dry_run=True), "VACUUM t LITE DRY RUN"),
        (Vacuum(mode=Mode.LITE_SETTING, parallel=True), "VACUUM t (LITE by setting; in parallel)"),
        (
            Vacuum(mode=Mode.INVENTORY_QUERY, inventory=Inventory.FILES),
            "VACUUM t USING INVENTORY (files only)",
        ),
        (Vacuum(form=VacuumForm.API_NAME), "VACUUM t (DeltaTable.forName)"),
        (
            Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="a b"),
            "VACUUM t (a b: it cannot be deleted)",
        ),
        (InvalidVacuum(VacuumMistake.CLAUSE_TWICE), "VACUUM with a mistake: clause that is said twice"),
        (
            InvalidVacuum(VacuumMistake.MISSING_PATH, dry_run=True),
            "VACUUM with a mistake: missing path as the target (DRY RUN)",
        ),
    ],
)
def test_steps_in_words(step: EngineStep, text: str) -> None:
    assert step_text(step) == text
