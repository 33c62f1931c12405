"""Checks that several clauses share. Each returns what is wrong with a step, or None."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from deltalog.entries.actions import Add, DomainMetadata, Metadata, Protocol, Remove, Txn
from deltalog.snapshot import Snapshot
from deltalog.storage.listing import Entry
from harness.judging.clause import Violation
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation, Observation, ReadObservation
from harness.observing.table.table_state import Rows
from model.prediction.refusals import Refusal
from model.vocabulary.severity import Severity
from records.expectations import (
    ByReplay,
    Expectation,
    Fails,
    FieldMatches,
    Measure,
    NoActions,
    NothingChanged,
    Readable,
    RowsAre,
    RowsOf,
    Unchanged,
    about,
)
from suites.clauses.shared import causes
from suites.clauses.shared.partition_texts import wrong_partition_text

T = TypeVar("T")


def check_none(
    paths: Sequence[str],
    message: str,
    expectation: Expectation,
    facts: tuple[str, ...] = (),
    cause: Cause = causes.NEEDLESS_WRITE,
) -> Violation | None:
    """There must be no such paths; ``message`` ends before their names: "it wrote"."""
    return (
        Violation(paths[0], f"{message} {evidence.named(paths)}.", expectation, facts, cause=cause) if paths else None
    )


#: The most rows, or paths, that a script compares: it has them as its data.
MOST = 10_000


# Files --------------------------------------------------------------------------------------------------------------


def check_each_once(adds: Sequence[Add], removes: Sequence[Remove]) -> Violation | None:
    """A commit must have no path twice in its adds or in its removes; a path in both has different deletion vectors."""
    repeated = {path for path, _ in {add.key for add in adds} & {remove.key for remove in removes}}
    for paths in (Counter(add.file for add in adds), Counter(remove.file for remove in removes)):
        repeated.update(path for path, count in paths.items() if count > 1)
    message = "A commit must name each file once; this one repeats"
    expectation = FieldMatches("add", "path", Measure.ONCE)
    return check_none(sorted(repeated), message, expectation, cause=Cause("a file twice in a commit"))


def check_stored(add: Add, entry: Entry | None) -> Violation | None:
    """The file of an add must be on storage, in the size that the add says; ``entry`` is what storage has of it."""
    if entry is not None and entry.size == add.size:
        return None
    found = "is not on storage" if entry is None else f"has {entry.size} bytes"
    cause = Cause("no such file", Severity.DATA_LOSS) if entry is None else Cause("another size")
    message = f"By its add {add.file} has {add.size} bytes; it {found}."
    return Violation(add.file, message, FieldMatches("add", "size", Measure.FILE_SIZE), cause=cause)


# Rows ---------------------------------------------------------------------------------------------------------------


def rows_are(of: RowsOf, rows: Rows) -> Expectation:
    """That these are the rows; by a replay if they are too many for a script."""
    number = rows.total()
    return RowsAre(of, evidence.rows_as_json(rows)) if number <= MOST else ByReplay(f"it is to have {number:,} rows")


def check_rows_read(r: ReadObservation) -> Violation | None:
    """The engine must read the rows that the case expects of the version."""
    expected = r.expected_version.rows
    if not r.refused and r.rows == expected:
        return None
    facts = evidence.of_answer(r) if r.refused else evidence.of_rows(expected, r.rows)
    problem = "the engine reported an error" if r.refused else f"the engine read {difference(expected, r.rows)}"
    message = f"Reading version {r.version} must return {expected.total()} rows; {problem}."
    cause = causes.error(r) if r.refused else causes.rows(expected, r.rows)
    expectation = rows_are(RowsOf.ANSWER, expected)
    return Violation(f"version {r.version}", message, expectation, facts, cause=cause)


def check_rows_left(d: DeleteObservation) -> Violation | None:
    """An independent reader must find the rows that the DELETE leaves."""
    return check_table_rows(d, d.expected_rows, "the rows that must be left", evidence.of_answer(d))


def check_table_rows(
    observation: Observation, expected: Rows, which: str, facts: tuple[str, ...] = ()
) -> Violation | None:
    """After the step an independent reader must find these rows; ``which`` names them in the message."""
    found = observation.after.rows
    if found == expected:
        return None
    rows = ("a live file cannot be read",) if found is None else evidence.of_rows(expected, found)
    counts = "" if found is None else f" ({difference(expected, found)})"
    message = f"Version {observation.after.version} does not hold {which}{counts}."
    refused = isinstance(observation, DeleteObservation) and observation.refused and not observation.commits
    cause = causes.error(observation) if refused else causes.rows(expected, found)
    if found is None and not isinstance(observation, DeleteObservation):
        cause = causes.NO_LONGER_READ
    expectation: Expectation = rows_are(RowsOf.TABLE, expected)
    if found is None:
        expectation = wrong_partition_text(observation) or expectation
    return Violation("rows", message, expectation, (*rows, *facts), cause=cause)


def check_replayed(observation: Observation, command: str) -> Violation | None:
    """The log must be readable after the ``command`` ("the DELETE")."""
    broken = observation.after.broken
    if not broken:
        return None
    message = f"After {command} the table must be readable; it is not: {broken}."
    return Violation("log", message, Readable(), cause=causes.NOT_REPLAYED)


def difference(expected: Counter[T], found: Counter[T]) -> str:
    """How many rows were found, for a message: "4 rows: 1 of the 5 expected are missing, 0 are unexpected"."""
    missing, unexpected = (expected - found).total(), (found - expected).total()
    return (
        f"{found.total()} rows: {missing} of the {expected.total()} expected are missing, {unexpected} are unexpected"
    )


# Refusals -----------------------------------------------------------------------------------------------------------


def check_refusal(command: str, observation: Observation, due: Refusal) -> Violation | None:
    """The ``command`` ("DELETE", "VACUUM") must be refused with the error class and SQLSTATE of ``due``.

    An engine whose errors have no classes must refuse it with any error.
    """
    error, classes = observation.outcome.error, observation.rules.error_classes
    expectation = Fails(sorted(due.conditions) if classes else ())
    expected = _error(sorted(due.conditions), sorted(due.sqlstates)) if classes else "an error"
    if error is None:
        message, changed = f"The {command} must be refused with {expected}; it succeeded.", _changed(observation)
        cause = Cause(f"not refused: {changed.text}", changed.severity) if changed.text else causes.NOT_REFUSED
        return Violation("step", message, expectation, cause=cause)
    if classes and not due.is_matched_by(error.condition, error.sqlstate):
        found = _error([error.condition or error.exception], [error.sqlstate] if error.sqlstate else [])
        message = f"The {command} must be refused with {expected}; it was refused with {found}."
        return Violation("step", message, expectation, evidence.of_answer(observation), cause=causes.OTHER_ERROR)
    return None


def _changed(observation: Observation) -> Cause:
    return causes.changed(observation, evidence.changes(observation.before, observation.after))


def _error(conditions: list[str], sqlstates: list[str]) -> str:
    return f"{' or '.join(conditions) or 'an error'} ({' or '.join(sqlstates) or 'no SQLSTATE'})"


def check_nothing_changed(what: str, observation: Observation, facts: tuple[str, ...] = ()) -> Violation | None:
    """The step must change nothing, in the table or beside it. ``what`` begins the message: "The refused DELETE"."""
    paths = evidence.changes(observation.before, observation.after)
    message = f"{what} must change nothing; it changed {evidence.named(paths)}."
    cause = causes.changed(observation, paths)
    return Violation(paths[0], message, NothingChanged(), facts, cause=cause) if paths else None


# Protocol and metadata ----------------------------------------------------------------------------------------------

_DEFINITION = (Protocol, Metadata, Txn, DomainMetadata)


def check_definition_unchanged(observation: Observation) -> Violation | None:
    """The step must not change the table's protocol, metadata, transaction identifiers or domains.

    Except the domain of row tracking: it holds the highest row id, which every writer of files advances (PROTOCOL.md,
    "Row Tracking").
    """
    before, after = observation.before.snapshot, observation.after.snapshot
    changed = ["protocol"] if sorted_features(before.protocol) != sorted_features(after.protocol) else []
    changed += [part for part in ("metadata", "txns") if getattr(before, part) != getattr(after, part)]
    changed += ["domains"] if _domains(before) != _domains(after) else []
    if not changed:
        return None
    message = f"{type(observation.step).__name__.upper()} changed the table's {' and '.join(changed)}."
    cause = Cause(f"changed: {' and '.join(changed)}")
    rewritten = [
        path
        for path in evidence.changes(observation.before, observation.after)
        if path in observation.before.listing and path.startswith("_delta_log/")
    ]
    committed = any(isinstance(action, _DEFINITION) for commit in observation.commits for action in commit.actions)
    if rewritten and not committed:
        return Violation("log", message, about(rewritten[0], Unchanged(rewritten[0])), cause=cause)
    return Violation("log", message, NoActions(("protocol", "metaData", "txn", "domainMetadata")), cause=cause)


def sorted_features(protocol: Protocol) -> Protocol:
    """With sorted features: they are sets (PROTOCOL.md, "Protocol Evolution"), and a checkpoint may reorder them."""
    readers, writers = protocol.reader_features, protocol.writer_features
    return replace(
        protocol,
        reader_features=None if readers is None else tuple(sorted(readers)),
        writer_features=None if writers is None else tuple(sorted(writers)),
    )


def _domains(snapshot: Snapshot) -> dict[str, DomainMetadata]:
    return {name: domain for name, domain in snapshot.domains.items() if name != "delta.rowTracking"}
