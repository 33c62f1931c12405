"""Faults of LITE VACUUMs."""

from __future__ import annotations

from selfcheck.faults.fault import fault
from selfcheck.faults.runs import bookmark, changes_in, commit_time, ran, ran_lite, removed_by, write_bookmark
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.refusals import CANNOT_VACUUM_LITE
from model.steps import Vacuum


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
    rules={"lite_window": True},
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


@fault(
    "lite-forgets-vectors",
    "LITE leaves the vectors of removed files.",
    on=Vacuum,
    caught_by="VAC-LITE-1B",
    rules={"lite_window": True},
)
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
    return t.succeed() if error is not None and error.condition == CANNOT_VACUUM_LITE.condition else None


@fault(
    "lite-on-a-pruned-log-changes-something",
    "LITE is refused on a pruned log, and has deleted what it found all the same.",
    on=Vacuum,
    caught_by="VAC-LITE-1C",
)
def refused_lite_changes(t: Tampering) -> Outcome | None:
    error = t.outcome.error
    if error is not None and error.condition == CANNOT_VACUUM_LITE.condition:
        t.delete_first([*sorted(t.tombstones), *t.files()])
    return None
