"""The command line: the options, and one sentence for each mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.port import EngineUnavailable
from engines.provider import ENGINES
from engines.spark.kind import Spark
from engines.spark.options import SparkOptions
from records.mistakes import UsageMistake
from reports.render.report_directory import prepare
from runner.command_line.options import Options, add_options, options
from runner.replay import read_case
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES

ROOT = Path(__file__).resolve().parents[2]


def chosen(*arguments: str) -> Options:
    """The options of a command line."""
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    parsed = parser.parse_known_args(list(arguments))

    class Config:
        def getoption(self, name: str) -> Any:
            return getattr(parsed, name)

        def get_verbosity(self) -> int:
            return 0

    return options(Config())  # type: ignore[arg-type]


def mistake(*arguments: str) -> str:
    with pytest.raises((UsageMistake, EngineUnavailable)) as refusal:
        chosen(*arguments)
    sentence = str(refusal.value)
    assert "\n" not in sentence and sentence.endswith(".")
    return sentence


def test_the_defaults() -> None:
    assert chosen() == Options(
        engine="spark",
        profile=PROFILES["gate"],
        seed=None,
        known_bad=None,
        clauses=(),
        report_dir=Path("build/report"),
        known_faults=ROOT / "known_faults" / "spark.toml",
        table_root=None,
        replay=None,
        time_limit=120,
        brief=False,
        verbose=False,
        scripts=3,
        given={
            **dict.fromkeys(("spark_conf", "extra_classpath", "jars"), ()),
            **dict.fromkeys(("spark_master", "spark_cluster", "spark_remote", "spark_clock")),
        },
    )
    assert chosen().kind == Spark()
    assert chosen().known_faults.is_file()


def test_every_option(tmp_path: Path) -> None:
    for name in ("a.jar", "b.jar", "case.json", "known.toml"):
        (tmp_path / name).write_text("")
    every = chosen(
        "--profile=nightly",
        "--seed=7",
        "--known-bad=removes-twice",
        "--clause=VAC-SAFE",
        "--clause=DEL-ROW-5",
        f"--report-dir={tmp_path / 'report'}",
        f"--known-faults={tmp_path / 'known.toml'}",
        "--spark-conf=a=b=c",
        "--spark-conf=d=",
        f"--extra-classpath={tmp_path}",
        f"--jars={tmp_path / 'a.jar'}",
        f"--jars={tmp_path / 'b.jar'}",
        "--spark-master=local[2]",
        "--table-root=file:/somewhere",
        f"--replay={tmp_path / 'case.json'}",
        "--step-limit=2.5",
        "--shared-with=deltalake",
        "--check-scripts=7",
        "--brief",
    )
    assert every == Options(
        engine="spark",
        profile=PROFILES["nightly"],
        seed=7,
        known_bad="removes-twice",
        clauses=("VAC-SAFE", "DEL-ROW-5"),
        report_dir=tmp_path / "report",
        known_faults=tmp_path / "known.toml",
        table_root="file:/somewhere",
        replay=tmp_path / "case.json",
        time_limit=2.5,
        brief=True,
        verbose=False,
        shared_with=("deltalake", None),
        scripts=7,
        again=(
            "--spark-conf=a=b=c",
            "--spark-conf=d=",
            f"--extra-classpath={tmp_path}",
            f"--jars={tmp_path / 'a.jar'}",
            f"--jars={tmp_path / 'b.jar'}",
            "--spark-master=local[2]",
            f"--known-faults={tmp_path / 'known.toml'}",
            "--table-root=file:/somewhere",
            "--step-limit=2.5",
        ),
        given={
            "spark_conf": ("a=b=c", "d="),
            "extra_classpath": (tmp_path,),
            "jars": (tmp_path / "a.jar", tmp_path / "b.jar"),
            "spark_master": "local[2]",
            **dict.fromkeys(("spark_cluster", "spark_remote", "spark_clock")),
        },
    )
    jars = (tmp_path / "a.jar", tmp_path / "b.jar")
    assert every.kind == Spark(SparkOptions({"a": "b=c", "d": ""}, (tmp_path,), jars, "local[2]"))

    ids = [id for id in CATALOGUE if every.selects(id)]
    assert {"DEL-ROW-5A", "DEL-ROW-5B", "VAC-SAFE-1", "VAC-SAFE-10A"} < set(ids)
    assert all(id.startswith(("VAC-SAFE-", "DEL-ROW-5")) for id in ids)


def test_without_clauses_all_are_judged() -> None:
    assert all(chosen().selects(id) for id in CATALOGUE)


def test_a_budget_may_be_a_part() -> None:
    assert chosen("--profile=gate", "--budget=0.5").profile == replace(PROFILES["gate"], budget_share=0.5)


def test_random_cases_can_be_drawn_besides() -> None:
    smoke = chosen("--profile=smoke", "--draw=100", "--budget=0.5").profile
    assert sum(smoke.cases.values()) == 100 and smoke.budget_share == 0.5 and smoke.corpus == PROFILES["smoke"].corpus
    nightly = chosen("--profile=nightly", "--draw=100").profile
    assert sum(nightly.cases.values()) == 100 + sum(PROFILES["nightly"].cases.values())
    assert PROFILES["smoke"].cases == dict.fromkeys(smoke.cases, 0)


OWN = "or module:name of an engine of your own."


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
    drawn = "--shard: nightly draws other cases in each run: give all parts the same --seed N."
    assert mistake("--shard=1/2", "--profile=nightly") == drawn


def test_a_replay_has_no_parts(tmp_path: Path) -> None:
    (tmp_path / "case.json").write_text("")
    assert "leave out --shard." in mistake("--shard=1/2", f"--replay={tmp_path / 'case.json'}")


def test_paths_of_jars_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jar").write_text("")
    monkeypatch.chdir(tmp_path)
    assert chosen("--jars=a.jar").given["jars"] == (tmp_path / "a.jar",)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("--engine=sparc", f"--engine sparc is not known: use one of {', '.join(ENGINES)}, {OWN}"),
        ("--shared-with=it", f"--shared-with it is not known: use one of {', '.join(ENGINES)}, {OWN}"),
        ("--profile=fast", "--profile fast is not known: use one of smoke, gate, scale, nightly, soak."),
        ("--seed=seven", "--seed seven is not a whole number: give one, such as --seed 7."),
        ("--seed=1.5", "--seed 1.5 is not a whole number: give one, such as --seed 7."),
        ("--seed=", "--seed  is not a whole number: give one, such as --seed 7."),
        ("--clause=VAC-SAVE", "--clause VAC-SAVE selects no clause: `--clause list` names them all."),
        ("--clause=VAC-SAFE-10X", "--clause VAC-SAFE-10X selects no clause: `--clause list` names them all."),
        ("--clause=vac-safe", "--clause vac-safe selects no clause: `--clause list` names them all."),
        ("--spark-conf=a", "--spark-conf a is not of the form K=V: give a key, = and a value."),
        ("--spark-conf==b", "--spark-conf =b is not of the form K=V: give a key, = and a value."),
        ("--known-faults=none.toml", "--known-faults none.toml is not a file: name an existing one."),
        ("--like=none.json", "--like none.json is not a file: name an existing one."),
        ("--replay=none.json", "--replay none.json is not a file: name an existing one."),
        ("--replay=/", "--replay / is not a file: name an existing one."),
        ("--jars=none.jar", "--jars none.jar does not exist: name an existing jar or directory."),
        ("--extra-classpath=none", "--extra-classpath none does not exist: name an existing jar or directory."),
        (
            "--spark-master=foo",
            "--spark-master foo is not a master of Spark: name one such as local[*], local[4] or spark://HOST:7077.",
        ),
        ("--spark-cluster=0", "--spark-cluster 0 has no workers: give a number, such as --spark-cluster 2."),
        ("--spark-cluster=-1", "--spark-cluster -1 is negative: give a number, such as --spark-cluster 3."),
        ("--spark-cluster=two", "--spark-cluster two is not a whole number: give one, such as --spark-cluster 7."),
        (
            "--spark-remote=host:15002",
            "--spark-remote host:15002 is no address of a server: write sc://HOST:PORT, or local.",
        ),
        ("--budget=much", "--budget much is not a time or a factor: give one, such as --budget 3m."),
        ("--budget=2", "--budget 2: gate has no more cases; add random ones with --draw, such as --draw 200."),
        ("--shard=6/5", "--shard 6/5 is not a part of a run: give its number and of how many, such as --shard 2/5."),
        ("--shard=0/5", "--shard 0/5 is not a part of a run: give its number and of how many, such as --shard 2/5."),
        ("--shard=2", "--shard 2 is not a part of a run: give its number and of how many, such as --shard 2/5."),
        ("--shard=²/5", "--shard ²/5 is not a part of a run: give its number and of how many, such as --shard 2/5."),
        ("--draw=-1", "--draw -1 is negative: give a number, such as --draw 3."),
        ("--draw=some", "--draw some is not a whole number: give one, such as --draw 7."),
        ("--budget=0", "--budget 0 is not a time or a factor: give one, such as --budget 3m."),
        ("--step-limit=long", "--step-limit long is not a time in seconds: give one, such as --step-limit 120."),
        ("--step-limit=0", "--step-limit 0 is not a time in seconds: give one, such as --step-limit 120."),
        ("--step-limit=-1", "--step-limit -1 is not a time in seconds: give one, such as --step-limit 120."),
        ("--step-limit=nan", "--step-limit nan is not a time in seconds: give one, such as --step-limit 120."),
        ("--step-limit=inf", "--step-limit inf is not a time in seconds: give one, such as --step-limit 120."),
    ],
)
def test_each_mistake_has_its_sentence(
    argument: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mistake(argument) == sentence


def test_every_clause_must_select_something() -> None:
    assert "--clause X selects no clause" in mistake("--clause=VAC", "--clause=X")
    assert "selects no clause" in mistake("--clause=")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format": 2}', '{"format": 1, "table": {}, "steps": []}', "\udcff"]
)
def test_a_corrupt_case_is_a_mistake(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UsageMistake) as refusal:
        read_case(path)
    sentence = str(refusal.value)
    assert sentence.startswith(f"--replay {path}: not a case that can be replayed: ")
    assert "\n" not in sentence


def test_a_mistake_ends_pytest_with_2_and_one_line(tmp_path: Path) -> None:
    """One that the options show, and one that only the plugin notices."""
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"format": 1}))
    for arguments, sentence in (
        (("--replay", str(path)), f"--replay {path}: not a case that can be replayed: table: is missing"),
        (("--known-bad=none",), "--known-bad none is not known: `--known-bad list` names those that are."),
    ):
        command = [sys.executable, "-m", "pytest", "suites", "--collect-only", "-q", *arguments]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert ended.returncode == 2
        assert (ended.stdout + ended.stderr).strip().splitlines() == [f"Exit: {sentence}"]


def test_proposed_known_faults_go_into_a_new_file(tmp_path: Path) -> None:
    there, new = tmp_path / "there.toml", tmp_path / "new.toml"
    there.write_text("")
    assert chosen(f"--propose-known-faults={new}").propose_known_faults == new
    with pytest.raises(UsageMistake, match="exists already: name a new file"):
        chosen(f"--propose-known-faults={there}")
    with pytest.raises(UsageMistake, match="is in no directory"):
        chosen(f"--propose-known-faults={tmp_path / 'none' / 'a.toml'}")


def test_an_engine_to_share_with_may_have_a_version() -> None:
    assert chosen("--shared-with=spark==3.3.2").shared_with == ("spark", "3.3.2")
    for wrong in ("spark==", "spark==x", "flink"):
        with pytest.raises(UsageMistake, match="--shared-with"):
            chosen(f"--shared-with={wrong}")


def test_scripts_are_run_where_it_takes_little_time() -> None:
    assert chosen("--engine=deltalake").scripts is chosen("--engine=deltalake", "--profile=smoke").scripts is None
    assert chosen("--profile=gate").scripts == 3 and chosen("--profile=smoke").scripts == 0
    assert chosen("--spark-conf=a=b").scripts == 0, "the script would run another Delta"
    assert chosen("--profile=smoke", "--check-scripts=2").scripts == 2
    assert "--check-scripts -1 is negative" in mistake("--check-scripts=-1")


def test_a_directory_that_another_run_writes_to_is_refused(tmp_path: Path) -> None:
    with prepare(tmp_path, option="--report-dir"):
        (tmp_path / "run.jsonl").write_text('{"type":"header",', encoding="utf-8")
        with pytest.raises(UsageMistake, match="Another run writes its report to"):
            prepare(tmp_path, option="--report-dir")
        assert (tmp_path / "run.jsonl").read_text(encoding="utf-8") == '{"type":"header",'
    prepare(tmp_path, option="--report-dir").close()
    assert (tmp_path / "run.jsonl").read_bytes() == b"", "an earlier stream must not be taken for this run's"
