"""Facts about a path or a commit, one a line, for a violation's evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable
from heapq import nsmallest
from typing import Any

from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.entries.codec import to_line
from deltalog.storage.listing import EntryKind
from harness.observing.steps.crash_observation import CrashObservation
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.table_state import Rows, TableState, differing
from model.codec import value_to_json
from model.vocabulary.steps import Listing


def of_path(observation: Observation, path: str) -> tuple[str, ...]:
    """A path in the log, and on storage before and after the step; for a VACUUM also its cutoff and the expectation."""
    facts = [f"{path}: {_in_log(observation.before, path, observation)}"]
    entry = observation.before.entry(path)
    if entry is None:
        facts.append("before the step it was not on storage")
    elif entry.kind is EntryKind.DIRECTORY:
        facts.append("before the step it was a directory")
    elif entry.kind is EntryKind.LINK:
        target = observation.before.target(path)
        where = "to nothing" if target is None else f"to {'the root' if target == '.' else target}"
        facts.append(f"before the step it was a symbolic link {where}, made at {observation.instant(entry.modified)}")
    else:
        facts.append(
            f"before the step it was on storage: {entry.size} bytes, modified at {observation.instant(entry.modified)}"
        )
    there = observation.after.entry(path) is not None
    still = "still " if entry and there else ""
    facts.append(f"after the step it is {still}{'on' if there else 'not on'} storage")
    if isinstance(observation, VacuumObservation):
        facts += of_cutoff(observation) + of_mode(observation)
        if path in observation.fates:
            expected = observation.fates[path]
            facts.append(f"expected: {expected.fate.value}, because {expected.reason.value}")
    return tuple(facts)


def _in_log(state: TableState, path: str, observation: Observation) -> str:
    if path in state.live:
        version = _version_of(state, path, Add)
        since = f", added by version {version}" if version is not None else ""
        return f"version {state.version} refers to it{' by its URI' if path in state.by_uri else ''}{since}"
    remove = state.tombstones.get(path)
    if remove is not None:
        version = _version_of(state, path, Remove)
        by = f" by version {version}" if version is not None else ""
        return f"removed{by} {_deletion_time(remove, observation)}"
    return _in_vectors(state, path, observation) or "no action refers to it"


def _in_vectors(state: TableState, path: str, observation: Observation) -> str | None:
    """The log's reference to a file of deletion vectors, or to a change file."""
    found = observation.with_vectors.get(path, ())
    if live := [action for action in found if isinstance(action, Add)]:
        named = ", named by its absolute path" if all(_is_absolute(add) for add in live) else ""
        return f"it holds the deletion vector of {live[0].file} in version {state.version}{named}"
    if removed := [action for action in found if isinstance(action, Remove)]:
        last = max(removed, key=lambda remove: remove.deletion_timestamp or 0)
        named = ", named by its absolute path" if all(_is_absolute(remove) for remove in removed) else ""
        return f"it holds the deletion vector of {last.file}, removed {_deletion_time(last, observation)}{named}"
    return _in_changes(state, path)


def _in_changes(state: TableState, path: str) -> str | None:
    version = _version_of(state, path, Cdc)
    return None if version is None else f"version {version} adds it as a change file"


def _deletion_time(remove: Remove, observation: Observation) -> str:
    stamp = remove.deletion_timestamp
    return "without a deletionTimestamp" if stamp is None else f"at {observation.instant(stamp)}"


def _is_absolute(action: Add | Remove) -> bool:
    return action.deletion_vector is not None and action.deletion_vector.storage == "p"


def _version_of(state: TableState, path: str, kind: type[Add] | type[Remove] | type[Cdc]) -> int | None:
    """The latest version whose commit has an action of this kind for the path."""
    return state.log.latest.get((kind, path))


def of_cutoff(v: VacuumObservation) -> tuple[str, ...]:
    """The cutoff of the VACUUM, and what it follows from. A clock that cannot be set moves on while the command runs."""
    retain = v.table.retention if v.retain is None else v.retain
    between = v.cutoff.latest - v.cutoff.earliest
    later = f", or up to {between} ms later" if between else ""
    which = "the engine's clock" if v.retain is None or not v.rules.own_clock else "the wall clock, which RETAIN uses,"
    clock = f"{which} was at {v.instant(v.cutoff.earliest + retain)}{later}"
    if v.retain is not None:
        retention = f"RETAIN {v.step.retain_hours:g} HOURS sets the retention"
    else:
        hours = v.table.retention_hours
        named = "one week, the default" if hours is None else f"{hours:g} hours, the table's property"
        retention = f"the retention is {named}"
    return (f"{clock}; {retention}; so the cutoff is {v.instant(v.cutoff.earliest)}{later}",)


def of_mode(v: VacuumObservation) -> tuple[str, ...]:
    """The versions or the inventory that a VACUUM used, and its I/O fault."""
    facts = []
    if v.step.mode.lite:
        versions = f"versions {v.window.first} to {v.window.last}" if v.window else "no version"
        bookmark = (
            "there is no bookmark" if v.last_vacuumed is None else f"the bookmark is at version {v.last_vacuumed}"
        )
        facts.append(f"LITE reads {versions}; {bookmark}")
    elif v.step.mode.inventory:
        how = "" if v.step.listing is Listing.PLAIN else f", {v.step.listing.value}"
        facts.append(f"the inventory was {v.step.inventory.value}{how}")
    if v.step.io_fault is not None:
        facts.append(f"I/O fault at {v.step.faulty_path}: {v.step.io_fault.value}")
    return tuple(facts)


def of_crash(c: CrashObservation) -> tuple[str, ...]:
    """The effects before the engine was killed, and what it left: commits and new files."""
    done = [f"effect {number}: {effect}" for number, effect in enumerate(c.effects, start=1)]
    committed = [f"version {commit.version} is in the log" for commit in c.commits]
    new = sorted(c.after.listing.keys() - c.before.listing.keys())
    left = [f"left on storage: {path}, {c.after.listing[path].size} bytes" for path in new]
    return (
        *done,
        "then the engine was killed",
        *(committed or ["no commit of the step is in the log"]),
        *left,
    )


def of_answer(observation: Observation) -> tuple[str, ...]:
    """The engine's error, if it answered with one."""
    error = observation.outcome.error
    if error is None:
        return ()
    return (
        f"the engine refused: {error.exception[:300]} {(error.condition or '')[:300]}: {first_line(error.message)}",
    )


def first_line(message: str) -> str:
    """The first line of an error's message that says something, shortened; without any, that it has none."""
    found = next((line for line in message.split("\n") if line.strip()), "")
    return found[:300] or "(without a message)"


def of_actions(observation: Observation, subject: str) -> tuple[str, ...]:
    """The subject's action before the step, and those that the step committed for it."""
    before = observation.before.live.get(subject)
    facts = [f"version {observation.before.version} has {to_line(before).rstrip()}"] if before else []
    for commit in observation.commits:
        named = [action for action in commit.actions if getattr(action, "file", subject) == subject]
        facts += [f"version {commit.version} has {to_line(action).rstrip()[:1000]}" for action in named]
    return tuple(facts) or ("the step committed nothing",)


def of_rows(expected: Rows, found: Rows) -> tuple[str, ...]:
    """How two multisets of rows differ; at most a few of each kind."""
    facts = []
    for what, extra in (("missing", expected - found), ("not expected", found - expected)):
        rows = sorted(extra.elements(), key=repr)
        facts += [f"{what}: {row}" for row in rows[:5]]
        if len(rows) > 5:
            facts.append(f"{what}: {len(rows) - 5} more")
    return tuple(facts)


def of_delete(d: DeleteObservation) -> tuple[str, ...]:
    """The files that the DELETE was expected to remove, and those that it removed."""
    return (
        f"expected to be removed: {named(d.prediction.touched) or 'nothing'}",
        f"removed: {named(remove.file for remove in d.removes) or 'nothing'}",
        *of_answer(d),
    )


#: The most names in a sentence.
_MOST = 20


def named(paths: Iterable[str]) -> str:
    """The first of these paths, in order, and how many more there are."""
    first = nsmallest(_MOST + 1, paths := list(paths))
    return ", ".join(first) if len(paths) <= _MOST else f"{', '.join(first[:_MOST])} and {len(paths) - _MOST:,} more"


def changes(before: TableState, after: TableState) -> list[str]:
    """The paths that differ between two states: below the root with the log, and beside it."""
    return differing({**before.listing, **before.beside}, {**after.listing, **after.beside})


def rows_as_json(rows: Rows) -> list[list[Any]]:
    """Rows, sorted; values as in the JSON form of a case."""
    plain = [[value_to_json(value) for value in row] for row in rows.elements()]
    return sorted(plain, key=lambda row: json.dumps(row, ensure_ascii=False))
