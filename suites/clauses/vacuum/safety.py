"""VAC-SAFE: what a VACUUM must never delete below the table's root."""

from __future__ import annotations

from deltalog.storage.listing import Entry, EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import space_kept, wrong_words
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import KEPT_BY_AGE, Fate, Reason
from model.prediction.paths import in_underscored_partition, is_hidden
from model.prediction.scans import ObjectScan
from model.vocabulary.table import Feature, Reference
from records.expectations import NoFileWritten, Readable, Unchanged, about
from suites.clauses.shared import harms
from suites.clauses.shared.causes import NEEDLESS_WRITE, NOT_REPLAYED, changed
from suites.clauses.vacuum.path_rules import UNPROTECTED, change_files, keeps, must_delete, must_keep, with_reason

HIDDEN = (Reason.HIDDEN_FILE, Reason.HIDDEN_DIRECTORY, Reason.INSIDE_HIDDEN)

FILES_AND_HIDDEN_PATHS = (
    clause(
        "VAC-SAFE-1",
        "VACUUM never deletes a file that the current version refers to, whatever its age.",
        sources=("S1",),
        harm=harms.FILES_LOST,
    )(keeps(Reason.LIVE)),
    clause(
        "VAC-SAFE-1B",
        "VACUUM never deletes a file below the root that the current version refers to by its URI instead of its relative path.",
        sources=("P Add File and Remove File", "C 1.2"),
        harm=harms.FILES_LOST,
        needs=(Reference.ABSOLUTE,),
    )(keeps(Reason.LIVE_BY_URI)),
    clause(
        "VAC-SAFE-2",
        "VACUUM never deletes a file whose tombstone is inside retention, whatever the file's own age.",
        sources=("S1",),
        harm=harms.FILES_LOST,
    )(keeps(Reason.RETAINED)),
    clause(
        "VAC-SAFE-3",
        "VACUUM never deletes an unreferenced file younger than retention: an active writer may be about to commit it.",
        sources=("S1",),
        harm=harms.FILES_LOST,
    )(keeps(*KEPT_BY_AGE)),
    # _delta_log itself: VAC-SAFE-6B and VAC-LOG-1C; the deeper levels of an inventory: VAC-INV-1C.
    clause(
        "VAC-SAFE-4",
        "VACUUM never deletes a hidden file or directory (its name begins with _ or .), at any depth, nor anything in one.",
        sources=("S1", "C 1.2"),
        harm=harms.FILES_LOST,
        of_hidden_names=True,
    )(keeps(*HIDDEN)),
    # Only for a VACUUM that uses a flat list of paths; one that descends from directory to directory never sees these.
    clause(
        "VAC-SAFE-4B",
        "VACUUM never deletes a path that is hidden by a name other than its first, although it lists whole paths.",
        sources=("S1", "P Data Files"),
        harm=harms.FILES_LOST,
        implementation="deltalake",
    )(keeps(Reason.HIDDEN_DEEPER, when=lambda v: isinstance(v.scan, ObjectScan))),
)


VERSIONS_TO_KEEP = (
    clause(
        "VAC-SAFE-13A",
        "VACUUM keeps the data files of the versions that it is asked to keep.",
        sources=("R DeltaTable.vacuum",),
        harm=harms.FILES_LOST,
        needs=("keeps_versions",),
    )(keeps(Reason.KEPT_VERSION)),
    clause(
        "VAC-SAFE-13B",
        "VACUUM keeps the files of the deletion vectors of the versions that it is asked to keep.",
        sources=("R DeltaTable.vacuum", "R VacuumBuilder.with_keep_versions"),
        harm=harms.FILES_LOST,
        needs=("keeps_vectors_of_versions",),
    )(keeps(Reason.KEPT_VERSION_VECTOR)),
)


def _in_underscored_partition(v: VacuumObservation, paths: list[str]) -> list[str]:
    return [path for path in paths if in_underscored_partition(path, v.table.partition_by)]


@clause(
    "VAC-SAFE-5A",
    "Partition directories whose column name begins with _ or . are not hidden: what must be kept in them is kept.",
    sources=("S1", "C 1.2"),
    harm=harms.FILES_LOST,
)
def keeps_in_underscored_partitions(v: VacuumObservation) -> Judgement:
    kept = with_reason(v, Reason.LIVE, Reason.LIVE_BY_URI, Reason.RETAINED, *KEPT_BY_AGE)
    return must_keep(v, _in_underscored_partition(v, kept))


@clause(
    "VAC-SAFE-5B",
    "Partition directories whose column name begins with _ or . are not hidden: what must be deleted in them is deleted.",
    sources=("S1", "C 1.2"),
    harm=space_kept("Files that nobody needs stay in such partitions, and cost storage."),
)
def deletes_in_underscored_partitions(v: VacuumObservation) -> Judgement:
    deleted = with_reason(v, *UNPROTECTED, fate=Fate.DELETE)
    return must_delete(v, _in_underscored_partition(v, deleted)) if v.ran else NOT_EXERCISED


@clause(
    "VAC-SAFE-5C",
    "A name that only resembles such a partition directory (_dates beside a column _date) is hidden.",
    sources=("C 1.2",),
    harm=harms.FILES_LOST,
    of_hidden_names=True,
)
def keeps_similar_names(v: VacuumObservation) -> Judgement:
    columns = tuple(column for column in v.table.partition_by if column.startswith(("_", ".")))

    def is_similar(name: str) -> bool:
        return name.startswith(columns) and is_hidden(name, v.table.partition_by, v.rules.reserved_names)

    hidden = with_reason(v, *HIDDEN)
    return must_keep(v, [path for path in hidden if any(is_similar(name) for name in path.split("/"))])


non_empty_directories = clause(
    "VAC-SAFE-6A",
    "VACUUM never deletes a directory that still contains anything.",
    sources=("S1",),
    harm=harms.FILES_LOST,
    of_directories=True,
)(keeps(Reason.HOLDS))

directories_of_files = clause(
    "VAC-SAFE-6C",
    "VACUUM keeps the directories on the path of every live or retained file, even where that file is gone and they are empty.",
    sources=("C 1.2",),
    harm=wrong_words("A directory disappears in which a live or retained file belongs."),
    implementation="spark",
    of_directories=True,
)(keeps(Reason.PARENT))


@clause(
    "VAC-SAFE-6B",
    "VACUUM never deletes the table's own root, nor makes the table unreadable.",
    sources=("S1",),
    harm=harms.FILES_LOST,
    of_broken=True,
)
def root_is_kept(v: VacuumObservation) -> Judgement:
    if v.after.broken is None:
        return judgement(None) if v.ran else NOT_EXERCISED
    message = f"After VACUUM the table must be readable; it is not: {v.after.broken}."
    return judgement(Violation("root", message, Readable(), cause=NOT_REPLAYED))


DELETION_VECTORS = (
    clause(
        "VAC-SAFE-8A",
        "VACUUM never deletes a deletion vector file that the current version refers to, whatever its age.",
        sources=("P Deletion Vectors", "C 1.2"),
        harm=harms.FILES_LOST,
        needs=("vacuums_relative_vectors",),
    )(keeps(Reason.LIVE_VECTOR)),
    clause(
        "VAC-SAFE-8B",
        "VACUUM never deletes a deletion vector file that a tombstone inside retention refers to.",
        sources=("P Deletion Vectors", "C 1.2"),
        harm=harms.FILES_LOST,
        needs=("vacuums_relative_vectors",),
    )(keeps(Reason.RETAINED_VECTOR)),
    clause(
        "VAC-SAFE-8C",
        "VACUUM never deletes a deletion vector file below the root that a live or retained action names by its absolute path.",
        sources=("P Deletion Vector Descriptor Schema",),
        harm=harms.FILES_LOST,
        needs=("vacuums_absolute_vectors",),
    )(keeps(Reason.ABSOLUTE_VECTOR)),
)


@clause(
    "VAC-SAFE-9",
    "VACUUM never deletes a change file younger than retention; LITE never deletes one whose version is inside retention.",
    sources=("C 1.2", "C 1.3"),
    harm=harms.FILES_LOST,
    needs=(Feature.CHANGE_DATA_FEED,),
)
def young_change_files(v: VacuumObservation) -> Judgement:
    """LITE uses the version's age alone: see VAC-LITE-1E."""
    named = change_files(v)
    return must_keep(v, [path for path in with_reason(v, *KEPT_BY_AGE, Reason.NOT_SCANNED) if path in named])


@clause(
    "VAC-SAFE-11",
    "VACUUM writes nothing outside the log.",
    sources=("C 1.2",),
    harm=space_kept("Files that VACUUM leaves behind cost storage."),
)
def writes_nothing(v: VacuumObservation) -> Judgement:
    if not v.appeared:
        return judgement(None) if v.ran else NOT_EXERCISED
    path = min(v.appeared)
    message = f"VACUUM must write nothing outside the log; it wrote {path}."
    return judgement(Violation(path, message, NoFileWritten(), evidence.of_path(v, path), cause=NEEDLESS_WRITE))


@clause(
    "VAC-SAFE-12",
    "VACUUM changes nothing that it does not delete: the bytes and the modification time of a file, the target of a link, below the root and beside it.",
    sources=("S1", "C 1.2"),
    harm=harms.FILES_LOST,
)
def rest_is_as_it_was(v: VacuumObservation) -> Judgement:
    """A file that becomes younger is kept longer than it may be, one that becomes older is deleted too early."""
    due = {path for path, predicted in v.fates.items() if predicted.fate is Fate.DELETE}
    pairs = [(path, entry, v.after.listing.get(path)) for path, entry in v.before.data.items() if path not in due]
    pairs += [(path, entry, v.after.beside.get(path)) for path, entry in v.before.beside.items()]

    def problem(pair: tuple[str, Entry, Entry | None]) -> Violation | None:
        path, before, after = pair
        if after is None or after == before or after.kind is before.kind is EntryKind.DIRECTORY:
            return None
        action = "touched" if after.digest == before.digest and after.target == before.target else "changed"
        message = f"VACUUM {action} {path}, and must leave what it does not delete as it was."
        facts = evidence.of_path(v, path)
        return Violation(path, message, about(path, Unchanged(path, times=True)), facts, cause=changed(v, [path]))

    return each(pairs, problem) if v.ran or v.commits else NOT_EXERCISED  # else nothing at all may change
