"""Soundness: random cases on a healthy engine, the history of runs, and the report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from faults import FAULTS, KnownBadEngine
from known_faults.known import known, known_faults_in
from model.codec import case_id, loads, to_json
from model.vocabulary.capabilities import EVERYTHING
from records.known_fault import KnownFault
from records.mistakes import UsageMistake
from reference_engine import ReferenceEngine
from reports.text.replaying import python_here
from selfcheck import engine_pool, false_positives, history, soundness
from selfcheck.engine_pool import Host, PooledEngine
from selfcheck.false_positives import is_known, judged
from selfcheck.history import HistoryFile, Subject, Totals, suite_digest
from selfcheck.random_cases import random_batches, random_cases
from selfcheck.soundness import main, summary
from suites.campaigns import CAMPAIGNS
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tests.runner.test_interrupted import in_a_terminal
from tests.runner.test_workspace import until
from tests.slow import slow_after

SUBJECT = Subject("model", "4.4.0", "abc")


def entry(**more: Any) -> dict[str, Any]:
    counts = {"cases": 10, "steps": 30, "seconds": 2.0, "engine_seconds": 1.0, "alarms": [], "errors": []}
    return {**asdict(SUBJECT), "seed": 1, "batch": "programs-0", **counts, **more}


FALSE_POSITIVE = {"clause": "VAC-SAFE-1", "case": "x", "message": "It is gone.", "replay": "x.json"}


# Cases ------------------------------------------------------------------------------------------------------------------


def test_a_seed_has_the_cases_of_the_nightly_profile_and_starts_with_some_of_each_campaign() -> None:
    planned = Counter[str]()
    for batch in random_batches():
        planned[batch.campaign.name] += batch.cases
    nightly = PROFILES["nightly"]
    assert planned == Counter(nightly.cases)
    first = [batch.campaign.name for batch in random_batches()[: len(CAMPAIGNS)]]
    assert sorted(first) == sorted(campaign.name for campaign in CAMPAIGNS)


@pytest.mark.long
def test_the_cases_of_a_batch_depend_on_the_seed_alone() -> None:
    batch = next(batch for batch in random_batches() if batch.campaign.name == "partition-deletes")
    cases = random_cases(batch, 1, EVERYTHING)
    assert cases == random_cases(batch, 1, EVERYTHING) != random_cases(batch, 2, EVERYTHING)
    assert len({case_id(case) for case in cases}) == len(cases) <= batch.cases


# A batch ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PooledEngine:
    made = PooledEngine(Host("model", tmp_path))
    monkeypatch.setattr(false_positives, "worker", lambda: made)
    return made


@pytest.mark.long
@pytest.mark.parametrize("name", slow_after(1, ["partition-deletes-0", "exploration-0"]))
def test_a_violation_on_a_healthy_engine_is_a_false_positive(name: str, worker: PooledEngine) -> None:
    line = judged(1, name)
    assert (line["seed"], line["batch"], line["alarms"], line["errors"]) == (1, name, [], [])
    assert line["steps"] >= line["cases"] > 10
    assert 0 < line["engine_seconds"] < line["seconds"]
    worker.engine = KnownBadEngine(ReferenceEngine(), FAULTS["read-loses-a-row"])
    line = judged(1, name)
    assert {"DEL-ROW-5A", "VAC-SAFE-10A"} & {one["clause"] for one in line["alarms"]}
    assert line["errors"] == []


@pytest.mark.parametrize(
    ("engine", "folder"), [("deltalake", "known_faults/deltalake.toml"), ("outside_kind:ENGINE", None), ("model", "")]
)
def test_the_known_faults_are_those_that_a_run_of_the_engine_has(
    engine: str, folder: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an engine from outside those beside its module (docs/engines.md)."""
    entry = '[[known_fault]]\nclause = "DEL-ROW-1"\nreason = "r"\nlink = "l"\nsymptom.causes = ["c"]\n'
    (tmp_path / "known_faults.toml").write_text(entry, encoding="utf-8")
    module = "from tests.outside_engine import Outside\nclass Kind(Outside):\n    pass\nENGINE = Kind()\n"
    (tmp_path / "outside_kind.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(engine_pool, "open_engine", lambda host, copy: ReferenceEngine())
    listed = {one.clause for one in PooledEngine(Host(engine, tmp_path)).known}
    file = engine_pool.ROOT / folder if folder else tmp_path / "known_faults.toml" if folder is None else None
    assert listed == {one.clause for one in known(known_faults_in(file), "4.4.0")} if file else not listed


# The history ------------------------------------------------------------------------------------------------------------


def test_runs_add_up(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "history.jsonl"
    for line in (
        entry(),
        entry(batch="programs-1", alarms=[FALSE_POSITIVE, {**FALSE_POSITIVE, "clause": "VAC-SAFE-2"}]),
        entry(suite="older", cases=500),
        entry(engine="spark", cases=7),
    ):
        HistoryFile(path).append(line)
    totals = HistoryFile(path).totals(SUBJECT)
    assert (totals.cases, totals.steps, totals.failing_cases) == (20, 60, 1)
    assert HistoryFile(path).totals_before(SUBJECT).cases == 500
    assert HistoryFile(path).judged(SUBJECT) == {(1, "programs-0"), (1, "programs-1")}


def test_a_settled_case_counts_only_if_it_fails_again(tmp_path: Path) -> None:
    kept = HistoryFile(tmp_path / "history.jsonl")
    kept.append(entry(alarms=[FALSE_POSITIVE, {**FALSE_POSITIVE, "case": "another"}]))
    kept.append({**asdict(SUBJECT), "settled": FALSE_POSITIVE["case"]})
    assert [one["case"] for one in kept.totals(SUBJECT).false_positives] == ["another"]
    assert kept.judged(SUBJECT) == {(1, "programs-0")} and kept.totals(SUBJECT).cases == 10
    kept.append(entry(batch="programs-1", alarms=[FALSE_POSITIVE]))
    assert HistoryFile(tmp_path / "history.jsonl").totals(SUBJECT).failing_cases == 2


def test_the_exit_code() -> None:
    def code(*lines: dict[str, Any]) -> int:
        totals = Totals()
        for line in lines:
            totals.add(line)
        return totals.exit_code

    unjudged = {"case": "x", "message": "It broke."}
    assert code() == 2
    assert code(entry()) == 0
    assert code(entry(), entry(errors=[unjudged])) == 2
    assert code(entry(errors=[unjudged]), entry(alarms=[FALSE_POSITIVE])) == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"cases": 3}'])
def test_a_file_that_is_not_a_history_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(f"{json.dumps(entry())}\n{text}\n", encoding="utf-8")
    with pytest.raises(UsageMistake, match=r"line 2, is not a line of a history"):
        HistoryFile(path)


@pytest.mark.parametrize(
    ("changed", "another"),
    [
        ("model/a.py", True),
        ("harness/running/judge.py", True),
        ("suites/clauses/a.py", True),
        ("engines/port.py", True),
        ("engines/spark/adapter.py", True),
        ("engines/deltalake/adapter.py", False),
        ("selfcheck/false_positives.py", True),
        ("selfcheck/soundness.py", False),
        ("reports/counterexamples/plan.py", False),
        ("harness/judging/excusing/conditions.py", False),
        ("README.md", False),
    ],
)
def test_the_digest_changes_with_the_source_that_draws_and_judges_cases(
    changed: str, another: bool, tmp_path: Path
) -> None:
    assert all((engine_pool.ROOT / path).exists() for path in (*history._ROOMS, *history._MODULES, *history._EXCEPT))
    for place in (changed, *history._MODULES):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x = 1\n", encoding="utf-8")
    before = suite_digest(tmp_path, "spark")
    (tmp_path / changed).write_text("x = 2\n", encoding="utf-8")
    assert (suite_digest(tmp_path, "spark") != before) == another


def test_the_summary() -> None:
    totals, before = Totals(), Totals()
    totals.add(entry(cases=2000, alarms=[FALSE_POSITIVE]))
    before.add(entry(cases=1200))
    text = summary(SUBJECT, totals, before)
    assert "2,000 cases, 30 steps" in text
    assert "1 false positives, 0.50 per thousand cases; 0 cases not judged." in text
    assert "Other states of the suite judged 1,200 more, with 0 false positives." in text


# The command ------------------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_second_run_continues_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "history.jsonl"
    for _ in range(2):
        assert main(["--cases", "1", "-n", "1", "--seed", "5", "--history", str(path)]) == 0
    found = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    assert len({(one["seed"], one["batch"]) for one in found}) == len(found) >= 2
    cases = sum(one["cases"] for one in found)
    assert f": {cases:,} cases, " in capsys.readouterr().out.splitlines()[-3]


@pytest.mark.long
def test_a_false_positive_can_be_replayed_and_is_settled_once_it_is_known(
    tmp_path: Path, worker: PooledEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    worker.engine = KnownBadEngine(ReferenceEngine(), FAULTS["read-loses-a-row"])
    line = {"engine": "spark", **judged(1, "partition-deletes-0")}
    soundness._write_replays(line, tmp_path)
    soundness._print(line)
    one = line["alarms"][0]
    path = tmp_path / f"{one['clause']}-{one['case']}.json"
    assert one["replay"] == f"{python_here()} -m pytest suites --engine spark --replay={path}"
    assert one["replay"] in capsys.readouterr().out
    assert one["clause"] in worker.judge().judge(loads(path.read_text(encoding="utf-8"))).failed
    assert not is_known(path, one["clause"])
    worker.known = tuple(map(KnownFault, CATALOGUE))
    assert is_known(path, one["clause"])
    worker.engine = ReferenceEngine()
    assert not is_known(path, one["clause"]), "a flaky case is not settled"


@pytest.mark.process
@pytest.mark.slow
def test_the_next_run_judges_false_positives_again(tmp_path: Path) -> None:
    """A case that no longer fails on the same suite and engine still counts."""
    path, case = tmp_path / "history.jsonl", random_cases(random_batches()[0], 1, EVERYTHING)[0]
    (tmp_path / f"VAC-SAFE-1-{case_id(case)}.json").write_text(json.dumps(to_json(case)), encoding="utf-8")
    command = ["--cases", "1", "-n", "1", "--seed", "5", "--history", str(path)]
    assert main(command) == 0
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    for id in (case_id(case), "lost"):
        path.write_text(json.dumps({**first, "alarms": [{**FALSE_POSITIVE, "case": id}]}) + "\n", encoding="utf-8")
        assert main(command) == 1


def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path) -> None:
    scratch, path = tmp_path / "scratch", tmp_path / "history.jsonl"
    scratch.mkdir()
    command = [sys.executable, "-m", "selfcheck.soundness", "--minutes", "10", "--history", str(path)]
    with in_a_terminal(command, cwd=engine_pool.ROOT, env={**os.environ, "TMPDIR": str(scratch)}) as run:
        until(lambda: run.poll() is not None or path.exists(), "it judges", limit=180)
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate()[0]  # returns when no process has the stream open
    assert (run.returncode, said) == (130, "Interrupted. What was written before that is kept.\n")
    assert list(scratch.iterdir()) == []


def test_a_killed_command_takes_its_workers_along(tmp_path: Path) -> None:
    script = "\n".join(
        [
            "import os, time",
            "from selfcheck.engine_pool import hosted, workers",
            "if __name__ == '__main__':",
            "    with hosted('model') as host, workers(host, 1) as pool:",
            "        print(pool.submit(os.getpid).result(), flush=True)",
            "        time.sleep(60)",
        ]
    )
    (tmp_path / "command.py").write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(engine_pool.ROOT), "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, tmp_path / "command.py"], env=environment, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        int(run.stdout.readline())
        run.kill()
        assert run.stdout.read() == b"", "the worker has the stream open as long as it lives"


def test_a_worker_that_was_killed_does_not_block_the_end() -> None:
    def work() -> None:
        with engine_pool.hosted("model") as host, engine_pool.workers(host, 1) as pool:
            os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
            pool.submit(os.getpid).result()

    with pytest.raises(BrokenProcessPool):
        work()
    assert engine_pool._HOST == [], "known in a worker only"
