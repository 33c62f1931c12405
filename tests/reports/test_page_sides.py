"""What the page shows of a failing step: what was expected against what was seen, and the files that it left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from model.codec import to_json
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.steps import Vacuum
from records.expectations import (
    ByReplay,
    Expectation,
    Gone,
    InfoIs,
    Operations,
    Readable,
    Removes,
    RowsAre,
    RowsOf,
    Unchanged,
)
from records.json_form import from_json
from records.run import RecordedViolation
from reports.comparison.comparison import compare
from reports.document import Files
from reports.render.comparison.document import comparison_document
from reports.render.sides import difference_of, files_of
from tests.builders.blocks import blocks_of
from tests.builders.small_streams import DELETE, READ, case, commit, header, run, step, violation
from tests.handmade.vacuums import LISTED_TABLE

TABLE = Case(LISTED_TABLE, (Vacuum(),))
VIOLATION = from_json(violation("VAC-SAFE-1"), RecordedViolation)
PATHS = [file_path(LISTED_TABLE, file) for file in LISTED_TABLE.files]


def expecting(expectation: Expectation | None) -> RecordedViolation:
    return replace(VIOLATION, expectation=expectation)


REMOVES, READS = step(DELETE, removed=["b", "c"]), step(READ, rows=[[1], [3]])
DONE = step(DELETE, operations=["DELETE"], commits=[commit("DELETE", metrics={"numRemovedFiles": "1"})])
STAMPED = step(DELETE, commits=[commit("DELETE", keys=["operation", "inCommitTimestamp"])])
INFO = '{"commitInfo": {"operation": "DELETE", "operationMetrics.numRemovedFiles": '


@pytest.mark.parametrize(
    ("seen", "expectation", "lines"),
    [
        (
            REMOVES,
            Removes(["b", "a"]),
            ['- {"remove": {"path": "a"}}', '  {"remove": {"path": "b"}}', '+ {"remove": {"path": "c"}}'],
        ),
        (REMOVES, Removes(["b"], checkpoint=True), []),  # what a checkpoint removes is not what the step removes
        (DONE, Operations([]), ['+ {"commitInfo": {"operation": "DELETE"}}']),
        (DONE, InfoIs("operationMetrics.numRemovedFiles", "2"), [f'- {INFO}"2"}}}}', f'+ {INFO}"1"}}}}']),
        (DONE, InfoIs("operationMetrics", None, "VACUUM END"), []),  # the step has no such commit
        (STAMPED, InfoIs("inCommitTimestamp", None), []),
        (READS, RowsAre(RowsOf.ANSWER, [[1], [2]]), ["  [1]", "- [2]", "+ [3]"]),
        (READS, RowsAre(RowsOf.TABLE, [[1], [2]]), []),
        # There are no two sides.
        *((step(), one, []) for one in (None, ByReplay("x"), Readable())),
    ],
)
def test_what_was_expected_against_what_was_seen(
    seen: dict[str, Any], expectation: Expectation | None, lines: list[str]
) -> None:
    found = difference_of(case(1, seen), expecting(expectation))
    assert [f"{one.sign} {one.text}" for one in found.lines] == lines


def test_the_files_that_a_vacuum_left() -> None:
    gone, kept = PATHS[0], PATHS[1]
    wrongs = expecting(Unchanged(gone, times=False)), expecting(Gone(kept))
    line = replace(case(1, step(vanished=[gone])), violations=wrongs)
    tree = files_of(TABLE, line, 0)
    wrong = {one.name: (one.after, one.wrong) for one in tree if one.wrong}
    assert wrong == {
        gone.rpartition("/")[2]: ("deleted", "must be kept"),
        kept.rpartition("/")[2]: ("kept", "must be deleted"),
    }
    names = [one.name for one in tree]
    for path in (*PATHS, *(stray.path for stray in LISTED_TABLE.stray_files)):
        *directories, name = path.split("/")
        assert name in names and {f"{directory}/" for directory in directories} <= set(names)
    assert files_of(TABLE, case(1, step()), 0) == (), "a step that deleted nothing"


def test_a_file_that_must_be_kept_and_is_there_was_changed() -> None:
    line = replace(case(1, step()), violations=(expecting(Unchanged(PATHS[0], times=True)),))
    assert [(one.after, one.wrong) for one in files_of(TABLE, line, 0) if one.wrong] == [
        ("not as it was", "must be kept")
    ]


def test_a_comparison_has_the_files_of_both_sides() -> None:
    document = to_json(TABLE)
    before = case(1, step(), case=document)
    now = case(1, step(vanished=[PATHS[0]]), failing=("VAC-SAFE-1",), case=document)
    now = replace(now, violations=(expecting(Unchanged(PATHS[0], times=False)),))
    compared = comparison_document(compare(run(before, first=header("4.0.1")), run(now)))
    (files,) = blocks_of(compared, Files)
    name = PATHS[0].rpartition("/")[2]
    sides = [{one.name: (one.after, one.wrong) for one in tree} for _, tree in files.sides]
    assert [side[name] for side in sides] == [("kept", ""), ("deleted", "must be kept")]
