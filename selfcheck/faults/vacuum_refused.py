"""Faults of VACUUMs that must be refused."""

from __future__ import annotations

from selfcheck.faults.fault import fault
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.steps import InvalidVacuum, Vacuum, VacuumMistake

_PATHS = (VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH)
_INVENTORIES = (VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE)
_CLAUSES = (VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE)


def _blunder(t: Tampering) -> VacuumMistake:
    assert isinstance(t.step, InvalidVacuum)
    return t.step.mistake


@fault("accepts-partition-directories", "VACUUM takes a partition's directory.", on=InvalidVacuum, caught_by="VAC-REF-1A")
def partition_directories(t: Tampering) -> Outcome | None:
    return t.succeed() if _blunder(t) is VacuumMistake.PARTITION_DIRECTORY else None


@fault("accepts-any-path", "VACUUM takes a path at which there is no table.", on=InvalidVacuum, caught_by="VAC-REF-1B")
def any_path(t: Tampering) -> Outcome | None:
    return t.succeed() if _blunder(t) in _PATHS else None


@fault("accepts-views", "VACUUM of a temporary view is not refused.", on=InvalidVacuum, caught_by="VAC-REF-1C")
def views(t: Tampering) -> Outcome | None:
    return t.succeed() if _blunder(t) is VacuumMistake.TEMPORARY_VIEW else None


@fault("accepts-any-clauses", "VACUUM takes clauses that exclude each other.", on=InvalidVacuum, caught_by="VAC-REF-1D")
def any_clauses(t: Tampering) -> Outcome | None:
    return t.succeed() if _blunder(t) in _CLAUSES else None


@fault("accepts-bad-inventories", "VACUUM takes an inventory of another shape.", on=InvalidVacuum, caught_by="VAC-INV-2")
def bad_inventories(t: Tampering) -> Outcome | None:
    return t.succeed() if _blunder(t) in _INVENTORIES else None


@fault(
    "words-refusals-otherwise",
    "A VACUUM with a mistake is refused, but not with the documented error.",
    on=InvalidVacuum,
    caught_by="VAC-REF-1A VAC-REF-1B VAC-REF-1C VAC-REF-1D VAC-INV-2",
    rules={"error_classes": True},
)
def other_words(t: Tampering) -> Outcome | None:
    return t.refuse("INTERNAL_ERROR") if t.outcome.error is not None else None


@fault(
    "refused-vacuum-deletes",
    "A VACUUM with a mistake is refused, and has deleted a file all the same.",
    on=InvalidVacuum,
    caught_by="VAC-REF-1A VAC-REF-1B VAC-REF-1C VAC-REF-1D VAC-INV-2",
)
def refused_deletes(t: Tampering) -> Outcome | None:
    t.delete_first(t.files())
    return None


@fault(
    "accepts-unknown-features",
    "VACUUM runs on a table whose protocol asks for a feature that it does not know.",
    on=Vacuum,
    caught_by="VAC-PROTO-1",
)
def unknown_features(t: Tampering) -> Outcome | None:
    return t.succeed() if _refused_for_features(t) else None


def _refused_for_features(t: Tampering) -> bool:
    error = t.outcome.error
    if error is None or error.condition is not None:
        return error is not None and str(error.condition).startswith("DELTA_UNSUPPORTED_FEATURES")
    # Of an engine without error classes the table tells: what no engine knows is the suite's own, and named so.
    return any(name.startswith("tombstone") for name in t.state.protocol.get("writerFeatures", ()))


@fault(
    "vacuums-in-spite-of-unknown-features",
    "VACUUM deletes files of a table whose protocol asks for a feature that it does not know, and says that it went well.",
    on=Vacuum,
    caught_by="VAC-PROTO-1 VAC-PROTO-2",
)
def vacuums_all_the_same(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Vacuum)
    if not _refused_for_features(t) or t.step.dry_run:
        return None
    t.delete_first(path for path in t.files() if not t.hidden(path))
    return t.succeed()
