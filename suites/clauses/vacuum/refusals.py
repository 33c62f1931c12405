"""VAC-PROTO, VAC-LITE-1C, VAC-INV-2, VAC-REF: VACUUMs, dry runs too, that must be refused and change nothing."""

from __future__ import annotations

from collections.abc import Callable

from harness.judging.clause import NOT_EXERCISED, Judgement, clause, judgement
from harness.judging.severity import wrong_words
from harness.observing.steps.vacuum_observation import VacuumRefusalObservation
from model.prediction.refusals import CANNOT_VACUUM_LITE
from model.vocabulary.steps import InvalidVacuum, Mode, VacuumMistake
from model.vocabulary.table import Feature
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.checks import check_nothing_changed, check_refusal


def _refused(r: VacuumRefusalObservation) -> Judgement:
    return judgement(check_refusal("VACUUM", r, r.due) or check_nothing_changed("The refused VACUUM", r))


def refused(*mistakes: VacuumMistake) -> Callable[[VacuumRefusalObservation], Judgement]:
    """A VACUUM with one of these mistakes is refused and changes nothing."""

    def judge(r: VacuumRefusalObservation) -> Judgement:
        return _refused(r) if isinstance(r.step, InvalidVacuum) and r.step.mistake in mistakes else NOT_EXERCISED

    return judge


def _has_unknown_feature(r: VacuumRefusalObservation) -> bool:
    return not isinstance(r.step, InvalidVacuum) and r.table.has(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER)


@clause(
    "VAC-PROTO-1",
    "A VACUUM of a table whose protocol requires a writer or reader feature that the engine does not know is refused, dry run too, and nothing changes.",
    sources=("P VACUUM Protocol Check", "C 1.2"),
    harm=harms.LOST_BY_UNKNOWN_FEATURES,
    since="3.1",
    of_broken=True,
    implementation="spark",
    needs=(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
)
def unknown_feature(r: VacuumRefusalObservation) -> Judgement:
    return _refused(r) if _has_unknown_feature(r) else NOT_EXERCISED


@clause(
    "VAC-PROTO-2",
    "A VACUUM that would write to a table whose protocol requires a feature that the engine does not know is refused, and nothing changes.",
    sources=("P VACUUM Protocol Check", "P Table Features"),
    harm=harms.LOST_BY_UNKNOWN_FEATURES,
    since="3.1",
    of_broken=True,
    needs=(Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
)
def unknown_feature_is_not_written(r: VacuumRefusalObservation) -> Judgement:
    """A VACUUM that finds nothing to delete may succeed, as it writes nothing. Dry runs are VAC-PROTO-1's."""
    if not _has_unknown_feature(r) or r.step.dry_run:
        return NOT_EXERCISED
    if r.outcome.error is not None:
        return _refused(r)
    return judgement(check_nothing_changed("A VACUUM of a table with an unknown feature that succeeds", r))


@clause(
    "VAC-LITE-1C",
    "LITE is refused, dry run too, if commits have been cleaned up that no LITE run has examined, and nothing changes.",
    sources=("C 1.3",),
    harm=wrong_words("LITE does not say that it skips the commits that are gone."),
    since="3.3",
    of_broken=True,
    implementation="spark",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def lite_of_a_pruned_log(r: VacuumRefusalObservation) -> Judgement:
    is_due = not isinstance(r.step, InvalidVacuum) and r.due == CANNOT_VACUUM_LITE
    return _refused(r) if is_due else NOT_EXERCISED


HALF_READ = clauses_of("VAC-REF-2")

MISTAKES = (
    clause(
        "VAC-INV-2",
        "An inventory that lacks one of the columns path, length, isDir and modificationTime, or has one with another type, is refused, dry run too, and nothing changes.",
        sources=("C 1.4",),
        harm=wrong_words("A wrong inventory is not answered with the error that says what is wrong."),
        since="3.2",
        of_broken=True,
        needs=(VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE),
    )(refused(VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE)),
    clause(
        "VAC-REF-1A",
        "A VACUUM of a partition's directory is refused, dry run too, and nothing changes.",
        sources=("S1", "C 1.1"),
        harm=harms.WRONG_VACUUM_REFUSAL,
        of_broken=True,
        needs=(VacuumMistake.PARTITION_DIRECTORY,),
    )(refused(VacuumMistake.PARTITION_DIRECTORY)),
    clause(
        "VAC-REF-1B",
        "A VACUUM of a path that does not exist, or at which there is no Delta table, is refused, dry run too, and nothing changes.",
        sources=("C 1.1",),
        harm=harms.WRONG_VACUUM_REFUSAL,
        of_broken=True,
    )(refused(VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH)),
    clause(
        "VAC-REF-1C",
        "A VACUUM of a temporary view is refused, dry run too, and nothing changes.",
        sources=("C 1.1",),
        harm=harms.WRONG_VACUUM_REFUSAL,
        of_broken=True,
        needs=(VacuumMistake.TEMPORARY_VIEW,),
    )(refused(VacuumMistake.TEMPORARY_VIEW)),
    clause(
        "VAC-REF-1D",
        "A VACUUM that repeats a clause, or combines LITE with an inventory, is refused, dry run too, and nothing changes.",
        sources=("C 1.1",),
        harm=harms.WRONG_VACUUM_REFUSAL,
        of_broken=True,
        needs=(VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE),
    )(refused(VacuumMistake.CLAUSE_TWICE, VacuumMistake.LITE_WITH_INVENTORY)),
)
