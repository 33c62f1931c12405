"""Random cases on a healthy engine: which they are, what is kept of them, and what is said of it."""

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

from selfcheck.faults import FAULTS, KnownBadEngine
from model.capabilities import EVERYTHING
from model.codec import case_id, loads, to_json
from selfcheck import alarms, bench, ledger, soundness
from selfcheck.alarms import is_known, judged
from selfcheck.bench import Bench, Worker
from selfcheck.ledger import Ledger, Subject, Sums, suite_digest
from selfcheck.reference_engine import ReferenceEngine
from selfcheck.random_cases import random_cases, random_shards
from selfcheck.soundness import main, told
from runner.options import UsageMistake
from suites.campaigns import CAMPAIGNS, EXPLORATION
from harness.conditions import KnownDeviation
from harness.clause import CATALOGUE
from suites.profiles import PROFILES

SUBJECT = Subject("model", "4.4.0", "abc")


def entry(**more: Any) -> dict[str, Any]:
    sums = {"cases": 10, "steps": 30, "seconds": 2.0, "engine_seconds": 1.0, "alarms": [], "errors": []}
    return {"engine": "model", "version": "4.4.0", "suite": "abc", "seed": 1, "shard": "programs-0", **sums, **more}


ALARM = {"clause": "VAC-SAFE-1", "case": "x", "message": "It is gone.", "replay": "x.json"}


# Cases ------------------------------------------------------------------------------------------------------------------


def test_a_seed_has_the_cases_of_the_nightly_profile() -> None:
    planned = Counter[str]()
    for shard in random_shards():
        planned[shard.campaign.name] += shard.cases
    nightly = PROFILES["nightly"]
    assert planned == Counter(nightly.cases) + Counter({EXPLORATION.name: nightly.machine_runs})


def test_a_short_run_judges_some_of_each_campaign() -> None:
    first = [shard.campaign for shard in random_shards()[: len(CAMPAIGNS) + 1]]
    assert sorted(campaign.name for campaign in first) == sorted(
        campaign.name for campaign in (*CAMPAIGNS, EXPLORATION)
    )


def test_the_cases_of_a_shard_depend_on_the_seed_alone() -> None:
    shard = next(shard for shard in random_shards() if shard.campaign.name == "partition-deletes")
    cases = random_cases(shard, 1, EVERYTHING)
    assert cases == random_cases(shard, 1, EVERYTHING) != random_cases(shard, 2, EVERYTHING)
    assert len({case_id(case) for case in cases}) == len(cases) <= shard.cases


# A shard ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Worker:
    made = Worker(Bench("model", tmp_path))
    monkeypatch.setattr(alarms, "worker", lambda: made)
    return made


@pytest.mark.parametrize("name", ["partition-deletes-0", "exploration-0"])
def test_a_healthy_engine_raises_no_alarm(name: str, worker: Worker) -> None:
    line = judged(1, name)
    assert (line["seed"], line["shard"], line["alarms"], line["errors"]) == (1, name, [], [])
    assert line["cases"] > 10
    assert line["steps"] >= line["cases"]
    assert 0 < line["engine_seconds"] < line["seconds"]


@pytest.mark.parametrize("name", ["partition-deletes-0", "exploration-0"])
def test_what_breaks_a_clause_is_an_alarm(name: str, worker: Worker) -> None:
    worker.engine = KnownBadEngine(ReferenceEngine(), FAULTS["read-loses-a-row"])
    line = judged(1, name)
    assert {"DEL-ROW-5A", "VAC-SAFE-10A"} & {alarm["clause"] for alarm in line["alarms"]}
    assert line["errors"] == []


# The ledger -------------------------------------------------------------------------------------------------------------


def test_runs_add_up(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ledger.jsonl"
    Ledger(path).append(entry())
    Ledger(path).append(entry(shard="programs-1", alarms=[ALARM, {**ALARM, "clause": "VAC-SAFE-2"}]))
    Ledger(path).append(entry(suite="older", cases=500))
    Ledger(path).append(entry(engine="spark", cases=7))
    sums = Ledger(path).sums(SUBJECT)
    assert (sums.runs, sums.cases, sums.steps, sums.alarming) == (2, 20, 60, 1)
    assert Ledger(path).before(SUBJECT).cases == 500
    assert Ledger(path).judged(SUBJECT) == {(1, "programs-0"), (1, "programs-1")}


def test_an_alarm_that_is_settled_counts_until_it_comes_again(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(entry(alarms=[ALARM, {**ALARM, "case": "another"}]))
    ledger.append({**asdict(SUBJECT), "settled": ALARM["case"]})
    assert [alarm["case"] for alarm in ledger.sums(SUBJECT).alarms] == ["another"]
    assert ledger.judged(SUBJECT) == {(1, "programs-0")} and ledger.sums(SUBJECT).cases == 10
    ledger.append(entry(shard="programs-1", alarms=[ALARM]))
    assert Ledger(tmp_path / "ledger.jsonl").sums(SUBJECT).alarming == 2


def test_the_exit_code() -> None:
    def code(*lines: dict[str, Any]) -> int:
        sums = Sums()
        for line in lines:
            sums.add(line)
        return sums.code

    unjudged = {"case": "x", "message": "It broke."}
    assert code() == 2
    assert code(entry()) == 0
    assert code(entry(), entry(errors=[unjudged])) == 2
    assert code(entry(errors=[unjudged]), entry(alarms=[ALARM])) == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"cases": 3}'])
def test_what_is_no_ledger_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(f"{json.dumps(entry())}\n{text}\n", encoding="utf-8")
    with pytest.raises(UsageMistake, match=r"line 2, is no line of a ledger"):
        Ledger(path)


@pytest.mark.parametrize(
    ("changed", "another"),
    [
        ("model/a.py", True),
        ("suites/clauses/a.py", True),
        ("engines/port.py", True),
        ("engines/spark/adapter.py", True),
        ("engines/deltalake/adapter.py", False),
        ("selfcheck/alarms.py", True),
        ("selfcheck/soundness.py", False),
        ("harness/reproduction_plan.py", False),
        ("harness/conditions.py", False),
        ("README.md", False),
    ],
)
def test_a_change_of_what_decides_is_another_suite(changed: str, another: bool, tmp_path: Path) -> None:
    for place in (changed, *ledger._MODULES):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x = 1\n", encoding="utf-8")
    before = suite_digest(tmp_path, "spark")
    (tmp_path / changed).write_text("x = 2\n", encoding="utf-8")
    assert (suite_digest(tmp_path, "spark") != before) == another


def test_the_sum_is_told() -> None:
    sums, before = Sums(), Sums()
    sums.add(entry(cases=2000, alarms=[ALARM]))
    before.add(entry(cases=1200))
    text = told(SUBJECT, sums, before)
    assert "2,000 cases, 30 steps" in text
    assert "1 false alarms, 0.50 per thousand cases; 0 cases not judged." in text
    assert "Other states of the suite judged 1,200 more, with 0 false alarms." in text


# The command ------------------------------------------------------------------------------------------------------------


def test_a_second_run_goes_on_where_the_first_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger.jsonl"
    for _ in range(2):
        assert main(["--cases", "1", "-n", "1", "--seed", "5", "--ledger", str(path)]) == 0
    found = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    assert len({(one["seed"], one["shard"]) for one in found}) == len(found) >= 2
    cases = sum(one["cases"] for one in found)
    assert f": {cases:,} cases, " in capsys.readouterr().out.splitlines()[-3]


def test_an_alarm_is_settled_where_what_breaks_the_clause_is_known(tmp_path: Path, worker: Worker) -> None:
    worker.engine = KnownBadEngine(ReferenceEngine(), FAULTS["read-loses-a-row"])
    line = judged(1, "partition-deletes-0")
    soundness._replays(line, "model", tmp_path)
    alarm = line["alarms"][0]
    path = tmp_path / f"{alarm['clause']}-{alarm['case']}.json"
    assert not is_known(path, alarm["clause"])
    worker.known = tuple(map(KnownDeviation, CATALOGUE))
    assert is_known(path, alarm["clause"])
    worker.engine = ReferenceEngine()
    assert not is_known(path, alarm["clause"]), "it is broken now and then"


def test_the_next_run_judges_alarms_once_more(tmp_path: Path) -> None:
    """What does not break the clause any more, with the same suite and engine, is none the less an alarm."""
    path, case = tmp_path / "ledger.jsonl", random_cases(random_shards()[0], 1, EVERYTHING)[0]
    (tmp_path / f"VAC-SAFE-1-{case_id(case)}.json").write_text(json.dumps(to_json(case)), encoding="utf-8")
    command = ["--cases", "1", "-n", "1", "--seed", "5", "--ledger", str(path)]
    assert main(command) == 0
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    for alarm in ({**ALARM, "case": case_id(case)}, {**ALARM, "case": "lost"}):
        path.write_text(json.dumps({**first, "alarms": [{**alarm, "clause": "VAC-SAFE-1"}]}) + "\n", encoding="utf-8")
        assert main(command) == 1


def test_an_alarm_can_be_replayed(tmp_path: Path, worker: Worker, capsys: pytest.CaptureFixture[str]) -> None:
    worker.engine = KnownBadEngine(ReferenceEngine(), FAULTS["read-loses-a-row"])
    line = {"engine": "spark", **judged(1, "partition-deletes-0")}
    soundness._replays(line, "spark", tmp_path)
    soundness._tell(line)
    alarm = line["alarms"][0]
    path = tmp_path / f"{alarm['clause']}-{alarm['case']}.json"
    assert alarm["replay"] == f"python -m pytest suites --engine spark --replay {path}"
    assert alarm["replay"] in capsys.readouterr().out
    assert alarm["clause"] in worker.judge().judge(loads(path.read_text(encoding="utf-8"))).failed


def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path) -> None:
    scratch, path = tmp_path / "scratch", tmp_path / "ledger.jsonl"
    scratch.mkdir()
    # What a script runs in the background ignores SIGINT, and so does all that it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run = subprocess.Popen(
            [sys.executable, "-m", "selfcheck.soundness", "--minutes", "10", "--ledger", str(path)],
            cwd=bench.ROOT,
            env={**os.environ, "TMPDIR": str(scratch)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        while not path.exists():
            assert run.poll() is None
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
        out, told = run.communicate(timeout=60)  # ends where no process has these streams any more
        assert (run.returncode, out, told) == (130, "", "Interrupted. What was written before that is kept.\n")
        assert list(scratch.iterdir()) == []
    finally:
        run.kill()
        run.wait()


def test_a_worker_that_was_killed_holds_up_no_end() -> None:
    def work() -> None:
        with bench.bench("model") as where, bench.workers(where, 1) as pool:
            os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
            pool.submit(os.getpid).result()

    with pytest.raises(BrokenProcessPool):
        work()


@pytest.mark.parametrize("arguments", [["--minutes", "0"], ["--cases", "x"], ["--seed", "0"], ["--engine", "flink"]])
def test_a_mistake_is_one_sentence(arguments: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageMistake) as refusal:
        main([*arguments, "--ledger", str(tmp_path / "ledger.jsonl")])
    assert "\n" not in str(refusal.value) and str(refusal.value).endswith(".")


def test_the_bench_is_known_in_a_worker_only() -> None:
    assert bench._BENCH == []
