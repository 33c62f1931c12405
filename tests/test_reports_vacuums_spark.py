"""Reproduction scripts of VACUUMs on Spark itself: modes, forms, inventories, troubles, refusals, and strange tables."""

from __future__ import annotations

import dataclasses
import json
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from harness.reproduction_plan import reproduction_plan
from model.case import Case
from model.layout import file_path
from model.refusals import expected_vacuum_refusal
from model.steps import (
    AddStrayFiles,
    Delete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import (
    DAY,
    WEEK,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
)
from model.values import Type
from reports.laws import LAWS
from reports.script import check
from reports.spark.io_faults import file_system_trouble

OLD = -3 * WEEK
CONTENT = ((1,), (2,))
FILES = (
    DataFile(0, ("a",), CONTENT, OLD),
    DataFile(1, ("a",), CONTENT, OLD),
    DataFile(2, ("b",), CONTENT, OLD),
    DataFile(3, ("b",), CONTENT, OLD),
)
#: One file is live, one is in a vector's care, one is retained; the tombstone of another expired long ago.
TABLE = Table(
    columns=(Column("v", Type.INTEGER), Column("p", Type.STRING)),
    partition_by=("p",),
    files=FILES,
    commits=(
        Commit(OLD, adds=(0, 1, 2, 3)),
        Commit(-2 * WEEK, removes=(Removal(2, -2 * WEEK),)),
        Commit(
            -DAY, removes=(Removal(3, -DAY),), deletion_vectors=(DeletionVector(1, (0,), -DAY),), vector_prefix="ab"
        ),
    ),
    stray_files=(
        StrayFile("orphan", modified=OLD),
        StrayFile("p=a/second orphan%20", modified=OLD),
        StrayFile("young", modified=0),
        StrayFile("empty", Kind.DIRECTORY, size=0),
        StrayFile("../other/file", modified=OLD),
        StrayFile("link", Kind.LINK, OLD, 0, "../other/file"),
    ),
    features=(Feature.DELETION_VECTORS.value,),
)
PLAIN = dataclasses.replace(
    TABLE,
    commits=(*TABLE.commits[:2], Commit(-DAY, removes=(Removal(3, -DAY),))),
    features=(),
)
LIVE, MASKED, EXPIRED, RETAINED = (file_path(TABLE, file) for file in FILES)
Law = tuple[str, dict[str, Any], bool]


def stays(*paths: str) -> tuple[Law, ...]:
    return tuple(("stays", {"path": path}, True) for path in paths)


def goes(*paths: str) -> tuple[Law, ...]:
    return tuple(("goes", {"path": path}, True) for path in paths)


ALWAYS = stays(LIVE, MASKED, RETAINED, "young", "../other/file")


def judge(spark: Any, home: Path, table: Table, steps: tuple[Step, ...], *laws: Law) -> None:
    """Each law must hold of the last step, or must not. One table for all: the step is made once."""
    findings: list[str] = []

    def together(seen: Any) -> tuple[bool, str]:
        for name, params, promised in laws:
            holds, finding = LAWS[name](seen, **params)
            if holds is not promised:
                findings.append(f"{name}({params}): {finding}")
        return True, "see the findings"

    violation = {"step": len(steps) - 1, "law": {"name": "succeeded", "params": {}}}
    plan = reproduction_plan(
        Case(table, steps),
        line={"id": "0123456789ab"},
        violation=violation,
        clause={"id": "VAC-SAFE-1", "sentence": "VACUUM keeps."},
        packages={},
    )
    contents = {file["path"]: file["content"] for op in (plan, *plan["ops"]) for file in op.get("files", [])}
    assert check(plan, contents, together, spark, str(home / "table"), file_system_trouble) == 0
    assert findings == []


@pytest.mark.parametrize("form", VacuumForm)
def test_every_form_of_a_vacuum(spark: Any, tmp_path: Path, form: VacuumForm) -> None:
    api = form in (VacuumForm.API_PATH, VacuumForm.API_NAME)
    answer: Law = ("answers_nothing" if api else "answers_root", {}, True)
    gone = goes("orphan", "p=a/second orphan%20", EXPIRED, "empty")
    version: Law = ("version_files_stay", {"version": 2}, True)
    lost: Law = ("version_files_stay", {"version": 0}, False)
    beside: Law = ("beside_stays", {}, True)
    judge(spark, tmp_path, TABLE, (Vacuum(form=form),), *ALWAYS, *gone, answer, version, lost, beside)


@pytest.mark.parametrize(
    ("mode", "parallel"), list(zip([mode for mode in Mode if not mode.lite], cycle([False, True])))
)
def test_every_mode_that_looks_at_files(spark: Any, tmp_path: Path, mode: Mode, parallel: bool) -> None:
    step = Vacuum(mode=mode, parallel=parallel)
    gone = goes("orphan", "p=a/second orphan%20", EXPIRED, "empty")
    judge(spark, tmp_path, PLAIN, (step,), *stays(LIVE, MASKED, RETAINED, "young"), *gone)


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode.lite])
def test_lite_goes_by_the_log(spark: Any, tmp_path: Path, mode: Mode) -> None:
    known: Law = ("last_vacuum_info_is", {"version": 1}, True)
    unknown: Law = ("last_vacuum_info_is", {"version": None}, False)
    judge(spark, tmp_path, TABLE, (Vacuum(mode=mode),), *ALWAYS, *stays("orphan"), *goes(EXPIRED), known, unknown)


def test_an_inventory_of_files_has_no_directories(spark: Any, tmp_path: Path) -> None:
    step = Vacuum(mode=Mode.INVENTORY_QUERY, inventory=Inventory.FILES)
    judge(spark, tmp_path, PLAIN, (step,), *stays("empty", LIVE), *goes("orphan", EXPIRED))


def test_a_dry_run_lists_exactly_what_goes(spark: Any, tmp_path: Path) -> None:
    paths = ["orphan", "p=a/second orphan%20", EXPIRED, "empty"]
    laws: tuple[Law, ...] = (
        ("lists_exactly", {"paths": paths, "either": ["link", "ab"]}, True),
        ("lists_exactly", {"paths": [*paths, LIVE], "either": ["link", "ab"]}, False),
        ("answers_paths", {}, True),
        ("answers_root", {}, False),
        ("nothing_changed", {}, True),
    )
    judge(spark, tmp_path, TABLE, (Vacuum(dry_run=True),), *laws)


@pytest.mark.parametrize("logging", [True, False, None])
def test_logging_on_off_and_not_set(spark: Any, tmp_path: Path, logging: bool | None) -> None:
    law: Law = ("no_commit", {}, logging is False)
    judge(spark, tmp_path, PLAIN, (Vacuum(logging=logging),), law)


@pytest.mark.parametrize(
    ("io_fault", "path", "laws"),
    [
        (IOFault.CANNOT_DELETE, "orphan", (*stays("orphan"), *goes(EXPIRED), ("succeeded", {}, True))),
        (IOFault.FILE_VANISHES, "orphan", (*goes("orphan", EXPIRED), ("succeeded", {}, True))),
        (IOFault.DELETE_CRASHES, "orphan", (*stays("orphan", LIVE), ("refused", {"condition": None}, True))),
        (IOFault.DIRECTORY_VANISHES, "p=a", (*stays("p=a/second orphan%20"), ("succeeded", {}, True))),
        (IOFault.CANNOT_LIST, "p=a", (("nothing_changed", {}, True), ("refused", {"condition": None}, True))),
    ],
)
def test_every_trouble(spark: Any, tmp_path: Path, io_fault: IOFault, path: str, laws: tuple[Law, ...]) -> None:
    judge(spark, tmp_path, PLAIN, (Vacuum(io_fault=io_fault, faulty_path=path),), *laws)


def test_a_trouble_ends_with_its_step(spark: Any, tmp_path: Path) -> None:
    steps = (Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="orphan"), Vacuum())
    judge(spark, tmp_path, PLAIN, steps, *goes("orphan"))


@pytest.mark.parametrize(("mistake", "dry_run"), list(zip(VacuumMistake, cycle([False, True]))))
def test_a_bad_vacuum_is_refused(spark: Any, tmp_path: Path, mistake: VacuumMistake, dry_run: bool) -> None:
    promised = sorted(expected_vacuum_refusal(mistake).conditions)
    law: Law = ("refused", {"conditions": promised}, True)
    judge(spark, tmp_path, PLAIN, (InvalidVacuum(mistake, dry_run=dry_run),), law)


def test_files_that_the_log_names_by_their_uris(spark: Any, tmp_path: Path) -> None:
    references = (Reference.ABSOLUTE, Reference.OUTSIDE, Reference.ABSOLUTE, Reference.OUTSIDE)
    files = tuple(dataclasses.replace(file, reference=one) for file, one in zip(FILES, references))
    table = dataclasses.replace(PLAIN, files=files)
    inside, outside, expired, retained = (file_path(table, file) for file in files)
    laws: tuple[Law, ...] = (("live_files_stay", {}, True), ("beside_stays", {}, True), ("table_is_there", {}, True))
    judge(spark, tmp_path, table, (Vacuum(),), *stays(inside, outside, retained), *goes(expired), *laws)


@pytest.mark.parametrize(
    ("parts", "pruned", "broken"), [(1, 0, False), (1, 1, True), (2, 0, True), (2, 1, False)], ids=str
)  # each two of them meet
def test_logs_in_every_state(spark: Any, tmp_path: Path, parts: int, pruned: int, broken: bool) -> None:
    first, second, third = PLAIN.commits
    second = dataclasses.replace(second, checkpoint=True, parts=parts)
    features = (Feature.BROKEN_LAST_CHECKPOINT.value,) if broken else ()
    table = dataclasses.replace(PLAIN, commits=(first, second, third), pruned=pruned, features=features)
    laws: tuple[Law, ...] = (("table_is_there", {}, True), ("version_files_stay", {"version": 2}, True))
    judge(spark, tmp_path, table, (Vacuum(),), *stays(LIVE, MASKED, RETAINED), *goes(EXPIRED), *laws)
    log = tmp_path / "table" / "_delta_log"
    found = [path.name for path in log.iterdir() if ".checkpoint." in path.name and not path.name.startswith(".")]
    assert len(found) == parts, found
    assert (log / f"{0:020d}.json").exists() is (pruned == 0)


def test_a_checkpoint_of_the_engines_keeps_tombstones(spark: Any, tmp_path: Path) -> None:
    table = dataclasses.replace(PLAIN, features=(Feature.FREQUENT_CHECKPOINTS.value,))
    laws: tuple[Law, ...] = (
        ("checkpoint_keeps", {"paths": [RETAINED]}, True),
        ("checkpoint_keeps", {"paths": [LIVE]}, False),
    )
    judge(spark, tmp_path, table, (Vacuum(),), *laws)


def test_what_appears_later_is_seen(spark: Any, tmp_path: Path) -> None:
    late = (StrayFile("late", modified=OLD), StrayFile("late link", Kind.LINK, OLD, 0, "../other/file"))
    law: Law = ("beside_stays", {}, True)
    judge(spark, tmp_path, PLAIN, (Delete(), AddStrayFiles(late), Vacuum()), *goes("late", EXPIRED), *stays(LIVE), law)


def test_a_plan_of_strange_things_is_json(spark: Any, tmp_path: Path) -> None:
    plan = reproduction_plan(
        Case(TABLE, (Vacuum(),)),
        line={"id": "0123456789ab"},
        violation={"step": 0, "law": {"name": "stays", "params": {"path": "../other/file"}}},
        clause={"id": "VAC-SAFE-7A", "sentence": "VACUUM keeps."},
        packages={},
    )
    plan = json.loads(json.dumps(plan))
    contents = {file["path"]: file["content"] for file in plan["files"]}
    assert check(plan, contents, LAWS["stays"], spark, str(tmp_path / "table")) == 0
