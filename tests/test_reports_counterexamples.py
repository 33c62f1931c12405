"""What a failing case leaves behind: the explanation, the reproduction script, their folder. Without Spark."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from harness.observing.normalise import step_text
from model.vocabulary.case import Case
from model.vocabulary.predicate import Constant
from model.vocabulary.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    EngineStep,
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
from model.vocabulary.table import (
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
from model.vocabulary.values import ArrayOf, DecimalOf, MapOf, StructOf, Type
from reports.counterexamples import write_counterexample
from reports.counterexamples.explanation import explanation
from reports.counterexamples.script import InvalidPlan
from reports.quantities import duration, instant

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
    "message": "The live file p=a/f must be kept, but it is gone.",
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
    "generated": 4_555_555_555_500_000_000,
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


def test_a_duration_of_0() -> None:
    assert duration(0) == "0 s"


# ---- the explanation


def explained(case: Case, **records: Any) -> str:
    """The explanation of a violation in the last step; ``records`` are fields of each step's record."""
    none = {"outcome": None, "observed": None}
    steps = [
        {"index": index, "text": step_text(step), **none, **records}
        for index, step in enumerate(case.steps)
        if isinstance(step, ENGINE_STEPS)
    ]
    violation = {**VIOLATION, "step": len(case.steps) - 1}
    return explanation(case=case, line={**LINE, "steps": steps}, violation=violation, clause=CLAUSE, engine="spark")


def test_data_loss_is_named_at_the_top_with_its_reason_the_cause_and_what_fails_with_it() -> None:
    clause = {**CLAUSE, "severity": "data loss", "harm": "A file that readers need is gone."}
    violation = {**VIOLATION, "severity": "data loss", "cause": "deleted: it is live"}
    lines = explanation(
        case=CASE, line=LINE, violation=violation, clause=clause, engine="spark", others=["VAC-KEEP-1A", "VAC-LOG-1B"]
    ).splitlines()
    assert lines[0] == "# Data loss: VAC-SAFE-1 is violated"
    assert "**What it costs:** A file that readers need is gone." in lines
    assert "**Cause:** deleted: it is live." in lines
    assert "**The same step also violates:** VAC-KEEP-1A, VAC-LOG-1B." in lines
    slight = {**violation, "severity": "space kept"}
    text = explanation(case=CASE, line=LINE, violation=slight, clause=clause, engine="spark")
    assert text.startswith("# Space kept: ") and "What it costs" not in text, "the reason is that of the worst"


def test_a_clock_that_moves_on_is_shown_as_such() -> None:
    text = explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="deltalake")
    assert "`DELETE FROM t`, clock from start + 1 h on<br>" in text


def test_an_explanation_has_the_clause_the_table_the_steps_and_the_evidence() -> None:
    text = explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="spark")
    for part in (
        "**Expected:** VACUUM never deletes a live file. Source: [“Table file formats - vacuum: Delta Lake”](https://",
        "1. File p=a/f is live in version 1 (added by commit 0, never removed).",
        "`id` integer, `p` string; partitioned by `p`",
        "Retention of removed files: 7 d (the default).",
        "Version 0, at start - 14 d: adds file 0, adds file 1.",
        "deletionTimestamp start - 7 d 0.001 s); a checkpoint follows.",
        "2 rows: `(1)`, `(NULL)`; modified at start - 7 d.",
        "no rows; modified at start - 14 d.",
        "no commit of the table adds it",
        "Stray file of 3 bytes `orphan`",
        "Stray directory `hole`",
        "|  | 0 | the engine's clock is set to start + 1 h |",
        "|  | 1 | `DELETE FROM t`, clock at start + 1 h<br>returns 1 row: `[3]`<br>version 1 → 2 |",
        "| **→** | 3 | `VACUUM t`, clock at the deletionTimestamp of step 1 + 7 d<br>fails with X: no \\| space |",
        "|  |  | (the case stops here) |",
    ):
        assert part in text


def test_the_steps_end_with_the_violation() -> None:
    assert "| 4 |" not in explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="spark")
    text = explained(CASE)
    for part in (
        "|  | 4 | `SELECT * FROM t (as before step 1)`, clock at",
        "|  | 5 | another writer commits 1 file: 3 |",
        "|  | 6 | stray files and directories are added: late |",
        "| **→** | 7 | `SELECT * FROM t`, clock at",
    ):
        assert part in text
    assert "stops here" not in text


def test_all_of_a_table_is_explained() -> None:
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
    text = explained(Case(table, steps))
    for part in (
        "`at` struct\\<x:decimal(10,2),tags:array\\<string>> NOT NULL, `m` map\\<string,binary> DEFAULT NULL, ",
        "`number` long GENERATED ALWAYS AS IDENTITY, `copy` long GENERATED ALWAYS AS (`number`); not partitioned.",
        "- Table features: deletionVectors.",
        "- 1 CHECK constraint, satisfied by every row (see case.json).",
        "deletes rows 0, 1 of file 0 with a deletion vector of storage type i (deletionTimestamp start - 1 d).",
        "2 rows: `(named_struct('x', CAST(1.20BD AS DECIMAL(10, 2)), 'tags', CAST(array('a', ",
        "map('k', X'FF'), 1, 1)`, `(NULL, NULL, 2, 2)`; modified at start.",
        "|  | 0 | `DELETE FROM t (DeltaTable.forName)`, in the time zone Asia/Kolkata, clock at start |",
        "|  | 1 | `DELETE with a mistake: aggregate function`, clock at start |",
        "| **→** | 2 | `the change data feed of step 0`, clock at start |",
    ):
        assert part in text


def test_all_of_a_vacuum_is_explained() -> None:
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
    text = explained(Case(table, steps))
    for part in (
        "- The log has no commits and no checkpoints below version 2.",
        "no rows; modified at start; the log refers to it by its URI.",
        "`../elsewhere/part-00002-",
        "(deletionTimestamp start - 1 d), in `ab`.",
        "no deletionTimestamp), removes file 2 (",
        "deletionTimestamp start - 1 h, no extended file metadata); a checkpoint follows, in 3 parts.",
        "- Stray link `here` to `../there`, modified at start - 1 d; no action refers to it.",
        "- Stray file of 1 byte `../beside`",
        "`VACUUM t RETAIN 0.5 HOURS (LITE by setting; in parallel)`, safety check off, logging not set, clock at start",
        "`VACUUM t USING INVENTORY (files only) (sql by name)`, logging off, clock at start",
        "`VACUUM t (a\\|b: it cannot be deleted)`, clock at start",
        "`VACUUM with a mistake: ",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("step", "rows", "observed", "ending"),
    [
        (Vacuum(), [], {"vanished": ["a", "b"], "version": [1, 1]}, "succeeds<br>deletes 2 paths: `a`, `b` |"),
        (Vacuum(), [], {"version": [1, 3]}, "succeeds<br>version 1 → 3 |"),
        (Vacuum(dry_run=True), ["a"], {}, "lists 1 path: `a` |"),
        (Vacuum(dry_run=True), [], {}, "lists no paths |"),
        (Delete(), [[3]], {"version": [1, 2]}, "returns 1 row: `[3]`<br>version 1 → 2 |"),
        (Delete(), [], {}, "returns no rows |"),
    ],
)
def test_the_result_of_a_step_is_what_was_recorded(step: EngineStep, rows: Any, observed: Any, ending: str) -> None:
    """A VACUUM that is no DRY RUN has an answer instead of rows."""
    outcome = {"rows": rows, "error": None}
    assert f"clock at start<br>{ending}" in explained(Case(CASE.table, (step,)), outcome=outcome, observed=observed)


@pytest.mark.parametrize(
    ("answer", "vanished", "ending"),
    [
        (["a"], [], "succeeds, and answers with 1 path: `a` |"),
        ([], ["a"], "succeeds, and answers with no paths<br>deletes 1 path: `a` |"),
        (["a", "b"], ["a"], "succeeds, and answers with 2 paths: `a`, `b`<br>deletes 1 path: `a` |"),
        ([""], [], "succeeds, and answers with 1 path: `the table's root` |"),
    ],
)
def test_what_a_vacuum_answers_is_shown_beside_what_it_deletes(
    answer: list[str], vanished: list[str], ending: str
) -> None:
    outcome = {"rows": [], "answer": answer, "error": None}
    text = explained(Case(CASE.table, (Vacuum(),)), outcome=outcome, observed={"vanished": vanished})
    assert f"clock at start<br>{ending}" in text


def test_sources_are_links_or_paths_from_the_project_root() -> None:
    clause = {**CLAUSE, "sources": ["S0", "P Row Tracking", "C 1.2"]}
    text = explanation(case=CASE, line=LINE, violation=VIOLATION, clause=clause, engine="spark")
    assert "(`docs/sources.md#S0`), [PROTOCOL.md, Row Tracking](https://" in text
    assert "How Delta behaves, 1.2 (`docs/delta.md#1.2`)." in text


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
