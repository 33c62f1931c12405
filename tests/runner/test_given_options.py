"""What a user may give to the commands about versions: a mistake is one sentence and exit 2, before an environment is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from runner.command_line.given_options import ROOT, check_gate, given
from tests.slow import slow_after


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
