"""What a failing case leaves behind: the explanation, the reproduction script, their folder. Without Spark."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from model.case import Case
from model.predicate import Constant
from model.steps import (
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import (
    DAY,
    HOUR,
    WEEK,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from model.values import ArrayOf, DecimalOf, MapOf, StructOf, Type
from reports.counterexamples import write_counterexample
from reports.counterexamples.script import InvalidPlan
from reports.explanation import explanation
from reports.instants import duration, instant

CASE = Case(
    Table(
        columns=(Column("id", Type.INTEGER), Column("p", Type.STRING)),
        partition_by=("p",),
        files=(
            DataFile(0, ("a",), ((1,), (None,)), -WEEK),
            DataFile(1, (None,), (), -2 * WEEK),
            DataFile(2, ("x|y",), ((3,),), -DAY),
        ),
        commits=(Commit(-2 * WEEK, adds=(0, 1)), Commit(-WEEK, removes=(Removal(1, -WEEK - 1),), checkpoint=True)),
        stray_files=(StrayFile("orphan", modified=-WEEK, size=3), StrayFile("hole", Kind.DIRECTORY)),
    ),
    (
        SetClock(Moment(HOUR)),
        Delete(),
        SetClock(Moment(WEEK, removed_by_step=1)),
        Vacuum(),
        Read(before_step=1),
        Append((DataFile(3, ("a",), (), 0),)),
        AddStrayFiles((StrayFile("late"),)),
        Read(),
    ),
)
CLAUSE = {"id": "VAC-SAFE-1", "chapter": "VACUUM", "sentence": "VACUUM never deletes a live file.", "sources": ["S1"]}
VIOLATION = {
    "clause": "VAC-SAFE-1",
    "step": 3,
    "subject": "p=a/f",
    "message": "The live file p=a/f must stay, but it is gone.",
    "evidence": ["File p=a/f is live in version 1 (added by commit 0, never removed).", "VACUUM deleted it."],
    "expectation": {"kind": "gone", "expects": {"path": "p=a/f"}},
}
LINE = {
    "id": "0123456789ab",
    "campaign": "strays",
    "case": {"format": 1, "text": "\ud800"},
    "steps": [
        {
            "index": 1,
            "text": "DELETE FROM t",
            "outcome": {"rows": [[3]], "error": None},
            "observed": {"version": [1, 2]},
        },
        {
            "index": 3,
            "text": "VACUUM t",
            "outcome": {"rows": None, "error": {"exception": "X", "condition": None, "message": "no | space"}},
            "observed": None,
        },
    ],
}
PLAN: dict[str, Any] = {
    "clause": "VAC-SAFE-1",
    "sentence": 'VACUUM never deletes """ a live \\ file.',
    "case": "0123456789ab",
    "engine": "spark",
    "packages": "io.delta:delta-spark_4.2_2.13:4.4.0",
    "pip": "pyspark==4.2.0 delta-spark==4.4.0",
    "root": "/tmp/tombstone-0123456789ab/table",
    "columns": ["id", "p"],
    "table": [{"path": "_delta_log/00000000000000000000.json", "modified": 0, "text": "{}\n"}],
    "steps": [
        {"step": 3, "do": "vacuum", "sql": "VACUUM delta.`{table}`", "clock": {"offset": 5, "removed_by_step": None}},
    ],
    "expectation": {"kind": "gone", "expects": {"path": "p=a/f"}},
    "step": 3,
}


# ---- instants


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (0, "start"),
        (WEEK, "start + 7 d"),
        (-WEEK - 1, "start - 7 d 0.001 s"),
        (-90 * 60_000, "start - 1 h 30 min"),
        (61_500, "start + 1 min 1.500 s"),
    ],
)
def test_instants_are_exact(offset: int, words: str) -> None:
    assert instant(offset) == words


def test_no_time_at_all_is_said() -> None:
    assert duration(0) == "0 s"


# ---- the explanation


def test_the_explanation_says_the_promise_the_table_the_program_and_the_proof() -> None:
    text = explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="spark")
    for part in (
        "VACUUM never deletes a live file. Sources: S1.",
        "1. File p=a/f is live in version 1 (added by commit 0, never removed).",
        "`id` integer, `p` string; partitioned by `p`",
        "kept for 7 d (the default)",
        "Version 0, at start - 14 d: adds file 0, adds file 1.",
        "deletionTimestamp start - 7 d 0.001 s); a checkpoint follows.",
        "2 rows: `(1)`, `(NULL)`; modified at start - 7 d.",
        "no rows; modified at start - 14 d.",
        "no commit of the table adds it",
        "Stray file of 3 bytes `orphan`",
        "Stray directory `hole`",
        "|  | 0 | the engine's clock is put to start + 1 h |",
        "|  | 1 | `DELETE FROM t`, the engine's clock at start + 1 h<br>answered 1 row; version 1 → 2 |",
        "| **→** | 3 | `VACUUM t`, the engine's clock at the deletionTimestamp of step 1 + 7 d<br>refused with X: no \\| space |",
        "|  |  | (the case stops here) |",
    ):
        assert part in text


def test_the_explanation_stops_at_the_step_that_broke_the_promise() -> None:
    assert "| 4 |" not in explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="spark")
    text = explanation(case=CASE, line=LINE, violation={**VIOLATION, "step": 7}, clause=CLAUSE, engine="spark")
    for part in (
        "|  | 4 | read the version just before step 1, the engine's clock at",
        "|  | 5 | another writer commits 1 file: 3 |",
        "|  | 6 | stray files and directories appear: late |",
        "| **→** | 7 | read the current version",
    ):
        assert part in text
    assert "stops here" not in text


def test_the_explanation_knows_all_of_the_vocabulary() -> None:
    point = StructOf((("x", DecimalOf(10, 2)), ("tags", ArrayOf(Type.STRING))))
    table = Table(
        columns=(
            Column("at", point, nullable=False),
            Column("m", MapOf(Type.STRING, Type.BINARY), default=True),
            Column("number", Type.LONG, identity=True),
            Column("copy", Type.LONG, generated_from="number"),
        ),
        partition_by=(),
        files=(DataFile(0, (), (((Decimal("1.20"), ("a", None)), (("k", b"\xff"),), 1, 1), (None, None, 2, 2)), 0),),
        commits=(
            Commit(-WEEK, adds=(0,)),
            Commit(-DAY, deletion_vectors=(DeletionVector(0, (0, 1), -DAY, VectorStorage.INLINE),)),
        ),
        features=("deletionVectors",),
        checks=(Constant(True),),
    )
    steps = (Delete(form=Form.API_NAME, zone="Asia/Kolkata"), InvalidDelete(DeleteMistake.AGGREGATE), ReadChanges(0))
    line = {**LINE, "steps": [{"index": 0, "text": "DELETE FROM t", "outcome": None, "observed": None}]}
    text = explanation(
        case=Case(table, steps), line=line, violation={**VIOLATION, "step": 2}, clause=CLAUSE, engine="spark"
    )
    for part in (
        "`at` struct\\<x:decimal(10,2),tags:array\\<string>> NOT NULL, `m` map\\<string,binary> DEFAULT NULL, ",
        "`number` long GENERATED ALWAYS AS IDENTITY, `copy` long GENERATED ALWAYS AS (`number`); not partitioned.",
        "- Table features: deletionVectors.",
        "- 1 CHECK constraint, true of all rows (said in the case).",
        "hides rows 0, 1 of file 0 with a deletion vector of storage type i (deletionTimestamp start - 1 d).",
        "`([1.20, ['a', NULL]], [['k', ff]], 1, 1)`, `(NULL, NULL, 2, 2)`",
        "|  | 0 | `DELETE FROM t`, DeltaTable.forName, in the time zone Asia/Kolkata, the engine's clock at start |",
        "|  | 1 | a DELETE that must be refused: aggregate function, the engine's clock at start |",
        "| **→** | 2 | read the changes of step 0, the engine's clock at start |",
    ):
        assert part in text, text


def test_the_explanation_knows_all_of_vacuum() -> None:
    files = tuple(DataFile(id, (), (), 0, reference=reference) for id, reference in enumerate(Reference))
    table = Table(
        columns=(Column("id", Type.INTEGER),),
        partition_by=(),
        files=files,
        commits=(
            Commit(-WEEK, adds=(0, 1, 2)),
            Commit(-DAY, deletion_vectors=(DeletionVector(0, (0,), -DAY),), vector_prefix="ab"),
            Commit(-HOUR, removes=(Removal(1, None), Removal(2, -HOUR, bare=True)), checkpoint=True, parts=3),
        ),
        stray_files=(StrayFile("here", Kind.LINK, -DAY, 0, "../there"), StrayFile("../beside")),
        pruned=2,
    )
    steps = (
        Vacuum(0.5, False, False, None, Mode.LITE_SETTING, parallel=True),
        Vacuum(mode=Mode.INVENTORY_TABLE, inventory=Inventory.FILES, form=VacuumForm.SQL_NAME, logging=False),
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="a|b"),
        InvalidVacuum(VacuumMistake.CLAUSE_TWICE, dry_run=True),
    )
    line = {
        **LINE,
        "steps": [{"index": index, "text": "VACUUM t", "outcome": None, "observed": None} for index in range(3)],
    }
    text = explanation(
        case=Case(table, steps), line=line, violation={**VIOLATION, "step": 3}, clause=CLAUSE, engine="spark"
    )
    for part in (
        "- The log has no commits and no checkpoints below version 2 any more.",
        "no rows; modified at start; the log names it by its URI.",
        "`../elsewhere/part-00002-",
        "(deletionTimestamp start - 1 d) (vector file in `ab`).",
        "no deletionTimestamp), removes file 2 (",
        "deletionTimestamp start - 1 h, no extended file metadata); a checkpoint follows, in 3 parts.",
        "- Stray link `here` to `../there`, modified at start - 1 d; no action refers to it.",
        "- Stray file of 1 byte `../beside`",
        "`VACUUM t`, LITE by setting, safety check off, logging not set, deleting in parallel, the engine's clock at start",
        "`VACUUM t`, sql by name, USING INVENTORY table of files only, logging off, the engine's clock at start",
        "`VACUUM t`, and of `a\\|b`: it cannot be deleted, the engine's clock at start",
        "a VACUUM DRY RUN that must be refused: clause that is said twice, the engine's clock at start",
    ):
        assert part in text, text


# ---- the folder


def test_a_folder_holds_the_case_the_explanation_and_the_script(tmp_path: Path) -> None:
    folder = write_counterexample(tmp_path, case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, plan=PLAN)
    assert folder == tmp_path / "counterexamples" / "VAC-SAFE-1-0123456789ab"
    assert sorted(path.name for path in folder.iterdir()) == ["case.json", "explanation.md", "reproduce.py"]
    assert json.loads((folder / "case.json").read_text(encoding="utf-8")) == LINE["case"]


def test_nothing_is_written_for_an_invalid_plan(tmp_path: Path) -> None:
    plan = {**PLAN, "step": 2}
    with pytest.raises(InvalidPlan):
        write_counterexample(tmp_path, case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, plan=plan)
    assert list(tmp_path.iterdir()) == []
