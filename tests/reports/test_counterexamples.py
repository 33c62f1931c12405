"""What a failing case leaves behind: the explanation, the reproduction script, their folder. Without Spark."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from model.codec import to_json
from model.text.steps import step_text
from model.vocabulary.case import Case
from model.vocabulary.predicate import Constant
from model.vocabulary.severity import Severity
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
    Damage,
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
from records.expectations import Gone
from records.run import (
    ListedClause,
    Observed,
    RecordedCase,
    RecordedError,
    RecordedOutcome,
    RecordedStep,
    RecordedViolation,
)
from reports.counterexamples import write_counterexample
from reports.counterexamples.explanation import explanation
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import InvalidPlan, reproduction
from tests import scripts

CASE = Case(
    Table(
        columns=(Column("id", Type.INTEGER), Column("p", Type.STRING)),
        partition_by=("p",),
        files=(
            DataFile(0, ("a",), ((1,), (None,)), -WEEK),
            DataFile(1, (None,), (), -2 * WEEK),
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
CLAUSE = ListedClause(
    "VAC-SAFE-1", "VACUUM", "VACUUM never deletes a live file.", ("S1",), Severity.DATA_LOSS, "active"
)
VIOLATION = RecordedViolation(
    clause="VAC-SAFE-1",
    step=3,
    subject="p=a/f",
    cause="",
    excused=None,
    message="The live file p=a/f must be kept, but it is gone.",
    evidence=("File p=a/f is live in version 1 (added by commit 0, never removed).", "VACUUM deleted it."),
    severity=Severity.WRONG_WORDS,
    expectation=Gone("p=a/f"),
)


_NO_ROWS, _NOTHING = RecordedOutcome((), None), Observed((0, 0))


def judged(case: Case, *steps: RecordedStep) -> RecordedCase:
    return RecordedCase("0123456789ab", "strays", 0, 0, "drawn", to_json(case), steps, {}, (VIOLATION,), None)


def record(index: int, text: str, outcome: RecordedOutcome = _NO_ROWS, observed: Observed = _NOTHING) -> RecordedStep:
    return RecordedStep(index, "", text, 0.0, outcome, observed)


JUDGED = judged(
    CASE,
    record(1, "DELETE FROM t", RecordedOutcome(((3,),), None), Observed((1, 2))),
    record(3, "VACUUM t", RecordedOutcome(None, RecordedError("X", None, "no | space"))),
)


# ---- the explanation


def explained(case: Case, outcome: RecordedOutcome = _NO_ROWS, observed: Observed = _NOTHING) -> str:
    """The explanation of a violation in the last step; each step has this outcome, and left this."""
    steps = [
        record(index, step_text(step), outcome, observed)
        for index, step in enumerate(case.steps)
        if isinstance(step, ENGINE_STEPS)
    ]
    return told(judged(case, *steps), replace(VIOLATION, step=len(case.steps) - 1))


def told(
    found: RecordedCase = JUDGED,
    violation: RecordedViolation = VIOLATION,
    clause: ListedClause = CLAUSE,
    *,
    own_clock: bool = True,
    others: Sequence[str] = (),
) -> str:
    return explanation(found, violation, clause, replay="the command", own_clock=own_clock, others=others)


def worst() -> str:
    """The explanation of a loss of data in steps whose clock moves on, with all that a clause can have."""
    clause = replace(CLAUSE, harm="A file that readers need is gone.", sources=("S0", "P Row Tracking", "C 1.2"))
    violation = replace(VIOLATION, severity=Severity.DATA_LOSS, cause="deleted: it is live")
    return told(violation=violation, clause=clause, others=["VAC-KEEP-1A", "VAC-LOG-1B"], own_clock=False)


def every_table() -> str:
    """The explanation of a table with all that a table can have."""
    point = StructOf((("x", DecimalOf(10, 2)), ("tags", ArrayOf(Type.STRING))))
    table = Table(
        columns=(
            Column("at", point, nullable=False),
            Column("m", MapOf(Type.STRING, Type.BINARY), default=True),
            Column("number", Type.LONG, identity=True),
            Column("copy", Type.LONG, generated_from="number"),
        ),
        partition_by=(),
        files=(
            DataFile(
                0, (), (((Decimal("1.20"), ("a", None)), (("k", b"\xff"),), 1, 1), ((None, ("b",)), None, 2, 2)), 0
            ),
        ),
        commits=(
            Commit(-WEEK, adds=(0,)),
            Commit(-DAY, deletion_vectors=(DeletionVector(0, (0, 1), -DAY, VectorStorage.INLINE),)),
        ),
        features=("changeDataFeed", "deletionVectors"),
        checks=(Constant(True),),
    )
    steps = (Delete(form=Form.API_NAME, zone="Asia/Kolkata"), InvalidDelete(DeleteMistake.AGGREGATE), ReadChanges(0))
    return explained(Case(table, steps))


def every_vacuum() -> str:
    """The explanation of a table and of VACUUMs with all that concerns a VACUUM."""
    rows = {0: ((1,),)}
    files = tuple(DataFile(id, (), rows.get(id, ()), 0, reference=reference) for id, reference in enumerate(Reference))
    files = (replace(files[0], damage=Damage.MISSING), *files[1:])
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
        features=("deletionVectors",),
        pruned=2,
    )
    steps = (
        Vacuum(0.5, False, False, None, Mode.LITE_SETTING, parallel=True),
        Vacuum(mode=Mode.INVENTORY_TABLE, inventory=Inventory.FILES, form=VacuumForm.SQL_NAME, logging=False),
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="a|b"),
        InvalidVacuum(VacuumMistake.CLAUSE_TWICE, dry_run=True),
    )
    return explained(Case(table, steps))


def every_result() -> str:
    """What is told of what a step answered and did."""
    results: tuple[tuple[EngineStep, RecordedOutcome, Observed], ...] = (
        (Vacuum(), _NO_ROWS, Observed((1, 1), vanished=("a", "b"))),
        (Vacuum(), _NO_ROWS, Observed((1, 3))),
        (Vacuum(dry_run=True), RecordedOutcome(("a",), None), _NOTHING),
        (Vacuum(dry_run=True), _NO_ROWS, _NOTHING),
        (Delete(), RecordedOutcome(((3,),), None), Observed((1, 2))),
        (Delete(), _NO_ROWS, _NOTHING),
        *(
            (Vacuum(), RecordedOutcome((), None, answer), Observed((0, 0), vanished=vanished))
            for answer, vanished in ((("a",), ()), ((), ("a",)), (("a", "b"), ("a",)), (("",), ()))
        ),
    )
    texts = (explained(Case(CASE.table, (step,)), outcome, observed) for step, outcome, observed in results)
    return "".join(line + "\n" for text in texts for line in text.splitlines() if line.startswith("| **→**"))


# ---- the script and the folder


def test_a_folder_holds_the_case_the_explanation_and_the_script(tmp_path: Path) -> None:
    found = replace(JUDGED, document={"format": 1, "text": "\ud800"})
    folder = tmp_path / "counterexamples" / "VAC-SAFE-1-0123456789ab"
    write_counterexample(folder, found, explanation="why \ud800", script="pass")
    assert sorted(path.name for path in folder.iterdir()) == ["case.json", "explanation.md", "reproduce.py"]
    assert json.loads((folder / "case.json").read_text(encoding="utf-8")) == found.document


def test_a_script_quotes_the_sentence_of_its_clause() -> None:
    clause = replace(CLAUSE, sentence='VACUUM never deletes """ a live \\ file.')
    script = reproduction(reproduction_plan(JUDGED, VIOLATION, clause), scripts.SPARK)
    assert (ast.get_docstring(ast.parse(script)) or "").startswith(
        "VAC-SAFE-1: VACUUM never deletes ''' a live \\ file."
    )


def test_no_script_judges_a_step_that_the_engine_does_not_run() -> None:
    plan = reproduction_plan(JUDGED, replace(VIOLATION, step=2), CLAUSE)
    with pytest.raises(InvalidPlan, match="runs no step 2"):
        reproduction(plan, scripts.SPARK)
