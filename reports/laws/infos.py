"""Laws on commitInfo, the log's own account of a step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reports.laws.actions import actions_of, file_of, info_of
from reports.laws.evidence import Evidence, Finding
from reports.laws.words import at, ending, listed, mismatches
from reports.plurals import counted


def commit_info(seen: Evidence, expected: dict[str, Any], present: Iterable[str] = ()) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    info = info_of(seen.commits[-1])
    wrong = mismatches(info, expected)
    wrong += [f"{key} absent" for key in present if at(info, key) is None]
    if wrong:
        return False, f"the commitInfo of {seen.text} has {listed(wrong)}"
    return True, f"the commitInfo of {seen.text} is as it must be"


def metrics_are(
    seen: Evidence, metrics: dict[str, Any], absent: Iterable[str] = (), of_what_was_written: Iterable[str] = ()
) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    found = info_of(seen.commits[-1]).get("operationMetrics") or {}
    counts = written(seen)
    due = {**metrics, **{name: counts[name] for name in of_what_was_written}}
    wrong = [
        f"{name} = {found.get(name, 'nothing')} instead of {value}"
        for name, value in sorted(due.items())
        if str(found.get(name)) != str(value)
    ]
    wrong += [f"{name} = {found[name]}, which must be absent" for name in absent if name in found]
    if wrong:
        return False, f"the operationMetrics of {seen.text} have {listed(wrong)}"
    return True, f"the {counted(len(due), 'operation metric')} of {seen.text} are as promised"


def written(seen: Evidence) -> dict[str, int]:
    # What the metrics must say of the files that the step wrote: an add of a file that was live has a new vector alone.
    adds = [file_of(add, seen.root) for commit in seen.commits for add in actions_of(commit, "add")]
    new = [path for path in adds if path not in seen.live]
    return {
        "numAddedFiles": len(new),
        "numAddedBytes": sum(seen.after[path][0] for path in new if path in seen.after),
        "numAddedChangeFiles": sum(len(actions_of(commit, "cdc")) for commit in seen.commits),
    }


def times_are_numbers(seen: Evidence, names: list[str]) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    found = info_of(seen.commits[-1]).get("operationMetrics") or {}
    wrong = [f"{name} = {found.get(name, 'nothing')}" for name in names if not str(found.get(name, "")).isdecimal()]
    if wrong:
        return False, f"the operationMetrics of {seen.text} have {listed(wrong)}"
    return True, f"{listed(names)} of {seen.text} are whole numbers"


def commit_tag(seen: Evidence, tag: str, value: str | None) -> Finding:
    if not seen.commits:
        return False, f"{seen.text} wrote no version ({ending(seen)})"
    found = (info_of(seen.commits[-1]).get("tags") or {}).get(tag)
    return found == value, f"the commitInfo of {seen.text} has the tag {tag} = {found!r}; {value!r} is promised"
