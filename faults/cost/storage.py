"""Faults of what a DELETE or a VACUUM asks of storage. Nothing is wrong afterwards; it was slower, and cost more."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import partial

from deltalog.storage.names import LOG_DIRECTORY, commit_name
from engines.port import Access, Outcome
from faults.machinery import files
from faults.machinery.fault import Tamper, delete_fault, succeeds, vacuum_fault
from faults.machinery.runs import completed, dry_run
from faults.machinery.tampering import Tampering
from model.prediction.delete import ConditionScope, scope_of
from model.vocabulary.accesses import Operation

#: What a step asks besides.
More = Callable[[Tampering], Iterable[Access]]


def also(more: More) -> Tamper:
    """The step asks storage for more, as far as it is counted."""

    def tamper(t: Tampering) -> Outcome | None:
        besides = tuple(more(t))
        if t.outcome.accesses is None or not besides:
            return None
        merged = {(one.operation, one.path): one for one in t.outcome.accesses}
        for one in besides:
            had = merged.get((one.operation, one.path))
            merged[one.operation, one.path] = one if had is None else dataclasses.replace(had, calls=had.calls + 1)
        return dataclasses.replace(t.outcome, accesses=tuple(merged.values()))

    return tamper


def opens_live(t: Tampering) -> list[Access]:
    return [Access(Operation.OPEN, path) for path in files.live(t)]


def _lists_root(t: Tampering) -> list[Access]:
    return [Access(Operation.LIST, "")]


def _opens_replaced(t: Tampering) -> list[Access]:
    """The first commit, although a checkpoint replaces it."""
    return [Access(Operation.OPEN, f"{LOG_DIRECTORY}/{commit_name(0)}")]


def _probes(t: Tampering) -> list[Access]:
    """As to see whether it could write."""
    return [Access(one, f"{LOG_DIRECTORY}/probe") for one in (Operation.CREATE, Operation.DELETE)]


def _by_rows(t: Tampering) -> bool:
    return succeeds(t) and scope_of(t.delete.where, t.log.partition_by) is ConditionScope.ROWS


def _of_whole_files(t: Tampering) -> bool:
    return succeeds(t) and not _by_rows(t)


def _after_checkpoint(t: Tampering) -> bool:
    return succeeds(t) and t.log.newest_checkpoint >= 0


def _lists(t: Tampering) -> bool:
    return completed(t) and not t.vacuum.mode.lite


_of_delete = partial(delete_fault, needs=("counts_accesses",))
_of_vacuum = partial(vacuum_fault, needs=("counts_accesses",))

FAULTS = (
    _of_delete("opens-files-for-partitions", "DEL-COST-1", also(opens_live),
        "A DELETE of whole partitions reads all files.", run=_of_whole_files),
    _of_delete("opens-other-partitions", "DEL-COST-2", also(opens_live),
        "A DELETE reads files of partitions that its condition excludes.", run=_by_rows),
    _of_delete("opens-files-despite-statistics", "DEL-COST-3", also(opens_live),
        "A DELETE reads files that their statistics exclude.", run=_by_rows),
    _of_delete("lists-files-for-a-delete", "DEL-COST-4", also(_lists_root),
        "A DELETE lists the table's directory.", run=succeeds),
    _of_delete("delete-reads-log-from-start", "DEL-COST-5", also(_opens_replaced),
        "A DELETE reads the log from version 0, although there is a checkpoint.", run=_after_checkpoint),
    _of_vacuum("vacuum-opens-data", "VAC-COST-1", also(opens_live),
        "VACUUM reads the live files.", run=succeeds),
    _of_vacuum("lite-lists-files", "VAC-COST-2", also(_lists_root),
        "LITE lists the table's directory.", run=lambda t: succeeds(t) and t.vacuum.mode.lite),
    _of_vacuum("vacuum-lists-twice", "VAC-COST-3", also(_lists_root),
        "VACUUM lists the table's directory twice.", run=_lists),
    _of_vacuum("dry-run-writes-a-probe", "VAC-COST-4", also(_probes),
        "A DRY RUN writes a file, and deletes it again.", run=dry_run),
    _of_vacuum("vacuum-reads-log-from-start", "VAC-COST-5", also(_opens_replaced),
        "A VACUUM reads the log from version 0, although there is a checkpoint.",
        run=lambda t: _after_checkpoint(t) and not t.vacuum.mode.lite),
)  # fmt: skip
