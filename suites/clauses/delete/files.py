"""DEL: which files a DELETE removes.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

import json
import re

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.expectations import (
    ByReplay,
    Expectation,
    FieldAgrees,
    FieldHolds,
    NoActions,
    NoFileWritten,
    NothingChanged,
    Of,
    Operations,
    Removes,
    RowsAre,
    Succeeds,
    about,
)
from harness.observation import DeleteObservation
from model.delete import ConditionScope, LiveFile, matches
from model.layout import is_named_by_engine
from model.predicate import Predicate, columns_of, conjuncts
from model.steps import Delete
from model.values import Row


def removed_exactly(d: DeleteObservation) -> Expectation:
    """What must be true where a DELETE removed the wrong files: by their names, or by the rows that are left."""
    paths = sorted(d.prediction.touched)
    return rows_left(d, "which files the DELETE removes") if any(map(is_named_by_engine, paths)) else Removes(paths)


def rows_left(d: DeleteObservation, what: str) -> Expectation:
    """The rows of the table after the DELETE, where these show ``what`` went wrong."""
    if d.after.rows == d.expected_rows:
        return ByReplay(f"{what} does not show in the rows of the table")
    return RowsAre(Of.TABLE, evidence.rows_as_json(d.expected_rows))


def not_named(d: DeleteObservation, path: str) -> Expectation:
    """That the commit neither removes nor adds this live file, which it did."""
    if path in {remove.file for remove in d.removes}:
        return removed_exactly(d)
    return not_added(d, path)


def not_added(d: DeleteObservation, path: str) -> Expectation:
    encoded = json.dumps(d.before.live[path].path)
    return about(path, FieldHolds("add", "path", f"(?!{re.escape(encoded)}$).*", f"another path than {encoded}"))


def _misjudged(d: DeleteObservation, file: LiveFile) -> Violation | None:
    """A live file that was removed though it must stay, or stays though it must be removed."""
    must, was = file.path in d.prediction.touched, file.path in {remove.file for remove in d.removes}
    if must == was:
        return None
    why = "matches the condition and was not removed" if must else "does not match the condition and was removed"
    return Violation(file.path, f"{file.path} {why}.", removed_exactly(d), evidence.of_delete(d))


@clause(
    "DEL-ALL-1",
    "DELETE without a condition removes every live file, adds none and writes no new file.",
    of=DeleteObservation,
    sources=("S0", "S2"),
)
def whole_table(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is not ConditionScope.TABLE or not d.before.live:
        return NOT_EXERCISED
    if d.adds or d.appeared:
        written = sorted({add.file for add in d.adds} | d.appeared)
        return one(
            Violation(
                written[0],
                f"DELETE of the whole table wrote {', '.join(written)}.",
                NoFileWritten() if d.appeared else NoActions(("add",)),
                evidence.of_delete(d),
            )
        )
    return each(d.live_files, lambda file: _misjudged(d, file))


@clause(
    "DEL-META-1",
    "A condition over partition columns only removes exactly the live files whose partition values make it TRUE.",
    of=DeleteObservation,
    sources=("S0", "S2"),
)
def partitions_exactly(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is not ConditionScope.PARTITIONS:
        return NOT_EXERCISED
    return each(d.live_files, lambda file: _misjudged(d, file))


@clause(
    "DEL-META-2",
    "A DELETE of whole files writes no data file, no deletion vector and no change file, whatever features are on.",
    of=DeleteObservation,
    sources=("S0", "C 2.2"),
)
def partitions_write_nothing(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is ConditionScope.ROWS or not d.prediction.commits:
        return NOT_EXERCISED
    if not d.appeared:
        return one(None)
    path = min(d.appeared)
    return one(Violation(path, f"A DELETE of whole files wrote {path}.", NoFileWritten(), evidence.of_path(d, path)))


@clause(
    "DEL-META-3",
    "All removes of a DELETE of whole files carry one deletionTimestamp.",
    of=DeleteObservation,
    sources=("S0", "C 2.3"),
    implementation="spark",
)
def partitions_one_timestamp(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is ConditionScope.ROWS or len(d.removes) < 2:
        return NOT_EXERCISED
    stamps = sorted({str(remove.deletion_timestamp) for remove in d.removes})
    if len(stamps) == 1:
        return one(None)
    return one(
        Violation(
            "commit",
            f"The removes carry {len(stamps)} deletionTimestamps: {', '.join(stamps)}.",
            FieldAgrees("remove", "deletionTimestamp"),
        )
    )


@clause(
    "DEL-NOOP-1",
    "A condition that matches no row, or no partition, writes no commit and changes nothing on storage.",
    of=DeleteObservation,
    sources=("S0", "C 2.2"),
)
def nothing_matched(d: DeleteObservation) -> Judgement:
    if d.prediction.commits:
        return NOT_EXERCISED
    if d.refused:
        return one(Violation("step", "The DELETE matches nothing, and was refused.", Succeeds(), evidence.of_answer(d)))
    if d.commits:
        return one(
            Violation(
                "log",
                f"The DELETE matches nothing, and wrote version {d.commits[0].version}.",
                Operations(()),
                evidence.of_delete(d),
            )
        )
    changed = evidence.changes(d.before, d.after)
    return one(
        Violation(changed[0], f"The DELETE matches nothing, and changed {', '.join(changed)}.", NothingChanged())
        if changed
        else None
    )


@clause(
    "DEL-ROW-1",
    "A condition with a data column removes exactly the files that hold at least one matching row; one that stays under a new deletion vector is removed and added.",
    of=DeleteObservation,
    sources=("S0", "S2"),
)
def rows_exactly(d: DeleteObservation) -> Judgement:
    if d.prediction.scope is not ConditionScope.ROWS or not d.prediction.commits:
        return NOT_EXERCISED
    return each(d.live_files, lambda file: _misjudged(d, file))


@clause(
    "DEL-ROW-1B",
    "Every live file that a DELETE does not remove keeps its add as it was.",
    of=DeleteObservation,
    sources=("S0", "P Action Reconciliation"),
)
def others_as_they_were(d: DeleteObservation) -> Judgement:
    others = sorted(set(d.before.live) - d.prediction.touched)
    if not d.prediction.commits:
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        now = d.after.live.get(path)
        if now == d.before.live[path] and path not in {add.file for add in d.adds}:
            return None
        how = "is no longer live" if now is None else "was added anew"
        return Violation(path, f"{path} holds no matching row, yet {how}.", not_named(d, path), evidence.of_delete(d))

    return each(others, problem)


@clause(
    "DEL-ROW-2",
    "Partition conditions joined with data conditions only narrow the candidates: files outside the partitions are untouched even if their rows would match.",
    of=DeleteObservation,
    sources=("S2",),
)
def partitions_narrow(d: DeleteObservation) -> Judgement:
    where, names = d.step.where, d.table.partition_by
    if where is None or d.prediction.scope is not ConditionScope.ROWS:
        return NOT_EXERCISED
    parts = conjuncts(where)
    over_partitions = [part for part in parts if columns_of(part) and columns_of(part) <= frozenset(names)]
    over_data = [part for part in parts if not columns_of(part) <= frozenset(names)]

    def holds(part: Predicate, row: Row) -> bool:
        return matches(Delete(part, zone=d.step.zone), d.table, row) is True

    def outside(file: LiveFile) -> bool:
        alone = d.table.row(file.partition, (None,) * len(d.table.data_columns))
        return not all(holds(part, alone) for part in over_partitions)

    def would_match(row: Row) -> bool:
        return all(holds(part, row) for part in over_data)

    subjects = [file for file in d.live_files if outside(file) and any(would_match(row) for row in file.visible)]
    return each(subjects, lambda file: _misjudged(d, file))
