"""The scripts for the violations of known-bad engines: VIOLATED on the same engine, and never on a healthy one."""

from __future__ import annotations

import importlib.util
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import get_args

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from engines.port import Outcome, version_of
from engines.wrapped import WrappedEngine
from faults import FAULTS, KnownBadEngine
from harness.running.judge import Judge
from harness.tables.plan import PlannedFile
from model.vocabulary.steps import Request
from records.expectations import (
    ByReplay,
    Expectation,
    FieldMatches,
    ForbiddenChange,
    Measure,
    NothingChanged,
    RowsOf,
    Total,
)
from reference_engine import ReferenceEngine
from reports.counterexamples.script import reproduction
from selfcheck.case_order import relevant_cases
from selfcheck.detection import chapters, inapplicable
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES
from tests import scripts
from tests.faults.declared_names import check_declared
from tests.faults.test_witnesses import ALSO_HEALTHY
from tests.find_witnesses import OF_SPARK, imitating, known_faults_of, witness
from tests.recorded import kinds_of, recorded
from tests.slow import all_slow, slow_except

#: Not shown by a script on the reference engine: it derives changes from the rows instead of reading the files.
#: And it caches nothing.
NOT_SHOWN = {
    ("change-file-loses-a-row", "DEL-CDF-1A"),
    ("change-type-is-insert", "DEL-CDF-1A"),
    ("keeps-cached-rows", "DEL-CACHE-1"),
}

#: Delta itself has the fault.
NOT_HEALTHY = {"rewrites-the-last-file-of-a-batch"}

#: The reference engine does not show row ids.
ROW_IDS = NothingChanged(ForbiddenChange.OF_ROW_IDS)

#: Limits of the lines of a script, without its data.
MOST, MEDIAN = 160, 80

LENGTHS: dict[str, int] = {}

#: The kinds of expectation that a script has checked, and their choices.
SHOWN: set[str] = set()


def sampled() -> list[str]:
    """Every eighth fault; and of each kind of expectation the first, by what is recorded of them."""
    first: dict[str, str] = {}
    for bad in FAULTS:
        for kind in recorded("faulty")[bad]["expectations"]:
            first.setdefault(kind, bad)
    return [bad for number, bad in enumerate(FAULTS) if number % 8 == 0 or bad in first.values()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scripted" in metafunc.fixturenames:
        metafunc.parametrize("scripted", slow_except(sampled(), FAULTS))
    if "bad_on_spark" in metafunc.fixturenames:  # where a script takes some 20 seconds
        healthy = [bad for bad in OF_SPARK if bad not in NOT_HEALTHY]
        metafunc.parametrize("bad_on_spark", healthy if all_slow(metafunc.config) else ALSO_HEALTHY[1:2])
    if "bad_on_deltalake" in metafunc.fixturenames:
        metafunc.parametrize("bad_on_deltalake", slow_except(applicable()[::48], applicable()))


def applicable() -> list[str]:
    """The faults for delta-rs: in clauses that apply to it, and that it does not violate anyway."""
    if importlib.util.find_spec("deltalake") is None:
        return []
    engine = DeltalakeEngine()
    broken = {one.clause for one in known_faults_of("deltalake", version_of(engine)) if one.when is None}
    unpromised = unsupported(engine)
    return [name for name, fault in FAULTS.items() if not inapplicable(fault, engine, unpromised, broken)]


@pytest.mark.xdist_group("scripts")
def test_a_script_fails_on_the_known_bad_engine_only(scripted: str, tmp_path: Path) -> None:
    engine, case = KnownBadEngine(imitating(FAULTS[scripted]), FAULTS[scripted]), witness(scripted)
    unpromised = {} if scripted in OF_SPARK else unsupported(engine)
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unpromised]
    judge = Judge(engine, clauses, tmp_path / "judged")
    made = list(scripts.plans(case, judge))
    assert made, "the witness must show the fault"
    for plan in made:
        check_declared(plan, scripts.SPARK)
        kind, clause = type(plan.expectation), plan.clause
        text = scripts.code(reproduction(plan, scripts.SPARK))
        assert all(len(line) <= 120 for line in text.splitlines()), (clause, kind)
        LENGTHS[f"{scripted} {clause}"] = text.count("\n") + 5  # the lines that run main
        assert LENGTHS[f"{scripted} {clause}"] <= MOST
        SHOWN.update(kinds_of(plan.expectation))
        on_bad, printed = scripts.outcome(
            plan, KnownBadEngine(imitating(FAULTS[scripted]), FAULTS[scripted]), case, tmp_path / "bad"
        )
        by_replay = plan.expectation == ROW_IDS or kind is ByReplay or (scripted, clause) in NOT_SHOWN
        assert on_bad == 1 or by_replay or (on_bad == 2 and plan.shows_storage), (clause, kind, printed)
        on_healthy, printed = scripts.outcome(plan, imitating(FAULTS[scripted]), case, tmp_path / "healthy")
        assert on_healthy in (0, 2) or (on_healthy == 1 and plan.shows_storage), (clause, kind, printed)


@pytest.mark.xdist_group("scripts")
def test_scripts_are_short_and_cover_every_kind_of_expectation() -> None:
    if not {name.split()[0] for name in LENGTHS} >= set(sampled()):
        pytest.skip("only some of the faults were selected")
    assert statistics.median(LENGTHS.values()) <= MEDIAN
    kinds = {kind.__name__ for kind in get_args(Expectation)}
    kinds |= {str(choice) for choice in (*ForbiddenChange, *RowsOf, *Measure, *Total)}
    own = {str(choice) for choice in (Measure.NEW_NAME, Measure.FILE_TIME, Measure.VERSION)}
    assert kinds - SHOWN == own, "those have a test of their own"


class Spoiling(WrappedEngine):
    """An engine that changes text of the last commit, and touches every file."""

    def __init__(self, pattern: str, text: str) -> None:
        super().__init__(ReferenceEngine())
        self._pattern, self._text = pattern, text

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = self._engine.run(root, step, clock=clock, version=version)
        last = max((root / "_delta_log").glob("*.json"))
        last.write_text(re.sub(self._pattern, self._text, last.read_text()))
        for path in root.rglob("*.parquet"):
            os.utime(path, (0, 0))
        return outcome


@pytest.mark.parametrize(
    ("bad", "expectation", "pattern", "text"),
    [
        (
            "adds-with-wrong-size",
            FieldMatches("add", "path", Measure.NEW_NAME),
            '("add":{"path":")[^"]*',
            r"\1taken.parquet",
        ),
        ("adds-with-wrong-size", FieldMatches("add", "modificationTime", Measure.FILE_TIME), "$", ""),
        ("adds-with-wrong-size", NothingChanged(ForbiddenChange.OF_FILES), "$", ""),
        (
            "adds-with-a-taken-row-id",
            FieldMatches("add", "defaultRowCommitVersion", Measure.VERSION),
            '("defaultRowCommitVersion":)[0-9]+',
            r"\g<1>0",
        ),
    ],
    ids=["new name", "time of the file", "old files", "version"],
)
def test_a_script_checks_what_no_witness_shows(
    bad: str, expectation: Expectation, pattern: str, text: str, tmp_path: Path
) -> None:
    case = witness(bad)
    judge = Judge(KnownBadEngine(ReferenceEngine(), FAULTS[bad]), list(CATALOGUE.values()), tmp_path / "bad")
    plan = next(scripts.plans(case, judge))
    things = replace(plan.things, files=(*plan.things.files, PlannedFile("taken.parquet", b"", 0)))
    plan = replace(plan, expectation=expectation, things=things)
    check_declared(plan, scripts.SPARK)
    assert scripts.outcome(plan, ReferenceEngine(), case, tmp_path / "healthy")[0] == 0
    assert scripts.outcome(plan, Spoiling(pattern, text), case, tmp_path / "spoiling")[0] == 1


def run_alone(script: str, home: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a separate process without the suite. ``home`` is the directory of its table."""
    directory.mkdir(parents=True)
    (directory / "reproduce.py").write_text(script.replace(home, str(directory / "t")), errors="backslashreplace")
    command = [sys.executable, "-I", "reproduce.py"]
    return subprocess.run(
        command, cwd=directory, env=os.environ, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_no_script_fails_on_healthy_delta(bad_on_spark: str, tmp_path: Path) -> None:
    """Each script starts its own JVM."""
    judge = Judge(KnownBadEngine(ReferenceEngine(), FAULTS[bad_on_spark]), list(CATALOGUE.values()), tmp_path / "bad")
    made = list(scripts.plans(witness(bad_on_spark), judge))
    assert made, "the witness must show the fault"
    for plan in [plan for plan in made if not plan.shows_storage][:1]:
        script = reproduction(plan, scripts.SPARK)
        done = run_alone(script, str(Path(plan.scripted.root).parent), tmp_path / plan.clause)
        assert done.returncode in (0, 2) and "Error" not in done.stdout, done.stdout + done.stderr[-2000:]


@pytest.fixture(scope="module")
def deltalake() -> Iterator[DeltalakeEngine]:
    engine = DeltalakeEngine()
    yield engine
    engine.close()


#: Scripts that expect a count of what the known-bad engine wrote, and a healthy one does not write.
COUNTED = {
    (fault, clause)
    for fault in ("change-file-for-whole-files", "writes-where-nothing-survives")
    for clause in ("DEL-MET-3A", "DEL-MET-3B")
}


@pytest.mark.long
def test_no_script_fails_on_healthy_delta_rs(bad_on_deltalake: str, deltalake: DeltalakeEngine, tmp_path: Path) -> None:
    """With the witness, or the first case of the gate that shows the fault by clauses that delta-rs alone keeps there."""
    fault, unpromised, able = FAULTS[bad_on_deltalake], unsupported(deltalake), deltalake.capabilities
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unpromised]
    judge = Judge(
        KnownBadEngine(deltalake, fault), clauses, tmp_path / "bad", known_faults_of("deltalake", version_of(deltalake))
    )
    healthy = Judge(deltalake, clauses, tmp_path / "healthy")
    cases = chain(
        [restricted_to(witness(bad_on_deltalake), capabilities=able)],
        relevant_cases(PROFILES["gate"], chapters(fault), able),
    )
    shown = ((case, made) for case in cases if (made := list(scripts.plans(case, judge))))
    case, made = next(
        (
            (case, made)
            for case, made in shown
            if {plan.clause for plan in made}.isdisjoint(healthy.judge(case).violated)
        ),
        (None, []),
    )
    assert case is not None and made, "no case shows the fault"
    for plan in made:
        if (bad_on_deltalake, plan.clause) in COUNTED:
            continue
        check_declared(plan, scripts.DELTA_RS)
        script = reproduction(plan, scripts.DELTA_RS)
        done = run_alone(script, str(Path(plan.scripted.root).parent), tmp_path / plan.clause)
        by_replay = isinstance(plan.expectation, ByReplay)
        assert done.returncode == 0 or (done.returncode == 2 and (by_replay or "UNKNOWN" in done.stdout.upper())), (
            done.stdout + done.stderr
        )
