"""VAC-LIVE: what a VACUUM by a listing must delete. What LITE must delete is VAC-LITE-1B's matter.

Sources: [S1] waitingforcode.com on VACUUM (Delta 2.4.0); [C n] facts/delta.md, section n.
"""

from __future__ import annotations

from model.table import VectorStorage
from model.vacuum import VISIBLE_PREFIXES, Fate, Reason
from suites.clause import NOT_MET, Judgement, clause, one
from suites.clauses.vacuum_command import refusal
from suites.clauses.vacuum_fates import has_inline_vectors, is_lite, must_go, of_fate
from suites.vacuum_seen import VacuumSeen


def _goes(v: VacuumSeen, *reasons: Reason) -> Judgement:
    return must_go(v, of_fate(v, *reasons, fate=Fate.GO)) if v.ran and not is_lite(v) else NOT_MET


@clause(
    "VAC-LIVE-1",
    "VACUUM deletes every old file whose tombstones are all expired and which nothing else protects.",
    of=VacuumSeen,
    sources=("S1",),
)
def expired_files(v: VacuumSeen) -> Judgement:
    return _goes(v, Reason.EXPIRED)


@clause(
    "VAC-LIVE-2",
    "VACUUM deletes every old orphan file, at any depth, whatever its name's characters, encoded or not.",
    of=VacuumSeen,
    sources=("S1",),
)
def orphans(v: VacuumSeen) -> Judgement:
    return _goes(v, Reason.ORPHAN)


@clause(
    "VAC-LIVE-3",
    "VACUUM deletes every directory that is empty when it begins and is not hidden, so that nested ones go bottom up.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
    implementation="spark",
)
def empty_directories(v: VacuumSeen) -> Judgement:
    return _goes(v, Reason.EMPTY)


@clause(
    "VAC-LIVE-4",
    "_delta_index and _change_data are visible: what is old and unprotected there goes.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def visible_internals(v: VacuumSeen) -> Judgement:
    if not v.ran or is_lite(v):
        return NOT_MET
    goes = of_fate(v, Reason.ORPHAN, Reason.EXPIRED, fate=Fate.GO)
    return must_go(v, [path for path in goes if any(name.startswith(VISIBLE_PREFIXES) for name in path.split("/"))])


@clause(
    "VAC-LIVE-5",
    "VACUUM deletes every old deletion vector's file that nothing refers to, or only tombstones that are all expired.",
    of=VacuumSeen,
    sources=("C 1.2",),
)
def old_vectors(v: VacuumSeen) -> Judgement:
    return _goes(v, Reason.EXPIRED_VECTOR, Reason.ORPHAN_VECTOR)


@clause(
    "VAC-LIVE-6",
    "A table some of whose deletion vectors are inline, and not in a file, can be vacuumed.",
    of=VacuumSeen,
    sources=("P Deletion Vector Descriptor Schema",),
    needs=(VectorStorage.INLINE,),
)
def inline_vectors(v: VacuumSeen) -> Judgement:
    """Where it cannot, no other clause speaks of the run: it deletes nothing."""
    if v.fails or v.retain_refused or not has_inline_vectors(v):
        return NOT_MET
    return one(refusal(v, "of a table with inline deletion vectors failed"))
