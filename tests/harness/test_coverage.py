"""The coverage of VACUUM, counted for the report's tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.coverage import SHORT_NAMES, Cell, coverage, nested, retention_form
from model.prediction.fates import Reason
from model.vocabulary.steps import Mode, Vacuum
from model.vocabulary.table import HOUR, WEEK, Column, Commit, DataFile, Removal, StrayFile, Table
from model.vocabulary.values import Type
from tests.builders.observations import START, make, vacuum_observation

COLUMNS = (Column("_p", Type.STRING), Column("v", Type.INTEGER))


def table(**more: Any) -> Table:
    """A live file, files removed around the cutoff and long before, and orphans; the cutoff is at the start."""
    files = tuple(DataFile(id, ("a",), ((id,),), -4 * WEEK) for id in range(6))
    removes = tuple(Removal(id, offset) for id, offset in ((1, -1), (2, 0), (3, 1), (4, WEEK), (5, -WEEK)))
    stray_files = (
        StrayFile("at/before", modified=-1),
        StrayFile("at/on", modified=0),
        StrayFile("at/after", modified=1),
        StrayFile("old", modified=-HOUR),
        StrayFile("young", modified=WEEK),
        StrayFile("_hidden", modified=-1),
        StrayFile("../around/f", modified=-1),
    )
    return Table(
        COLUMNS,
        ("_p",),
        files,
        (Commit(-WEEK, adds=tuple(range(6))), Commit(0, removes=removes)),
        stray_files,
        **more,
    )


def seen(directory: Path, step: Vacuum, *, refused: bool = False) -> VacuumObservation:
    given = table()
    return vacuum_observation(given, make(given, directory), step, clock=given.retention, refused=refused)


def test_every_reason_has_a_short_name_of_its_own() -> None:
    assert set(SHORT_NAMES) == set(Reason)
    assert len(set(SHORT_NAMES.values())) == len(SHORT_NAMES)


def test_a_run_counts_reasons_and_sides_of_the_cutoff(tmp_path: Path) -> None:
    assert nested(coverage(seen(tmp_path, Vacuum()))) == {
        "vacuums": {"table's default": {"default": 1}},
        "paths": {
            "live add": {"keep": 1},
            "retained tombstone": {"keep": 2},
            "young": {"keep": 3},
            "partition with a hidden name": {"keep": 3},
            "hidden file": {"keep": 1},
            "directory with something to keep": {"keep": 2},
            "outside the root": {"keep": 1},
            "expired tombstone": {"delete": 3},
            "orphaned file": {"delete": 2},
        },
        "cutoff": {"tombstone": {"-1": 1, "0": 1, "+1": 1}, "file": {"-1": 1, "0": 1, "+1": 1}},
    }


def test_lite_counts_commits_and_tombstones_of_its_window(tmp_path: Path) -> None:
    found = coverage(seen(tmp_path, Vacuum(mode=Mode.LITE)))
    assert nested({cell: count for cell, count in found.items() if cell.column != "keep"}) == {
        "vacuums": {"table's default": {"LITE": 1}},
        "paths": {"expired tombstone": {"delete": 2}},  # LITE keeps the one at the cutoff
        "cutoff": {"tombstone": {"-1": 1, "0": 1, "+1": 1}, "commit": {"0": 1}},
    }
    assert found[Cell("paths", "not scanned", "keep")] > 0


@pytest.mark.parametrize("step", [Vacuum(dry_run=True), Vacuum(retain_hours=0)])
def test_a_run_that_deletes_nothing_counts_its_mode_only(step: Vacuum, tmp_path: Path) -> None:
    v = seen(tmp_path, step, refused=step.retain_hours == 0)
    assert len(coverage(v)) == 1


def test_no_instant_is_counted_next_to_an_inexact_cutoff(tmp_path: Path) -> None:
    v = seen(tmp_path, Vacuum(retain_hours=0, safety_check=False))
    v = replace(v, outcome=replace(v.outcome, ended=START + 5))
    assert "cutoff" not in nested(coverage(v))


def test_the_forms_of_retentions() -> None:
    of_tables = {None: "default", 0: "zero", 1: "hours", 25: "hours", 48: "days", 336: "weeks"}
    for hours, form in of_tables.items():
        assert retention_form(Vacuum(), table(retention_hours=hours)) == f"table's {form}"
    of_steps = {
        0: "zero",
        0.4: "fraction",
        168: "whole",
        1.5: "fraction",
        -1: "negative",
        -0.4: "negative",
        1e6: "huge",
    }
    for retain, form in of_steps.items():
        for check, word in ((True, "on"), (False, "off")):
            step = Vacuum(retain_hours=retain, safety_check=check)
            assert retention_form(step, table()) == f"RETAIN {form}, check {word}"
