"""What a user may give to the commands about versions: a mistake is one sentence and exit 2, before an environment is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from runner import all_versions, gate_version, upgrade
from runner.command_line.commands import Main
from runner.command_line.given_options import ROOT, check_gate, given
from tests.runner.test_versions import Gate, use
from tests.slow import slow_after

VERSIONS = ["deltalake==1.5.1", "deltalake==1.5.0"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--report-dir", "X"],
            "--report-dir is set for each of the two gates: name the directory of the whole report",
        ),
        (["--profile", "smoke", "--shared-with=spark"], "--shared-with is set for each of the two gates"),
        (["--replay", "case.json"], "--replay judges one case: use it with gate-version"),
        (["--shard", "1/5"], "--shard judges a part of each version, and only whole runs can be compared"),
        (["--known-bad", "list"], "--known-bad builds a fault into both versions"),
        (["--propose-known-faults", "new.toml"], "--propose-known-faults would be written by both gates"),
        (["--maxfail=2"], "-x and --maxfail end one gate before the other"),
        (["--co"], "With options that only list or collect nothing is judged"),
        (["-k", "vacuum"], "Options of pytest that select tests leave out cases"),
        (["--clause", "VAC", "--clause", "list"], "--clause list judges nothing"),
        (
            ["--profile", "nightly"],
            "--profile nightly draws other cases in each run: name the same for both with --seed N",
        ),
        (["--engine=spark"], "--engine spark is not the engine of deltalake 1.5.1: leave it out"),
        (["--profile"], "argument --profile: expected one argument"),
        (["--accept", "nowhere.toml"], "--accept nowhere.toml is not a file: name an existing one."),
    ],
)
def test_what_makes_an_upgrade_meaningless_is_refused(
    options: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gate = Gate()
    use(gate, monkeypatch, tmp_path)
    assert upgrade.main([*VERSIONS, *options]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(sentence) and said.err.count("\n") == 1 and said.out == ""
    assert gate.asked == [] and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        ["--engine", "deltalake"],
        ["--profile", "nightly", "--seed", "7"],
        ["--clause=VAC", "--budget", "3m", "-n", "2"],
    ],
)
def test_other_options_go_to_both_gates(options: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gate = Gate()
    use(gate, monkeypatch, tmp_path)
    assert upgrade.main([*VERSIONS, *options, "-v"]) == 0, "-v is for the comparison"
    assert [asked[5:] for _, asked in gate.asked] == [options, options]


def test_an_upgrade_accepts_what_the_file_accepts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(v1_5_0=1), monkeypatch, tmp_path)
    assert upgrade.main(VERSIONS) == 1
    ours = tmp_path / "ours.toml"
    ours.write_text(
        '[[known_fault]]\nclause = "VAC-SAFE-1"\nsymptom.causes = ["gone"]\nreason = "r"\nlink = "l"\nuntil = 2020-01-01\n',
        encoding="utf-8",
    )
    assert upgrade.main([*VERSIONS, "--accept", str(ours)]) == 1
    ours.write_text(ours.read_text(encoding="utf-8").replace("until = 2020-01-01\n", ""), encoding="utf-8")
    assert upgrade.main([*VERSIONS, f"--accept={ours}"]) == 0
    assert f"except for 1 fault that {ours} accepts" in " ".join(capsys.readouterr().out.split())


def test_an_upgrade_accepts_what_it_proposes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = Gate(v1_5_0=1)
    use(gate, monkeypatch, tmp_path)
    for place in (tmp_path, tmp_path / "nowhere" / "ours.toml"):
        assert upgrade.main([*VERSIONS, "--propose-accept", str(place)]) == 2
    assert "cannot be written: name a file in a directory that exists.\n" in capsys.readouterr().err
    assert gate.asked == [], "it is said before anything is judged"
    ours = tmp_path / "ours.toml"
    assert upgrade.main([*VERSIONS, "--propose-accept", str(ours)]) == 1
    assert upgrade.main([*VERSIONS, "--accept", str(ours)]) == 0


@pytest.mark.parametrize(
    ("main", "words", "sentence"),
    [
        (
            all_versions.main,
            ["--shard", "1/2"],
            "--shard judges a part of each version, and the table is of whole runs:",
        ),
        (gate_version.main, ["--engine=spark"], "--engine spark is not the engine of deltalake 1.6.3: leave it out"),
        (lambda given: upgrade.main([*VERSIONS, *given[1:]]), ["--out", "FILE/report"], "--out FILE/report cannot be"),
    ],
)
def test_other_commands_refuse_what_they_cannot_do(
    main: Main,
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gate = Gate()
    use(gate, monkeypatch, tmp_path)
    (file := tmp_path / "file").touch()
    assert main(["deltalake==1.6.3", *(word.replace("FILE", str(file)) for word in words)]) == 2
    assert capsys.readouterr().err.startswith(sentence.replace("FILE", str(file)))
    assert gate.asked == []


def test_an_abbreviation_is_not_taken_for_an_option() -> None:
    """Nor does pytest take it."""
    assert given(["--report-di", "X", "--engi=spark"]) == {}


@pytest.mark.parametrize(
    ("options", "sentence"),
    slow_after(
        2,
        [
            (["--profil", "smoke"], "--profil is not known: did you mean --profile?"),
            (["--nonsense=1"], "--nonsense is not known: docs/options.md lists the options of a gate."),
            (["--seed"], "argument --seed: expected one argument: docs/options.md lists the options of a gate."),
            (["--known-faults", "tox.ini"], "The known faults file tox.ini is not TOML: "),
        ],
    ),
)
def test_what_a_gate_would_refuse_is_refused_before_it(options: list[str], sentence: str) -> None:
    with pytest.raises(UsageMistake) as refusal:
        check_gate(["--engine", "deltalake", *options])
    assert str(refusal.value).startswith(sentence) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "words",
    [
        "--known-faults {}/none.toml suites --replay={}/case.json",
        "--replay {}/case.json suites --known-faults={}/none.toml --report-dir {}/report",
    ],
)
def test_what_lies_beside_a_file_that_is_named_is_not_run(words: str, tmp_path: Path) -> None:
    """Neither a conftest.py, nor pytest's settings."""
    (tmp_path / "conftest.py").write_text("import my_company_fixtures\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    (tmp_path / "report").mkdir()
    (tmp_path / "none.toml").write_bytes((ROOT / "known_faults" / "none.toml").read_bytes())
    (tmp_path / "case.json").write_bytes(next((ROOT / "regressions").glob("*.json")).read_bytes())
    command = [sys.executable, "-m", "pytest", "-c", "tox.ini", *words.replace("{}", str(tmp_path)).split(" ")]
    command += ["--engine", "deltalake", "--collect-only", "--ignore-glob=*"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ended.stdout + ended.stderr


def test_the_options_of_every_environment_are_read_from_here() -> None:
    """A file that is named may lie in a project with settings of its own for pytest."""
    lines = [line for line in (ROOT / "tox.ini").read_text(encoding="utf-8").splitlines() if "pytest" in line]
    assert not [line for line in lines if " suites" in line and "pytest -c tox.ini suites" not in line]


def test_what_a_gate_takes_is_not_refused() -> None:
    check_gate(["--engine", "deltalake", "--shared-with", "deltalake==1.5.0", "--profile", "smoke", "-n", "2"])
