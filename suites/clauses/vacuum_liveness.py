"""VAC-LIVE, VAC-EDGE, VAC-KEEP: what a VACUUM must delete, and exactly where it draws the line."""

from __future__ import annotations

from model.vacuum import VISIBLE_PREFIXES, Fate, Reason
from suites.clause import NOT_MET, Judgement, clause
from suites.clauses.vacuum_safety import must_go, must_stay, of_fate
from suites.observation import VacuumSeen


@clause(
    "VAC-LIVE-1",
    "VACUUM deletes every old file whose tombstones are all expired and which nothing else protects.",
    of=VacuumSeen,
    sources=("S1",),
)
def expired_files(v: VacuumSeen) -> Judgement:
    return must_go(v, of_fate(v, Reason.EXPIRED, fate=Fate.GO)) if v.ran else NOT_MET


@clause(
    "VAC-LIVE-2",
    "VACUUM deletes every old orphan file, at any depth, whatever its name's characters.",
    of=VacuumSeen,
    sources=("S1",),
)
def orphans(v: VacuumSeen) -> Judgement:
    return must_go(v, of_fate(v, Reason.ORPHAN, fate=Fate.GO)) if v.ran else NOT_MET


@clause(
    "VAC-LIVE-3",
    "VACUUM deletes every directory that is empty when it begins and is not hidden, so that nested ones go bottom up.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def empty_directories(v: VacuumSeen) -> Judgement:
    return must_go(v, of_fate(v, Reason.EMPTY, fate=Fate.GO)) if v.ran else NOT_MET


@clause(
    "VAC-LIVE-4",
    "_delta_index and _change_data are visible: what is old and unprotected there goes.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def visible_internals(v: VacuumSeen) -> Judgement:
    if not v.ran:
        return NOT_MET
    goes = of_fate(v, Reason.ORPHAN, Reason.EXPIRED, fate=Fate.GO)
    return must_go(v, [path for path in goes if any(name.startswith(VISIBLE_PREFIXES) for name in path.split("/"))])


def _exactly(v: VacuumSeen, paths: list[str]) -> Judgement:
    """Judge that each path has its fate, whichever that is."""
    stay = must_stay(v, [path for path in paths if v.fates[path].fate is Fate.STAY])
    go = must_go(v, [path for path in paths if v.fates[path].fate is Fate.GO])
    return Judgement(stay.subjects + go.subjects, stay.violations + go.violations)


@clause(
    "VAC-EDGE-1A",
    "A tombstone one ms before the cutoff, or at it, is expired; one ms after it protects its file.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def tombstones_at_the_cutoff(v: VacuumSeen) -> Judgement:
    if not v.ran:
        return NOT_MET
    near = [
        path
        for path, remove in v.before.tombstones.items()
        if abs((remove.deletion_timestamp or 0) - v.cutoff.state) <= 1
    ]
    decided = of_fate(v, Reason.RETAINED) + of_fate(v, Reason.EXPIRED, fate=Fate.GO)
    return _exactly(v, [path for path in near if path in decided])


@clause(
    "VAC-EDGE-1B",
    "An unreferenced file modified one ms before the cutoff goes; one modified at it, or one ms after, stays.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def files_at_the_cutoff(v: VacuumSeen) -> Judgement:
    if not v.ran:
        return NOT_MET
    decided = of_fate(v, Reason.YOUNG) + of_fate(v, Reason.EXPIRED, Reason.ORPHAN, fate=Fate.GO)
    return _exactly(v, [path for path in decided if abs(v.before.listing[path].modified - v.cutoff.latest) <= 1])


def _by_age(v: VacuumSeen) -> Judgement:
    stay = of_fate(v, Reason.RETAINED, Reason.YOUNG)
    go = of_fate(v, Reason.EXPIRED, Reason.ORPHAN, fate=Fate.GO)
    return _exactly(v, stay + go) if v.ran and v.retain is None else NOT_MET


@clause(
    "VAC-KEEP-1A",
    "Without an effective RETAIN, the retention is the table's delta.deletedFileRetentionDuration.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def retention_of_the_table(v: VacuumSeen) -> Judgement:
    return NOT_MET if v.table.retention_hours is None else _by_age(v)


@clause(
    "VAC-KEEP-1B",
    "Where neither the table nor an effective RETAIN sets it, the retention is one week.",
    of=VacuumSeen,
    sources=("S1", "C 1.6"),
)
def retention_by_default(v: VacuumSeen) -> Judgement:
    return _by_age(v) if v.table.retention_hours is None else NOT_MET
