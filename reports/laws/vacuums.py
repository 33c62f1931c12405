"""Laws on what a VACUUM lists, and what it says in the log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from reports.laws.actions import file_of, info_of
from reports.laws.evidence import CannotJudge, Evidence, Finding
from reports.laws.paths import beside, checked_by, gone_paths, kind_of, paths_in
from reports.laws.words import ending, listed, mismatches, same
from reports.plurals import counted


def lists(seen: Evidence, path: str) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} listed nothing, but {ending(seen)}"
    paths = paths_in(seen.rows, seen.root)
    if path in paths:
        return True, f"{seen.text} lists {path}"
    return False, f"{seen.text} does not list {path}; it lists {listed(paths)}"


def lists_not(seen: Evidence, path: str) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} listed nothing, but {ending(seen)}"
    found = path in paths_in(seen.rows, seen.root)
    return not found, f"{seen.text} lists {path}" if found else f"{seen.text} does not list {path}"


def lists_exactly(seen: Evidence, paths: list[str], either: Iterable[str] = ()) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} listed nothing, but {ending(seen)}"
    free = set(either)
    found = Counter(path for path in paths_in(seen.rows, seen.root) if path not in free)
    return same(found, Counter(paths), f"the paths that {seen.text} lists")


def vacuum_log(
    seen: Evidence,
    expected: dict[str, dict[str, Any]],
    of_what_went: Iterable[str] = (),
    by_another: Iterable[str] = (),
) -> Finding:
    operations = [info_of(commit).get("operation") for commit in seen.commits]
    if operations != ["VACUUM START", "VACUUM END"]:
        return False, f"{seen.text} wrote the operations {operations}, not a VACUUM START and a VACUUM END"
    kinds = {key for commit in seen.commits for action in commit for key in action} - {"commitInfo"}
    wrong = [f"a {kind} action" for kind in sorted(kinds)]
    counts = went(seen, by_another)
    for commit, name in zip(seen.commits, ("START", "END"), strict=True):
        due = {key: value for key, value in counts[name].items() if key in of_what_went}
        wrong += [f"{name} with {text}" for text in mismatches(info_of(commit), {**expected.get(name, {}), **due})]
    if wrong:
        return False, f"the log of {seen.text} has {listed(wrong)}"
    return True, f"the VACUUM START and END of {seen.text} are as they must be"


def went(seen: Evidence, by_another: Iterable[str] = ()) -> dict[str, dict[str, str]]:
    # What START and END must say of what the run deleted itself: not a checksum that Hadoop deletes along with its file,
    # nor what another deleted meanwhile. START counts a link by its target's bytes, if at all: with one, no size is due.
    gone = [path for path in gone_paths(seen) if not beside(path)]
    own = [path for path in gone if path not in by_another and checked_by(path) not in gone]
    due: dict[str, dict[str, str]] = {"START": {}, "END": {"operationMetrics.numDeletedFiles": str(len(own))}}
    if not any(kind_of(entry) == "link" for path, entry in seen.before.items() if not beside(path)):
        size = sum(max(seen.before[path][0], 0) for path in own)
        due["START"]["operationMetrics.sizeOfDataToDelete"] = str(size)
    return due


def last_vacuum_info_is(seen: Evidence, version: int | None) -> Finding:
    # PROTOCOL.md knows nothing of this file: it is where Delta's LITE goes on from (VacuumCommand in Delta's source).
    path, key = "_delta_log/_last_vacuum_info", "latestCommitVersionOutsideOfRetentionWindow"
    said = json.loads(seen.read_bytes(path)) if path in seen.after else None
    found = None if said is None else said.get(key)
    shown = "is not there" if said is None else f"says {json.dumps(said)}"
    return found == version, f"{path} {shown} after {seen.text}; {key} must be {version}"


def checkpoint_keeps(seen: Evidence, paths: list[str]) -> Finding:
    removes = seen.read_removes()
    if removes is None:
        raise CannotJudge(f"{seen.text} wrote no checkpoint.")
    kept = {file_of(remove, seen.root) for remove in removes}
    lost = [path for path in sorted(paths) if path not in kept]
    if lost:
        return False, f"the checkpoint that {seen.text} wrote has no remove of {listed(lost)}"
    return True, f"the checkpoint that {seen.text} wrote has the removes of {counted(len(paths), 'file')}"
