"""DEL-ROWID: row tracking.

Source: [P] PROTOCOL.md, "Row Tracking".
"""

from __future__ import annotations

import json
from collections import Counter

from deltalog.actions import Add
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.expectations import FieldHolds, FieldMatches, GreaterThan, Measure, RowIdsKept
from harness.observation import DeleteObservation, RowId, TableState
from model.delete import matches
from model.steps import Form
from model.table import Feature
from model.values import Row
from suites.clauses.delete.files import rows_left


def _identified(state: TableState) -> Counter[tuple[Row, RowId]] | None:
    """The rows of the current version, each with its id and version; None where a file cannot be read."""
    found: Counter[tuple[Row, RowId]] = Counter()
    for path in state.live:
        visible, ids = state.visible(path), state.row_ids.get(path, ())
        if visible is None or len(ids) != len(state.contents[path] or ()):
            return None
        found.update((row, ids[index]) for index, row in visible)
    return found


@clause(
    "DEL-ROWID-1A",
    "With row tracking, the rows that stay keep their row ids and row commit versions.",
    of=DeleteObservation,
    sources=("P Row Tracking",),
    needs=(Feature.ROW_TRACKING,),
)
def ids_stay(d: DeleteObservation) -> Judgement:
    if not d.table.has(Feature.ROW_TRACKING) or not d.prediction.commits:
        return NOT_EXERCISED
    before, after = _identified(d.before), _identified(d.after)
    expected = Counter(
        {
            (row, id): count
            for (row, id), count in (before or Counter()).items()
            if matches(d.step, d.table, row) is not True
        }
    )
    if after == expected:
        return one(None)
    lost = [] if after is None else sorted((expected - after).elements(), key=repr)
    facts = tuple(f"no longer there: row id {id[0]}, version {id[1]}: {row}" for row, id in lost[:5])
    message = "After the DELETE, rows that stay do not have the row ids that they had."
    moved = after is None or set(after) - set(before or ())
    expectation = RowIdsKept() if moved else rows_left(d, "which rows are left")
    return one(Violation("row ids", message, expectation, facts))


@clause(
    "DEL-ROWID-1B",
    "With row tracking, each add has baseRowId and defaultRowCommitVersion; a new file's ids were free before.",
    of=DeleteObservation,
    sources=("P Row Tracking",),
    needs=(Feature.ROW_TRACKING,),
)
def adds_have_ids(d: DeleteObservation) -> Judgement:
    if not d.table.has(Feature.ROW_TRACKING):
        return NOT_EXERCISED
    taken, version = _last_taken(d), d.after.version

    def problem(add: Add) -> Violation | None:
        if add.base_row_id is None or add.default_row_commit_version is None:
            missing = "baseRowId" if add.base_row_id is None else "defaultRowCommitVersion"
            return Violation(
                add.file,
                f"The add of {add.file} lacks baseRowId or defaultRowCommitVersion.",
                FieldHolds("add", missing, r"\d+", "a number"),
            )
        if add in d.written and (add.base_row_id <= taken or add.default_row_commit_version != version):
            return Violation(
                add.file,
                f"The new file {add.file} has baseRowId {add.base_row_id}, up to {taken} they are taken, and "
                f"defaultRowCommitVersion {add.default_row_commit_version} in version {version}.",
                GreaterThan("add", "baseRowId", taken)
                if add.base_row_id <= taken
                else FieldMatches("add", "defaultRowCommitVersion", Measure.VERSION),
            )
        return None

    return each(d.adds, problem)


def _last_taken(d: DeleteObservation) -> int:
    """The greatest row id that was given away before the step: by the mark, and by the rows of the live files."""
    domain = d.before.snapshot.domains.get("delta.rowTracking")
    mark = json.loads(domain.configuration).get("rowIdHighWaterMark", -1) if domain is not None else -1
    lasts = []
    for add in d.before.live.values():
        rows = d.before.contents.get(add.file)
        # A file without rows has taken none: another may begin with the same number. Of one that we cannot read we know one.
        lasts.append((add.base_row_id or 0) + (1 if rows is None else len(rows)) - 1)
    return max([int(mark), *lasts])


@clause(
    "DEL-ROWID-1C",
    "With row tracking, the commit's tag delta.rowTracking.preserved says true.",
    of=DeleteObservation,
    sources=("P Row Tracking", "C 2.4"),
    needs=(Feature.ROW_TRACKING,),
)
def tag_says_preserved(d: DeleteObservation) -> Judgement:
    # TRUNCATE TABLE of Delta 4.4 leaves the tag out, which counts as false (docs/findings.md).
    if not d.table.has(Feature.ROW_TRACKING) or not d.commits or d.step.form is Form.TRUNCATE:
        return NOT_EXERCISED
    tags = (dict(d.info.fields) if d.info else {}).get("tags")
    said = tags.get("delta.rowTracking.preserved") if isinstance(tags, dict) else None
    expectation = FieldHolds(
        "commitInfo", "tags", r'.*"delta.rowTracking.preserved": "true".*', "the tag with the value true"
    )
    return one(None if said == "true" else Violation("commitInfo", f"The tag says {said!r}.", expectation))
