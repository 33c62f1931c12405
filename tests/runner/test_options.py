"""The command line: the options, and one sentence for each mistake."""

from __future__ import annotations

import json
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
from tests.runner.in_process import run_suite

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
    assert "\n" not in sentence and sentence.endswith((".", "?"))
    return sentence


def test_what_a_replay_needs_again_and_what_the_engine_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.jar").touch()
    (tmp_path / "known.toml").touch()
    engine = ("--spark-conf=a=b=c", "--spark-conf=d=", f"--extra-classpath={tmp_path}", f"--jars={tmp_path / 'a.jar'}")
    others = (f"--known-faults={tmp_path / 'known.toml'}", "--table-root=file:/somewhere", "--step-limit=2.5")
    own = ("--profile=nightly", "--seed=7", "--clause=VAC-SAFE", "--clause=DEL-ROW-5", "--check-scripts=7", "--brief")
    found = chosen(*own, *others, "--spark-master=local[2]", *engine)
    assert found.again == (*engine, "--spark-master=local[2]", *others)
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
        ("--clause=VAC-SAVE", "--clause VAC-SAVE selects no clause: did you mean VAC-SAFE?"),
        ("--clause=vac-safe", "--clause vac-safe selects no clause: did you mean VAC-SAFE?"),
        ("--clause=xyz", "--clause xyz selects no clause: `--clause list` names them all."),
        ("--spark-conf=a", "--spark-conf a is not of the form K=V: give a key, = and a value."),
        ("--known-faults=none.toml", "--known-faults none.toml is not a file: name an existing one."),
        ("--replay=/", "--replay / is not a file: name an existing one."),
        ("--jars=none.jar", "--jars none.jar does not exist: name an existing jar or directory."),
        ("--extra-classpath=none", "--extra-classpath none does not exist: name an existing jar or directory."),
        (
            "--spark-master=foo",
            "--spark-master foo is not a master of Spark: name one such as local[*], local[4] or spark://HOST:7077.",
        ),
        ("--spark-cluster=0", "--spark-cluster 0 has no workers: give a number, such as --spark-cluster 2."),
        (
            "--spark-remote=host:15002",
            "--spark-remote host:15002 is no address of a server: write sc://HOST:PORT, or local.",
        ),
        ("--budget=much", "--budget much is not a time or a factor: give one, such as --budget 3m."),
        ("--budget=2", "--budget 2: gate has no more cases; add random ones with --draw, such as --draw 200."),
        ("--shard=6/5", "--shard 6/5 is not a part: give its number and of how many, such as 2/5."),
        ("--shard=²/5", "--shard ²/5 is not a part: give its number and of how many, such as 2/5."),
        ("--draw=-1", "--draw -1 is negative: give a number, such as --draw 3."),
        ("--step-limit=long", "--step-limit long is not a time in seconds: give one, such as --step-limit 120."),
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
        (
            ("--known-bad=forget-a-partition",),
            "--known-bad forget-a-partition is not known: did you mean forgets-a-partition?",
        ),
        (("--known-bad=none",), "--known-bad none is not known: `--known-bad list` names those that are."),
    ):
        ended = run_suite(tmp_path, "--collect-only", "-q", *arguments, engine="deltalake")
        assert (ended.code, ended.said.strip().splitlines()) == (2, [f"Exit: {sentence}"])


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
