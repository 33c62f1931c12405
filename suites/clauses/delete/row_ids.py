"""DEL-ROWID: row tracking."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

from deltalog.entries.actions import Add
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, wrong_words
from harness.observing.steps.observation import DeleteObservation
from harness.observing.table.identified_rows import identified
from harness.observing.table.table_state import TableState
from model.prediction.delete import matches
from model.vocabulary.steps import Form
from model.vocabulary.table import Feature
from records.expectations import ByReplay, FieldHolds, FieldMatches, ForbiddenChange, Measure, NothingChanged
from suites.clauses.delete.files import rows_left
from suites.clauses.shared import harms
from suites.clauses.shared.causes import rows_left as rows_cause
from suites.clauses.shared.checks import difference


@clause(
    "DEL-ROWID-1A",
    "With row tracking, the remaining rows keep their row ids and row commit versions.",
    sources=("P Row Tracking",),
    harm=harms.WRONG_ROW_IDS,
    needs=(Feature.ROW_TRACKING,),
)
def row_ids_kept(d: DeleteObservation) -> Judgement:
    if not d.table.has(Feature.ROW_TRACKING) or not d.prediction.commits:
        return NOT_EXERCISED
    before, after = identified(d.before), identified(d.after)
    expected = Counter(
        {
            (row, id): count
            for (row, id), count in (before or Counter()).items()
            if matches(d.step, d.table, row) is not True
        }
    )
    if after == expected:
        return judgement(None)
    lost = [] if after is None else sorted((expected - after).elements(), key=repr)
    facts = tuple(f"missing: row id {id[0]}, version {id[1]}: {row}" for row, id in lost[:5])
    problem = "a live file cannot be read" if after is None else f"the table has {difference(expected, after)}"
    message = f"After the DELETE the remaining rows must keep their row ids; {problem}."
    moved = after is None or set(after) - set(before or ())
    expectation = NothingChanged(ForbiddenChange.OF_ROW_IDS) if moved else rows_left(d, "which rows are left")
    cause = rows_cause(d, Cause("other row ids"))
    return judgement(Violation("row ids", message, expectation, facts, cause=cause))


@clause(
    "DEL-ROWID-1B",
    "With row tracking, each add has baseRowId and defaultRowCommitVersion; the row ids of a new file were not in use before.",
    sources=("P Row Tracking",),
    harm=harms.WRONG_ROW_IDS,
    needs=(Feature.ROW_TRACKING,),
)
def adds_have_ids(d: DeleteObservation) -> Judgement:
    if not d.table.has(Feature.ROW_TRACKING):
        return NOT_EXERCISED
    taken, version = _last_row_id(d), d.after.version

    def problem(add: Add) -> Violation | None:
        if add.base_row_id is None or add.default_row_commit_version is None:
            missing = "baseRowId" if add.base_row_id is None else "defaultRowCommitVersion"
            return Violation(
                add.file,
                f"The add of {add.file} lacks {missing}.",
                FieldHolds("add", missing, r"\d+", "a number"),
                cause=Cause(f"no {missing}"),
            )
        if add in d.written and (add.base_row_id <= taken or add.default_row_commit_version != version):
            return Violation(
                add.file,
                f"The new file {add.file} must have a baseRowId above {taken} and the defaultRowCommitVersion {version}; "
                f"it has {add.base_row_id} and {add.default_row_commit_version}.",
                FieldMatches("add", "baseRowId", Measure.ABOVE, taken)
                if add.base_row_id <= taken
                else FieldMatches("add", "defaultRowCommitVersion", Measure.VERSION),
                cause=Cause("row ids in use" if add.base_row_id <= taken else "another value: defaultRowCommitVersion"),
            )
        return None

    return each(d.adds, problem)


def _last_row_id(d: DeleteObservation) -> int:
    """The greatest row id in use before the step, by the high water mark and by the rows of the live files."""
    mark = _mark(d.before)
    lasts = []
    for add in d.before.live.values():
        rows = d.before.contents.get(add.file)
        # A file without rows uses no row id, so another may have the same baseRowId. An unreadable file counts as one row.
        lasts.append((add.base_row_id or 0) + (1 if rows is None else len(rows)) - 1)
    return max([-1 if mark is None else mark, *lasts])


_NO_TAG = Cause("the tag is not true")


@clause(
    "DEL-ROWID-1C",
    "With row tracking, the commit's tag delta.rowTracking.preserved is true.",
    sources=("P Row Tracking", "C 2.4"),
    harm=wrong_words("Readers cannot rely on row ids that were kept."),
    needs=(Feature.ROW_TRACKING,),
)
def tag_says_preserved(d: DeleteObservation) -> Judgement:
    # TRUNCATE TABLE of Delta 4.4 leaves the tag out, which means false (docs/findings.md).
    if not d.table.has(Feature.ROW_TRACKING) or not d.commits or d.step.form is Form.TRUNCATE:
        return NOT_EXERCISED
    tags = (dict(d.info.fields) if d.info else {}).get("tags")
    tag = tags.get("delta.rowTracking.preserved") if isinstance(tags, dict) else None
    expectation = FieldHolds(
        "commitInfo", "tags", r'.*"delta.rowTracking.preserved": "true".*', "the tag with the value true"
    )
    message = f"The tag delta.rowTracking.preserved must be 'true'; it is {tag!r}."
    return judgement(None if tag == "true" else Violation("commitInfo", message, expectation, cause=_NO_TAG))


@clause(
    "DEL-ROWID-1D",
    "With row tracking, the high-water mark after a DELETE is the greatest row id that was ever assigned: the one before, or the last of the new files.",
    sources=("P Row Tracking",),
    harm=harms.WRONG_ROW_IDS,
    needs=(Feature.ROW_TRACKING,),
)
def high_water_mark(d: DeleteObservation) -> Judgement:
    before, found = _mark(d.before), _mark(d.after)
    if not d.table.has(Feature.ROW_TRACKING) or not d.commits or before is None:
        return NOT_EXERCISED
    rows = {add.file: d.after.contents.get(add.file) for add in d.written}
    lasts = [(add.base_row_id or 0) + len(rows[add.file] or ()) - 1 for add in d.written]
    expected = max([before, *lasts])
    message = f"The high-water mark of the row ids must be {expected}; it is {found}."
    reason = "the row ids of new files depend on how the engine writes them"
    return judgement(None if found == expected else Violation("row ids", message, ByReplay(reason)))


@clause(
    "DEL-ROWID-1E",
    "With row tracking, no row of a new file has the default row id of another row that the DELETE writes.",
    sources=("P Row Tracking",),
    harm=harms.WRONG_ROW_IDS,
    needs=(Feature.ROW_TRACKING,),
)
def new_row_ids_are_unique(d: DeleteObservation) -> Judgement:
    if not d.table.has(Feature.ROW_TRACKING):
        return NOT_EXERCISED
    spans = [(add.base_row_id, len(d.after.contents.get(add.file) or ()), add.file) for add in d.written]
    ordered = sorted((first, first + length, file) for first, length, file in spans if first is not None and length)

    def problem(pair: tuple[tuple[int, int, str], tuple[int, int, str]]) -> Violation | None:
        (first, end, file), (later, _, other) = pair
        if later >= end:
            return None
        message = f"The row ids of {file} are {first} to {end - 1}, and those of {other} begin with {later}."
        reason = "the row ids of new files depend on how the engine writes them"
        return Violation(other, message, ByReplay(reason), cause=Cause("row ids twice"))

    return each(pairwise(ordered), problem)


def _mark(state: TableState) -> int | None:
    domain = state.snapshot.domains.get("delta.rowTracking")
    try:
        return None if domain is None else int(json.loads(domain.configuration)["rowIdHighWaterMark"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
