"""``tox -e together``: mistakes end in a sentence before anything runs; a whole run; one that is interrupted."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import IO

import pytest

from engines.deltalake.capabilities import capabilities_of as of_delta_rs
from engines.port import EngineUnavailable
from engines.spark.releases import capabilities_of as of_spark
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.turns.turn_judge import News, TurnCase, TurnJudge
from model.codec import dumps
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Delete, Vacuum
from model.vocabulary.table import HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import Type
from records.run import RecordedViolation
from reference_engine import ReferenceEngine
from reports.render.together import CASES, JSON, PAGE, SUMMARY
from runner import gate_version, together
from runner.command_line.commands import INTERRUPTED, in_a_sentence
from runner.plugin import ROOT
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE, unsupported
from tests.runner.test_interrupted import in_a_terminal
from tests.runner.test_workspace import until
from tests.slow import slow_after

_DRAWN = Case(
    Table(
        columns=(Column("v", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(0, (), ((1,), (2,), (3,)), -HOUR),),
        commits=(Commit(-HOUR, adds=(0,)),),
    ),
    (Delete(Compare("v", Op.EQ, 1, Type.INTEGER)), Vacuum()),
)
CASE = restricted_to(_DRAWN, capabilities=replace(of_delta_rs(version("deltalake")), sets_clock=True))

PAIR = ["deltalake==1.5.1", "deltalake==1.6.6"]


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    file = tmp_path / "case.json"
    file.write_text(dumps(CASE), encoding="utf-8")
    return file


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs have their directories."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(directory))
    return directory


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every version is the one that is installed beside the tests."""
    monkeypatch.setattr(together, "python_of", lambda version: Path(sys.executable))


def of_both() -> Capabilities:
    """What the engine of this environment supports on both sides."""
    own = of_delta_rs(version("deltalake"))
    return own.shared(own)


def called(*arguments: str) -> int:
    return in_a_sentence(together.main)(list(arguments))


def processes(text: str) -> list[int]:
    """Those that have it in their command."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in file.read_bytes().decode(errors="replace"):
                found.append(int(file.parent.name))
        except OSError:
            continue  # it has ended
    return found


# Mistakes -------------------------------------------------------------------------------------------------------------


def test_an_environment_that_cannot_be_made_is_told_before_an_engine_starts(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(command: Sequence[str], *, directory: Path, environ: Mapping[str, str], output: IO[bytes]) -> int:
        output.write(b"installing\nERROR: No matching distribution found for deltalake==1.5.1\n  versioned: exit 1\n")
        return 1

    monkeypatch.setattr(gate_version, "exit_code_of", fails)
    assert called(*PAIR, "--out", str(tmp_path / "out")) == 2
    said = capsys.readouterr()
    assert said.err == (
        "tox cannot make the environment of deltalake 1.5.1: No matching distribution found for deltalake==1.5.1\n"
    )
    assert not said.out and not list(temporary.iterdir())


# An engine in a process of its own ------------------------------------------------------------------------------------


@contextmanager
def hosted(engine: str) -> Iterator[HostedEngine]:
    workspace = Workspace(None)
    try:
        opened = HostedEngine(Path(sys.executable), engine, workspace)
        try:
            yield opened
        finally:
            opened.close()
    finally:
        workspace.close()


def test_a_hosted_engine_runs_a_case(temporary: Path) -> None:
    with hosted("deltalake") as engine:
        assert engine.versions["deltalake"] == version("deltalake")
        out = unsupported(engine)
        clauses = tuple(clause for id, clause in CATALOGUE.items() if id not in out)
        sides = [Side(engine, clauses, Excuses(), name) for name in ("A", "B")]
        (directory,) = temporary.iterdir()
        judged = list(TurnJudge(sides[0], sides[1], directory / "tables").judge(CASE))
    assert [one.failure for one in judged] == [None, None]
    taken = [(one.side, type(one.step).__name__) for one in judged[0].taken if not one.aside]
    assert taken[:2] == [("A", "Delete"), ("B", "Vacuum")]
    assert not any(one.refused for one in judged[0].taken)
    assert not list(temporary.iterdir())


def test_an_engine_that_cannot_be_started_is_told_in_a_sentence(temporary: Path) -> None:
    with pytest.raises(EngineUnavailable) as caught, hosted("no_engine"):
        pass
    said = str(caught.value)
    assert said.startswith(f"no_engine cannot be started by {sys.executable}: ") and "\n" not in said
    assert not processes(str(temporary)) and not list(temporary.iterdir())


# A whole run ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_a_run_has_an_answer_and_a_report_and_leaves_nothing_else(
    case_file: Path, temporary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = case_file.parent / "out"
    assert called(*PAIR, "--replay", str(case_file), "--out", str(out)) == 0
    said = capsys.readouterr().out
    assert "deltalake 1.5.1 and deltalake 1.6.6 work on the same tables" in said
    assert said.endswith(f"report: {out / PAGE}\n")
    assert sorted(path.name for path in out.iterdir()) == sorted([CASES, SUMMARY, JSON, PAGE])
    assert not processes(str(temporary)) and not list(temporary.iterdir())


def test_two_versions_on_spark_run_the_first_cases() -> None:
    shared = of_spark("3.3.2").shared(of_spark("4.4.0"))
    all_of_them = together.cases_for(shared, ())
    assert len(all_of_them) > together.ON_TWO_SPARKS
    assert together.cases_for(shared, (), most=together.ON_TWO_SPARKS) == all_of_them[: together.ON_TWO_SPARKS]
    assert len(together.cases_for(shared, (), all_cases=True, most=1)) > len(all_of_them)


@pytest.mark.usefixtures("temporary")
def test_a_long_run_says_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hosted("deltalake") as engine:
        sides = [Side(engine, (), Excuses(), name) for name in ("A", "B")]
        found = together.judge(TurnJudge(sides[0], sides[1], tmp_path), [CASE, CASE], minutes=None, every=0)
    first, second = capsys.readouterr().out.splitlines()
    assert first == "0 of 2 cases, 0 steps, 0 s" and second.startswith("1 of 2 cases, ")
    assert found.steps > 4


def test_an_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    class Interrupting(TurnJudge):
        def judge(self, case: Case) -> Iterator[TurnCase]:
            if self.judged:
                raise KeyboardInterrupt
            self.judged = True
            yield from super().judge(case)

        judged = False

    sides = [Side(ReferenceEngine(first=first), (), Excuses(), name) for first, name in ((0, "A"), (50_000, "B"))]
    found = together.judge(Interrupting(sides[0], sides[1], tmp_path), [CASE] * 3, minutes=None)
    assert (found.cases, found.interrupted) == (1, 3) and found.steps
    assert together.judge(TurnJudge(sides[0], sides[1], tmp_path), [CASE], minutes=None).interrupted is None


def of(cause: str, severity: Severity, *, case: Case = CASE, excused: str | None = None, inherited: str = "") -> News:
    broken = RecordedViolation("DEL-ROW-1", 0, None, cause, excused, f"{cause}.", (), severity)
    return News(case, "AB", "B", broken, aside=False, inherited=inherited or None)


ROWS, NUMBER = (of("wrong rows", Severity.WRONG_ANSWERS), of("wrong number", Severity.WRONG_NUMBERS))
LARGER = replace(CASE, steps=CASE.steps * 2)


@pytest.mark.parametrize(
    ("news", "ways"),
    [
        ((NUMBER, ROWS), 1),
        ((NUMBER, of("wrong rows", Severity.WRONG_ANSWERS, case=LARGER)), 2),
        ((replace(NUMBER, pattern="BA"), ROWS), 2),
        ((replace(NUMBER, side="A"), ROWS), 2),
        ((replace(NUMBER, violation=replace(NUMBER.violation, step=1)), ROWS), 2),
        ((of("wrong number", Severity.WRONG_NUMBERS, excused="a fault"), ROWS), 2),
        (
            (
                of("wrong number", Severity.WRONG_NUMBERS, excused="a fault", case=LARGER),
                of("wrong rows", Severity.WRONG_ANSWERS, excused="a fault", inherited="another"),
            ),
            1,
        ),
        ((replace(ROWS, violation=replace(ROWS.violation, excused="a fault")), replace(ROWS, side="A")), 2),
    ],
)
def test_a_fault_is_one_way(news: Sequence[News], ways: int) -> None:
    """A known fault, whatever it breaks; and what else the smallest case of a new failure shows."""
    found = together.TurnFindings()
    list(found.add(TurnCase(CASE, "AB", (), None, tuple(news))))
    assert sum(1 for _ in found.ways) == ways


def test_a_way_is_told_by_its_gravest_failure() -> None:
    found = together.TurnFindings()
    list(found.add(TurnCase(CASE, "AB", (), None, (NUMBER, ROWS))))
    assert list(found.ways) == [[ROWS, NUMBER]]


@pytest.mark.usefixtures("here")
def test_a_case_that_a_version_does_not_support_is_a_mistake(
    case_file: Path, temporary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    zoned = ROOT / "regressions" / "statistics-of-old-timestamps.json"  # a session of Spark has a time zone
    assert called(*PAIR, "--replay", str(zoned), "--out", str(case_file.parent / "out")) == 2
    assert "one of the versions does not support all of case" in capsys.readouterr().err
    assert not processes(str(temporary)) and not list(temporary.iterdir())


#: The command, on the version that is installed beside the tests.
COMMAND = """
import sys
from pathlib import Path
from runner import gate_version, together
from runner.command_line.commands import ended
together.python_of = lambda version: Path(sys.executable)
ended(together.main)
"""


@pytest.mark.parametrize("after", slow_after(1, ["a table", "Starting deltalake 1.6.6."]))
def test_a_run_that_is_interrupted_ends_with_130_and_leaves_nothing(
    after: str, tmp_path: Path, temporary: Path
) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", COMMAND, *PAIR, "--out", str(tmp_path / "out")]
    with in_a_terminal(command, cwd=ROOT, env=environ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("Starting deltalake 1.6.6"):
                break
        if after == "a table":
            until(lambda: any(temporary.glob("*/tables/case-*")), "a case is judged")
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate()[0]
    assert run.returncode == 130 and said.count(INTERRUPTED) == 1 and "Traceback" not in said, said
    if after == "a table":
        content = json.loads((tmp_path / "out" / JSON).read_text(encoding="utf-8"))
        assert content["interrupted"] == len(together.cases_for(of_both(), ())) > content["cases"]
        assert content["answer"] in said and all((tmp_path / "out" / name).exists() for name in (SUMMARY, PAGE))
    assert not processes(str(temporary)) and not list(temporary.iterdir())
