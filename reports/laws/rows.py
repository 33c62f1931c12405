"""Laws on rows: those that a step answers, that it leaves, and that it says it changed."""

from __future__ import annotations

from collections import Counter

from reports.laws.actions import actions_of, file_of
from reports.laws.evidence import Action, Evidence, Finding, Row, Unreadable
from reports.laws.paths import new_files
from reports.laws.words import ending, forms, listed, named, same_rows
from reports.plurals import counted
from reports.vectors import BadVector, vector_rows


def rows_are(seen: Evidence, rows: list[Row]) -> Finding:
    if seen.error is not None or seen.rows is None:
        return False, f"{seen.text} gave no rows, but {ending(seen)}"
    return same_rows(seen.rows, rows, seen.text)


def reads(seen: Evidence, rows: list[Row]) -> Finding:
    found, error = seen.read_table()
    if found is None:
        return False, f"the table cannot be read after {seen.text}: {named(error or {})}"
    return same_rows(found, rows, f"the table after {seen.text}")


def added_rows_are(seen: Evidence, rows: list[Row]) -> Finding:
    adds = [action for commit in seen.commits for action in actions_of(commit, "add")]
    found = [row for add in adds for row in visible_rows(seen, add)]
    return same_rows(found, rows, f"the files added by {seen.text}")


def visible_rows(seen: Evidence, add: Action) -> list[Row]:
    # Spark reads a small file in its own order, so a row's place is its index.
    rows = seen.read_file(add)
    if not add.get("deletionVector"):
        return rows
    try:
        hidden = set(vector_rows(add["deletionVector"], seen.read_bytes))
    except BadVector as problem:
        raise Unreadable(f"{file_of(add, seen.root)} has a deletion vector that {problem}") from problem
    return [row for index, row in enumerate(rows) if index not in hidden]


def change_rows_are(seen: Evidence, rows: list[Row]) -> Finding:
    changes = [cdc for commit in seen.commits for cdc in actions_of(commit, "cdc")]
    found = [row for cdc in changes for row in seen.read_changes(cdc)]
    width = len(seen.schema)
    others = sorted({str(row[width:]) for row in found if row[width:] != ["delete"]})
    if others:
        return (
            False,
            f"the change files of {seen.text} hold rows of the change types {listed(others)}, not only 'delete'",
        )
    return same_rows([row[:width] for row in found], rows, f"the {counted(len(changes), 'change file')} of {seen.text}")


def no_change_files(seen: Evidence) -> Finding:
    wrong = [file_of(cdc, seen.root) for commit in seen.commits for cdc in actions_of(commit, "cdc")]
    wrong += [path for path in new_files(seen) if path.split("/", 1)[0] == "_change_data" and path not in wrong]
    return not wrong, f"{seen.text} wrote {listed(wrong)}" if wrong else f"{seen.text} wrote no change file"


def changes_are(seen: Evidence, rows: list[Row]) -> Finding:
    found, error = seen.read_feed()
    if found is None:
        return False, f"the change feed cannot be read: {named(error or {})}"
    return same_rows(found, rows, f"the change feed, {seen.text}")


def row_ids_kept(seen: Evidence) -> Finding:
    (before, problem), (after, other) = seen.read_row_ids(True), seen.read_row_ids(False)
    if before is None or after is None:
        return False, f"the row ids cannot be read: {named(problem or other or {})}"
    strange = forms(after) - forms(before)
    ids = Counter(row[-2] for row in after)
    wrong = [f"{row} (row, id, commit version), which was not there before" for row in sorted(strange.elements())]
    wrong += [f"the id {id} {times} times" for id, times in ids.items() if times > 1]
    if wrong:
        return False, f"after {seen.text} there is {listed(wrong)}"
    return True, f"the {counted(len(after), 'row')} left by {seen.text} have the ids and versions that they had"
