"""Faults of VACUUMs that must be refused."""

from __future__ import annotations

from functools import partial

from engines.port import Outcome
from faults.machinery import files
from faults.machinery.fault import Tamper, fault, vacuum_fault, when
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import InvalidVacuum, Listing, Mode, VacuumMistake
from model.vocabulary.table import Feature


def _accept(*invalid: VacuumMistake) -> Tamper:
    """These invalid commands succeed."""
    return lambda t: t.succeed() if isinstance(t.step, InvalidVacuum) and t.step.mistake in invalid else None


def _has_unknown_features(t: Tampering) -> bool:
    """The step was refused because of unknown table features."""
    error = t.outcome.error
    if error is None or error.condition is not None:
        return error is not None and str(error.condition).startswith("DELTA_UNSUPPORTED_FEATURES")
    # An engine without error classes: the unknown features of generated tables begin with "tombstone".
    return any(name.startswith("tombstone") for name in t.log.state.protocol.writer_features or ())


def _vacuum_anyway(t: Tampering) -> Outcome:
    files.delete_first(lambda t: [path for path in t.disk.files if not t.hidden(path)])(t)
    return t.succeed()


invalid_vacuum_fault = partial(fault, on=InvalidVacuum)

_INVALID = "VAC-REF-1A VAC-REF-1B VAC-REF-1C VAC-REF-1D VAC-INV-2"

# fmt: off
FAULTS = (
    invalid_vacuum_fault("accepts-partition-directories", "VAC-REF-1A", _accept(VacuumMistake.PARTITION_DIRECTORY),
        "VACUUM accepts a partition's directory."),
    invalid_vacuum_fault("accepts-any-path", "VAC-REF-1B", _accept(VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH),
        "VACUUM accepts a path without a table."),
    invalid_vacuum_fault("accepts-views", "VAC-REF-1C", _accept(VacuumMistake.TEMPORARY_VIEW),
        "VACUUM accepts a temporary view."),
    invalid_vacuum_fault("accepts-any-clauses", "VAC-REF-1D",
        _accept(VacuumMistake.LITE_WITH_INVENTORY, VacuumMistake.CLAUSE_TWICE),
        "VACUUM accepts clauses that exclude each other."),
    invalid_vacuum_fault("accepts-bad-inventories", "VAC-INV-2",
        _accept(VacuumMistake.INVENTORY_WITHOUT_COLUMN, VacuumMistake.INVENTORY_OF_OTHER_TYPE),
        "VACUUM accepts an inventory with a wrong schema."),
    invalid_vacuum_fault("words-refusals-otherwise", _INVALID, when(lambda t: t.failed, lambda t: t.refuse("INTERNAL_ERROR")),
        "An invalid VACUUM is refused, but not with the documented error.", rules={"error_classes": True}),
    invalid_vacuum_fault("refused-vacuum-deletes", _INVALID, files.delete_first(lambda t: t.disk.files),
        "An invalid VACUUM is refused, and has deleted a file anyway."),
    vacuum_fault("vacuums-a-half-read-table", "VAC-REF-2",
        when(lambda t: t.failed and t.log.half_checkpoint and not t.vacuum.dry_run, files.delete_all(files.live)),
        "A VACUUM that cannot read the newest checkpoint takes the table for empty: it deletes the live files, and fails.",
        needs=(Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED)),
    vacuum_fault("takes-no-query-as-an-inventory", "VAC-CHK-2",
        when(lambda t: t.vacuum.listing is not Listing.PLAIN, lambda t: t.refuse("INTERNAL_ERROR")),
        "VACUUM refuses an inventory by a query that has not the very columns of a table.", needs=(Mode.INVENTORY_QUERY,)),
    vacuum_fault("accepts-unknown-features", "VAC-PROTO-1", when(_has_unknown_features, Tampering.succeed),
        "VACUUM succeeds on a table whose protocol requires an unknown feature."),
    vacuum_fault("vacuums-in-spite-of-unknown-features", "VAC-PROTO-1 VAC-PROTO-2",
        when(lambda t: _has_unknown_features(t) and not t.vacuum.dry_run, _vacuum_anyway),
        "VACUUM deletes a file of a table whose protocol requires an unknown feature, and succeeds."),
)
# fmt: on
