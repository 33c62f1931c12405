"""The working copy of what is in a bucket: files and objects are equal, and their times are those of the uploads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.machine import MachineFailed
from engines.port import EngineError, Outcome
from engines.working_copy import CopyingEngine, UploadingEngine, WorkingCopy
from model.vocabulary.steps import Read
from reference_engine import ReferenceEngine
from tests.builders.memory_objects import MemoryObjects

CLOCK = 1_800_000_000_000


@pytest.fixture
def case(tmp_path: Path) -> Path:
    made = tmp_path / "case-1"
    (made / "table" / "p=a b%20").mkdir(parents=True)
    (made / "table" / "p=a b%20" / "part.parquet").write_bytes(b"rows")
    return made


def files(case: Path) -> dict[str, bytes]:
    return {path.relative_to(case).as_posix(): path.read_bytes() for path in case.rglob("*") if path.is_file()}


def test_what_the_engine_did_to_objects_is_done_to_files(case: Path) -> None:
    objects = MemoryObjects(CLOCK)
    copy = WorkingCopy(objects)
    copy.put(case)
    objects.delete(list(objects.content))
    objects.put(f"{case}/table/_delta_log/0.json", b"{}")
    objects.put(f"{case}/table/empty/", b"")
    copy.get(case)
    assert files(case) == {"table/_delta_log/0.json": b"{}"}
    assert (case / "table" / "empty").is_dir() and not (case / "table" / "p=a b%20").exists()
    objects.put(f"{case}/table/_delta_log/0.json", b"[]")  # of the same size, perhaps in the same second
    copy.get(case)
    assert files(case) == {"table/_delta_log/0.json": b"[]"}
    copy.remove(case)
    assert objects.content == {}


def test_early_files_are_older_than_the_second_that_is_told(case: Path) -> None:
    objects = MemoryObjects(CLOCK)
    copy = WorkingCopy(objects)
    early = {case / "table" / f"{n}": b"x" for n in range(5)}
    second = copy.put_early(case, early)
    assert second is not None and second % 1000 == 0
    assert max(found.modified for found in objects.list(f"{case}/")) < second
    objects.put(f"{case}/table/late", b"")
    assert next(found.modified for found in objects.list(f"{case}/table/late")) >= second
    assert sorted(objects.content) == [*map(str, early), f"{case}/table/late"], "the clock's probe is gone"
    for path, content in early.items():
        path.write_bytes(content)
    copy.put(case)
    assert all(os.stat(path).st_mtime_ns < second * 1_000_000 for path in early), "they are not uploaded again"
    assert copy.put_early(case, {}) is None


class Doing(ReferenceEngine):
    """An engine that does this instead."""

    def __init__(self, do: Callable[[Path], Outcome | None]) -> None:
        super().__init__()
        self._do = do

    def run(self, root: Path, *arguments: object, **more: object) -> Outcome:  # type: ignore[override]
        return self._do(root) or Outcome((), None, 0, 0)


def test_a_step_sees_the_objects_and_the_suite_what_it_left(case: Path) -> None:
    objects = MemoryObjects(CLOCK)

    def writes(root: Path) -> None:
        assert [path.removeprefix(f"{case}/") for path in objects.content] == ["table/p=a b%20/part.parquet"]
        objects.put(f"{case}/table/new", b"new")

    CopyingEngine(Doing(writes), WorkingCopy(objects)).run(case / "table", Read(), clock=0, version=None)
    assert files(case) == {"table/new": b"new", "table/p=a b%20/part.parquet": b"rows"}


def test_what_a_known_bad_engine_changes_is_an_object_before_it_is_judged(case: Path) -> None:
    def spoils(root: Path) -> None:
        (root / "made").write_bytes(b"by the fault")
        os.unlink(root / "p=a b%20" / "part.parquet")

    objects = MemoryObjects(CLOCK)
    copy = WorkingCopy(objects)
    copy.put(case)
    UploadingEngine(Doing(spoils), copy).run(case / "table", Read(), clock=0, version=None)
    assert list(objects.content) == [str(case / "table" / "made")]
    (found,) = objects.list(str(case))
    assert os.stat(found.path).st_mtime_ns == found.modified * 1_000_000


def test_an_error_is_the_engines_only_if_the_server_serves(case: Path) -> None:
    objects = MemoryObjects(CLOCK)
    refused = Outcome((), EngineError("OSError", None, None, "ExpiredToken"), 0, 0)
    engine = CopyingEngine(Doing(lambda root: refused), WorkingCopy(objects))
    assert engine.run(case / "table", Read(), clock=0, version=None) == refused
    assert [path.removeprefix(f"{case}/") for path in objects.content] == ["table/p=a b%20/part.parquet"]

    def expired(*arguments: object) -> None:
        raise MachineFailed("The key has expired.")

    objects.put = expired  # type: ignore[method-assign, assignment]
    with pytest.raises(MachineFailed, match="The key has expired"):
        engine.run(case / "table", Read(), clock=0, version=None)


def test_a_log_that_is_written_again_has_another_name_for_an_engine_that_remembers(case: Path) -> None:
    objects, seen = MemoryObjects(CLOCK), []
    copy = WorkingCopy(objects, renames=True)
    log = case / "table" / "_delta_log"
    log.mkdir()
    (log / "0.json").write_bytes(b"one")

    def names(root: Path) -> Outcome:
        seen.append(root)
        assert objects.get(f"{root}/_delta_log/0.json") == (log / "0.json").read_bytes()
        objects.put(f"{root}/new", b"new")
        return Outcome(((f"{root}/new", 1),), EngineError("Refused", None, None, f"{root} is refused"), 0, 0)

    engine = CopyingEngine(Doing(names), copy)
    engine.run(case / "table", Read(), clock=0, version=None)
    (log / "1.json").write_bytes(b"another")
    engine.run(case / "table", Read(), clock=0, version=None)
    assert seen == [case / "table"] * 2, "a new file is no other log"
    (log / "0.json").write_bytes(b"older")
    copy.put(case)
    outcome = engine.run(case / "table", Read(), clock=0, version=None)
    assert seen[2].name == "table" and seen[2].parent == copy.served(case) != case
    assert outcome.rows == ((f"{case}/table/new", 1),)
    assert outcome.error is not None and outcome.error.message == f"{case}/table is refused"
    above = f"{copy.served(case)}/"
    assert [path.removeprefix(above) for path in objects.content] == [
        "table/_delta_log/0.json",
        "table/_delta_log/1.json",
        "table/new",
        "table/p=a b%20/part.parquet",
    ]
    assert {path.removeprefix(above): objects.get(path) for path in objects.content} == files(case)
    copy.remove(case)
    assert objects.content == {} and copy.served(case) == case
