"""Facts about a path or a commit that a person can look up, for violations."""

from __future__ import annotations

import json
from typing import Any

from deltalog.actions import Add, Cdc, Remove
from deltalog.codec import to_line
from deltalog.listing import EntryKind
from harness.observation import DeleteObservation, Observation, Rows, TableState
from harness.table_state import differing
from harness.vacuum_inputs import vector_path
from harness.vacuum_observation import VacuumObservation
from model.codec import value_to_json


def of_path(observation: Observation, path: str) -> tuple[str, ...]:
    """What is known of a path: what the log says of it, its age, and where it was before and after the step."""
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
    facts.append(
        f"after the step it is {'still ' if entry and observation.after.entry(path) else ''}{_presence(observation.after, path)}"
    )
    if isinstance(observation, VacuumObservation):
        facts += of_cutoff(observation) + of_mode(observation)
        judged = observation.fates.get(path)
        if judged:
            facts.append(f"expected: {judged.fate.value}, because {judged.reason.value}")
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
        deleted = (
            "without a deletionTimestamp"
            if remove.deletion_timestamp is None
            else f"at {observation.instant(remove.deletion_timestamp)}"
        )
        return f"removed{by} {deleted}"
    return _in_vectors(state, path, observation) or "no action refers to it"


def _in_vectors(state: TableState, path: str, observation: Observation) -> str | None:
    """What the log says of a file of deletion vectors, or of a change file."""
    live = [add for add in state.live.values() if vector_path(add, state.root) == path]
    if live:
        named = ", named by its absolute path" if all(_is_absolute(add) for add in live) else ""
        return f"version {state.version} has the deletion vector of {live[0].file} in it{named}"
    removed = [remove for remove in state.snapshot.removes.values() if vector_path(remove, state.root) == path]
    if removed:
        last = max(removed, key=lambda remove: remove.deletion_timestamp or 0)
        named = ", named by its absolute path" if all(_is_absolute(remove) for remove in removed) else ""
        stamp = last.deletion_timestamp
        at = "without a deletionTimestamp" if stamp is None else f"at {observation.instant(stamp)}"
        return f"the deletion vector of {last.file}, removed {at}, is in it{named}"
    version = _version_of(state, path, Cdc)
    return None if version is None else f"version {version} has it as a change file"


def _is_absolute(action: Add | Remove) -> bool:
    return action.deletion_vector is not None and action.deletion_vector.storage == "p"


def _version_of(state: TableState, path: str, kind: type[Add] | type[Remove] | type[Cdc]) -> int | None:
    """The latest version whose commit has an action of this kind for the path."""
    versions = [
        commit.version
        for commit in state.log.commits.values()
        if any(isinstance(action, kind) and action.file == path for action in commit.actions)
    ]
    return max(versions, default=None)


def _presence(state: TableState, path: str) -> str:
    return "on storage" if state.entry(path) else "not on storage"


def of_cutoff(v: VacuumObservation) -> tuple[str, ...]:
    """Where the VACUUM's line was."""
    clock = f"the engine's clock was at {v.instant(v.clock)}"
    kept = (
        "one week, the default"
        if v.table.retention_hours is None
        else f"{v.table.retention_hours} hours, as the table sets it"
    )
    if v.retain is None:
        return (f"{clock}; the retention is {kept}; so the cutoff is {v.instant(v.cutoff.latest)}",)
    window = f"{v.instant(v.cutoff.earliest)} or up to {v.cutoff.latest - v.cutoff.earliest} ms later"
    return (f"RETAIN {v.step.retain_hours:g} HOURS puts the cutoff at the wall clock, {window}",)


def of_mode(v: VacuumObservation) -> tuple[str, ...]:
    """Where a VACUUM looked that listed nothing, and what was wrong with the file system."""
    facts = []
    if v.step.mode.lite:
        window = v.window
        looked = (
            f"looks through the versions {window.first} to {window.last}" if window else "has no version to look at"
        )
        mark = "no bookmark" if v.last_vacuumed is None else f"a bookmark at version {v.last_vacuumed}"
        facts.append(f"LITE {looked}, with {mark}")
    elif v.step.mode.inventory:
        facts.append(f"the inventory was {v.step.inventory.value}")
    if v.step.io_fault is not None:
        facts.append(f"the file system had trouble with {v.step.faulty_path}: {v.step.io_fault.value}")
    return tuple(facts)


def of_answer(observation: Observation) -> tuple[str, ...]:
    """What the engine answered, where it was an error."""
    error = observation.outcome.error
    if error is None:
        return ()
    return (f"the engine refused: {error.exception} {error.condition or ''}: {error.message.splitlines()[0][:300]}",)


def of_actions(observation: Observation, subject: str) -> tuple[str, ...]:
    """What the log says of the subject: its action before the step, and the actions that the step committed."""
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
    """What the DELETE should have removed, and what it did."""
    expected, found = sorted(d.prediction.touched), sorted(remove.file for remove in d.removes)
    return (
        f"expected to be removed: {', '.join(expected) or 'nothing'}",
        f"removed: {', '.join(found) or 'nothing'}",
        *of_answer(d),
    )


def changes(before: TableState, after: TableState) -> list[str]:
    """The paths, of the log too and beside the root, that differ between two states."""
    return differing({**before.listing, **before.beside}, {**after.listing, **after.beside})


def rows_as_json(rows: Rows) -> list[list[Any]]:
    """Rows for a script, sorted; values as in the JSON form of a case."""
    plain = [[value_to_json(value) for value in row] for row in rows.elements()]
    return sorted(plain, key=lambda row: json.dumps(row, ensure_ascii=False))
