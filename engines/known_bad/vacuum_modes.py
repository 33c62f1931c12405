"""Faults of VACUUM's modes: LITE, inventories, parallel deletion, forms, RETAIN."""

from __future__ import annotations

import shutil

from engines.known_bad.fault import fault
from engines.known_bad.runs import (
    bookmark,
    changes_in,
    commit_time,
    done,
    ran,
    ran_inventory,
    ran_lite,
    removed_by,
    step_of,
    write_bookmark,
)
from engines.known_bad.tampering import Tampering
from engines.known_bad.vacuum import TOO_SHORT, to_cutoff
from engines.port import Outcome
from model.steps import API_VACUUM_FORMS, Inventory, Vacuum, VacuumForm
from model.table import HOUR
from model.vacuum import is_hidden, whole_hours

# LITE ---------------------------------------------------------------------------------------------------------------


@fault("lite-lists-the-directory", "LITE deletes old files that no action names.", on=Vacuum, caught_by="VAC-LITE-1A")
def lite_lists(t: Tampering) -> Outcome | None:
    for path in t.strangers() if ran_lite(t) else []:
        # Whether a change file of a step is older than the cutoff, which is put by its removes' stamp, is a race.
        if t.modified(path) < t.cutoff and not path.startswith("_change_data/"):
            t.delete(path)
    return None


@fault(
    "lite-ignores-its-window",
    "LITE deletes what any commit removed, in its window or not, if the tombstone is expired.",
    on=Vacuum,
    caught_by="VAC-LITE-1A",
)
def lite_without_window(t: Tampering) -> Outcome | None:
    for path, deleted in t.tombstones.items() if ran_lite(t) else []:
        if deleted < t.cutoff:
            t.delete(path)
    return None


@fault("lite-ignores-retention", "LITE deletes removed files inside retention.", on=Vacuum, caught_by="VAC-SAFE-2")
def lite_without_retention(t: Tampering) -> Outcome | None:
    for path in t.tombstones if ran_lite(t) else []:
        t.delete(path)
    return None


@fault(
    "lite-forgets-live-files",
    "LITE deletes a file that a commit of its window removed, though a later one added it again.",
    on=Vacuum,
    caught_by="VAC-SAFE-1",
)
def lite_live(t: Tampering) -> Outcome | None:
    for actions in t.history.values() if ran_lite(t) else ():
        for action in actions:
            if "remove" in action and t.path(action["remove"]) in t.live:
                t.delete(t.path(action["remove"]))
    return None


@fault(
    "lite-goes-by-file-age",
    "LITE leaves a removed file that is itself younger than retention.",
    on=Vacuum,
    caught_by="VAC-LITE-1B",
)
def lite_by_file_age(t: Tampering) -> Outcome | None:
    if ran_lite(t):
        t.restore_all(path for path in t.deleted() if t.modified(path) >= t.cutoff)
    return None


@fault("lite-forgets-vectors", "LITE leaves the vectors of removed files.", on=Vacuum, caught_by="VAC-LITE-1B")
def lite_vectors(t: Tampering) -> Outcome | None:
    if ran_lite(t):
        t.restore_all(t.vector_tombstones)
    return None


@fault(
    "lite-keeps-change-files",
    "LITE leaves the change files of its window.",
    on=Vacuum,
    caught_by="VAC-LITE-1E",
)
def lite_change_files(t: Tampering) -> Outcome | None:
    if ran_lite(t):
        t.restore_all(path for version in t.history for path in changes_in(t, version))
    return None


@fault(
    "lite-window-ends-early",
    "LITE leaves out the commit that was made at the cutoff's very millisecond.",
    on=Vacuum,
    caught_by="VAC-EDGE-1C",
)
def lite_ends_early(t: Tampering) -> Outcome | None:
    for version in t.history if ran_lite(t) else ():
        if commit_time(t, version) == t.cutoff:
            t.restore_all([*removed_by(t, version), *changes_in(t, version)])
    return None


@fault(
    "lite-window-ends-late",
    "LITE takes in the commit that was made a millisecond after the cutoff.",
    on=Vacuum,
    caught_by="VAC-EDGE-1C",
)
def lite_ends_late(t: Tampering) -> Outcome | None:
    for version in t.history if ran_lite(t) else ():
        if commit_time(t, version) == t.cutoff + 1:
            expired = [path for path, deleted in removed_by(t, version).items() if deleted < t.cutoff]
            for path in [*expired, *changes_in(t, version)]:
                t.delete(path)
    return None


@fault(
    "lite-takes-tombstones-at-the-cutoff",
    "LITE deletes a file whose tombstone is at the cutoff's very millisecond.",
    on=Vacuum,
    caught_by="VAC-EDGE-1D",
)
def lite_cutoff_late(t: Tampering) -> Outcome | None:
    for path, deleted in t.tombstones.items() if ran_lite(t) else []:
        if deleted == t.cutoff:
            t.delete(path)
    return None


@fault(
    "lite-keeps-tombstones-before-the-cutoff",
    "LITE leaves a file whose tombstone is one ms before the cutoff.",
    on=Vacuum,
    caught_by="VAC-EDGE-1D",
)
def lite_cutoff_early(t: Tampering) -> Outcome | None:
    if ran_lite(t):
        t.restore_all(path for path, deleted in t.tombstones.items() if deleted == t.cutoff - 1)
    return None


@fault(
    "lite-forgets-its-bookmark",
    "LITE does not note how far it has read the log.",
    on=Vacuum,
    caught_by="VAC-LITE-1D",
)
def lite_without_bookmark(t: Tampering) -> Outcome | None:
    if ran_lite(t):
        write_bookmark(t, None)
    return None


@fault(
    "lite-bookmark-is-too-far",
    "LITE notes that it has read the log to its end, though its window ends before.",
    on=Vacuum,
    caught_by="VAC-LITE-1D",
)
def lite_bookmark_too_far(t: Tampering) -> Outcome | None:
    if ran_lite(t):
        write_bookmark(t, max(t.history))
    return None


@fault(
    "full-keeps-the-bookmark",
    "A VACUUM that lists the directory leaves LITE's bookmark, or puts one.",
    on=Vacuum,
    caught_by="VAC-LITE-1D",
)
def full_keeps_the_bookmark(t: Tampering) -> Outcome | None:
    if ran(t):
        found = bookmark(t)
        write_bookmark(t, max(t.history) if found is None else found)
    return None


@fault(
    "lite-runs-on-a-pruned-log",
    "LITE does nothing, and says so, where commits are gone that it has not read.",
    on=Vacuum,
    caught_by="VAC-LITE-1C",
)
def lite_on_a_pruned_log(t: Tampering) -> Outcome | None:
    error = t.outcome.error
    return t.succeed() if error is not None and error.condition == "DELTA_CANNOT_VACUUM_LITE" else None


@fault(
    "lite-on-a-pruned-log-changes-something",
    "LITE is refused on a pruned log, and has deleted what it found all the same.",
    on=Vacuum,
    caught_by="VAC-LITE-1C",
)
def refused_lite_changes(t: Tampering) -> Outcome | None:
    error = t.outcome.error
    if error is not None and error.condition == "DELTA_CANNOT_VACUUM_LITE":
        t.delete_first([*sorted(t.tombstones), *t.files()])
    return None


# Inventories --------------------------------------------------------------------------------------------------------


@fault(
    "inventory-ignores-retention",
    "With an inventory, VACUUM deletes what nothing refers to whatever its age.",
    on=Vacuum,
    caught_by="VAC-SAFE-3 VAC-INV-1A",
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


@fault("refuses-names", "A VACUUM of a table by its name is refused.", on=Vacuum, caught_by="VAC-CHK-2")
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
    "RETAIN 0, with the check off, deletes no more than a VACUUM without it.",
    on=Vacuum,
    caught_by="VAC-KEEP-2A",
)
def ignores_retain_zero(t: Tampering) -> Outcome | None:
    if done(t) and _rounds_to_zero(t):
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
    if t.outcome.error is not None and t.outcome.error.condition == TOO_SHORT:
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
