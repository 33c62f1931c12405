"""Mutants: what is changed, whether tests notice it, and how that is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfcheck.mutants import Mutant, is_python, mutants
from selfcheck.mutation import main, modules, settings, shuffled
from selfcheck.mutation_report import BORNE, EQUIVALENT, WORDING, Explanation, Report, Row, explanations

ROOT = Path(__file__).resolve().parent.parent

# What is changed --------------------------------------------------------------------------------------------------------


def changed(source: str, directory: Path, name: str = "model/a.py") -> dict[str, list[Mutant]]:
    """The mutants of a source, by the text that stands there instead."""
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    found: dict[str, list[Mutant]] = {}
    for mutant in mutants([path], directory):
        found.setdefault(mutant.text, []).append(mutant)
    return found


def test_a_decorated_function_is_changed_too(tmp_path: Path) -> None:
    source = "@clause('A')\ndef holds(v):\n    return v.size <= 3 if v.ran else None\n"
    found = changed(source, tmp_path)
    assert {mutant.scope for mutants in found.values() for mutant in mutants} == {"holds"}
    (less,) = found[" < 3"]
    assert less.line == 3 and less.source(source) == source.replace("<=", "<")
    assert less.lines(source) == ("return v.size <= 3 if v.ran else None", "return v.size < 3 if v.ran else None")
    assert "4" in found and "@" not in "".join(found)


def test_a_bare_condition_is_turned_round(tmp_path: Path) -> None:
    found = changed("def f(a):\n    if a.ran:\n        return 1\n    return [b for b in a if b]\n", tmp_path)
    assert "not a.ran" in found and "not b" in found


def test_methods_and_what_runs_at_import_have_their_scopes(tmp_path: Path) -> None:
    found = changed("LIMIT = 3\nclass A:\n    size = 4\n    def f(self, n=5):\n        return lambda: 6\n", tmp_path)
    scopes = {text: found[text][0].scope for text in ("4", "5", "6", "7")}
    assert scopes == {"4": "", "5": "", "6": "", "7": "A.f"}


@pytest.mark.parametrize(
    "source",
    [
        '"""A module."""\n',
        "import os\nfrom os import path\n",
        "@dataclass(frozen=True)\nclass A:\n    size: int\n",
        'def f():\n    raise ValueError("no" + "t")\n',
        '__all__ = ["a"]\n',
        'S = TypeVar("S", bound=int)\n',
    ],
)
def test_what_decides_nothing_is_left_as_it_is(source: str, tmp_path: Path) -> None:
    assert not changed(source, tmp_path)


def test_sentences_are_left_out_where_they_are_for_people_alone(tmp_path: Path) -> None:
    source = 'def f(n):\n    return g(n, f"{n} is wrong", "DELETE FROM", "word")\n'
    assert [text for text in changed(source, tmp_path) if "XX" in text] == ['"XXwordXX"']
    assert any("DELETE FROMXX" in text for text in changed(source, tmp_path, "model/sql.py"))


def test_what_is_no_python_is_told() -> None:
    assert is_python("a = 1\n") and not is_python("a = = 1\n")


def test_a_sample_stays_the_same_where_something_else_changes(tmp_path: Path) -> None:
    def drawn(source: str, seed: int) -> list[str]:
        path = tmp_path / "a.py"
        path.write_text(source)
        found = mutants([path], tmp_path)
        return [str(mutant.lines(source)) for mutant in shuffled(found, {"a.py": source}, seed)]

    source = "def f(a):\n    return a + 1 if a > 2 else a * 3\n\ndef g(a):\n    return a + 1\n"
    more = f"LIMIT = 7\n\n{source}"
    assert drawn(source, 1) != drawn(source, 2) and sorted(drawn(source, 1)) == sorted(drawn(source, 2))
    assert [one for one in drawn(more, 1) if "LIMIT" not in one] == drawn(source, 1)


def test_all_of_the_model_and_the_clauses_is_changed() -> None:
    paths = {path.relative_to(ROOT).as_posix() for path in modules([], settings())}
    assert {"model/vacuum.py", "model/codec/converter.py", "suites/clauses/delete/rows.py"} <= paths
    assert {path.split("/")[0] for path in paths} == {"model", "suites"}
    tests = settings().test_files
    assert "tests/test_model_vacuum.py" in tests and not any("spark" in path for path in tests)


def test_a_path_that_does_not_exist_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model/nothing.py"]) == 2
    assert "model/nothing.py is neither a module nor a directory" in capsys.readouterr().err


# Whether tests notice it ------------------------------------------------------------------------------------------------

JUDGE = """\
LIMIT = 3

def enough(number):
    return number >= LIMIT

def half(number):
    return number // 2
"""

TESTS = """\
from judge import enough, half

def test_enough():
    assert enough(3) and not enough(2)

def test_half():
    assert half(0) == 0
"""

TRIALS = """\
import sys
from pathlib import Path
from selfcheck import mutant_trials
from selfcheck.mutants import mutants

root = mutant_trials.ROOT = Path.cwd()
mutant_trials.OTHERS = ()
sys.path.append(str(root))
sources = {"judge.py": (root / "judge.py").read_text()}
for mutant, status in mutant_trials.trials(mutants([root / "judge.py"], root), sources, ["test_judge.py"], 2):
    print(f"{mutant.text}: {status}")
"""


def trials(directory: Path) -> subprocess.CompletedProcess[str]:
    (directory / "judge.py").write_text(JUDGE)
    return subprocess.run(
        [sys.executable, "-c", TRIALS],
        check=False,
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )


def test_each_mutant_is_tried_by_the_tests_that_come_by_it(tmp_path: Path) -> None:
    (tmp_path / "test_judge.py").write_text(TESTS)
    done = trials(tmp_path)
    said = [line.strip() for line in done.stdout.splitlines() if line.endswith((": killed", ": survived"))]
    assert sorted(said) == [
        "3: survived",  # half of 0 by 3: no test asks for more
        "4: killed",
        "> LIMIT: killed",
        "LIMIT = None: killed",
        "number / 2: survived",
    ], done.stderr
    assert (tmp_path / "judge.py").read_text() == JUDGE


def test_a_test_that_fails_on_the_healthy_program_can_notice_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_judge.py").write_text(f"{TESTS}\ndef test_wrong():\n    assert enough(0)\n")
    done = trials(tmp_path)
    assert "fails on the healthy program, and is not used: test_judge.py::test_wrong" in done.stderr
    assert "number / 2: survived" in done.stdout


# How that is told -------------------------------------------------------------------------------------------------------


def row(line: int, status: str, after: str = "b", module: str = "model/a.py", scope: str = "f") -> Row:
    return Row(module, line, scope, "a", after, status)


ROWS = [
    row(1, "killed"),
    row(2, "timeout"),
    row(3, "survived", "same"),
    row(4, "survived", "words"),
    row(5, "survived", "other"),
    row(6, "survived", "unknown"),
    row(7, "killed", module="model/b.py"),
    row(8, "killed"),
]
EXPLAINED = [
    Explanation("model/a.py", "f", "same", EQUIVALENT, "It is the same."),
    Explanation("model/a.py", "", "words", WORDING, "Only words."),
    Explanation("model/a.py", "f", "other", BORNE, "It is borne."),
    Explanation("model/b.py", "f", "unknown", BORNE, "Another module."),
    Explanation("model/a.py", "g", "unknown", BORNE, "Another function."),
]


def test_figures_count_what_is_noticed_and_what_cannot_be() -> None:
    report = Report(ROWS, EXPLAINED, made=100, seed=7)
    assert [one.line for one in report.unexplained] == [6]
    assert report.summary == (
        "Of 100 mutants 8 were tried drawn at random with seed 7. 4 were noticed (1 of these did not end), 4 survived: "
        "1 do the same as the original, 1 differ in what people read only, 1 are borne, 1 are unexplained. Noticed are "
        "50.0 % of all, and 57.1 % of those that do not do the same as the original."
    )


def test_the_document_has_each_module_and_each_survivor_with_its_reason() -> None:
    document = Report(ROWS, EXPLAINED, made=8, seed=7).document()
    assert (
        "| `model/a.py` | 7 | 3 | 1 | 1 | 1 | 1 |" in document
        and "| `model/b.py` | 1 | 1 | 0 | 0 | 0 | 0 |" in document
    )
    assert "`model/a.py:3`, `f`: equivalent.\n\n```diff\n- a\n+ same\n```\n\nIt is the same.\n" in document
    assert "`model/a.py:6`, `f`: unexplained." in document and "seed" not in document
    assert document == Report(ROWS[::-1], EXPLAINED, made=8, seed=7).document()


def test_of_long_statements_the_lines_that_differ_are_told() -> None:
    one = Row("m", 1, "", "f(\n1,\n2,\n3,\n)", "f(\n1,\nNone,\n3,\n)", "survived")
    assert one.difference == "- 2,\n+ None,"
    assert dataclass_without(one, "1,").difference == "- 1,"


def dataclass_without(one: Row, line: str) -> Row:
    return Row(one.module, one.line, one.scope, one.before, one.before.replace(f"{line}\n", "", 1), one.status)


def test_every_explanation_of_ours_is_of_a_module_that_there_is(tmp_path: Path) -> None:
    for one in explanations():
        assert (ROOT / one.module).is_file() and one.reason.endswith("."), one
    (tmp_path / "x.toml").write_text('[[survivor]]\nmodule = "m"\nkind = "dull"\nreason = "r"\n')
    with pytest.raises(ValueError, match="'dull': not one of equivalent, wording, borne"):
        explanations(tmp_path / "x.toml")
