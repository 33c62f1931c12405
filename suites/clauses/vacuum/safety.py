"""VAC-SAFE: what a VACUUM must never delete below the root, by the log, by age, by name.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import NoFileWritten, Readable
from harness.vacuum_observation import VacuumObservation
from model.table import Feature, Reference, VectorStorage
from model.vacuum import Fate, ObjectScan, Reason, in_underscored_partition, is_hidden
from suites.clauses.vacuum.fates import FREED, change_files, must_delete, must_keep, with_reason


@clause(
    "VAC-SAFE-1",
    "VACUUM never deletes a file that the current version refers to, whatever its age.",
    of=VacuumObservation,
    sources=("S1",),
)
def live_files(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.LIVE))


@clause(
    "VAC-SAFE-1B",
    "VACUUM never deletes a file below the root that the current version refers to by its URI, not by its relative path.",
    of=VacuumObservation,
    sources=("P Add File and Remove File", "C 1.2"),
    needs=(Reference.ABSOLUTE,),
)
def live_files_by_uri(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.LIVE_BY_URI))


@clause(
    "VAC-SAFE-2",
    "VACUUM never deletes a file whose tombstone is inside retention, whatever the file's own age.",
    of=VacuumObservation,
    sources=("S1",),
)
def retained_files(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.RETAINED))


@clause(
    "VAC-SAFE-3",
    "VACUUM never deletes an unreferenced file younger than retention: an active writer may be about to commit it.",
    of=VacuumObservation,
    sources=("S1",),
)
def young_files(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.YOUNG))


HIDDEN = (Reason.HIDDEN_FILE, Reason.HIDDEN_DIRECTORY, Reason.INSIDE_HIDDEN)


@clause(
    "VAC-SAFE-4",
    "VACUUM never deletes a hidden file or directory (its name begins with _ or .), at any depth, nor anything in one.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def hidden(v: VacuumObservation) -> Judgement:
    """Of _delta_log itself VAC-SAFE-6B and VAC-LOG-1C speak; of an inventory's deeper levels, VAC-INV-1C."""
    return must_keep(v, with_reason(v, *HIDDEN))


@clause(
    "VAC-SAFE-4B",
    "VACUUM never deletes what is hidden by a name that is not the first of its path, though it goes by a list of whole paths.",
    of=VacuumObservation,
    sources=("S1", "P Data Files"),
    implementation="deltalake",
)
def hidden_deeper(v: VacuumObservation) -> Judgement:
    """A walk from directory to directory does not come by such paths: there VAC-SAFE-4 holds."""
    return must_keep(v, with_reason(v, Reason.HIDDEN_DEEPER)) if isinstance(v.scan, ObjectScan) else NOT_EXERCISED


def _in_underscored(v: VacuumObservation, paths: list[str]) -> list[str]:
    return [path for path in paths if in_underscored_partition(path, v.table.partition_by)]


@clause(
    "VAC-SAFE-5A",
    "Partition directories whose column name begins with _ or . are not hidden: what must stay there stays.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def underscored_partitions_keep(v: VacuumObservation) -> Judgement:
    stays = with_reason(v, Reason.LIVE, Reason.LIVE_BY_URI, Reason.RETAINED, Reason.YOUNG)
    return must_keep(v, _in_underscored(v, stays))


@clause(
    "VAC-SAFE-5B",
    "Partition directories whose column name begins with _ or . are not hidden: what must go there goes.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def underscored_partitions_free(v: VacuumObservation) -> Judgement:
    if not v.ran:
        return NOT_EXERCISED
    return must_delete(v, _in_underscored(v, with_reason(v, *FREED, fate=Fate.DELETE)))


@clause(
    "VAC-SAFE-5C",
    "A name that only resembles such a partition directory (_dates beside a column _date) is hidden.",
    of=VacuumObservation,
    sources=("C 1.2",),
)
def resembling_names(v: VacuumObservation) -> Judgement:
    columns = [column for column in v.table.partition_by if column.startswith(("_", "."))]

    def resembles(name: str) -> bool:
        return any(name.startswith(column) for column in columns) and is_hidden(
            name, v.table.partition_by, v.rules.reserved_names
        )

    stays = with_reason(v, *HIDDEN)
    return must_keep(v, [path for path in stays if any(resembles(name) for name in path.split("/"))])


@clause(
    "VAC-SAFE-6A", "VACUUM never deletes a directory that still holds anything.", of=VacuumObservation, sources=("S1",)
)
def full_directories(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.HOLDS))


@clause(
    "VAC-SAFE-6B",
    "VACUUM never deletes the table's own root, nor leaves a table that cannot be read.",
    of=VacuumObservation,
    sources=("S1",),
    of_broken=True,
)
def root_stays(v: VacuumObservation) -> Judgement:
    broken = v.after.broken
    if broken is None:
        return one(None) if v.ran else NOT_EXERCISED
    message = f"After VACUUM there is no table that can be read: {broken}."
    return one(Violation("root", message, Readable()))


@clause(
    "VAC-SAFE-8A",
    "VACUUM never deletes a deletion vector's file that the current version refers to, whatever its age.",
    of=VacuumObservation,
    sources=("P Deletion Vectors", "C 1.2"),
    needs=(VectorStorage.RELATIVE,),
)
def live_vectors(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.LIVE_VECTOR))


@clause(
    "VAC-SAFE-8B",
    "VACUUM never deletes a deletion vector's file that a tombstone inside retention refers to.",
    of=VacuumObservation,
    sources=("P Deletion Vectors", "C 1.2"),
    needs=(VectorStorage.RELATIVE,),
)
def retained_vectors(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.RETAINED_VECTOR))


@clause(
    "VAC-SAFE-8C",
    "VACUUM never deletes a deletion vector's file below the root that a live or retained action names by its absolute path.",
    of=VacuumObservation,
    sources=("P Deletion Vector Descriptor Schema",),
    needs=(VectorStorage.ABSOLUTE,),
)
def absolute_vectors(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.ABSOLUTE_VECTOR))


@clause(
    "VAC-SAFE-9",
    "VACUUM never deletes a change file younger than retention; LITE, none whose version is inside retention.",
    of=VacuumObservation,
    sources=("C 1.2", "C 1.3"),
    needs=(Feature.CHANGE_DATA_FEED,),
)
def young_change_files(v: VacuumObservation) -> Judgement:
    """LITE goes by the version alone: see VAC-LITE-1E."""
    named = change_files(v)
    return must_keep(v, [path for path in with_reason(v, Reason.YOUNG, Reason.NOT_SCANNED) if path in named])


@clause("VAC-SAFE-11", "VACUUM writes nothing outside the log.", of=VacuumObservation, sources=("C 1.2",))
def writes_nothing(v: VacuumObservation) -> Judgement:
    if not v.appeared:
        return one(None) if v.ran else NOT_EXERCISED
    path = min(v.appeared)
    return one(Violation(path, f"VACUUM wrote {path}.", NoFileWritten(), evidence.of_path(v, path)))
