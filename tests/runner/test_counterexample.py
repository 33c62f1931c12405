"""The scripts of counterexamples are run when they are written, on delta-rs; one that contradicts its verdict is shown."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from engines.provider import kind_of
from harness.campaigns.record import case_record
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import Type
from records.expectations import Succeeds
from records.run import RecordedCase
from reports.counterexamples.checked import ScriptResult, disagreements, read_checked
from reports.counterexamples.examples import Script
from runner.run.counterexample import answer_of, write_counterexamples
from suites.catalogue import CATALOGUE, unsupported
from tests.builders.small_streams import failures_in, header

#: docs/findings-deltalake.md, "`d = 0` and -0.0".
CASE = Case(
    Table(
        columns=(Column("d", Type.DOUBLE), Column("v", Type.INTEGER)),
        partition_by=("d",),
        files=(DataFile(0, (-0.0,), ((1,),), -DAY),),
        commits=(Commit(-HOUR, adds=(0,)),),
    ),
    (Delete(Compare("d", Op.EQ, 0.0, Type.DOUBLE)),),
)


#: delta-rs writes the partition value inf, which it reads, and other readers do not (PROTOCOL.md: Infinity).
INFINITY = Case(
    replace(CASE.table, files=(DataFile(0, (math.inf,), ((1,), (2,)), -DAY),)),
    (Delete(Compare("v", Op.EQ, 1, Type.INTEGER)),),
)


def judged_record(case: Case, directory: Path) -> RecordedCase:
    engine = DeltalakeEngine()
    unpromised = unsupported(engine)
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unpromised]
    judged = Judge(engine, clauses, directory / "judged").judge(case)
    engine.close()
    assert judged.failed
    return case_record(judged, campaign="programs", batch=0, index=0, origin="shrunk")


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> RecordedCase:
    """The case's record."""
    return judged_record(CASE, tmp_path_factory.mktemp("line"))


def test_what_only_the_engine_itself_can_read_is_checked_by_its_text(tmp_path: Path) -> None:
    line = judged_record(INFINITY, tmp_path)
    found = {one.clause: one.answer for one in checked(line, tmp_path / "report")}
    assert found == dict.fromkeys(["DEL-ROW-3", "DEL-ROW-5B", "DEL-ADD-1E", "DEL-GEN-1B"], "VIOLATED")


def checked(
    line: RecordedCase, directory: Path, *, known_bad: str | None = None, scripts: int | None = None
) -> list[ScriptResult]:
    first = header(clauses=CATALOGUE, known_bad=known_bad)
    directory.mkdir(exist_ok=True)
    return write_counterexamples(
        failures_in(first, [line]),
        header=first,
        dialects=kind_of("deltalake").dialects_of(DeltalakeEngine(None).versions),
        directory=directory,
        workspace=directory,
        scripts=scripts,
    )


def test_the_script_of_each_clause_agrees_with_its_verdict(line: RecordedCase, tmp_path: Path) -> None:
    found = checked(line, tmp_path)
    failed = {violation.clause for violation in line.violations}
    assert {one.clause for one in found} == failed
    assert not any(one.disagrees for one in found) and "VIOLATED" in {one.answer for one in found}
    assert read_checked(tmp_path) == tuple(found)
    assert {path.name for path in tmp_path.iterdir()} == {"counterexamples"}, "nothing is left behind"
    for one in found:
        assert json.loads((tmp_path / one.folder / "case.json").read_text()) == line.document
        if one.answer == "VIOLATED":
            text = (tmp_path / one.folder / "explanation.md").read_text()
            assert text.endswith("When it was written, the script answered: VIOLATED.\n")
    assert disagreements(found, failed) == ([], False)


def test_a_script_that_holds_is_an_error_of_the_suite(line: RecordedCase, tmp_path: Path) -> None:
    """A verdict that says something else than its expectation."""
    (one,) = [violation for violation in line.violations if violation.clause == "DEL-META-1"]
    wrong = replace(line, violations=(replace(one, expectation=Succeeds()),))
    (found,) = checked(wrong, tmp_path)
    assert (found.answer, found.expected, found.disagrees) == ("HOLDS", "VIOLATED", True)
    assert found.text.startswith("An error of the suite: the script counterexamples/DEL-META-1-")
    assert "**An error of the suite" in (tmp_path / found.folder / "explanation.md").read_text()
    assert disagreements([found], ["DEL-META-1"]) == ([found], True)
    assert disagreements([found], ["DEL-META-1", "DEL-ROW-1"]) == ([found], False), "another clause may be right"


def test_of_a_known_bad_engine_the_script_must_hold_on_the_healthy_one(line: RecordedCase, tmp_path: Path) -> None:
    found = checked(line, tmp_path, known_bad="forgets-a-partition")
    assert found[0].expected == "HOLDS" and found[0].disagrees, "delta-rs violates it without the fault"


def test_only_so_many_scripts_are_run_the_gravest_first(line: RecordedCase, tmp_path: Path) -> None:
    assert checked(line, tmp_path, scripts=0) == []
    assert len(list(tmp_path.glob("counterexamples/*/reproduce.py"))) >= 1
    (first,) = checked(line, tmp_path, scripts=1)
    assert first.clause == failures_in(header(clauses=CATALOGUE), [line])[0].lead.clause


NOISE = """print("HOLDS the lock")
print("VIOLATED: a setting of the engine")
print("CANNOT TELL: says the engine")
print("HOLDS: says the engine")
"""


@pytest.mark.parametrize(
    ("end", "answer", "said"),
    [
        ('print("VIOLATED: rows - expected 1 and found 2")\nsys.exit(1)', "VIOLATED", "VIOLATED: rows - expected 1"),
        ('print("HOLDS: rows - expected 1 and found 1")\nsys.exit(0)', "HOLDS", "HOLDS: rows - expected 1"),
        ('print("CANNOT TELL: OSError()")\nsys.exit(2)', "CANNOT TELL", "CANNOT TELL: OSError()"),
        ('print("VIOLATED: rows")\nprint("bye")\nsys.exit(1)', "VIOLATED", "VIOLATED: rows"),
        ("sys.exit(3)", "nothing", "it ended with exit code 3"),
        ("os.kill(os.getpid(), 9)", "CANNOT TELL", "the engine ended the process (signal 9)"),
    ],
)
def test_a_script_says_it_by_its_exit_code(end: str, answer: str, said: str, tmp_path: Path) -> None:
    """Lines of the engine that begin with such a word do not count."""
    found = answer_of(Script("C", f"import os, sys\n{NOISE}{end}\n", "/tmp/none"), tmp_path, set())
    assert found[0] == answer and found[1].startswith(said)


@pytest.mark.parametrize("end", ["import nothing_of_the_kind", "os._exit(0)", "sys.exit(1)", "sys.exit(2)"])
def test_a_script_that_does_not_run_to_its_end_says_nothing(end: str, tmp_path: Path) -> None:
    text = f"import os, sys\nprint('HOLDS the lock')\nprint('VIOLATED the lock')\n{end}\n"
    assert answer_of(Script("C", text, "/tmp/none"), tmp_path, set())[0] == "nothing"
