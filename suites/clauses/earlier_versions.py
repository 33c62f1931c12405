"""The invariant of time travel: whatever a step does, an independent reader finds the rows of the versions before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from deltalog.actions import Add
from deltalog.errors import DeltaLogError
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, each
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.observation import Observation
from harness.observing.table_state import Rows
from harness.observing.vacuum_inputs import files_of
from harness.observing.vacuums import vacuums_of
from model.prediction.fates import Fate
from model.vocabulary.severity import Severity
from records.expectations import ByReplay
from suites.clauses.checks import difference
from suites.clauses.vacuum.path_rules import lost_disputed_paths

_NOT_READ = Cause("a file of an earlier version cannot be read", Severity.DATA_LOSS)
_OTHER_ROWS = Cause("an earlier version has other rows", Severity.WRONG_ANSWERS)


def earlier_versions(o: Observation) -> Judgement:
    """Every version before the step has the rows that the case gives it, read from the log and the files alone.

    Not judged: a version whose commits were cleaned up, one of which a VACUUM so far was allowed to delete a file, and one
    with other columns than a RESTORE has brought back; nor anything after a VACUUM that lost disputed paths.
    """
    allowed = may_be_gone(o)
    if allowed is None:
        return NOT_EXERCISED
    files = {version: _files(o, version) for version in sorted(o.versions) if version <= o.before.version}
    judged = {
        version: adds
        for version, adds in files.items()
        if adds is not None
        and o.versions[version].as_now is not None
        and allowed.isdisjoint(files_of(adds.values(), o.after.root))
    }
    return each(judged, lambda version: _problem(o, version, judged[version]))


def may_be_gone(o: Observation) -> set[str] | None:
    """The paths that a VACUUM so far was allowed to delete; None after one that lost disputed paths."""
    vacuums = vacuums_of((*o.earlier, o))
    if any(map(lost_disputed_paths, vacuums)):
        return None
    return {path for v in vacuums for path, predicted in v.fates.items() if predicted.fate is not Fate.KEEP}


def _files(o: Observation, version: int) -> Mapping[str, Add] | None:
    """The live files of a version; None where its commits, or what is in its files, are not known."""
    try:
        snapshot = o.after.log.snapshot(version)
    except DeltaLogError:
        return None
    adds = {add.file: add for add in snapshot.adds.values()}
    return (
        adds if adds.keys() <= o.after.contents.keys() and all(_has_vector(o, add) for add in adds.values()) else None
    )


def _has_vector(o: Observation, add: Add) -> bool:
    return add.deletion_vector is None or add.deletion_vector.unique_id in o.after.vectors


def _problem(o: Observation, version: int, adds: Mapping[str, Add]) -> Violation | None:
    expected = o.versions[version].as_now or Counter()
    found: Rows = Counter()
    for path, add in adds.items():
        stored, hidden = o.after.contents[path], o.after.hidden(add)
        if stored is None or hidden is None:
            what = path if stored is None else f"the deletion vector of {path}"
            message = f"After the step version {version} must be readable; {what} cannot be read."
            return _violation(version, message, evidence.of_path(o, path), _NOT_READ)
        found.update(row for index, row in enumerate(stored) if index not in hidden)
    if found == expected:
        return None
    message = f"After the step version {version} must have its rows; it has {difference(expected, found)}."
    return _violation(version, message, evidence.of_rows(expected, found), _OTHER_ROWS)


def _violation(version: int, message: str, facts: tuple[str, ...], cause: Cause) -> Violation:
    expectation = ByReplay("it reads the files of an earlier version, which a later step may delete")
    return Violation(f"version {version}", message, expectation, facts, cause=cause)
