"""VAC-SAFE: what a VACUUM must never do.

Sources: [S1] waitingforcode.com on VACUUM (Delta 2.4.0); [P] PROTOCOL.md; [C n] facts/delta.md, section n.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.vacuum import Fate, Reason, is_hidden, parents
from suites import evidence
from suites.clause import NOT_MET, Judgement, Law, Violation, clause, each, law_of, one
from suites.clauses.reading import misread
from suites.observation import ReadSeen, VacuumSeen


def must_stay(v: VacuumSeen, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths is still there, files with their bytes.

    A dry or a refused run is judged too, but does not count: that nothing happens then exercises no promise of safety.
    """

    def problem(path: str) -> Violation | None:
        before, after = v.before.listing[path], v.after.listing.get(path)
        if after is not None and (after.kind, after.digest) == (before.kind, before.digest):
            return None
        how = "deleted" if after is None else "changed"
        message = f"VACUUM {how} {path}: {v.fates[path].reason.value}."
        return Violation(
            path, message, law_of("stays", path, otherwise=Law("live_files_stay")), evidence.of_path(v, path)
        )

    judged = each(sorted(paths), problem)
    return judged if v.ran else Judgement(0, judged.violations)


def must_go(v: VacuumSeen, paths: Iterable[str]) -> Judgement:
    """Judge that each of these paths is gone."""

    def problem(path: str) -> Violation | None:
        if path not in v.after.listing:
            return None
        return Violation(
            path,
            f"VACUUM left {path}: {v.fates[path].reason.value}.",
            law_of("goes", path, otherwise=Law("table_is_there")),
            (*evidence.of_path(v, path), *evidence.of_answer(v)),
        )

    return each(sorted(paths), problem)


def of_fate(v: VacuumSeen, *reasons: Reason, fate: Fate = Fate.STAY) -> list[str]:
    """The paths outside the log that have this fate for one of these reasons."""
    return [
        path
        for path, judged in v.fates.items()
        if judged.fate is fate and judged.reason in reasons and path in v.before.data
    ]


@clause(
    "VAC-SAFE-1",
    "VACUUM never deletes a file that the current version refers to, whatever its age.",
    of=VacuumSeen,
    sources=("S1",),
)
def live_files(v: VacuumSeen) -> Judgement:
    return must_stay(v, of_fate(v, Reason.LIVE))


@clause(
    "VAC-SAFE-2",
    "VACUUM never deletes a file whose tombstone is inside retention, whatever the file's own age.",
    of=VacuumSeen,
    sources=("S1",),
)
def retained_files(v: VacuumSeen) -> Judgement:
    return must_stay(v, of_fate(v, Reason.RETAINED))


@clause(
    "VAC-SAFE-3",
    "VACUUM never deletes an unreferenced file younger than retention: an active writer may be about to commit it.",
    of=VacuumSeen,
    sources=("S1",),
)
def young_files(v: VacuumSeen) -> Judgement:
    return must_stay(v, of_fate(v, Reason.YOUNG))


@clause(
    "VAC-SAFE-4",
    "VACUUM never deletes a hidden file or directory (its name begins with _ or .), at any depth, nor anything in one.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def hidden(v: VacuumSeen) -> Judgement:
    """Of _delta_log itself VAC-SAFE-6B and VAC-LOG-1C speak."""
    return must_stay(v, of_fate(v, Reason.HIDDEN, Reason.INSIDE_HIDDEN))


def in_underscored_partition(v: VacuumSeen, path: str) -> bool:
    """Whether the path lies in a partition directory whose name begins as a hidden one does."""
    names = [directory.rpartition("/")[2] for directory in parents(path)]
    columns = [column for column in v.table.partition_by if column.startswith(("_", "."))]
    return any(name.startswith(f"{column}=") for name in names for column in columns)


@clause(
    "VAC-SAFE-5A",
    "Partition directories whose column name begins with _ or . are not hidden: what must stay there stays.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def underscored_partitions_keep(v: VacuumSeen) -> Judgement:
    return must_stay(
        v,
        [path for path in of_fate(v, Reason.LIVE, Reason.RETAINED, Reason.YOUNG) if in_underscored_partition(v, path)],
    )


@clause(
    "VAC-SAFE-5B",
    "Partition directories whose column name begins with _ or . are not hidden: what must go there goes.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def underscored_partitions_free(v: VacuumSeen) -> Judgement:
    if not v.ran:
        return NOT_MET
    return must_go(
        v,
        [path for path in of_fate(v, Reason.EXPIRED, Reason.ORPHAN, fate=Fate.GO) if in_underscored_partition(v, path)],
    )


@clause(
    "VAC-SAFE-5C",
    "A name that only resembles such a partition directory (_dates beside a column _date) is hidden.",
    of=VacuumSeen,
    sources=("C 1.2",),
)
def resembling_names(v: VacuumSeen) -> Judgement:
    columns = [column for column in v.table.partition_by if column.startswith(("_", "."))]

    def resembles(name: str) -> bool:
        return any(name.startswith(column) for column in columns) and is_hidden(name, v.table.partition_by)

    return must_stay(
        v,
        [
            path
            for path in of_fate(v, Reason.HIDDEN, Reason.INSIDE_HIDDEN)
            if any(resembles(name) for name in path.split("/"))
        ],
    )


@clause("VAC-SAFE-6A", "VACUUM never deletes a directory that still holds anything.", of=VacuumSeen, sources=("S1",))
def full_directories(v: VacuumSeen) -> Judgement:
    return must_stay(v, of_fate(v, Reason.HOLDS))


@clause(
    "VAC-SAFE-6B",
    "VACUUM never deletes the table's own root, nor leaves a table that cannot be read.",
    of=VacuumSeen,
    sources=("S1",),
    of_broken=True,
)
def root_stays(v: VacuumSeen) -> Judgement:
    broken = v.after.broken
    if broken is None:
        return one(None) if v.ran else NOT_MET
    message = f"After VACUUM there is no table that can be read: {broken}."
    return one(Violation("root", message, Law("table_is_there")))


@clause("VAC-SAFE-11", "VACUUM writes nothing outside the log.", of=VacuumSeen, sources=("C 1.2",))
def writes_nothing(v: VacuumSeen) -> Judgement:
    if not v.appeared:
        return one(None) if v.ran else NOT_MET
    path = min(v.appeared)
    return one(Violation(path, f"VACUUM wrote {path}.", Law("no_new_files"), evidence.of_path(v, path)))


@clause("VAC-SAFE-10A", "After VACUUM the engine reads the current version as before it.", of=ReadSeen, sources=("S1",))
def engine_reads(r: ReadSeen) -> Judgement:
    last = next((seen for seen in reversed(r.earlier) if not isinstance(seen, ReadSeen)), None)
    if not r.is_current or not isinstance(last, VacuumSeen) or not last.ran:
        return NOT_MET
    return one(misread(r))


@clause(
    "VAC-SAFE-10B",
    "After VACUUM an independent reader reads the current version as before it.",
    of=VacuumSeen,
    sources=("S1",),
)
def independent_reader_reads(v: VacuumSeen) -> Judgement:
    if not v.ran or v.before.rows is None:
        return NOT_MET
    if v.after.rows == v.before.rows:
        return one(None)
    facts = ("a live file cannot be read",) if v.after.rows is None else evidence.of_rows(v.before.rows, v.after.rows)
    return one(
        Violation(
            "rows", "After VACUUM the current version does not hold the rows of before.", Law("table_is_there"), facts
        )
    )


@clause(
    "VAC-SAFE-10C",
    "After VACUUM the engine reads every version inside retention as it was.",
    of=ReadSeen,
    sources=("S1",),
)
def retained_versions_read(r: ReadSeen) -> Judgement:
    vacuumed = any(isinstance(seen, VacuumSeen) and seen.ran for seen in r.earlier)
    if r.is_current or not vacuumed or not r.inside_retention or not _files_retained(r):
        return NOT_MET
    return one(misread(r))


def _files_retained(r: ReadSeen) -> bool:
    """Whether no VACUUM so far was free to delete a file of the version that is read.

    A tombstone can be older than the version that it came with; the version's age alone does not protect its files.
    """
    files = {add.file for add in r.before.log.snapshot(r.version).adds.values()}
    vacuums = [seen for seen in r.earlier if isinstance(seen, VacuumSeen) and seen.ran]
    return all(v.fates[path].fate is Fate.STAY for v in vacuums for path in files if path in v.fates)
