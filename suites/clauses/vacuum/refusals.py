"""VAC-PROTO, VAC-LITE-1C, VAC-INV-2, VAC-REF: VACUUMs that must be refused, dry run or not, and change nothing.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from collections.abc import Container

from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import NothingChanged
from harness.vacuum_observation import VacuumRefusalObservation
from model.refusals import CANNOT_VACUUM_LITE
from model.steps import InvalidVacuum, Mode, VacuumMistake
from model.table import Feature
from suites.clauses.refusing import changed, misanswered

B = VacuumMistake


def _refused_as_due(r: VacuumRefusalObservation) -> Judgement:
    """Judge that the VACUUM was refused as it must be, and that nothing has changed."""
    return one(misanswered("VACUUM", r, r.due) or changed("VACUUM", r))


def _of_blunders(r: VacuumRefusalObservation, blunders: Container[VacuumMistake]) -> Judgement:
    met = isinstance(r.step, InvalidVacuum) and r.step.mistake in blunders
    return _refused_as_due(r) if met else NOT_EXERCISED


@clause(
    "VAC-PROTO-1",
    "A VACUUM of a table whose protocol asks for a feature that the engine does not know, of writers or of readers, is refused, dry run too, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("P VACUUM Protocol Check", "C 1.2"),
    since="3.1",
    of_broken=True,
    implementation="spark",
    needs=(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
)
def unknown_protocol(r: VacuumRefusalObservation) -> Judgement:
    return _refused_as_due(r) if _is_unknown(r) else NOT_EXERCISED


def _is_unknown(r: VacuumRefusalObservation) -> bool:
    return not isinstance(r.step, InvalidVacuum) and r.table.has(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER)


@clause(
    "VAC-PROTO-2",
    "A VACUUM that would write to a table whose protocol asks for a feature that the engine does not know is refused, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("P VACUUM Protocol Check", "P Table Features"),
    since="3.1",
    of_broken=True,
    needs=(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
)
def unknown_protocol_is_not_written(r: VacuumRefusalObservation) -> Judgement:
    """A DRY RUN writes nothing: of that VAC-PROTO-1 speaks. Nor does a VACUUM that finds nothing to delete."""
    if not _is_unknown(r) or r.step.dry_run:
        return NOT_EXERCISED
    paths = evidence.changes(r.before, r.after)
    if r.outcome.error is None and paths:
        message = f"The VACUUM of a table with an unknown feature was carried out; it changed {', '.join(paths)}."
        return one(Violation(paths[0], message, NothingChanged()))
    return _refused_as_due(r) if r.outcome.error is not None else one(None)


@clause(
    "VAC-LITE-1C",
    "LITE is refused, dry run too, where commits have been cleaned up that no LITE has looked through, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("C 1.3",),
    since="3.3",
    of_broken=True,
    implementation="spark",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def lite_of_a_pruned_log(r: VacuumRefusalObservation) -> Judgement:
    return (
        _refused_as_due(r) if not isinstance(r.step, InvalidVacuum) and r.due == CANNOT_VACUUM_LITE else NOT_EXERCISED
    )


@clause(
    "VAC-INV-2",
    "An inventory that lacks one of the columns path, length, isDir and modificationTime, or has one of another type, is refused, dry run too, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("C 1.4",),
    since="3.2",
    of_broken=True,
    needs=(VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE),
)
def bad_inventory(r: VacuumRefusalObservation) -> Judgement:
    return _of_blunders(r, (B.INVENTORY_WITHOUT_COLUMN, B.INVENTORY_OF_OTHER_TYPE))


@clause(
    "VAC-REF-1A",
    "A VACUUM of a partition's directory is refused, dry run too, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("S1", "C 1.1"),
    of_broken=True,
    needs=(VacuumMistake.PARTITION_DIRECTORY,),
)
def partition_directory(r: VacuumRefusalObservation) -> Judgement:
    return _of_blunders(r, (B.PARTITION_DIRECTORY,))


@clause(
    "VAC-REF-1B",
    "A VACUUM of a path at which there is nothing, or no Delta table, is refused, dry run too, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("C 1.1",),
    of_broken=True,
)
def no_table(r: VacuumRefusalObservation) -> Judgement:
    return _of_blunders(r, (B.NOT_A_TABLE, B.MISSING_PATH))


@clause(
    "VAC-REF-1C",
    "A VACUUM of a temporary view is refused, dry run too, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("C 1.1",),
    of_broken=True,
    needs=(VacuumMistake.TEMPORARY_VIEW,),
)
def temporary_view(r: VacuumRefusalObservation) -> Judgement:
    return _of_blunders(r, (B.TEMPORARY_VIEW,))


@clause(
    "VAC-REF-1D",
    "A VACUUM that says a clause twice, or LITE together with an inventory, is refused, dry run too, and nothing changes.",
    of=VacuumRefusalObservation,
    sources=("C 1.1",),
    of_broken=True,
    needs=(VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE),
)
def contradicting_clauses(r: VacuumRefusalObservation) -> Judgement:
    return _of_blunders(r, (B.CLAUSE_TWICE, B.LITE_WITH_INVENTORY))
