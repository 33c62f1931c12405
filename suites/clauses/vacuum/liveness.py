"""VAC-LIVE: what a VACUUM by a listing must delete. What LITE must delete is VAC-LITE-1B's matter.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from harness.clause import NOT_EXERCISED, Judgement, clause, one
from harness.vacuum_observation import VacuumObservation
from model.table import VectorStorage
from model.vacuum import VISIBLE_PREFIXES, Fate, Reason
from suites.clauses.vacuum.command import refusal
from suites.clauses.vacuum.fates import has_inline_vectors, is_lite, must_delete, with_reason


def _goes(v: VacuumObservation, *reasons: Reason) -> Judgement:
    return must_delete(v, with_reason(v, *reasons, fate=Fate.DELETE)) if v.ran and not is_lite(v) else NOT_EXERCISED


@clause(
    "VAC-LIVE-1",
    "VACUUM deletes every old file whose tombstones are all expired and which nothing else protects.",
    of=VacuumObservation,
    sources=("S1",),
)
def expired_files(v: VacuumObservation) -> Judgement:
    return _goes(v, Reason.EXPIRED)


@clause(
    "VAC-LIVE-2",
    "VACUUM deletes every old orphan file, at any depth, whatever its name's characters, encoded or not.",
    of=VacuumObservation,
    sources=("S1",),
)
def orphans(v: VacuumObservation) -> Judgement:
    return _goes(v, Reason.ORPHAN)


@clause(
    "VAC-LIVE-3",
    "VACUUM deletes every directory that is empty when it begins and is not hidden, so that nested ones go bottom up.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
    implementation="spark",
)
def empty_directories(v: VacuumObservation) -> Judgement:
    return _goes(v, Reason.EMPTY)


@clause(
    "VAC-LIVE-4",
    "_delta_index and _change_data are visible: what is old and unprotected there goes.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
)
def visible_internals(v: VacuumObservation) -> Judgement:
    if not v.ran or is_lite(v):
        return NOT_EXERCISED
    goes = with_reason(v, Reason.ORPHAN, Reason.EXPIRED, fate=Fate.DELETE)
    return must_delete(v, [path for path in goes if any(name.startswith(VISIBLE_PREFIXES) for name in path.split("/"))])


@clause(
    "VAC-LIVE-5",
    "VACUUM deletes every old deletion vector's file that nothing refers to, or only tombstones that are all expired.",
    of=VacuumObservation,
    sources=("C 1.2",),
)
def old_vectors(v: VacuumObservation) -> Judgement:
    return _goes(v, Reason.EXPIRED_VECTOR, Reason.ORPHAN_VECTOR)


@clause(
    "VAC-LIVE-6",
    "A table some of whose deletion vectors are inline, and not in a file, can be vacuumed.",
    of=VacuumObservation,
    sources=("P Deletion Vector Descriptor Schema",),
    needs=(VectorStorage.INLINE,),
)
def inline_vectors(v: VacuumObservation) -> Judgement:
    """Where it cannot, no other clause speaks of the run: it deletes nothing."""
    if v.fails or v.retain_refused or not has_inline_vectors(v):
        return NOT_EXERCISED
    return one(refusal(v, "of a table with inline deletion vectors failed"))
