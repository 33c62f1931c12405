"""VAC-LIVE: what a VACUUM that lists files must delete. What LITE must delete is VAC-LITE-1B's."""

from __future__ import annotations

from harness.judging.clause import NOT_EXERCISED, Judgement, clause, judgement
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import Fate, Reason
from model.prediction.paths import VISIBLE_PREFIXES
from suites.clauses.shared import harms
from suites.clauses.vacuum.command import check_not_refused
from suites.clauses.vacuum.path_rules import deletes, has_inline_vectors, is_not_lite, must_delete, with_reason

FILES_AND_DIRECTORIES = (
    clause(
        "VAC-LIVE-1",
        "VACUUM deletes every old file whose tombstones are all expired and that nothing else protects.",
        sources=("S1",),
        harm=harms.FILES_STAY,
    )(deletes(Reason.EXPIRED, when=is_not_lite)),
    clause(
        "VAC-LIVE-2",
        "VACUUM deletes every old orphan file, at any depth, whatever characters its name has, encoded or not.",
        sources=("S1",),
        harm=harms.FILES_STAY,
    )(deletes(Reason.ORPHAN, when=is_not_lite)),
    clause(
        "VAC-LIVE-3",
        "VACUUM deletes every directory that is empty when it begins and is not hidden, so that nested ones disappear bottom up.",
        sources=("S1", "C 1.2"),
        harm=harms.FILES_STAY,
        implementation="spark",
        of_directories=True,
    )(deletes(Reason.EMPTY, when=is_not_lite)),
)


@clause(
    "VAC-LIVE-4",
    "_delta_index and _change_data are not hidden: old and unprotected files in them are deleted.",
    sources=("S1", "C 1.2"),
    harm=harms.FILES_STAY,
)
def index_and_change_files(v: VacuumObservation) -> Judgement:
    if not v.ran or not is_not_lite(v):
        return NOT_EXERCISED
    old = with_reason(v, Reason.ORPHAN, Reason.EXPIRED, fate=Fate.DELETE)
    return must_delete(v, [path for path in old if any(name.startswith(VISIBLE_PREFIXES) for name in path.split("/"))])


deletion_vectors = clause(
    "VAC-LIVE-5",
    "VACUUM deletes every old deletion vector file to which nothing refers, or only tombstones that are all expired.",
    sources=("C 1.2",),
    harm=harms.FILES_STAY,
    needs=("vacuums_vectors",),
)(deletes(Reason.EXPIRED_VECTOR, Reason.ORPHAN_VECTOR, when=is_not_lite))


@clause(
    "VAC-LIVE-6",
    "A table with deletion vectors that are stored inline, and not in a file, can be vacuumed.",
    sources=("P Deletion Vector Descriptor Schema",),
    harm=harms.FILES_STAY,
    needs=("vacuums_inline_vectors",),
)
def inline_vectors(v: VacuumObservation) -> Judgement:
    """If it cannot be, no other clause reports the run: it deletes nothing."""
    if v.fails or v.retain_refused or not has_inline_vectors(v):
        return NOT_EXERCISED
    return judgement(check_not_refused(v, "of a table with inline deletion vectors"))
