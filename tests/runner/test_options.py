"""The command line: the options, and one sentence for each mistake."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engines.spark.kind import Spark
from engines.spark.options import SparkOptions
from records.mistakes import UsageMistake
from reports.render.report_directory import prepare
from runner.command_line.options import Options, options
from runner.judgeable import given_in
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tests.runner.in_process import run_suite

ROOT = Path(__file__).resolve().parents[2]


def chosen(*arguments: str) -> Options:
    """The options of a command line."""
    return options(given_in(arguments))


def test_what_a_replay_needs_again_and_what_the_engine_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.jar").touch()
    (tmp_path / "known.toml").touch()
    engine = ("--spark-conf=a=b=c", "--spark-conf=d=", f"--extra-classpath={tmp_path}", f"--jars={tmp_path / 'a.jar'}")
    others = (f"--known-faults={tmp_path / 'known.toml'}", "--table-root=file:/somewhere", "--step-limit=2.5")
    own = ("--profile=nightly", "--seed=7", "--clause=VAC-SAFE", "--clause=DEL-ROW-5", "--check-scripts=7", "--brief")
    found = chosen(*own, *others, "--spark-master=local[2]", *engine)
    assert set(found.again) == {*engine, "--spark-master=local[2]", *others}
    given = SparkOptions({"a": "b=c", "d": ""}, (tmp_path,), (tmp_path / "a.jar",), "local[2]")
    assert found.kind == Spark(given)
    ids = [id for id in CATALOGUE if found.selects(id)]
    assert {"DEL-ROW-5A", "DEL-ROW-5B", "VAC-SAFE-1", "VAC-SAFE-10A"} < set(ids)
    assert all(id.startswith(("VAC-SAFE-", "DEL-ROW-5")) for id in ids)
    assert all(chosen().selects(id) for id in CATALOGUE)
    assert chosen().kind == Spark() and chosen().known_faults.is_file() and chosen().again == ()


def test_a_budget_may_be_a_part() -> None:
    assert chosen("--profile=gate", "--budget=0.5").profile == replace(PROFILES["gate"], budget_share=0.5)


def test_random_cases_can_be_drawn_besides() -> None:
    smoke = chosen("--profile=smoke", "--draw=100", "--budget=0.5").profile
    assert sum(smoke.cases.values()) == 100 and smoke.budget_share == 0.5 and smoke.corpus == PROFILES["smoke"].corpus
    nightly = chosen("--profile=nightly", "--draw=100").profile
    assert sum(nightly.cases.values()) == 100 + sum(PROFILES["nightly"].cases.values())
    assert PROFILES["smoke"].cases == dict.fromkeys(smoke.cases, 0)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("3m", 180), ("1.5h", 5400)])
def test_a_budget_may_be_a_time(text: str, seconds: float) -> None:
    found = chosen("--profile=gate", f"--budget={text}")
    assert found.seconds == seconds and found.profile == PROFILES["gate"]


def test_a_small_budget_of_a_random_profile_draws_less() -> None:
    profile, whole = chosen("--profile=nightly", "--budget=0.5").profile, PROFILES["nightly"]
    assert profile.budget_share == 1 and sum(profile.cases.values()) < 0.6 * sum(whole.cases.values())


def test_a_part_of_a_run() -> None:
    assert chosen().shard is None and chosen("--shard=2/5").shard == (2, 5)
    assert chosen("--shard=1/2", "--profile=nightly", "--seed=7").shard == (1, 2)


def test_paths_of_jars_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jar").write_text("")
    monkeypatch.chdir(tmp_path)
    assert chosen("--jars=a.jar").given["jars"] == (tmp_path / "a.jar",)


def test_a_mistake_ends_pytest_with_2_and_one_line(tmp_path: Path) -> None:
    """One that the options show, and one that only the plugin notices."""
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"format": 1}))
    for arguments, sentence in (
        (("--replay", str(path)), f"--replay {path}: not a case that can be replayed: table: is missing"),
        (
            ("--known-bad=forget-a-partition",),
            "--known-bad forget-a-partition is not known: did you mean forgets-a-partition?",
        ),
        (("--known-bad=none",), "--known-bad none is not known: `--known-bad list` names those that are."),
    ):
        ended = run_suite(tmp_path, "--collect-only", "-q", *arguments, engine="deltalake")
        assert (ended.code, ended.said.strip().splitlines()) == (2, [f"Exit: {sentence}"])


def test_an_engine_to_share_with_may_have_a_version() -> None:
    assert chosen("--shared-with=spark==3.3.2").shared_with == ("spark", "3.3.2")


def test_scripts_are_run_where_it_takes_little_time() -> None:
    assert chosen("--engine=deltalake").scripts is chosen("--engine=deltalake", "--profile=smoke").scripts is None
    assert chosen("--profile=gate").scripts == 3 and chosen("--profile=smoke").scripts == 0
    assert chosen("--spark-conf=a=b").scripts == 0, "the script would run another Delta"
    assert chosen("--profile=smoke", "--check-scripts=2").scripts == 2


def test_a_directory_that_another_run_writes_to_is_refused(tmp_path: Path) -> None:
    with prepare(tmp_path, option="--report-dir"):
        (tmp_path / "run.jsonl").write_text('{"type":"header",', encoding="utf-8")
        with pytest.raises(UsageMistake, match="Another run writes its report to"):
            prepare(tmp_path, option="--report-dir")
        assert (tmp_path / "run.jsonl").read_text(encoding="utf-8") == '{"type":"header",'
    prepare(tmp_path, option="--report-dir").close()
    assert (tmp_path / "run.jsonl").read_bytes() == b"", "an earlier stream must not be taken for this run's"
