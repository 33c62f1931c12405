"""``--shard``: the parts of a run on an engine that needs no JVM, merged, against the undivided run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from reports.command import main
from reports.findings.of_run import findings_of
from reports.stream.reading import Run, read_run, read_stream
from runner.plugin import ROOT
from tests.runner.in_process import Ended, run_suite
from tests.slow import slow_after

ENGINE = "tests.outside_engine:ENGINE"


SMALL = ("--profile", "smoke", "--budget", "0.05")


def judged(directory: Path, *options: str) -> Ended:
    """A small run of the reference engine."""
    return run_suite(directory, *SMALL, *options, engine=ENGINE)


def said(run: Run) -> dict[str, tuple[str, int, int, str]]:
    """What the footer says of each clause, without the times."""
    return {id: (one.verdict.value, one.met, one.subjects, one.reason) for id, one in run.footer.verdicts.items()}


@pytest.mark.parametrize("fault", slow_after(1, ["vacuums-inside-retention", None]))
def test_merged_parts_are_the_undivided_run(
    fault: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [] if fault is None else ["--known-bad", fault]
    code = 0 if fault is None else 1
    whole = judged(tmp_path / "whole", *options)
    assert whole.code == code, whole.said
    places = [tmp_path / f"part-{number}" for number in (1, 2)]
    parts = [judged(place, *options, "--shard", f"{number}/2") for number, place in enumerate(places, start=1)]
    for number, (place, part) in enumerate(zip(places, parts), start=1):
        assert part.code in (0, code) and "the verdict" in part.said, part.said
        assert f"part {number} of 2" in " ".join(part.said.split())
        assert not (place / "report.html").exists() and f"part:     {place}" in part.said
    assert max(part.code for part in parts) == code
    capsys.readouterr()
    assert main(["merge", *map(str, reversed(places)), "--out", str(tmp_path / "merged")]) == code
    assert capsys.readouterr().out.startswith(
        "PASS: no new fault in outside 4.4.0" if fault is None else "FAIL: outside 4.4.0 with"
    )
    one, other = read_run(tmp_path / "whole"), read_run(tmp_path / "merged")
    assert said(one) == said(other) and one.footer.counts == other.footer.counts
    found = findings_of(one), findings_of(other)
    assert found[0].coverage == found[1].coverage and found[0].features == found[1].features
    assert found[0].drawn == found[1].drawn and found[0].operations == found[1].operations
    causes = [{(example.clause, example.cause) for one in own.failures for example in one.examples} for own in found]
    assert causes[0] == causes[1] and bool(causes[0]) == (fault is not None)
    shown = [{path.parent.name for path in (tmp_path / name).rglob("reproduce.py")} for name in ("whole", "merged")]
    assert bool(shown[0]) == bool(shown[1]) == (fault is not None)
    cases = [sorted(case.id for case in run.cases if case.origin != "shrunk") for run in (one, other)]
    assert cases[0] == cases[1]


def test_a_part_without_test_items_is_whole_and_valid(tmp_path: Path) -> None:
    done = judged(tmp_path, "--shard", "99/99")
    assert done.code == 0, done.said
    check_empty(tmp_path)


def test_it_is_by_a_worker_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "suites", "--engine", ENGINE, *SMALL, "--report-dir", str(tmp_path)]
    done = subprocess.run([*command, "--shard", "99/99", "-n", "1"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    check_empty(tmp_path)


def check_empty(report: Path) -> None:
    part = read_stream(report)
    assert len(part.cases) == 0 and part.header.version == "4.4.0" and part.header.shard is not None
    assert (part.header.shard.number, part.header.shard.of) == (99, 99)


@pytest.mark.parametrize("option", ["-x", "--maxfail=2"])
def test_a_part_is_not_stopped_before_its_end(option: str, tmp_path: Path) -> None:
    done = judged(tmp_path / "report", "--shard", "1/2", option)
    assert done.code == 2 and "only whole parts can be merged: leave them out." in done.said
    assert not (tmp_path / "report").exists()


def test_the_jobs_of_the_docs_are_all_parts() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    ((jobs, of),) = re.findall(r"part: \[([\d, ]+)\].*?--shard \$\{\{ matrix\.part \}\}/(\d+)", text, re.DOTALL)
    assert jobs.split(", ") == [str(number) for number in range(1, int(of) + 1)]
