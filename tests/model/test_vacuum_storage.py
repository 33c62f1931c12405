"""The fates hold on a real directory for a small VACUUM that works like Delta's, in any order of deletion."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from model.prediction.fates import Fate, PathFate
from model.prediction.paths import StorageEntry, is_hidden, parents
from model.prediction.retention import Cutoff
from model.prediction.scans import FullScan, InventoryScan, LiteScan, References, Scan
from model.prediction.vacuum import ends_in_error, listed_directories, predict_vacuum
from model.vocabulary.steps import IOFault
from model.vocabulary.table import HOUR, Kind
from tests.builders.listings import AT, DIRECTORY, LINE, PARTITION_BY, file, link

VISIBLE = ("a", "b", "c", "_change_data", "_p=1", "deletion_vector_1.bin")
NAMES = (*VISIBLE, *VISIBLE, "a", "b", "_h", ".x", "_pp=1", ".a.crc")
INSTANTS = st.sampled_from([0, *(LINE + edge for edge in (-HOUR, -1, 0, 1, HOUR))])
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)


@dataclass(frozen=True)
class Situation:
    things: dict[str, StorageEntry]
    references: References
    scan: Scan
    faulty_path: tuple[IOFault, str] | None

    def predict(self, cutoff: Cutoff = AT) -> dict[str, PathFate]:
        return predict_vacuum(
            self.things,
            self.references,
            partition_by=PARTITION_BY,
            cutoff=cutoff,
            scan=self.scan,
            faulty_path=self.faulty_path,
        )


@st.composite
def situations(draw: st.DrawFn, *, links: bool = False, io_faults: bool = False) -> Situation:
    """Files, directories and perhaps links; actions name existing and missing files."""
    things: dict[str, StorageEntry] = {}
    for path in draw(st.lists(PATHS, max_size=9, unique=True)):
        free = path not in things and not any(other.startswith(f"{path}/") for other in things)
        if free and all(things.get(above, DIRECTORY).directory for above in parents(path)):
            things.update((above, DIRECTORY) for above in parents(path))
            kinds = [Kind.FILE] * 5 + [Kind.DIRECTORY] + [Kind.LINK] * 3 * links
            kind = draw(st.sampled_from(kinds))
            things[path] = StorageEntry(kind, LINE if kind is Kind.DIRECTORY else draw(INSTANTS), kind is Kind.FILE)
    for path, thing in things.items():
        if thing.kind is Kind.LINK:
            others = [other for other in things if other != path] + [".", "nowhere", "../beside"]
            things[path] = StorageEntry(Kind.LINK, LINE, 0, draw(st.sampled_from(others)))

    def possible(path: str) -> bool:
        above = all(things.get(parent, DIRECTORY).directory for parent in parents(path))
        return above and things.get(path, StorageEntry(Kind.FILE, 0, 0)).kind is Kind.FILE

    files = [path for path, thing in things.items() if thing.kind is Kind.FILE]
    # Nothing that actions name is hidden, nor a checksum: engines do not name their files so.
    named = [path for path in [*files, "a/gone", "gone"] if possible(path) and visible(path)]
    one = st.sampled_from(named) if named else st.nothing()
    stamps = st.dictionaries(one, INSTANTS, max_size=2)
    live = draw(st.frozensets(one, max_size=2))
    references = References(
        live=live,
        by_uri=frozenset(path for path in live if draw(st.booleans())),
        tombstones=draw(stamps),
        live_vectors=draw(st.frozensets(one, max_size=1)),
        vector_tombstones=draw(stamps),
        absolute_vectors=draw(st.dictionaries(one, st.none() | INSTANTS, max_size=1)),
    )
    scans: list[Scan] = [FullScan(), InventoryScan(), InventoryScan(files_only=True)]
    known = {**references.tombstones, **references.vector_tombstones}
    window = draw(st.sets(st.sampled_from(sorted(known)))) if known else set()
    scans.append(LiteScan({path: known[path] for path in window}, draw(st.frozensets(one, max_size=2))))
    scan = draw(st.sampled_from(scans[:1] if links else scans))
    io_fault = None
    if io_faults and things:
        path = draw(st.sampled_from(sorted(things)))
        of_directory = (IOFault.DIRECTORY_VANISHES, IOFault.CANNOT_LIST, IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES)
        of_file = (IOFault.CANNOT_DELETE, IOFault.FILE_VANISHES, IOFault.DELETE_CRASHES)
        io_fault = (draw(st.sampled_from(of_directory if things[path].directory else of_file)), path)
    return Situation(things, references, scan, io_fault)


def visible(path: str) -> bool:
    return not any(is_hidden(name, PARTITION_BY) for name in path.split("/"))


class Broken(Exception):
    """The small VACUUM fails."""


@dataclass
class SmallVacuum:
    """Delta's VACUUM, from its source and from observation: by joins and counts of paths."""

    root: Path
    situation: Situation
    directories: int = 1

    def entries(self) -> Iterator[tuple[str, bool, int]]:
        """What the scan lists: path, whether it is a directory, ms."""
        scan = self.situation.scan
        if isinstance(scan, FullScan):
            yield from self.listing("", 3)
        elif isinstance(scan, InventoryScan):
            for above, directories, files in os.walk(self.root):
                for name in [*([] if scan.files_only else directories), *files]:
                    path = os.path.relpath(os.path.join(above, name), self.root)
                    if not is_hidden(path, PARTITION_BY):
                        yield path, name in directories, modified(os.path.join(above, name))
        else:
            assert isinstance(scan, LiteScan), "no situation here has a list of an object store"
            found = dict.fromkeys(scan.changes, 0) | dict(scan.stamps)
            yield from ((path, False, stamp) for path, stamp in found.items())

    def listing(self, path: str, links: int) -> Iterator[tuple[str, bool, int]]:
        """Links are followed up to the system's limit ``links``; a path with more leads nowhere."""
        if (IOFault.DIRECTORY_VANISHES, path) == self.situation.faulty_path:
            return
        if (IOFault.CANNOT_LIST, path) == self.situation.faulty_path:
            raise Broken
        for name in sorted(os.listdir(self.root / path)):
            below = f"{path}/{name}" if path else name
            left = links - os.path.islink(self.root / below)
            if left >= 0 and not is_hidden(name, PARTITION_BY) and os.path.exists(self.root / below):
                directory = os.path.isdir(self.root / below)
                yield below, directory, modified(self.root / below)
                if directory:
                    yield from self.listing(below, left)

    def candidates(self) -> set[str]:
        entries = list(self.entries())
        self.directories += sum(directory for _, directory, _ in entries)
        counts: dict[str, int] = {}
        for path, directory, stamp in entries:
            if directory or stamp < LINE:
                # Only a listing's paths are absolute; of relative ones, the directories are not found.
                expanded = parents(path) if isinstance(self.situation.scan, FullScan) and not directory else []
                for one in [path, *expanded]:
                    counts[one] = counts.get(one, 0) + 1
        return {path for path, count in counts.items() if count == 1} - self.protected()

    def protected(self) -> set[str]:
        references = self.situation.references
        files = {*references.live, *(path for path, deleted in references.tombstones.items() if deleted > LINE)}
        vectors = {
            *references.live_vectors,
            *(path for path, deleted in references.vector_tombstones.items() if deleted > LINE),
        }
        return {*files, *vectors, *(above for path in files for above in parents(path))}

    def delete(self, path: str) -> None:
        io_fault = (
            self.situation.faulty_path[0]
            if self.situation.faulty_path and self.situation.faulty_path[1] == path
            else None
        )
        if io_fault is IOFault.CANNOT_DELETE:
            return
        if io_fault is IOFault.DELETE_CRASHES:
            raise Broken
        target = self.root / path
        if os.path.isdir(target) and not os.path.islink(target):
            if not os.listdir(target):
                target.rmdir()
        elif os.path.islink(target) and os.path.isdir(target):
            if not os.listdir(target):
                target.unlink()
        elif os.path.exists(target):
            target.unlink()
            checksum = target.parent / f".{target.name}.crc"
            if not checksum.is_dir():
                checksum.unlink(missing_ok=True)


def modified(path: str | Path) -> int:
    return os.stat(path).st_mtime_ns // 1_000_000


def build(root: Path, things: Mapping[str, StorageEntry]) -> None:
    (root.parent / "beside").mkdir()
    for path, thing in things.items():
        at = root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        if thing.directory:
            at.mkdir(exist_ok=True)
        elif thing.kind is Kind.FILE:
            at.write_bytes(b"x")
            os.utime(at, ns=(0, thing.modified * 1_000_000))
        else:
            assert thing.target is not None
            at.symlink_to(os.path.relpath(root / thing.target, at.parent))


def check(situation: Situation, order: list[int]) -> None:
    """Runs it, and compares the result with the fates."""
    judged = situation.predict()
    assert set(judged) == set(situation.things)
    arguments = {"partition_by": PARTITION_BY, "scan": situation.scan, "faulty_path": situation.faulty_path}
    fails = ends_in_error(judged, situation.things, dry_run=False, **arguments)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "table"
        root.mkdir()
        build(root, situation.things)
        small = SmallVacuum(root, situation)
        broken = False
        candidates: set[str] = set()
        try:
            candidates = small.candidates()
            dry_run_fails = False
            for path in sorted(candidates, key=lambda path: (order[hash_of(path) % len(order)], path)):
                small.delete(path)
        except Broken:
            broken = True
            dry_run_fails = not candidates
        assert fails in (None, broken)
        assert ends_in_error(judged, situation.things, dry_run=True, **arguments) is dry_run_fails  # type: ignore[arg-type]
        if not dry_run_fails:
            count = listed_directories(situation.things, **arguments)  # type: ignore[arg-type]
            assert count in (None, small.directories)
        for path, one in judged.items():
            there = os.path.lexists(root / path)
            event(f"{one.fate.value}: {one.reason.value}")
            if one.listed is not None and not dry_run_fails:
                assert one.listed == (path in candidates), f"{path} {one}: {sorted(candidates)}"
            if one.is_surely_kept:
                assert there, f"{path} {one}"
            if one.fate is Fate.DELETE and not broken:
                assert not there, f"{path} {one}"


def hash_of(path: str) -> int:
    return sum(map(ord, path))


ORDERS = st.permutations(range(7))
thorough = settings(max_examples=100)


@thorough
@given(situations(), ORDERS)
def test_fates_hold(situation: Situation, order: list[int]) -> None:
    check(situation, order)


@thorough
@given(situations(io_faults=True), ORDERS)
def test_fates_hold_with_io_faults(situation: Situation, order: list[int]) -> None:
    check(situation, order)


#: A directory that is protected under its own name, and is listed again through a link to the root.
LOOP = Situation(
    {"_change_data": link("."), "a": DIRECTORY, "a/a": file(0)},
    References(live=frozenset({"a/gone"})),
    FullScan(),
    None,
)


@pytest.mark.long
@thorough
@given(situations(links=True), ORDERS)
@example(LOOP, list(range(7)))
def test_fates_hold_with_links(situation: Situation, order: list[int]) -> None:
    check(situation, order)


@thorough
@given(situations())
def test_a_wall_window_agrees_with_each_cutoff_in_it(situation: Situation) -> None:
    """A fate that is certain for a window is the fate for every cutoff in it."""
    window = situation.predict(Cutoff(LINE, LINE + HOUR, LINE - HOUR))
    for instant in (LINE, LINE + 1, LINE + HOUR):
        known = situation.predict(Cutoff(instant, instant, LINE - HOUR))
        for path, one in window.items():
            assert one.fate in (Fate.UNSPECIFIED, known[path].fate) or known[path].fate is Fate.UNSPECIFIED, path
            assert one.listed in (None, known[path].listed), path
