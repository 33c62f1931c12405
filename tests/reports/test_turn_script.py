"""The script of two engines in turn: it runs each side's steps by the Python of that side, and checks what one of them shows."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engines.dialect import DialectFor
from model.codec import case_id, to_json
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Moment, OpenSession, Read, SetClock, Vacuum
from model.vocabulary.table import HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import Type
from records.expectations import ByReplay, Expectation, RowsAre, RowsOf
from records.run import InTurn, Observed, RecordedCase, RecordedOutcome, RecordedStep, RecordedViolation
from reports.counterexamples.turn_plan import turn_plan
from reports.counterexamples.turn_script import TurnScript, turn_reproduction
from tests import scripts

NAMES = ("deltalake 1.5.1", "deltalake 1.6.6")
#: A case, and what it violates.
Shown = tuple[RecordedCase, RecordedViolation]

REPLAY = "tox -e together -- deltalake==1.5.1 deltalake==1.6.6 --replay cases/x.json"

TABLE = Table(
    columns=(Column("v", Type.INTEGER),),
    partition_by=(),
    files=(DataFile(0, (), ((1,), (2,), (3,)), -HOUR),),
    commits=(Commit(-HOUR, adds=(0,)),),
)
FIRST, SECOND = (Delete(Compare("v", Op.EQ, value, Type.INTEGER)) for value in (1, 2))


def taken(side: int, index: int, kind: str, *, aside: bool = False) -> RecordedStep:
    outcome = RecordedOutcome(rows=[], error=None)
    observed = Observed((0, 0))
    return RecordedStep(index, kind, kind, 0.0, outcome, observed, side=NAMES[side], pattern="AB", aside=aside)


def shown(case: Case, expectation: Expectation, *ran: RecordedStep, step: int | None = None) -> Shown:
    """The last of what both ran violates a clause."""
    last = ran[-1]
    at = last.index if step is None else step
    turn = InTurn(last.side, next(name for name in NAMES if name != last.side), "AB")
    message = "3 rows are read, 2 are there."
    violation = RecordedViolation(
        "READ-1A", at, None, "wrong: rows", None, message, (), expectation=expectation, turn=turn
    )
    return RecordedCase(
        case_id(case), "corpus", 0, 0, "generated", to_json(case), ran, {}, (violation,), None
    ), violation


def rows_after(*values: int, of: RowsOf = RowsOf.ANSWER) -> RowsAre:
    return RowsAre(of, tuple((value,) for value in values))


#: B reads what A left.
READ = (taken(0, 0, "delete"), taken(1, 0, "read", aside=True))

#: A goes on with a table that it opened before B's DELETE.
OPENED = Case(TABLE, (OpenSession(), SECOND, Vacuum(by_earlier=True), Read()))
OPENED_STEPS = (
    taken(0, 0, "opensession"),
    taken(1, 1, "delete"),
    taken(0, 1, "read", aside=True),
    taken(0, 2, "vacuum"),
    taken(1, 2, "read", aside=True),
)


def script(found: Shown, dialects: Sequence[DialectFor | None] = (scripts.DELTA_RS, scripts.DELTA_RS)) -> TurnScript:
    return turn_reproduction(turn_plan(*found, NAMES, "A read returns the rows."), dialects, REPLAY)


def ran(text: str, directory: Path, *options: str) -> tuple[int, str]:
    """The exit code of the script, whose table is below the directory, and what it prints."""
    file = directory / "reproduce.py"
    file.write_text(text.replace("/tmp/tombstone-", f"{directory}/tombstone-"), encoding="utf-8")
    command = [sys.executable, "-I", str(file), *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return ended.returncode, ended.stdout + ended.stderr


BOTH = ("--a", sys.executable, "--b", sys.executable)


@pytest.mark.parametrize(("values", "code", "word"), [((2, 3), 0, "HOLDS:"), ((1, 2, 3), 1, "VIOLATED:")])
def test_the_other_side_reads_what_one_left(values: Sequence[int], code: int, word: str, tmp_path: Path) -> None:
    made = script(shown(Case(TABLE, (FIRST,)), rows_after(*values), *READ))
    assert made.decides
    exit_code, said = ran(made.text, tmp_path, *BOTH)
    assert (exit_code, said.startswith(word)) == (code, True), said


def test_what_a_side_has_opened_stays_open(tmp_path: Path) -> None:
    made = script(shown(OPENED, rows_after(1, 3, of=RowsOf.TABLE), *OPENED_STEPS[:-1]))
    assert "opened.vacuum(" in made.text
    exit_code, said = ran(made.text, tmp_path, *BOTH)
    assert exit_code == 0 and said.startswith("HOLDS:"), said


@pytest.mark.parametrize("options", [(), BOTH[:2], ("--a", sys.executable, "--b", "no/python")])
def test_without_both_pythons_it_cannot_tell(options: Sequence[str], tmp_path: Path) -> None:
    made = script(shown(Case(TABLE, (FIRST,)), rows_after(2, 3), *READ))
    exit_code, said = ran(made.text, tmp_path, *options)
    assert exit_code == 2 and said.startswith("CANNOT TELL:"), said
    assert len(options) == 4 or "A/bin/pip install deltalake pyarrow" in said


def test_it_names_who_runs_what_and_needs_no_package_itself() -> None:
    text = script(shown(OPENED, rows_after(1, 3), *OPENED_STEPS)).text
    tree = ast.parse(text)
    top = [one for one in tree.body if isinstance(one, (ast.Import, ast.ImportFrom))]
    assert {name for one in top for name in _modules(one)} <= sys.stdlib_module_names
    heading = ast.get_docstring(tree) or ""
    assert heading.startswith("READ-1A: A read returns the rows.") and "python reproduce.py --a A/bin/python" in heading
    assert "# Step 1, by deltalake 1.6.6\n" in text and "# A read after step 2, by deltalake 1.6.6\n" in text
    assert text.count("opened = DeltaTable(ROOT)") == 1


def test_it_is_the_same_for_the_same_plan() -> None:
    found = shown(OPENED, rows_after(1, 3), *OPENED_STEPS)
    assert script(found) == script(found)


def test_two_engines_have_their_own_functions() -> None:
    made = script(shown(Case(TABLE, (FIRST,)), rows_after(2, 3), *READ), (scripts.SPARK, scripts.DELTA_RS))
    assert made.decides and compile(made.text, "reproduce.py", "exec")
    spark, delta_rs = made.text.index('if GIVEN.side == "a":'), made.text.index('if GIVEN.side == "b":')
    assert spark < made.text.index("from pyspark.sql import") < delta_rs < made.text.index("from deltalake import")


def _modules(one: ast.Import | ast.ImportFrom) -> list[str]:
    names = [one.module or ""] if isinstance(one, ast.ImportFrom) else [name.name for name in one.names]
    return [name.partition(".")[0] for name in names]


SET_CLOCK = Case(TABLE, (FIRST, SetClock(Moment(HOUR)), Vacuum()))
VACUUMED = (*READ, taken(1, 2, "vacuum"))


@pytest.mark.parametrize(
    ("found", "dialects", "reason"),
    [
        (
            shown(Case(TABLE, (FIRST,)), ByReplay("it is about a process"), *READ),
            (scripts.DELTA_RS, scripts.DELTA_RS),
            "it is about a process",
        ),
        (
            shown(Case(TABLE, (FIRST,)), rows_after(2, 3), *READ),
            (scripts.DELTA_RS, None),
            "the commands of deltalake 1.6.6 are not known where this was written",
        ),
        (
            shown(SET_CLOCK, rows_after(2, 3), *VACUUMED),
            (scripts.SPARK, scripts.DELTA_RS),
            "only one of the two engines has a clock that can be set, and the case sets it",
        ),
        (
            shown(SET_CLOCK, rows_after(2, 3), *VACUUMED, step=0),
            (scripts.DELTA_RS, scripts.DELTA_RS),
            "it shows only after a later step than the one that is wrong",
        ),
    ],
)
def test_what_no_script_can_run_or_check_names_the_replay(
    found: Shown, dialects: Sequence[DialectFor | None], reason: str, tmp_path: Path
) -> None:
    made = script(found, dialects)
    assert not made.decides
    exit_code, said = ran(made.text, tmp_path, *BOTH)
    assert exit_code == 2 and said == f"CANNOT TELL: {reason}\nTo check it: {REPLAY}\n"
