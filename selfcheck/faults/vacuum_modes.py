"""Faults of VACUUM's modes but LITE: inventories, parallel deletion, forms, RETAIN."""

from __future__ import annotations

import shutil

from selfcheck.faults.fault import fault
from selfcheck.faults.runs import done, ran, ran_inventory, refused_retain, step_of
from selfcheck.faults.tampering import Tampering
from selfcheck.faults.vacuum import to_cutoff
from engines.port import Outcome
from model.steps import API_VACUUM_FORMS, Inventory, Mode, Vacuum, VacuumForm
from model.table import HOUR
from model.vacuum import is_hidden, whole_hours

_INVENTORIES = (Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY)

# Inventories --------------------------------------------------------------------------------------------------------


@fault(
    "inventory-ignores-retention",
    "With an inventory, VACUUM deletes what nothing refers to whatever its age.",
    on=Vacuum,
    caught_by="VAC-SAFE-3 VAC-INV-1A",
    needs=_INVENTORIES,
)
def inventory_without_retention(t: Tampering) -> Outcome | None:
    for path in t.strangers() if ran_inventory(t) else []:
        t.delete(path)
    return None


@fault(
    "inventory-loses-a-line",
    "VACUUM leaves the last file of its inventory that must go.",
    on=Vacuum,
    caught_by="VAC-INV-1A",
)
def inventory_loses_a_line(t: Tampering) -> Outcome | None:
    if ran_inventory(t):
        t.restore_all(t.deleted()[-1:])
    return None


@fault(
    "inventory-of-files-empties-directories",
    "With an inventory of files only, VACUUM deletes empty directories as well.",
    on=Vacuum,
    caught_by="VAC-INV-1B",
)
def files_only_directories(t: Tampering) -> Outcome | None:
    if not ran_inventory(t) or step_of(t).inventory is not Inventory.FILES:
        return None
    for path in reversed(t.directories()):
        if not t.hidden(path) and (t.root / path).is_dir() and not any((t.root / path).iterdir()):
            (t.root / path).rmdir()
    return None


@fault(
    "inventory-shows-what-is-hidden-deeper",
    "With an inventory, VACUUM takes only the first part of a path for hidden: what is hidden further down goes.",
    on=Vacuum,
    caught_by="VAC-INV-1C",
)
def hidden_deeper(t: Tampering) -> Outcome | None:
    for path in t.files() if ran_inventory(t) else []:
        shown = not is_hidden(path.split("/")[0], t.partition_by)
        if shown and t.hidden(path) and t.modified(path) < t.cutoff:
            t.delete(path)
    return None


# Parallel deletion --------------------------------------------------------------------------------------------------


@fault("parallel-run-loses-a-path", "Deleting in parallel leaves the last file.", on=Vacuum, caught_by="VAC-PAR-1")
def parallel_loses(t: Tampering) -> Outcome | None:
    if done(t) and step_of(t).parallel:
        t.restore_all(t.deleted()[-1:])
    return None


@fault(
    "parallel-run-takes-more",
    "Deleting in parallel takes a file along that is inside retention.",
    on=Vacuum,
    caught_by="VAC-PAR-1",
)
def parallel_takes_more(t: Tampering) -> Outcome | None:
    if done(t) and step_of(t).parallel:
        t.delete_first([*sorted(t.tombstones), *t.strangers()])
    return None


@fault(
    "parallel-run-deletes-recursively",
    "Deleting in parallel takes a directory with all that it holds.",
    on=Vacuum,
    caught_by="VAC-PAR-1 VAC-SAFE-6A",
    needs=["parallel"],
)
def parallel_recursively(t: Tampering) -> Outcome | None:
    for path in t.directories() if done(t) and step_of(t).parallel else []:
        held = t.root / path
        if not t.hidden(path) and not held.is_symlink() and held.is_dir() and any(held.iterdir()):
            shutil.rmtree(held)
            return None
    return None


# Forms --------------------------------------------------------------------------------------------------------------

_NAMES = (VacuumForm.SQL_NAME, VacuumForm.SQL_MANAGED, VacuumForm.API_NAME)


@fault(
    "vacuum-by-name-deletes-nothing",
    "A VACUUM of a table by its name deletes nothing.",
    on=Vacuum,
    caught_by="VAC-FORM-1A",
)
def by_name(t: Tampering) -> Outcome | None:
    if done(t) and step_of(t).form in _NAMES:
        t.restore_all(t.things)
    return None


@fault("refuses-names", "A VACUUM of a table by its name is refused.", on=Vacuum, caught_by="VAC-CHK-2", needs=_NAMES)
def refuses_names(t: Tampering) -> Outcome | None:
    refused = step_of(t).form in _NAMES and t.outcome.error is None
    return t.refuse("DELTA_TABLE_ONLY_OPERATION") if refused else None


@fault(
    "deltatable-keeps-orphans",
    "DeltaTable.vacuum leaves old files that no action ever referred to.",
    on=Vacuum,
    caught_by="VAC-FORM-1A",
)
def api_keeps_orphans(t: Tampering) -> Outcome | None:
    if ran(t) and step_of(t).form in API_VACUUM_FORMS:
        t.restore_all(t.strangers())
    return None


@fault("deltatable-answers-rows", "DeltaTable.vacuum answers with a row.", on=Vacuum, caught_by="VAC-FORM-1B")
def api_answers(t: Tampering) -> Outcome | None:
    return t.succeed() if done(t) and step_of(t).form in API_VACUUM_FORMS else None


@fault("sql-answers-nothing", "VACUUM in SQL answers no row.", on=Vacuum, caught_by="VAC-FORM-1B")
def sql_answers(t: Tampering) -> Outcome | None:
    return t.answer([]) if done(t) and step_of(t).form not in API_VACUUM_FORMS else None


@fault("dry-run-answers-the-root", "DRY RUN answers with the table's root.", on=Vacuum, caught_by="VAC-FORM-1B")
def dry_run_answers(t: Tampering) -> Outcome | None:
    return t.succeed() if step_of(t).dry_run and t.outcome.error is None else None


# RETAIN -------------------------------------------------------------------------------------------------------------


def _rounds_to_zero(t: Tampering) -> bool:
    hours = step_of(t).retain_hours
    return hours is not None and whole_hours(hours) == 0


@fault(
    "ignores-retain-zero",
    "RETAIN, with the check off, deletes no more than a VACUUM without it.",
    on=Vacuum,
    caught_by="VAC-KEEP-2A VAC-KEEP-2C",
)
def ignores_retain_zero(t: Tampering) -> Outcome | None:
    if done(t) and step_of(t).retain_hours is not None:
        t.restore_all(path for path in t.deleted() if max(t.modified(path), t.tombstones.get(path, 0)) > t.cutoff)
    return None


@fault(
    "obeys-retain",
    "A RETAIN of an hour or more moves the cutoff.",
    on=Vacuum,
    caught_by="VAC-KEEP-2B",
)
def obeys_retain(t: Tampering) -> Outcome | None:
    hours = step_of(t).retain_hours
    if done(t) and hours is not None and not _rounds_to_zero(t) and not step_of(t).mode.lite:
        to_cutoff(t, t.clock - max(whole_hours(hours), 0))
    return None


@fault(
    "rounds-retain-up",
    "RETAIN of less than half an hour counts as an hour: it is ignored.",
    on=Vacuum,
    caught_by="VAC-EDGE-2",
)
def rounds_up(t: Tampering) -> Outcome | None:
    if not _rounds_to_zero(t) or step_of(t).retain_hours == 0:
        return None
    if refused_retain(t):
        return t.succeed()
    return ignores_retain_zero(t)


@fault(
    "lengthens-by-an-hour",
    "VACUUM keeps everything an hour longer than the table's retention.",
    on=Vacuum,
    caught_by="VAC-KEEP-1A VAC-KEEP-1B",
)
def an_hour_longer(t: Tampering) -> Outcome | None:
    if ran(t):
        to_cutoff(t, t.cutoff - HOUR)
    return None
