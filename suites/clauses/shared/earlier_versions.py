"""The invariant of time travel: whatever a step does, an independent reader finds the rows of the versions before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import Enum

from deltalog.data.rows import lacks_its_mapping
from deltalog.entries.actions import Add
from deltalog.errors import DeltaLogError
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, each
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.steps.observation import ChangesObservation, Observation, ReadObservation
from harness.observing.steps.vacuums import vacuums_of
from harness.observing.table.live_files import LiveFiles
from harness.observing.table.table_state import Rows
from harness.observing.table.vacuum_inputs import files_of
from harness.observing.table.version_rows import VersionRows, change_between
from model.prediction.fates import Fate
from model.vocabulary.severity import Severity
from model.vocabulary.values import Row
from records.expectations import ByReplay
from suites.clauses.shared.checks import difference
from suites.clauses.vacuum.path_rules import lost_disputed_paths

_NOT_READ = Cause("a file of an earlier version cannot be read", Severity.DATA_LOSS)
_OTHER_ROWS = Cause("an earlier version has other rows", Severity.WRONG_ANSWERS)


def earlier_versions(o: Observation) -> Judgement:
    """Every version before the step has the rows that the case gives it, read from the log and the files alone.

    Not judged: a version whose commits were cleaned up, one of which a VACUUM so far was allowed to delete a file, and one
    with other columns than a RESTORE has brought back; nor anything after a VACUUM that lost disputed paths, or where the
    protocol has lost column mapping: all files are read as readers of the current version find their columns.
    """
    allowed = may_be_gone(o)
    if allowed is None or lacks_its_mapping(o.after.snapshot):
        return NOT_EXERCISED
    right = _right(o, allowed)
    return each(right, lambda version: None if right[version] else _problem(o, version))


def may_be_gone(o: Observation) -> set[str] | None:
    """The paths that a VACUUM so far was allowed to delete; None after one that lost disputed paths."""
    vacuums = vacuums_of((*o.earlier, o))
    if any(map(lost_disputed_paths, vacuums)):
        return None
    return {path for v in vacuums for path, predicted in v.fates.items() if predicted.fate is not Fate.KEEP}


def is_in_log(o: ReadObservation | ChangesObservation) -> bool:
    """Whether the log still has the version that is read: log clean-up may have deleted its commits."""
    try:
        o.before.log.snapshot(o.version)
    except DeltaLogError:
        return False
    return o.version in o.before.log.commits


class _State(Enum):
    """What is known of a live file's rows."""

    UNKNOWN = "no observation has read it"
    MAY_BE_GONE = "a VACUUM may have deleted it, or its deletion vector"
    UNREADABLE = "it cannot be read, or its deletion vector"
    READ = "its rows are known"


def _right(o: Observation, allowed: set[str]) -> dict[int, bool]:
    """The versions that are judged, in order, and whether their files hold their rows.

    A version costs what its commit changes, not what the table holds: a table may have a thousand.
    """
    right: dict[int, bool] = {}
    live, states = LiveFiles(o.after.root), Counter[_State]()
    found, differs = _Tallied(), _Tallied()  # the rows in the files; how many more of each there are than are expected
    expected: VersionRows | None = None  # of the last version that is compared in ``differs``
    for rebuilt in o.after.log.rebuilt():
        if rebuilt.version > o.before.version:
            break
        for add, by in live.go_on(rebuilt):
            state, rows = _rows_of(o, add, allowed)
            states[state] += by
            found.add(rows, by)
            differs.add(rows, by)
        version = o.versions.get(rebuilt.version)
        if version is None or version.as_now is None:
            continue
        change = change_between(expected, version.as_now)
        if change is None:
            differs = _Tallied(found)
            change = Counter(), version.as_now.all
        removed, added = change
        differs.add(removed, 1)
        differs.add(added, -1)
        expected = version.as_now
        if not states[_State.UNKNOWN] and not states[_State.MAY_BE_GONE]:
            right[rebuilt.version] = not differs and not states[_State.UNREADABLE]
    return right


class _Tallied(Counter[Row]):
    """Counts, negative ones too, without those that are 0."""

    def add(self, rows: Mapping[Row, int], by: int) -> None:
        for row, count in rows.items():
            self[row] += by * count
            if not self[row]:
                del self[row]


def _rows_of(o: Observation, add: Add, allowed: set[str]) -> tuple[_State, Rows]:
    vector = add.deletion_vector
    if add.file not in o.after.contents or (vector is not None and vector.unique_id not in o.after.vectors):
        return _State.UNKNOWN, Counter()
    if not allowed.isdisjoint(files_of([add], o.after.root)):
        return _State.MAY_BE_GONE, Counter()
    stored, hidden = o.after.contents[add.file], o.after.hidden(add)
    if stored is None or hidden is None:
        return _State.UNREADABLE, Counter()
    return _State.READ, Counter(row for index, row in enumerate(stored) if index not in hidden)


def _problem(o: Observation, version: int) -> Violation | None:
    """What is wrong with a version that does not have its rows."""
    expected, found = o.versions[version].as_now, Counter[Row]()
    for add in o.after.log.snapshot(version).adds.values():
        state, rows = _rows_of(o, add, set())
        if state is _State.UNREADABLE:
            what = add.file if o.after.contents[add.file] is None else f"the deletion vector of {add.file}"
            message = f"After the step version {version} must be readable; {what} cannot be read."
            return _violation(version, message, evidence.of_path(o, add.file), _NOT_READ)
        found.update(rows)
    rows = expected.all if expected else Counter()
    message = f"After the step version {version} must have its rows; it has {difference(rows, found)}."
    return _violation(version, message, evidence.of_rows(rows, found), _OTHER_ROWS)


def _violation(version: int, message: str, facts: tuple[str, ...], cause: Cause) -> Violation:
    expectation = ByReplay("it reads the files of an earlier version, which a later step may delete")
    return Violation(f"version {version}", message, expectation, facts, cause=cause)
