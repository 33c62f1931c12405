"""Large tables: written by their size, judged in proportion to it, told in few words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from deltalog.entries.actions import Add
from deltalog.entries.commits import write_commit
from deltalog.errors import DeltaLogError
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from engines.port import Engine
from faults import FAULTS, KnownBadEngine
from harness.campaigns.record import case_record
from harness.campaigns.shrinking import reduce
from harness.judging.step_judge import MOST_ALIKE
from harness.observing.observer import Observer
from harness.observing.steps.expected_versions import ExpectedVersions
from harness.observing.table.live_files import LiveFiles
from harness.observing.table.table_state import Rows
from harness.observing.table.version_rows import VersionRows
from harness.running.judge import JudgedCase
from model.codec import InvalidCase, case_id, from_json, to_json
from model.prediction.history import hidden_rows, live_ids, visible_rows
from model.vocabulary.case import Case
from model.vocabulary.large_tables import Size, large_table, size_of
from model.vocabulary.steps import Read
from model.vocabulary.table import Feature, Table
from records.json_form import to_json as record_to_json
from reference_engine import ReferenceEngine
from strategies.cases.large_tables import SIZES, large_case
from strategies.tables.initial_tables import tables
from suites.campaigns import SCALE, batches, left_out
from suites.profiles import PROFILES
from tests.builders.observations import full_judge, make
from tests.slow import all_slow, slow_after

#: Large enough for what is limited.
SIZE = Size(1_200, versions=40, partitions=12, stray_files=300)

#: Small enough to be judged in a second; the other with ``--slow``.
sizes = pytest.mark.parametrize(
    "size", slow_after(1, [replace(SIZE, files=200, versions=20), SIZE]), ids=lambda size: f"{size.files} files"
)


def written(table: Table, directory: Path) -> Path:
    return make(table, directory, start=10**12)


def judged_by(engine: Engine, case: Case, directory: Path) -> JudgedCase:
    judged = full_judge(engine, directory).judge(case)
    assert judged.failure is None, judged.failure.log
    return judged


# As a case ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_large_table_is_written_by_its_size(pytestconfig: pytest.Config) -> None:
    """The largest, of 100,000 files, with ``--slow``."""
    for size in SIZES if all_slow(pytestconfig) else SIZES[:-1]:
        case = large_case(size)
        document = to_json(case)
        assert from_json(document) == case and len(json.dumps(document)) < 1_000
    table = large_table(SIZE)
    assert size_of(table) == SIZE
    assert size_of(large_table(replace(SIZE, files=100, stray_files=100))) is None, "it is small"


def test_what_differs_from_a_large_table_is_written_whole() -> None:
    table = large_table(SIZE)
    other = replace(table, files=(*table.files[:-1], replace(table.files[-1], modified=-1)))
    case = Case(other, (Read(),))
    assert len(to_json(case)["table"]["files"]) == SIZE.files and from_json(to_json(case)) == case


def test_a_size_always_means_the_same_table() -> None:
    """Or the ids of cases would."""
    whole = to_json(Case(replace(large_table(SIZE), retention_hours=1), (Read(),)))
    assert json.dumps(whole["table"]["commits"][20], sort_keys=True).startswith('{"adds": [600, 601, ')
    assert case_id(Case(replace(large_table(SIZE), retention_hours=1), (Read(),))) == "54e2b41bda5f"


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ({"files": 0}, "table.large.files: must be at least 1"),
        ({"files": 1_000, "versions": 0}, "table.large.versions: must be at least 1"),
        ({"files": 1_000, "days": 7}, "table.large.days: must be at least 8"),
        ({"files": "many"}, "table.large.files"),
        ({"files": 1_000, "rows": 3}, "table.large"),
        ({"files": 1_000, "features": ["none"]}, "table.large.features"),
    ],
)
def test_an_invalid_size_is_refused(size: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidCase) as refused:
        from_json({**to_json(large_case(SIZE)), "table": {"large": size}})
    assert problem in str(refused.value)


@pytest.mark.slow
def test_the_profile_scale_judges_them_after_the_regressions() -> None:
    found = [batch for batch in batches(PROFILES["scale"], ()) if batch.campaign.name == SCALE.name]
    assert len(found) == len(SIZES) and {batch.cases for batch in found} == {1}
    assert left_out(PROFILES["scale"], ()) > 100, "it leaves out the corpus, whose clauses it does not all exercise"


# From one version to the next ---------------------------------------------------------------------------------------


@given(tables())
def test_versions_have_the_rows_of_their_live_files(table: Table) -> None:
    files = {file.id: file for file in table.files}
    found = ExpectedVersions(table, start=0).by_version
    assert list(found) == list(range(table.pruned, len(table.commits)))
    for version, expected in found.items():
        hidden = hidden_rows(table, version)
        assert expected.rows == Counter(
            table.row(files[id].partition, row)
            for id in live_ids(table, version)
            for row in visible_rows(files[id], hidden.get(id, frozenset()))
        )


def test_versions_share_their_rows() -> None:
    """A version takes the space of what its commit changes."""
    versions = ExpectedVersions(large_table(SIZE), start=0).by_version
    kept = {id(one.by_case): one.by_case for one in versions.values()}
    assert sum(len(one.added) + len(one.removed) for one in kept.values()) <= 2 * 2 * SIZE.files


def rebuilt_one_by_one(root: Path) -> dict[int, dict[str, Add]]:
    log, found = read_log(root), {}
    for version in range(log.version + 1):
        try:
            snapshot = log.snapshot(version)
        except DeltaLogError:
            continue
        found[version] = {add.file: add for add in snapshot.adds.values()}
    return found


def rebuilt_in_a_row(root: Path) -> dict[int, dict[str, Add]]:
    live, now, found = LiveFiles(str(root)), dict[str, Add](), {}
    for rebuilt in read_log(root).rebuilt():
        for add, by in live.go_on(rebuilt):
            if by < 0:
                del now[add.file]
            else:
                now[add.file] = add
        found[rebuilt.version] = dict(now)
    return found


@pytest.mark.parametrize("lost", [(), (0,), (7,), (0, 7), (0, 1, 2, 3, 4, 5, 6)], ids=str)
@pytest.mark.parametrize("features", [(), ("deletionVectors",), ("v2Checkpoints",)], ids=str)
def test_versions_are_rebuilt_in_a_row_as_one_by_one(
    features: tuple[str, ...], lost: tuple[int, ...], tmp_path: Path
) -> None:
    root = written(large_table(Size(60, versions=10, parts=1, features=features)), tmp_path)
    for version in lost:
        (root / LOG_DIRECTORY / commit_name(version)).unlink()
    assert rebuilt_in_a_row(root) == rebuilt_one_by_one(root) != {}


def test_what_is_no_base_is_not_rebuilt(tmp_path: Path) -> None:
    """A checkpoint that cannot be read, and a version without a definition."""
    root = written(large_table(Size(60, versions=10, parts=1)), tmp_path / "a")
    (root / LOG_DIRECTORY / commit_name(0)).unlink()
    (checkpoint, _) = sorted((root / LOG_DIRECTORY).glob("*.checkpoint.parquet"))
    checkpoint.write_bytes(b"none")
    other = written(large_table(Size(20, versions=2)), tmp_path / "b")
    first, second = (read_log(other).commits[version].actions for version in (0, 1))
    write_commit(tmp_path / "c", 0, second)
    write_commit(tmp_path / "c", 1, first)
    for where, versions in ((root, [8, 9]), (tmp_path / "c", [1])):
        assert rebuilt_in_a_row(where) == rebuilt_one_by_one(where)
        assert list(rebuilt_in_a_row(where)) == versions


def test_a_state_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    table = large_table(Size(30))
    root = written(table, tmp_path)
    observer = Observer(table, root)
    first = observer.observe()
    assert observer.observe(first) is first
    (root / "new").touch()
    second = observer.observe(first)
    assert second is not first and second.listing.keys() - first.listing.keys() == {"new"}
    shared = [path for path, entry in first.listing.items() if second.listing[path] is entry]
    assert len(shared) == len(first.listing), "entries that are equal are the same"


def test_the_rows_of_a_table_are_put_together_as_often_for_more_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[VersionRows] = []
    whole: Callable[[VersionRows], Rows] = vars(VersionRows)["all"].fget

    def counted(self: VersionRows) -> Rows:
        calls.append(self)
        return whole(self)

    monkeypatch.setattr(VersionRows, "all", property(counted))
    counts = []
    for versions in (10, 60):
        calls.clear()
        case = large_case(replace(SIZE, files=120, versions=versions, stray_files=0))
        assert not judged_by(ReferenceEngine(), case, tmp_path / str(versions)).violated
        counts.append(len(calls))
    assert counts[0] == counts[1] > 0


# Judged -------------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    "features",
    [(), (Feature.DELETION_VECTORS.value,), (Feature.FREQUENT_CHECKPOINTS.value, Feature.V2_CHECKPOINTS.value)],
    ids=str,
)
@sizes
def test_a_large_table_is_judged_without_a_violation(size: Size, features: tuple[str, ...], tmp_path: Path) -> None:
    parts = 1 if Feature.V2_CHECKPOINTS.value in features else 4
    judged = judged_by(ReferenceEngine(), large_case(replace(size, parts=parts, features=features)), tmp_path)
    assert not judged.violated and len(judged.steps) == 7
    dry_run, vacuum = judged.steps[3:5]
    assert len(vacuum.observed.vanished) > 100 and len(dry_run.outcome.rows or ()) > 100
    record = json.dumps(record_to_json(case_record(judged, campaign="scale", batch=0, index=0, origin="generated")))
    assert len(record) < 250_000


@pytest.mark.long
def test_long_lists_are_told_by_their_number(tmp_path: Path) -> None:
    read = judged_by(ReferenceEngine(), Case(large_table(SIZE), (Read(),)), tmp_path).steps[0].outcome.rows or ()
    live = 2 * (SIZE.files - SIZE.files * 39 // 40 // 10)
    assert len(read) == 1_001 and read[-1][0].startswith(f"and {live - 1_000:,} more, with the digest ")


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        ("vacuums-a-live-file", "VAC-SAFE-1"),
        ("keeps-an-expired-file", "VAC-LIVE-1"),
        ("vacuums-by-file-age", "VAC-SAFE-2"),
        ("keeps-orphans", "VAC-LIVE-2"),
        ("loses-a-survivor", "DEL-ROW-3"),
        ("removes-other-partitions", "DEL-META-1"),
    ],
)
@sizes
def test_a_wrong_engine_is_noticed_and_told_in_few_words(fault: str, clause: str, size: Size, tmp_path: Path) -> None:
    judged = judged_by(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), large_case(size), tmp_path)
    assert clause in judged.failed
    record = case_record(judged, campaign="scale", batch=0, index=0, origin="generated")
    by_clause = Counter((one.clause, one.cause, one.step) for one in record.violations)
    assert max(by_clause.values()) <= MOST_ALIKE
    assert all(len(one.message) < 2_500 and len("".join(one.evidence)) < 4_000 for one in record.violations)
    first = next(one for one in record.violations if one.clause == clause)
    many = by_clause[clause, first.cause, first.step] == MOST_ALIKE
    assert many == ("more break the clause in the same way" in first.evidence[-1])


def test_a_failing_large_table_becomes_small(tmp_path: Path) -> None:
    """In as many tries as a fixed profile has, of which each runs the engine."""
    case = large_case(replace(SIZE, versions=100))
    wanted = case.table.files[901]
    tried: list[int] = []

    def fails(smaller: Case) -> bool:
        tried.append(len(smaller.table.files))
        return wanted in smaller.table.files

    smallest = reduce(case, fails, tries=PROFILES["scale"].tries)
    assert len(smallest.table.files) <= 20 and not smallest.table.stray_files and len(smallest.table.commits) < 20
    assert len(tried) <= PROFILES["scale"].tries
