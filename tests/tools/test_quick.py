"""What `tox -e quick` runs: the tests that import what has changed, also by way of others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from grimp import ImportGraph, build_graph

from records.mistakes import UsageMistake
from tools import quick


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    return build_graph(*quick.rooms(), "tests", cache_dir=None)


@pytest.mark.parametrize(
    ("files", "modules"),
    [
        (["model/prediction/delete.py", "model/__init__.py"], {"model.prediction.delete", "model"}),
        (
            ["known_faults/spark.toml", "reports/render/comparison/gone.j2"],
            {"known_faults", "reports.render.comparison"},
        ),
        (["model/prediction/gone.py"], {"model.prediction"}),
        (["tests/model/test_delete.py", "tests/recorded/healthy.json"], {"tests.model.test_delete", "tests.recorded"}),
        (["README.md", "docs/delta.md"], {"tests.docs"}),
        ([], set()),
        (["tox.ini", "model/prediction/delete.py"], None),
        (["tests/conftest.py"], None),
        (["tests/witnesses/a.json"], None),
        (["corpus/smoke.jsonl.gz"], None),
    ],
)
def test_a_file_is_of_its_module_or_of_its_package(
    files: list[str], modules: set[str] | None, graph: ImportGraph
) -> None:
    assert quick.changed_modules(files, graph) == modules


def test_what_imports_a_changed_module_is_tested(graph: ImportGraph) -> None:
    of_page = quick.tests_of({"reports.render.comparison"}, graph)
    assert {"tests/reports/test_page.py", "tests/runner/test_demo.py", quick.ALWAYS} <= set(of_page)
    assert not [path for path in of_page if path.startswith(("tests/deltalog/", "tests/strategies/"))]
    of_model = quick.tests_of({"model.prediction.delete"}, graph)
    assert {"tests/model/test_delete.py", "tests/harness/test_judge.py", "tests/suites/test_profiles.py"} <= set(
        of_model
    )


def test_without_a_change_only_the_recorded_cases_run_and_after_one_of_the_settings_all_tests(
    graph: ImportGraph,
) -> None:
    assert quick.tests_of(set(), graph) == [quick.ALWAYS]
    everything = {str(path.relative_to(quick.ROOT)) for path in (quick.ROOT / "tests").glob("**/test_*.py")}
    assert set(quick.tests_of(None, graph)) == {path for path in everything if not path.startswith("tests/browser/")}


def test_what_differs_from_the_main_branch_has_changed_and_what_is_not_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        set_up = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *set_up, *arguments], cwd=tmp_path, capture_output=True, check=True)

    monkeypatch.setattr(quick, "ROOT", tmp_path)
    git("init", "-b", "main")
    for name in ("old", "edited"):
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "First")
    git("switch", "-c", "topic")
    (tmp_path / "committed").write_text("2\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "Second")
    (tmp_path / "edited").write_text("3\n", encoding="utf-8")
    (tmp_path / "new").write_text("4\n", encoding="utf-8")
    assert sorted(quick.changed_files()) == ["committed", "edited", "new"]


def test_a_name_that_is_no_room_is_a_mistake() -> None:
    with pytest.raises(UsageMistake, match="nonsense is not a room: name some of model, deltalog"):
        quick.main(["nonsense"])


def test_pytest_leaves_out_the_marks_that_the_tests_have(request: pytest.FixtureRequest) -> None:
    known = {line.partition(":")[0] for line in request.config.getini("markers")}
    assert set(quick.LEFT_OUT.split(" or ")) <= known and quick.LEFT_OUT in " ".join(quick.command(["tests"]))
