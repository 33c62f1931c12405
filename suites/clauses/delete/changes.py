"""DEL-CDF: the change data feed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from deltalog.entries.actions import Cdc
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, space_kept, unreadable, wrong_answers
from harness.observing import evidence
from harness.observing.steps.observation import ChangesObservation, DeleteObservation
from harness.observing.table.table_state import Rows
from model.prediction.delete import DeleteMethod
from model.semantics.moments import moment
from model.text.layout import physical_name
from model.vocabulary.table import Feature
from model.vocabulary.values import Row, Value
from records.expectations import (
    ByReplay,
    Expectation,
    FieldIs,
    FieldMatches,
    KeysAre,
    Measure,
    NoActions,
    NoFileWritten,
    RowsAre,
    RowsOf,
)
from suites.clauses.shared import causes, harms
from suites.clauses.shared.checks import check_none, difference, rows_are
from suites.clauses.shared.partition_texts import wrong_partition_text


@clause(
    "DEL-CDF-1A",
    "With the change data feed on, a DELETE that rewrites files writes change files that contain exactly the deleted rows, each with _change_type delete.",
    sources=("P Add CDC File", "P Change Data Files", "C 2.2"),
    harm=harms.WRONG_CHANGES,
    needs=(Feature.CHANGE_DATA_FEED,),
)
def change_files_hold_the_deleted(d: DeleteObservation) -> Judgement:
    if (
        not d.table.has(Feature.CHANGE_DATA_FEED)
        or d.prediction.method is not DeleteMethod.REWRITE
        or not d.prediction.commits
    ):
        return NOT_EXERCISED
    expectation = _change_feed(d)
    found: Rows = Counter()
    for cdc in d.change_files:
        rows = d.after.changes.get(cdc.file)
        if rows is None:
            message = f"The change file {cdc.file} must be readable; it cannot be read."
            return judgement(Violation(cdc.file, message, expectation, cause=Cause("a change file cannot be read")))
        kinds = {kind for _, kind in rows}
        if kinds - {"delete"}:
            message = f"All rows of {cdc.file} must have the change type delete; it has {sorted(map(str, kinds))}."
            return judgement(Violation(cdc.file, message, expectation, cause=Cause("another change type")))
        if cdc.data_change:
            message = f"The cdc action of {cdc.file} must have dataChange=false; it has dataChange=true."
            return judgement(
                Violation(cdc.file, message, FieldIs("cdc", "dataChange", False), cause=Cause("dataChange"))
            )
        found.update(row for row, _ in rows)
    if found == d.prediction.deleted:
        return judgement(None)
    message = f"The change files must contain exactly the deleted rows; they contain {difference(d.prediction.deleted, found)}."
    facts = evidence.of_rows(d.prediction.deleted, found)
    cause = causes.error(d) if d.refused and not d.commits else _wrong_feed(d.prediction.deleted, found)
    return judgement(Violation("rows", message, expectation, facts, cause=cause))


def _wrong_feed(expected: Counter[Row], found: Counter[Row]) -> Cause:
    return Cause("deletions are missing" if expected - found else "deletions that did not happen")


@clause(
    "DEL-CDF-1D",
    "Each cdc action has the size of its change file, values for exactly the partition columns, and no tags.",
    sources=("P Add CDC File",),
    harm=unreadable("Readers of the change feed find other partition values than those of the rows."),
    needs=(Feature.CHANGE_DATA_FEED,),
)
def change_files_are_described(d: DeleteObservation) -> Judgement:
    names = sorted(physical_name(d.table, name) for name in d.table.partition_by)

    def problem(cdc: Cdc) -> Violation | None:
        entry = d.after.listing.get(cdc.file)
        size = None if entry is None else entry.size
        if cdc.size != size:
            message = f"The cdc action of {cdc.file} says {cdc.size} bytes; the file has {size}."
            return Violation(cdc.file, message, FieldMatches("cdc", "size", Measure.FILE_SIZE))
        if sorted(cdc.partition_values) != names:
            message = f"The cdc action of {cdc.file} has partition values for {sorted(cdc.partition_values)}, not for {names}."
            return Violation(cdc.file, message, KeysAre("cdc", "partitionValues", names))
        message = f"The cdc action of {cdc.file} must have no tags."
        return Violation(cdc.file, message, FieldIs("cdc", "tags", None)) if cdc.tags else None

    return each(d.change_files, problem)


def _change_feed(d: DeleteObservation) -> Expectation:
    """The change feed of the DELETE is read from the change files."""
    if (text := wrong_partition_text(d)) is not None:
        return text
    if d.table.maps_columns and not d.rules.reads_mapped_change_feed:
        return ByReplay("the engine does not read the change feed of a table with column mapping")
    return RowsAre(RowsOf.CHANGES, [[*row, "delete"] for row in evidence.rows_as_json(d.prediction.deleted)])


@clause(
    "DEL-CDF-1B",
    "A DELETE of whole files, or with deletion vectors, writes no change file.",
    sources=("P Change Data Files", "C 2.2"),
    harm=space_kept("Change files are written that the log makes superfluous."),
    needs=(Feature.CHANGE_DATA_FEED,),
)
def no_change_files(d: DeleteObservation) -> Judgement:
    if (
        not d.table.has(Feature.CHANGE_DATA_FEED)
        or d.prediction.method is DeleteMethod.REWRITE
        or not d.prediction.commits
    ):
        return NOT_EXERCISED
    named = sorted(
        {cdc.file for cdc in d.change_files} | {path for path in d.appeared if path.startswith("_change_data/")}
    )
    unwanted = NoActions(("cdc",)) if d.change_files else NoFileWritten("_change_data/")
    return judgement(check_none(named, "The DELETE must write no change file; it wrote", unwanted))


@clause(
    "DEL-CDF-1C",
    "The change data feed of a DELETE contains exactly the deleted rows, each with _change_type delete, whether the DELETE removed whole files, rewrote files or wrote deletion vectors.",
    sources=("P Add CDC File", "C 2.2"),
    harm=harms.WRONG_CHANGES,
    needs=("change_feed",),
)
def feed_reads_the_deleted(c: ChangesObservation) -> Judgement:
    if c.of is None or c.vacuumed:
        return NOT_EXERCISED  # VAC-READ-3: VACUUM may have deleted its files
    expected: Counter[Row] = Counter({(*row, "delete"): count for row, count in c.of.prediction.deleted.items()})
    found = Counter(c.outcome.rows)
    if c.step.commits and not c.refused:
        # Each row was read as its commit alone, which DEL-CDF-2A and 2B judge: what is left to judge is their number.
        expected, found = Counter({(): expected.total()}), Counter({(): found.total()})
    if not c.refused and found == expected:
        return judgement(None)
    expectation: Expectation = rows_are(RowsOf.ANSWER, expected)
    if c.step.commits:
        expectation = ByReplay("a script reads the rows of the change feed, not their commits")
    facts = evidence.of_answer(c) if c.refused else evidence.of_rows(expected, found)
    problem = "it cannot be read" if c.refused else f"it has {difference(expected, found)}"
    message = f"The change feed of version {c.version} must be exactly the deleted rows; {problem}."
    cause = causes.error(c) if c.refused else _wrong_feed(expected, found)
    return judgement(Violation("rows", message, expectation, facts, cause=cause))


@clause(
    "DEL-CDF-2A",
    "In the change data feed of a DELETE, _commit_version is the version that the DELETE committed.",
    sources=("P Add CDC File", "P Change Data Files"),
    harm=wrong_answers("Readers of the change feed apply a change to another version of the table."),
    needs=("change_feed",),
)
def feed_names_the_version(c: ChangesObservation) -> Judgement:
    return _each_commit(c, 0, str(c.version), lambda version: version == c.version)


@clause(
    "DEL-CDF-2B",
    "In the change data feed of a DELETE, _commit_timestamp is the time of the commit in every session time zone: the in-commit timestamp or, without one, the modification time of the commit's file.",
    sources=("P Add CDC File", "P In-Commit Timestamps"),
    harm=wrong_answers("Readers of the change feed find other times than those of the commits."),
    implementation="spark",
    needs=("change_feed",),
)
def feed_names_the_time(c: ChangesObservation) -> Judgement:
    if c.of is None:
        return NOT_EXERCISED
    due = moment(c.commit_time * 1000)
    return _each_commit(c, 1, due.isoformat(), lambda found: found == due)


_COMMIT_COLUMNS = ("_commit_version", "_commit_timestamp")


def _each_commit(c: ChangesObservation, place: int, due: str, is_right: Callable[[Value], bool]) -> Judgement:
    """Each row of the feed must have this value; none of them where the feed cannot be read is DEL-CDF-1C's."""
    if c.of is None or not c.step.commits:
        return NOT_EXERCISED
    name = _COMMIT_COLUMNS[place]
    expectation = ByReplay(f"{name} is not among the columns that a script reads")

    def problem(row: Row) -> Violation | None:
        if len(row) == len(_COMMIT_COLUMNS) and is_right(row[place]):
            return None
        message = f"Each row of the change feed must have the {name} {due}; one has {row}, read in {c.step.zone}."
        return Violation(name, message, expectation, cause=Cause(f"another {name}"))

    return each(c.outcome.rows, problem)
