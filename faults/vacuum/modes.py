"""Faults of VACUUM's modes except LITE: inventories, parallel deletion, forms, RETAIN."""

from __future__ import annotations

from engines.port import Outcome
from faults.machinery import files
from faults.machinery.fault import Condition, Tamper, vacuum_fault, when
from faults.machinery.runs import (
    completed,
    dry_run,
    full_run,
    full_run_fault,
    inventory_run,
    parallel_run,
    refused_retain,
)
from faults.machinery.tampering import Tampering
from faults.vacuum.vacuums import delete_directory
from model.prediction.paths import is_hidden
from model.prediction.retention import whole_hours
from model.vocabulary.steps import API_VACUUM_FORMS, Inventory, Mode, VacuumForm
from model.vocabulary.table import HOUR

_INVENTORIES = (Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY)
_BY_NAME = (VacuumForm.SQL_NAME, VacuumForm.SQL_MANAGED, VacuumForm.API_NAME)


def delete_empty(directories: files.ChosenPaths) -> Tamper:
    """Delete those of these directories that are empty."""

    def tamper(t: Tampering) -> None:
        for path in directories(t):
            if (t.root / path).is_dir() and not t.disk.is_filled(path):
                (t.root / path).rmdir()

    return tamper


def _visible_directories(t: Tampering) -> list[str]:
    """The deepest ones first."""
    return [path for path in reversed(t.disk.directories) if not t.hidden(path)]


def _hidden_below_visible(t: Tampering) -> list[str]:
    """The hidden files whose first directory is visible."""
    return [path for path in files.hidden(t) if not is_hidden(path.split("/")[0], t.log.partition_by)]


def _last_deleted(t: Tampering) -> list[str]:
    return t.disk.deleted[-1:]


def _in_form(run: Condition, *forms: VacuumForm) -> Condition:
    return lambda t: run(t) and t.vacuum.form in forms


def _rounds_to_zero(t: Tampering) -> bool:
    hours = t.vacuum.retain_hours
    return hours is not None and whole_hours(hours) == 0


def _has_effective_hours(t: Tampering) -> bool:
    """A completed VACUUM, not LITE, with a RETAIN of at least half an hour."""
    return completed(t) and t.vacuum.retain_hours is not None and not _rounds_to_zero(t) and not t.vacuum.mode.lite


def _retain(t: Tampering) -> int:
    """The cutoff of the step's RETAIN."""
    return t.clock - max(whole_hours(t.vacuum.retain_hours or 0), 0)


def _ignore_retain(t: Tampering) -> None:
    """Restore what a VACUUM without RETAIN would have kept."""
    for path in t.disk.deleted:
        if max(t.disk.modified(path), t.log.tombstones.get(path, 0)) > t.cutoff:
            t.disk.restore(path)


def _round_up(t: Tampering) -> Outcome | None:
    if refused_retain(t):
        return t.succeed()
    if completed(t):
        _ignore_retain(t)
    return None


# fmt: off
FAULTS = (
    # Inventories
    vacuum_fault("inventory-ignores-retention", "VAC-SAFE-3 VAC-INV-1A",
        when(inventory_run, files.delete_all(files.unreferenced)),
        "With an inventory, VACUUM deletes unreferenced files whatever their age.", needs=_INVENTORIES),
    vacuum_fault("inventory-loses-a-line", "VAC-INV-1A", when(inventory_run, files.restore_all(_last_deleted)),
        "VACUUM keeps the last file of its inventory that it must delete."),
    vacuum_fault("inventory-of-files-empties-directories", "VAC-INV-1B",
        when(lambda t: inventory_run(t) and t.vacuum.inventory is Inventory.FILES, delete_empty(_visible_directories)),
        "With an inventory of files only, VACUUM deletes empty directories as well."),
    full_run_fault("empties-directories-of-protected-files", "VAC-SAFE-6C", delete_empty(_visible_directories),
        "VACUUM deletes every empty directory, also one in which a retained file belongs."),
    vacuum_fault("inventory-shows-what-is-hidden-deeper", "VAC-INV-1C",
        when(inventory_run, files.delete_old(_hidden_below_visible)),
        "With an inventory, only the first part of a path can be hidden: VACUUM deletes hidden files further down."),
    # Parallel deletion
    vacuum_fault("parallel-run-loses-a-path", "VAC-PAR-1", when(parallel_run, files.restore_all(_last_deleted)),
        "Deleting in parallel keeps the last file."),
    vacuum_fault("parallel-run-takes-more", "VAC-PAR-1",
        when(parallel_run, files.delete_first(lambda t: [*files.tombstones(t), *files.unreferenced(t)])),
        "Deleting in parallel also deletes a file that is inside retention."),
    vacuum_fault("parallel-run-deletes-recursively", "VAC-PAR-1 VAC-SAFE-6A", when(parallel_run, delete_directory),
        "Deleting in parallel deletes a directory with all its content.", needs=["parallel"]),
    # Forms
    vacuum_fault("vacuum-by-name-deletes-nothing", "VAC-FORM-1A",
        when(_in_form(completed, *_BY_NAME), files.restore_all(files.everything)),
        "A VACUUM of a table by its name deletes nothing."),
    vacuum_fault("refuses-names", "VAC-CHK-2",
        when(_in_form(lambda t: not t.failed, *_BY_NAME), lambda t: t.refuse("DELTA_TABLE_ONLY_OPERATION")),
        "A VACUUM of a table by its name is refused.", needs=_BY_NAME),
    vacuum_fault("deltatable-keeps-orphans", "VAC-FORM-1A",
        when(_in_form(full_run, *API_VACUUM_FORMS), files.restore_all(files.unreferenced)),
        "DeltaTable.vacuum keeps old files that no action ever referred to."),
    vacuum_fault("deltatable-answers-rows", "VAC-FORM-1B", when(_in_form(completed, *API_VACUUM_FORMS), Tampering.succeed),
        "DeltaTable.vacuum returns a row."),
    vacuum_fault("sql-answers-nothing", "VAC-FORM-1B",
        when(lambda t: completed(t) and t.vacuum.form not in API_VACUUM_FORMS, lambda t: t.answer([])),
        "VACUUM in SQL returns no row."),
    vacuum_fault("dry-run-answers-the-root", "VAC-FORM-1B", when(dry_run, Tampering.succeed),
        "DRY RUN returns the table's root."),
    # RETAIN
    vacuum_fault("ignores-retain-zero", "VAC-KEEP-2A VAC-KEEP-2C",
        when(lambda t: completed(t) and t.vacuum.retain_hours is not None, _ignore_retain),
        "RETAIN, with the check off, deletes no more than a VACUUM without it."),
    vacuum_fault("obeys-retain", "VAC-KEEP-2B", when(_has_effective_hours, files.use_cutoff(_retain)),
        "A RETAIN of an hour or more moves the cutoff."),
    vacuum_fault("rounds-retain-up", "VAC-EDGE-2",
        when(lambda t: _rounds_to_zero(t) and t.vacuum.retain_hours != 0, _round_up),
        "RETAIN of less than half an hour counts as an hour: it is ignored."),
    full_run_fault("lengthens-by-an-hour", "VAC-KEEP-1A VAC-KEEP-1B", files.use_cutoff(lambda t: t.cutoff - HOUR),
        "VACUUM keeps everything an hour longer than the table's retention."),
)
# fmt: on
