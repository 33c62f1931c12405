"""DEL-COST, VAC-COST: what a command asks of storage, where somebody has promised that it asks no more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from deltalog.entries.actions import Add
from deltalog.storage.names import parse_name
from engines.port import Access
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, costs_more
from harness.observing.steps.observation import DeleteObservation, Observation, partition_of
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.delete import ConditionScope, scope_of
from model.semantics.evaluate import evaluate
from model.text.layout import physical_name
from model.vocabulary.accesses import WRITES, Operation, PathKind
from model.vocabulary.predicate import Between, Compare, In, IsNull, Op, Predicate, columns_of, conjuncts
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import Type
from records.expectations import ByReplay
from suites.clauses.shared import harms
from suites.clauses.vacuum.path_rules import is_lite

_CONTENT = (PathKind.DATA_FILE, PathKind.CHANGE_FILE, PathKind.VECTOR)

_NOT_IN_A_SCRIPT = ByReplay("a script does not count what the engine asks of storage")


def accesses(o: Observation, operations: Iterable[Operation], kinds: Iterable[PathKind]) -> list[Access]:
    """What the step asked of storage by these operations, of paths of these kinds."""
    wanted = {(operation, kind) for operation in operations for kind in kinds}
    return [one for key, own in (o.asked or {}).items() if key in wanted for one in own]


def _is_counted(o: Observation) -> bool:
    return o.asked is not None and not o.refused


def _none(found: Iterable[Access], must: str, cause: str) -> Judgement:
    """One subject: there must be no such access."""
    paths = [f"{one.operation.value} {one.path or 'the root'} ({one.calls} times)" for one in found]
    message = f"{must}; it asked for {len(paths)}, the first: {paths[0]}." if paths else ""
    return judgement(
        Violation("storage", message, _NOT_IN_A_SCRIPT, tuple(paths), cause=Cause(cause)) if paths else None
    )


@clause(
    "DEL-COST-1",
    "A DELETE without a condition, or with one on partition columns alone, opens no data file, change file or deletion vector.",
    sources=("S0", "S2", "C 2.1"),
    harm=harms.READS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def by_metadata(d: DeleteObservation) -> Judgement:
    if not _is_counted(d) or scope_of(d.step.where, d.table.partition_by) is ConditionScope.ROWS:
        return NOT_EXERCISED
    opened = accesses(d, (Operation.OPEN,), _CONTENT)
    return _none(opened, "A DELETE of whole files needs the log alone", "content is read for a DELETE of whole files")


@clause(
    "DEL-COST-2",
    "A DELETE opens no data file of a partition for which a part of its condition, joined by AND, is TRUE of no row.",
    sources=("S4", "C 2.1"),
    harm=harms.READS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def by_partition(d: DeleteObservation) -> Judgement:
    return _unopened(d, _partition_excludes, "its partition excludes it")


@clause(
    "DEL-COST-3",
    "A DELETE opens no data file whose minValues and maxValues exclude a comparison of its condition with an integer.",
    sources=("S4", "P Per-file Statistics"),
    harm=harms.READS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def by_statistics(d: DeleteObservation) -> Judgement:
    return _unopened(d, _statistics_exclude, "its statistics exclude it")


#: Whether an add's file can have no row of which this part of the condition is TRUE.
Excludes = Callable[[DeleteObservation, Add, Predicate], bool]


def _unopened(d: DeleteObservation, excludes: Excludes, why: str) -> Judgement:
    if not _is_counted(d) or d.step.where is None:
        return NOT_EXERCISED
    parts = conjuncts(d.step.where)
    excluded = [path for path, add in sorted(d.before.live.items()) if any(excludes(d, add, one) for one in parts)]
    opened = {one.path: one for one in accesses(d, (Operation.OPEN,), (PathKind.DATA_FILE,))}

    def problem(path: str) -> Violation | None:
        if path not in opened:
            return None
        message = (
            f"{path} has no row for the condition: {why}. It must not be opened; it was, {opened[path].calls} times."
        )
        return Violation(path, message, _NOT_IN_A_SCRIPT, cause=Cause(f"a file is opened although {why}"))

    return each(excluded, problem)


def _partition_excludes(d: DeleteObservation, add: Add, part: Predicate) -> bool:
    """By the comparisons that every engine can evaluate on a partition's values."""
    if not isinstance(part, (Compare, Between, In, IsNull)) or not columns_of(part) <= {*d.table.partition_by}:
        return False
    values = dict(zip(d.table.partition_by, partition_of(d.table, add)))
    return evaluate(part, values, zone=d.step.zone) is not True


def _statistics_exclude(d: DeleteObservation, add: Add, part: Predicate) -> bool:
    column = next((one for one in d.table.data_columns if isinstance(part, Compare) and one.name == part.column), None)
    if not isinstance(part, Compare) or column is None or not d.counts(add):
        return False
    bounds = _integer_bounds(d, add, column)
    if bounds is None or not isinstance(part.value, int):
        return False
    low, high = bounds
    reaches: Mapping[Op, bool] = {
        Op.EQ: low <= part.value <= high,
        Op.NULL_SAFE_EQ: low <= part.value <= high,
        Op.LT: low < part.value,
        Op.LE: low <= part.value,
        Op.GT: high > part.value,
        Op.GE: high >= part.value,
    }
    return not reaches.get(part.op, True)


def _integer_bounds(d: DeleteObservation, add: Add, column: Column) -> tuple[int, int] | None:
    """The least and the greatest value that the statistics of a file have of a column; None without them."""
    if column.type not in (Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG):
        return None
    found = json.loads(add.stats or "{}")
    bounds = [found.get(key, {}).get(physical_name(d.table, column.name)) for key in ("minValues", "maxValues")]
    low, high = (one if isinstance(one, int) else None for one in bounds)
    return None if low is None or high is None else (low, high)


@clause(
    "DEL-COST-4",
    "A DELETE lists no directory of data: its files are those that the log names.",
    sources=("P Action Reconciliation", "C 2.1"),
    harm=harms.LISTS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def delete_lists_nothing(d: DeleteObservation) -> Judgement:
    if not _is_counted(d):
        return NOT_EXERCISED
    listed = accesses(d, (Operation.LIST,), (PathKind.DIRECTORY,))
    return _none(listed, "A DELETE finds its files in the log", "a DELETE lists directories of data")


def _replaced(o: Observation, command: str) -> Judgement:
    """No commit may be opened that the newest checkpoint replaces: it has all of them but the newest one's in-commit timestamp."""
    checkpoints = [one.version for one in o.before.log.checkpoints if one.version <= o.before.version]
    if not _is_counted(o) or not checkpoints or o.before.log.half_checkpoint:
        return NOT_EXERCISED
    newest = max(checkpoints)
    last = newest - 1 if newest == o.before.version and o.table.has(Feature.IN_COMMIT_TIMESTAMPS) else newest
    opened = accesses(o, (Operation.OPEN,), (PathKind.COMMIT,))
    replaced = [one for one in opened if (name := parse_name(one.path.rpartition("/")[2])) and name.version <= last]
    must = f"{command} reads the log from the checkpoint of version {newest} on"
    return _none(replaced, must, "commits are read that a checkpoint replaces")


@clause(
    "DEL-COST-5",
    "A DELETE opens no commit that the newest checkpoint replaces, except to read the in-commit timestamp of the newest version.",
    sources=("P Checkpoints for readers", "P In-Commit Timestamps"),
    harm=harms.READS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def delete_reads_from_checkpoint(d: DeleteObservation) -> Judgement:
    return _replaced(d, "A DELETE")


@clause(
    "VAC-COST-1",
    "A VACUUM opens no data file, change file or deletion vector.",
    sources=("S1", "C 1.2"),
    harm=harms.READS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def vacuum_reads_no_content(v: VacuumObservation) -> Judgement:
    if not _is_counted(v):
        return NOT_EXERCISED
    opened = accesses(v, (Operation.OPEN,), _CONTENT)
    return _none(opened, "A VACUUM decides by names, times and the log", "a VACUUM reads content")


@clause(
    "VAC-COST-2",
    "A VACUUM LITE lists no directory of data.",
    sources=("S5", "C 1.3"),
    harm=harms.LISTS_NEEDLESSLY,
    since="3.3",
    needs=("counts_accesses",),
)
def lite_lists_nothing(v: VacuumObservation) -> Judgement:
    if not _is_counted(v) or not is_lite(v):
        return NOT_EXERCISED
    listed = accesses(v, (Operation.LIST,), (PathKind.DIRECTORY,))
    return _none(listed, "LITE finds what it deletes in the log", "LITE lists directories of data")


@clause(
    "VAC-COST-3",
    "A VACUUM that is no DRY RUN lists each directory of data once at most.",
    sources=("C 1.2",),
    harm=harms.LISTS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def lists_once(v: VacuumObservation) -> Judgement:
    if not _is_counted(v) or v.step.dry_run:
        return NOT_EXERCISED
    listed = accesses(v, (Operation.LIST,), (PathKind.DIRECTORY,))

    def problem(one: Access) -> Violation | None:
        if one.calls == 1:
            return None
        message = f"{one.path or 'The root'} must be listed once; it was listed {one.calls} times."
        return Violation(one.path or ".", message, _NOT_IN_A_SCRIPT, cause=Cause("a directory is listed again"))

    return each(listed, problem)


@clause(
    "VAC-COST-4",
    "A DRY RUN asks storage to create, rename or delete nothing.",
    sources=("S5", "C 1.2"),
    harm=costs_more("A command that is to change nothing writes all the same."),
    needs=("counts_accesses",),
)
def dry_run_writes_nothing(v: VacuumObservation) -> Judgement:
    if not _is_counted(v) or not v.step.dry_run:
        return NOT_EXERCISED
    return _none(accesses(v, WRITES, PathKind), "A DRY RUN changes nothing", "a DRY RUN writes")


@clause(
    "VAC-COST-5",
    "A VACUUM that is not LITE opens no commit that the newest checkpoint replaces, except to read the in-commit timestamp of the newest version.",
    sources=("P Checkpoints for readers", "P In-Commit Timestamps"),
    harm=harms.READS_NEEDLESSLY,
    needs=("counts_accesses",),
)
def vacuum_reads_from_checkpoint(v: VacuumObservation) -> Judgement:
    return NOT_EXERCISED if is_lite(v) else _replaced(v, "A VACUUM")
