"""Laws on how a step ended."""

from __future__ import annotations

from collections import Counter

from reports.laws.evidence import Evidence, Finding, Row
from reports.laws.paths import beside, paths_in
from reports.laws.storage import nothing_changed
from reports.laws.words import ending, listed, named
from reports.plurals import counted


def refused(seen: Evidence, condition: str | None = None, conditions: list[str | None] | None = None) -> Finding:
    if seen.error is None:
        return False, f"{seen.text} was not refused"
    found = seen.error["condition"]
    if conditions is None:
        return condition is None or found == condition, f"{seen.text} was refused with {named(seen.error)}"
    # Spark gives some conditions a second part that says more: UNRESOLVED_COLUMN.WITH_SUGGESTION.
    if not any(found == one or (one is not None and str(found).startswith(f"{one}.")) for one in conditions):
        promised = " or ".join(str(one) for one in conditions)
        return False, f"{seen.text} was refused with {named(seen.error)}, not with {promised}"
    stayed, change = nothing_changed(seen)
    return stayed, f"{seen.text} was refused with {named(seen.error)}; {change}"


def succeeded(seen: Evidence) -> Finding:
    return seen.error is None, f"{seen.text}: {ending(seen)}"


def answers_root(seen: Evidence) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} answered nothing, but {ending(seen)}"
    right = len(seen.rows) == 1 and len(seen.rows[0]) == 1 and paths_in(seen.rows, seen.root) == ["."]
    return right, f"{seen.text} answered {answered(seen.rows)}; the root's path is {seen.root}"


def answers_nothing(seen: Evidence) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} did not end well: {ending(seen)}"
    return not seen.rows, f"{seen.text} answered {answered(seen.rows)}"


def answers_paths(seen: Evidence) -> Finding:
    if seen.rows is None:
        return False, f"{seen.text} listed nothing, but {ending(seen)}"
    wrong = [str(row) for row in seen.rows if len(row) != 1]
    paths = Counter(paths_in([row for row in seen.rows if len(row) == 1], seen.root))
    wrong += [f"{path} {times} times" for path, times in sorted(paths.items()) if times > 1]
    wrong += [f"{path}, which is not below the root" for path in sorted(paths) if path == "." or beside(path)]
    if wrong:
        return False, f"{seen.text} answered {listed(wrong)}"
    return True, f"{seen.text} answered {counted(len(paths), 'path')} below the root, none twice"


def answered(rows: list[Row]) -> str:
    return f"{counted(len(rows), 'row')}: {listed([str(row) for row in rows])}" if rows else "no rows"
