"""Mutation tests: the sources prepared for mutmut, the survivors, and the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.slow import all_slow
from tools import mutation
from tools.mutable_source import mutable
from tools.mutation import (
    AcceptedSurvivors,
    Survivor,
    accepted,
    main,
    make_tree,
    matching,
    modules,
    report,
    sampled,
    settings,
    summary,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("source", "rewritten"),
    [
        ("@a\n@b('x')\ndef f(v):\n    return v\n", "def f(v):\n    return v\nf = a(b('x')(f))\n"),
        (
            "class A:\n    @property\n    def f(self):\n        return 1\n",
            "class A:\n    def f(self):\n        return 1\n    f = property(f)\n",
        ),
        (
            "T = {1: lambda d: d + 1}\n",
            "def lambda_1(d):\n    return (d + 1)\nT = {1: lambda_1}\n",
        ),
        ("def f():\n    return lambda: 1\n", "def f():\n    return lambda: 1\n"),
        ("if a.ran:\n    b = [c for c in a if c]\n", "if a.ran and True:\n    b = [c for c in a if c and True]\n"),
        ("if a == 1:\n    pass\n", "if a == 1:\n    pass\n"),
    ],
)
def test_a_source_is_rewritten_so_that_mutmut_changes_more(source: str, rewritten: str) -> None:
    assert mutable(source) == rewritten


@pytest.mark.long
def test_the_model_and_the_clauses_are_mutated_and_tested_without_spark(pytestconfig: pytest.Config) -> None:
    found = modules([])
    assert {"model/prediction/vacuum.py", "model/codec/cases.py", "suites/clauses/delete/rows.py"} <= set(found)
    assert {path.partition("/")[0] for path in found} == {"model", "suites"}
    assert modules(["model/codec"]) == sorted(path for path in found if path.startswith("model/codec/"))
    assert all(matching([pattern]) for patterns in settings().values() for pattern in patterns)
    tests = matching(settings()["tests"]) - matching(settings()["leave-out"])
    assert "tests/model/test_vacuum.py" in tests and not any("spark" in path for path in tests)
    for path in found if all_slow(pytestconfig) else found[::5]:
        compile(mutable((ROOT / path).read_text(encoding="utf-8")), path, "exec")


# The command, on a small project --------------------------------------------------------------------------------------

JUDGE = """\
from functools import cache

@cache
def enough(number):
    if number:
        return number >= 3
    raise ValueError("There is no number at all.")

HALVES = {"half": lambda number: number // 2}
"""

TESTS = """\
import pytest
from model.judge import HALVES, enough

def test_enough():
    assert enough(3) and enough(4) and not enough(2)
    with pytest.raises(ValueError):
        enough(0)

def test_half():
    assert HALVES["half"](0) == 0
"""

SURVIVORS = """\
[[survivor]]
module = "model/*.py"
scope = "lambda_1"
after = 'number / 2'
kind = "equivalent"
reason = "It is 0 either way."
"""

PROJECT = {
    "model/judge.py": JUDGE,
    "tests/test_judge.py": TESTS,
    "tools/survivors.toml": SURVIVORS,
    "tox.ini": "[pytest]\npythonpath = .\naddopts = --import-mode=importlib -p no:cacheprovider\n",
    "pyproject.toml": '[tool.tombstone.mutation]\nmutate = ["model/*.py"]\ntests = ["tests/test_*.py"]\n',
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    return tmp_path


def test_survivors_are_listed_and_accepted_ones_are_not_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["-n", "2", "--write"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("model.judge.x_lambda_1__mutmut_")
    assert "-    return (number // 2)\n+    return (number // 3)\n" in out
    assert "2 survived (1 equivalent, 0 wording, 0 tolerated, 1 unexplained)." in out
    assert "equivalent: It is 0 either way." in (project / "build" / "mutation.md").read_text(encoding="utf-8")
    assert (project / "model" / "judge.py").read_text(encoding="utf-8") == JUDGE
    # --again runs the present tests, so survivors can be tried again after a test was added.
    (project / "tests" / "test_judge.py").write_text(TESTS.replace("(0) == 0", "(4) == 2"), encoding="utf-8")
    assert main(["--again"]) == 0
    assert "1 survived (1 equivalent, 0 wording, 0 tolerated, 0 unexplained)." in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_a_sample_depends_on_its_seed(tmp_path: Path) -> None:
    make_tree(tmp_path / "tree", ["model/judge.py"])
    drawn = [sampled(tmp_path / "tree", ["model/judge.py"], number, seed=1) for number in (3, 3, 99)]
    assert len(set(drawn[0])) == 3 and drawn[0] == drawn[1] and set(drawn[0]) < set(drawn[2])
    assert drawn[2] != sampled(tmp_path / "tree", ["model/judge.py"], 99, seed=2)


def test_tests_that_fail_without_a_mutant_are_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_judge.py").write_text(f"{TESTS}\ndef test_wrong():\n    assert enough(2)\n")
    assert main([]) == 2
    assert "mutmut failed in " in capsys.readouterr().err


def test_a_path_that_does_not_exist_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model/nothing.py"]) == 2
    assert "model/nothing.py is neither a module nor a directory" in capsys.readouterr().err


# Survivors --------------------------------------------------------------------------------------------------------------


def survivor(function: str, difference: str = "-a\n+  b") -> Survivor:
    return Survivor(f"model.codec.a.{function}__mutmut_3", difference)


def test_a_survivor_is_accepted_by_module_function_and_change() -> None:
    one, method = survivor("x__flat"), survivor("xǁCaseǁis_known")
    assert (one.module, one.scope, one.after, method.scope) == ("model/codec/a.py", "_flat", "b", "Case.is_known")
    reason = ("equivalent", "It is the same.")
    assert AcceptedSurvivors("model/codec/*.py", *reason).covers(one)
    assert AcceptedSurvivors("model/codec/a.py", *reason, scope="_flat", after="^b$").covers(one)
    assert not AcceptedSurvivors("model/b.py", *reason).covers(one)
    assert not AcceptedSurvivors("model/codec/a.py", *reason, scope="flat").covers(one)
    assert not AcceptedSurvivors("model/codec/a.py", *reason, after="a").covers(one)


def test_the_score_leaves_out_equivalent_mutants() -> None:
    codes = {f"model.a.x_f__mutmut_{number}": code for number, code in enumerate([1, 1, 36, 0, 0, 33, None])}
    same, words = (AcceptedSurvivors("model/*.py", kind, "It is the same.") for kind in ("equivalent", "wording"))
    found = [(survivor("x_f"), why) for why in (same, words, None)]
    assert summary(codes, found) == (
        "7 mutants, 6 tried: 3 killed, 3 survived (1 equivalent, 1 wording, 0 tolerated, 1 unexplained). "
        "Killed: 60.0 % of those that are not equivalent."
    )
    text = report(codes, found)
    assert "| `model.a` | 6 | 0 |" in text and "| `model.codec.a` |" not in text
    assert "```diff\n-a\n+  b\n```\n\nequivalent: It is the same.\n" in text


def test_every_accepted_survivor_names_a_function_and_a_reason(tmp_path: Path) -> None:
    for entry in accepted(ROOT / "tools" / "survivors.toml"):
        sources = [(ROOT / path).read_text(encoding="utf-8") for path in matching([entry.module])]
        assert entry.reason.endswith(".") and any(
            f"def {entry.scope.rpartition('.')[2]}" in source for source in sources
        ), entry
    (tmp_path / "x.toml").write_text('[[survivor]]\nmodule = "m"\nkind = "dull"\nreason = "r"\n')
    with pytest.raises(ValueError, match="'dull': not equivalent, wording or tolerated"):
        accepted(tmp_path / "x.toml")


def test_the_codes_of_mutants_are_read_from_mutmut(tmp_path: Path) -> None:
    (tmp_path / "mutants").mkdir()
    (tmp_path / "mutants" / "a.py.meta").write_text(json.dumps({"exit_code_by_key": {"a.x_f__mutmut_1": 0}}))
    assert mutation.results(tmp_path) == {"a.x_f__mutmut_1": 0}
