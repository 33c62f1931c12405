"""What is observed of a table on storage, and what the model of VACUUM gets of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deltalog.entries.actions import Add, Cdc, CommitInfo
from deltalog.entries.commits import write_commit
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.parquet import write_data_file
from harness.observing import evidence
from harness.observing import observer as observer_module
from harness.observing.observer import LogObserver, Observer
from harness.observing.table.not_read import NotRead
from harness.observing.table.table_state import TableState
from model.prediction.fates import Fate, Reason
from model.text.layout import file_path
from model.vocabulary.steps import Inventory, IOFault, Mode, Vacuum
from model.vocabulary.table import (
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
    VectorStorage,
)
from model.vocabulary.values import Type
from tests.builders.observations import make, vacuum_observation

RELATIVE, ABSOLUTE, OUTSIDE = Reference.RELATIVE, Reference.ABSOLUTE, Reference.OUTSIDE


def files(*references: Reference, modified: int = -4 * WEEK) -> tuple[DataFile, ...]:
    return tuple(
        DataFile(id, (), ((id,), (id + 100,)), modified, reference=reference) for id, reference in enumerate(references)
    )


def table(given: tuple[DataFile, ...], *commits: Commit, features: tuple[Feature, ...] = (), **more: Any) -> Table:
    names = tuple(feature.value for feature in features)
    return Table((Column("v", Type.INTEGER),), (), given, commits, features=names, **more)


# The state ----------------------------------------------------------------------------------------------------------

NAMED = files(RELATIVE, ABSOLUTE, OUTSIDE, ABSOLUTE, OUTSIDE)
BY_URI = table(
    NAMED, Commit(-2 * WEEK, adds=(0, 1, 2, 3, 4)), Commit(-DAY, removes=(Removal(3, -DAY), Removal(4, None)))
)
PATHS = [file_path(BY_URI, file) for file in NAMED]


def test_a_file_has_one_name(tmp_path: Path) -> None:
    state = Observer(BY_URI, make(BY_URI, tmp_path)).observe()
    assert set(state.live) == set(PATHS[:3]) and set(state.tombstones) == set(PATHS[3:])
    assert state.by_uri == set(PATHS[1:3])
    assert state.contents == {path: ((id,), (id + 100,)) for id, path in enumerate(PATHS)}
    assert state.rows == Counter({(v,): 1 for v in (0, 1, 2, 100, 101, 102)})
    assert not state.unreferenced
    assert {add.file for add in state.log.snapshot(0).adds.values()} == set(PATHS), "the same in earlier versions"


#: What needs a value of a data file: rows, names of files, vectors, row ids, changes, columns, counts.
ASKED: list[Callable[[TableState], object]] = [
    lambda state: state.rows,
    lambda state: len(state.contents["a"] or ()),
    lambda state: dict(state.contents),
    lambda state: "a" in state.contents,
    lambda state: 1 in state.vectors["a"],
    lambda state: state.row_ids["a"][0],
    lambda state: list(state.changes.get("a") or ()),
    lambda state: set(state.columns["a"]) & {"v"},
    lambda state: state.unreferenced["a"] == 0,
    lambda state: Counter({(1,): 1}) - state.contents["a"],  # type: ignore[operator]
    lambda state: {state.contents["a"]},
]


def test_of_stand_ins_the_log_is_read_and_no_data(tmp_path: Path) -> None:
    root = make(BY_URI, tmp_path)
    read, unread = Observer(BY_URI, root).observe(), LogObserver(BY_URI, root).observe()
    for name in ("live", "tombstones"):
        assert getattr(unread, name) == getattr(read, name)
    assert unread.listing.keys() == read.listing.keys()
    in_log = {path for path, entry in unread.listing.items() if entry.digest is not None}
    assert in_log and all(path.startswith(f"{LOG_DIRECTORY}/") for path in in_log)
    assert read.is_read and not unread.is_read
    for ask in ASKED:
        with pytest.raises(NotRead):
            ask(unread)


def test_what_lies_beside_the_root_is_listed_and_links_are_resolved(tmp_path: Path) -> None:
    stray_files = (
        StrayFile("d/f"),
        StrayFile("../around/f"),
        StrayFile("in", Kind.LINK, size=0, target="d/f"),
        StrayFile("out", Kind.LINK, size=0, target="../around"),
        StrayFile("nowhere", Kind.LINK, size=0, target="../around/nothing"),
    )
    state = Observer(BY_URI, make(replace(BY_URI, stray_files=stray_files), tmp_path)).observe()
    assert {path for path in state.beside if "elsewhere" not in path} == {"../around", "../around/f"}
    things = state.things
    targets = {path: things[path].target for path in ("in", "out", "nowhere", "d", "d/f")}
    assert targets == {"in": "d/f", "out": "../around", "nowhere": None, "d": None, "d/f": None}
    assert [things[path].kind for path in ("in", "d", "d/f")] == [Kind.LINK, Kind.DIRECTORY, Kind.FILE]
    assert state.entry("../around/f") and state.entry("d/f") and state.entry("x") is None


def test_the_bookmark_of_lite(tmp_path: Path) -> None:
    root, name = make(BY_URI, tmp_path), "latestCommitVersionOutsideOfRetentionWindow"
    whole = {"{}": None, f'{{"{name}":3}}': 3, f'{{"{name}":null}}': None}
    for text in (None, *whole, '{"latest', "[3]"):
        if text is not None:
            (root / LOG_DIRECTORY / "_last_vacuum_info").write_text(text)
        state = Observer(BY_URI, root).observe()
        assert state.last_vacuumed == whole.get(text or "")
        assert (state.last_vacuum is None) is (text not in whole)


def test_a_file_is_read_once_for_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = (Feature.DELETION_VECTORS, Feature.ROW_TRACKING, Feature.COLUMN_MAPPING_NAME, Feature.CHANGE_DATA_FEED)
    vectors = Commit(-DAY, deletion_vectors=(DeletionVector(0, (0,), -DAY),))
    given = table(files(RELATIVE, RELATIVE), Commit(-DAY, adds=(0, 1)), vectors, features=features)
    root = make(given, tmp_path)
    write_commit(root, 2, [CommitInfo({}), Cdc("_change_data/x.parquet", {}, 1)])
    (root / "_change_data").mkdir()
    (root / "_change_data" / "x.parquet").write_bytes(b"no Parquet")
    read: list[str] = []
    times = {"read_stored_rows": 2, "row_ids": 2, "read_parquet": 2, "read_vector": 1, "read_change_file": 1}
    for name in times:
        own = getattr(observer_module, name)

        def counted(*given: Any, own: Any = own, name: str = name) -> Any:
            read.append(name)
            return own(*given)

        monkeypatch.setattr(observer_module, name, counted)
    observer = Observer(given, root)
    first = observer.observe()
    assert Counter(read) == times
    assert observer.observe(first) == first and len(read) == 8
    path = root / file_path(given, given.files[1])
    path.write_bytes(b"changed")
    changed = observer.observe(first)
    assert len(read) == 11 and changed.contents[file_path(given, given.files[1])] is None
    path.unlink()
    assert observer.observe(changed).contents[file_path(given, given.files[1])] is None


def test_a_file_that_no_action_names_is_counted(tmp_path: Path) -> None:
    import pyarrow as pa

    root = make(BY_URI, tmp_path)
    observer = Observer(BY_URI, root)
    before = observer.observe()
    write_data_file(root / "new.parquet", pa.table({"v": [1, 2]}))
    (root / "torn.parquet").write_bytes(b"x")
    assert observer.observe(before).unreferenced == {"new.parquet": 2, "torn.parquet": None}


def test_without_a_log_the_state_is_broken(tmp_path: Path) -> None:
    root = make(BY_URI, tmp_path)
    observer = Observer(BY_URI, root)
    before = observer.observe()
    for path in (root / LOG_DIRECTORY).iterdir():
        path.unlink()
    after = observer.observe(before)
    assert after.broken and after.live == before.live and after.by_uri == before.by_uri and after.beside


# What the model gets ---------------------------------------------------------------------------------------------------


def test_files_beside_the_root_have_no_fate(tmp_path: Path) -> None:
    v = vacuum_observation(BY_URI, make(BY_URI, tmp_path), Vacuum())
    assert v.outside == {PATHS[2], PATHS[4]}
    assert v.fates[PATHS[1]].reason is Reason.LIVE_BY_URI and v.fates[PATHS[1]].fate is Fate.KEEP
    assert not any(path.startswith("../") for path in v.fates)


def test_retain_is_checked_before_all_else(tmp_path: Path) -> None:
    lost = table(files(RELATIVE), Commit(-5 * WEEK, adds=(0,)), Commit(-3 * WEEK, checkpoint=True), pruned=1)
    root = make(replace(lost, stray_files=(StrayFile("old", modified=-4 * WEEK),)), tmp_path)
    crash = Vacuum(io_fault=IOFault.DELETE_CRASHES, faulty_path="old")
    assert vacuum_observation(lost, root, crash).fails
    for step in (replace(crash, retain_hours=0), Vacuum(mode=Mode.LITE, retain_hours=0)):
        refused = vacuum_observation(lost, root, step)
        assert refused.too_short and refused.due is None and not refused.fails
        assert not any(judged.fate is Fate.DELETE for judged in refused.fates.values())


# Evidence ------------------------------------------------------------------------------------------------------------


def test_evidence_about_the_mode(tmp_path: Path) -> None:
    root = make(BY_URI, tmp_path)
    (root / LOG_DIRECTORY / "_last_vacuum_info").write_text('{"latestCommitVersionOutsideOfRetentionWindow":0}')
    for step, fact in (
        (Vacuum(mode=Mode.LITE), "LITE reads no version; the bookmark is at version 0"),
        (Vacuum(mode=Mode.INVENTORY_TABLE, inventory=Inventory.FILES), "the inventory was files only"),
        (Vacuum(io_fault=IOFault.CANNOT_LIST, faulty_path="d"), "I/O fault at d: it cannot be listed"),
    ):
        assert evidence.of_mode(vacuum_observation(BY_URI, root, step)) == (fact,)


def states(tmp_path: Path) -> tuple[TableState, TableState, Path]:
    stray_files = (StrayFile("../around/f"), StrayFile("link", Kind.LINK, size=0, target="../around"))
    given = replace(BY_URI, stray_files=stray_files)
    root = make(given, tmp_path)
    observer = Observer(given, root)
    before = observer.observe()
    (root.parent / "around" / "f").write_bytes(b"changed")
    (root.parent / "new").mkdir()
    return before, observer.observe(before), root


def test_changes_beside_the_root_are_observed(tmp_path: Path) -> None:
    before, after, root = states(tmp_path)
    v = replace(vacuum_observation(BY_URI, root, Vacuum()), before=before, after=after)
    assert v.changed_beside == evidence.changes(before, after) == ["../around/f", "../new"]
    assert replace(v, after=before).changed_beside == []


def test_evidence_about_links_uris_and_paths_beside_the_root(tmp_path: Path) -> None:
    before, after, root = states(tmp_path)
    v = replace(vacuum_observation(BY_URI, root, Vacuum()), before=before, after=after)
    link, beside, by_uri, outside = (evidence.of_path(v, path) for path in ("link", "../around/f", PATHS[1], PATHS[2]))
    assert link[1] == "before the step it was a symbolic link to ../around, made at start + 0 s"
    assert "1 bytes" in beside[1] and beside[2] == "after the step it is still on storage"
    assert by_uri[0] == f"{PATHS[1]}: version 1 refers to it by its URI, added by version 0"
    assert outside[0].startswith(f"{PATHS[2]}: version 1 refers to it by its URI")


def test_evidence_about_vectors_and_change_files(tmp_path: Path) -> None:
    given = table(
        files(RELATIVE, RELATIVE),
        Commit(-WEEK, adds=(0, 1)),
        Commit(-WEEK, deletion_vectors=(DeletionVector(0, (0,), -WEEK, VectorStorage.ABSOLUTE),)),
        Commit(-WEEK, deletion_vectors=(DeletionVector(1, (0,), -WEEK),)),
        Commit(-DAY, removes=(Removal(1, -DAY),)),
        features=(Feature.DELETION_VECTORS,),
    )
    root = make(given, tmp_path)
    write_commit(root, 4, [CommitInfo({}), Cdc("_change_data/c", {}, 1)])
    v = vacuum_observation(given, root, Vacuum())
    live, removed = sorted(path for path in v.before.listing if path.endswith(".bin"))
    names = [file_path(given, file) for file in given.files]
    facts = [evidence.of_path(v, path)[0].partition(": ")[2] for path in (live, removed, "_change_data/c", "x")]
    assert facts == [
        f"it holds the deletion vector of {names[0]} in version 4, named by its absolute path",
        f"it holds the deletion vector of {names[1]}, removed at start - 1 d",
        "version 4 adds it as a change file",
        "no action refers to it",
    ]
    assert isinstance(v.before.live[names[0]], Add)
