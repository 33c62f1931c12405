"""What VACUUM's clauses share: to judge that paths stay or go, and to say which ones.

A path has its fate from the model (model/vacuum.py). Three kinds of paths must stay and are deleted by Delta 4.4 all the
same (``DISPUTED``): VAC-SAFE-7C, VAC-SAFE-8C and VAC-INV-1C speak of them, and no other clause, so that a fault is told once.
"""

from __future__ import annotations

from collections.abc import Iterable

from deltalog.actions import Add, Remove
from deltalog.listing import Entry, EntryKind
from harness import evidence
from harness.clause import Judgement, Violation, each
from harness.expectations import Expectation, Gone, Readable, Unchanged, about
from harness.vacuum_observation import VacuumObservation
from model.steps import IOFault
from model.vacuum import (
    DISPUTED,
    Fate,
    FullScan,
    InventoryScan,
    LiteScan,
    Reason,
    checksum_of,
    reached_directories,
)

#: Files that the log protects, whatever their age.
REFERRED = (Reason.LIVE, Reason.LIVE_BY_URI, Reason.LIVE_VECTOR, Reason.RETAINED, Reason.RETAINED_VECTOR)

#: Files that go once they, or what removed them, are old enough.
FREED = (Reason.EXPIRED, Reason.EXPIRED_VECTOR, Reason.ORPHAN, Reason.ORPHAN_VECTOR)


def as_before(before: Entry, after: Entry | None) -> bool:
    """Whether a thing is still there: a file with the same bytes, a link that leads to the same place."""
    return after is not None and (after.kind, after.digest, after.target) == (before.kind, before.digest, before.target)


def stays(v: VacuumObservation, path: str) -> Expectation:
    """That VACUUM leaves a path: by its name, or, of a live file that the engine named, by reading the table."""
    live = path in v.before.live and path not in v.after.listing
    return about(path, Unchanged(path), otherwise=Readable() if live else None)


def must_keep(v: VacuumObservation, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths is still there, files with their bytes.

    A dry or a refused run is judged too, but does not count: that nothing happens then exercises no promise of safety.
    """

    def problem(path: str) -> Violation | None:
        after = v.after.listing.get(path)
        if as_before(v.before.listing[path], after):
            return None
        how = "deleted" if after is None else "changed"
        message = f"VACUUM {how} {path}: {v.fates[path].reason.value}."
        return Violation(path, message, stays(v, path), evidence.of_path(v, path))

    judged = each(sorted(paths), problem)
    return judged if v.ran else Judgement(0, judged.violations)


def must_delete(v: VacuumObservation, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths is gone."""

    def problem(path: str) -> Violation | None:
        if path not in v.after.listing:
            return None
        return Violation(
            path,
            f"VACUUM left {path}: {v.fates[path].reason.value}.",
            about(path, Gone(path)),
            (*evidence.of_path(v, path), *evidence.of_answer(v)),
        )

    return each(sorted(paths), problem)


def exactly(v: VacuumObservation, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths has its fate, whichever that is."""
    paths = list(paths)
    stay = must_keep(v, [path for path in paths if v.fates[path].fate is Fate.KEEP])
    go = must_delete(v, [path for path in paths if v.fates[path].fate is Fate.DELETE])
    return Judgement(stay.subjects + go.subjects, stay.violations + go.violations)


def with_reason(v: VacuumObservation, *reasons: Reason, fate: Fate = Fate.KEEP) -> list[str]:
    """The paths outside the log that have this fate for one of these reasons."""
    return [
        path
        for path, judged in v.fates.items()
        if judged.fate is fate and judged.reason in reasons and path in v.before.data
    ]


def all_paths(v: VacuumObservation) -> list[str]:
    """All paths outside the log but the disputed ones."""
    return [path for path, judged in v.fates.items() if path in v.before.data and judged.reason not in DISPUTED]


def referred_or_freed(v: VacuumObservation) -> list[str]:
    """The files that are live, retained, young, expired or nobody's, by the log and by their age."""
    return with_reason(v, *REFERRED, Reason.YOUNG) + with_reason(v, *FREED, Reason.CHANGE_FILE, fate=Fate.DELETE)


def by_age(v: VacuumObservation) -> list[str]:
    """The files whose fate hangs on where the cutoff is."""
    stay = with_reason(v, Reason.RETAINED, Reason.RETAINED_VECTOR, Reason.YOUNG)
    return stay + with_reason(v, *FREED, fate=Fate.DELETE)


def same_line(first: VacuumObservation, second: VacuumObservation) -> bool:
    """Whether two runs took the same for old: to the same cutoff, or with nothing between theirs.

    Where the wall clock measures a RETAIN, two runs are never told to have the same.
    """
    if first.cutoff == second.cutoff:
        return first.retain is None and second.retain is None
    if second.rules.own_clock or (first.retain, second.retain) != (None, None):
        return False
    instants = [entry.modified for entry in second.before.data.values()]
    instants += [remove.deletion_timestamp or 0 for remove in second.before.snapshot.removes.values()]
    return not any(first.cutoff.earliest <= instant <= second.cutoff.latest for instant in instants)


def is_full(v: VacuumObservation) -> bool:
    """Whether VACUUM goes by a listing of the directory."""
    return isinstance(v.scan, FullScan)


def is_lite(v: VacuumObservation) -> bool:
    """Whether VACUUM goes by the removes in the log."""
    return isinstance(v.scan, LiteScan)


def is_by_inventory(v: VacuumObservation) -> bool:
    return isinstance(v.scan, InventoryScan)


def is_logged(v: VacuumObservation) -> bool:
    """Whether VACUUM writes its START and END: also where the setting is not set, as the storage is local (docs/delta.md 1.5)."""
    return v.step.logging is not False


def must_run(v: VacuumObservation) -> bool:
    """Whether there is no reason to refuse the VACUUM, nor for it to fail; with inline vectors, see VAC-LIVE-6."""
    return not v.fails and not v.retain_refused and not has_inline_vectors(v)


def has_inline_vectors(v: VacuumObservation) -> bool:
    """Whether a deletion vector of the table, or of its log, stands in its action and in no file (storage type i)."""
    state = v.before
    actions: list[Add | Remove] = [*state.snapshot.adds.values(), *state.snapshot.removes.values()]
    for commit in state.log.commits.values():
        actions += [*commit.adds, *commit.removes]
    return any(action.deletion_vector is not None and action.deletion_vector.storage == "i" for action in actions)


def deleted(v: VacuumObservation) -> list[str]:
    """What VACUUM itself deleted below the root.

    A checksum file that Hadoop deletes along with its file does not count, nor what another deleted meanwhile.
    """
    return sorted(path for path in v.vanished - by_another(v) if checksum_of(path) not in v.vanished)


def by_another(v: VacuumObservation) -> frozenset[str]:
    """What another deleted meanwhile."""
    faulty_path = v.step.faulty_path if v.step.io_fault is IOFault.FILE_VANISHES else None
    return frozenset() if faulty_path is None else frozenset({faulty_path})


def change_files(v: VacuumObservation) -> frozenset[str]:
    """The paths that a cdc action of the log names."""
    return frozenset(cdc.file for commit in v.before.log.commits.values() for cdc in commit.cdcs)


# Symbolic links -----------------------------------------------------------------------------------------------------


def followed(v: VacuumObservation) -> frozenset[str]:
    """The directories to which visible links of the table lead, by path from the root, which is ``.`` itself.

    Hadoop's local file system takes such a link for the directory, so a listing goes on behind it.
    """
    if not is_full(v):
        return frozenset()
    reached = reached_directories(v.before.things, v.table.partition_by, v.rules.reserved_names)
    return frozenset(path for path in reached if _is_directory(v, path))


def _is_directory(v: VacuumObservation, path: str) -> bool:
    entry = v.before.entry(path)
    return path in (".", "..") or (entry is not None and entry.kind is EntryKind.DIRECTORY)


def beside_links(v: VacuumObservation) -> frozenset[str]:
    """What lies beside the root, and below a directory to which a visible link of the table leads."""
    above = tuple(f"{directory}/" for directory in followed(v) if directory.startswith(".."))
    return frozenset(path for path in v.before.beside if path.startswith(above))


def lost_what_is_disputed(v: VacuumObservation) -> bool:
    """Whether the VACUUM deleted something disputed that the table may have needed: of that its own clauses speak."""
    inside = any(v.fates[path].reason in DISPUTED for path in v.vanished if path in v.fates)
    return inside or any(path not in v.after.beside for path in beside_links(v))
