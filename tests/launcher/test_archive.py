"""The suite as one file of the package."""

from __future__ import annotations

import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tombstone.archive import CONTENTS, digest_of, files, lay_out, pack
from tombstone.mistakes import Mistake

ROOT = Path(__file__).parents[2]

#: What a clone has besides: tests, checks and measurements of the suite itself, pictures, what builds and publishes it.
NOT_PACKED = {
    *(
        "tests",
        "selfcheck",
        "tools",
        "benchmarks",
        "hatch_build.py",
        "pyproject.toml",
        "action.yml",
        ".ci",
    ),
    *(".gitignore", "ARCHITECTURE.md", "CONTRIBUTING.md"),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("packed") / "suite.zip"
    pack(ROOT, made)
    return made


def test_all_at_the_top_is_packed_or_left_out_on_purpose() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no clone")
    assert {line.partition("/")[0] for line in listed.stdout.splitlines()} == {*CONTENTS, *NOT_PACKED}


def test_what_runs_need_is_packed_and_what_they_leave_is_not() -> None:
    packed = set(files(ROOT))
    assert packed >= {
        "tox.ini",
        "conftest.py",
        "corpus/gate.jsonl",
        "known_faults/spark.toml",
        "docs/demo/healthy/run.jsonl.gz",
    }
    assert not [name for name in packed if "__pycache__" in name or name.endswith(".pyc") or name.startswith("tests")]


def test_the_same_files_make_the_same_archive(archive: Path, tmp_path: Path) -> None:
    pack(ROOT, tmp_path / "again.zip")
    assert digest_of(tmp_path / "again.zip") == digest_of(archive)


@pytest.mark.long
def test_several_launchers_at_once_lay_it_out_once(archive: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache" / "suite" / "0.1.0"
    with ThreadPoolExecutor(4) as launchers:
        list(launchers.map(lambda _: lay_out(archive, place), range(4)))
    assert [one.name for one in place.parent.iterdir()] == ["0.1.0"]
    assert {str(one.relative_to(place)) for one in place.rglob("*") if one.is_file()} == set(files(ROOT))


def test_what_is_there_is_left_alone(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    lay_out(archive, tmp_path / "tree")
    assert not list((tmp_path / "tree").iterdir())


def test_a_tree_that_could_not_be_written_whole_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "suite.zip", "w") as packed:
        packed.writestr("tox.ini", "")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "extractall", full)
    with pytest.raises(Mistake, match=r"cannot be written to .*tree \(No space left on device\): make room"):
        lay_out(tmp_path / "suite.zip", tmp_path / "cache" / "tree")
    assert not list((tmp_path / "cache").iterdir())
