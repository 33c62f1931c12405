"""The findings: each has a script that stands alone and says what its file states, a text for a tracker, a line on a page."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from engines.provider import ENGINES
from engines.spark.adapter import SparkEngine
from engines.versions import releases_of
from harness.running.judge import Judge
from records.mistakes import UsageMistake
from runner.finding.__main__ import main
from runner.finding.entries import Expected, Finding, findings
from runner.finding.script import script_of
from runner.finding.taking import take
from runner.finding.texts import BEGIN, END, PAGES, issue, page_of
from suites.catalogue import CATALOGUE
from tests.docs.test_findings_scripts import mistakes
from tests.slow import slow_after

FOUND = list(findings().values())
MADE = [one for one in FOUND if one.shown is not None]

#: With the data, which a table of several files needs.
MOST_LINES = 155


def test_a_script_is_short_imports_what_it_installs_and_names_its_command_and_its_exit_codes() -> None:
    texts = {one.name: script_of(one, one.with_fault[-1]) for one in MADE}
    found = {name: list(mistakes(f"{name}.py", text, MOST_LINES)) for name, text in texts.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_a_finding_has_the_words_that_its_reader_needs() -> None:
    lacking = {one.name: [name for name in ("promised", "actual", "text") if not getattr(one, name)] for one in FOUND}
    assert {name: words for name, words in lacking.items() if words} == {}
    assert [one.name for one in FOUND if not one.with_fault] == []


def test_a_text_for_a_tracker_has_versions_steps_and_the_script() -> None:
    for one in MADE:
        told = issue(one)
        assert told.startswith(f"# {one.title}\n") and "def main():" in told, one.name
        assert one.promised in told and "- Step " in told and f"Seen on {one.with_fault[0]}" in told, one.name


def test_the_pages_are_written_from_the_findings() -> None:
    for engine, path in PAGES.items():
        text = path.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        assert text.strip() == page_of(one for one in FOUND if one.engine == engine).strip(), (
            "tombstone finding --write"
        )


#: What pyarrow says when a thread of its scan is still there while the interpreter ends, after all is done, once in some forty
#: times on a busy machine: https://github.com/apache/arrow/issues/34314, https://github.com/apache/arrow/issues/39862.
ABORTED_AT_THE_END = "terminate called without an active exception\n"

_ANSWERS = {0: Expected.RIGHT, 1: Expected.FAULT, 2: Expected.UNKNOWN}
_WORDS = {"HOLDS": Expected.RIGHT, "VIOLATED": Expected.FAULT}


def said_by(run: subprocess.CompletedProcess[str]) -> Expected | None:
    """What the script says; of one that pyarrow aborted after its answer, that."""
    if run.returncode == -signal.SIGABRT and run.stderr == ABORTED_AT_THE_END:
        return _WORDS.get(run.stdout.splitlines()[-1].partition(":")[0].partition(" ")[0])
    return _ANSWERS.get(run.returncode)


@pytest.mark.parametrize(
    ("said", "meant"),
    [("[7]\nVIOLATED: the rows\n", Expected.FAULT), ("HOLDS on deltalake\n", Expected.RIGHT), ("[7]\n", None)],
)
def test_the_answer_counts_if_pyarrow_aborts_after_it(said: str, meant: Expected | None) -> None:
    assert said_by(subprocess.CompletedProcess([], -6, said, ABORTED_AT_THE_END)) is meant
    assert said_by(subprocess.CompletedProcess([], -6, said, "another text\n")) is None


#: Of delta-rs; the others run at night.
ON_DELTA_RS = [one for one in FOUND if one.engine == "deltalake"]
FIFTH = ON_DELTA_RS[::5]


@pytest.mark.process
@pytest.mark.parametrize(
    "one", slow_after(len(FIFTH), [*FIFTH, *(one for one in ON_DELTA_RS if one not in FIFTH)]), ids=lambda one: one.name
)
def test_a_script_says_what_its_finding_states_of_the_pinned_release(one: Finding, tmp_path: Path) -> None:
    installed = version("deltalake")
    script = tmp_path / f"{one.name}.py"
    script.write_text(script_of(one, installed), encoding="utf-8")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert said_by(run) is one.expected[installed], f"{run.stdout}{run.stderr[-1000:]}"


#: Cases that no gate judges.
OWN = [one for one in MADE if one.engine == "spark" and one.shown and not one.shown.file.startswith("regressions/")]


@pytest.mark.slow
@pytest.mark.parametrize("one", OWN, ids=lambda one: one.name)
def test_the_clauses_detect_a_finding_on_spark(one: Finding, spark_engine: SparkEngine, tmp_path: Path) -> None:
    assert one.shown is not None
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path).judge(one.shown.case)
    assert judged.failure is None, judged.failure
    newest = one.expected[releases_of("spark").judged[-1]]
    assert bool({*one.clauses} & {*judged.violated}) is (newest is Expected.FAULT)


def test_a_finding_tells_of_the_newest_judged_release() -> None:
    newest = {engine: releases_of(engine).judged[-1] for engine in ENGINES}
    assert [one.name for one in FOUND if one.engine in newest and newest[one.engine] not in one.expected] == []


def test_a_command_names_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageMistake, match="did you mean null_condition"):
        main(["null_conditio"])
    assert main(["null_condition"]) == 0
    assert "deltalake==1.6.6 pyarrow" in capsys.readouterr().out
    assert main(["null_condition", "--release", "1.5.1"]) == 0
    assert "deltalake==1.5.1 pyarrow" in capsys.readouterr().out


def test_what_no_engine_is_named_for_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake, match="does not begin with an engine"):
        take(tmp_path / "case.json", "null_condition")
