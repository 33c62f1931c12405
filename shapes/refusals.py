"""Why a table cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from deltalog import errors


class RefusalReason(str, Enum):
    DAMAGED_CHECKPOINT = "damaged-checkpoint"
    DAMAGED_COMMIT = "damaged-commit"
    INCOMPLETE = "incomplete"  # neither protocol nor metadata
    MISSING_COMMIT = "missing-commit"
    NO_ACCESS = "no-access"
    NO_LOG = "no-log"
    NOT_REACHABLE = "not-reachable"
    UNKNOWN_FORM = "unknown-form"


class UnknownForm(errors.DeltaLogError):
    """The table has what this release cannot read."""


_REASONS: Mapping[type[errors.DeltaLogError], RefusalReason] = {
    errors.NotATable: RefusalReason.NO_LOG,
    errors.UnreadableCommit: RefusalReason.DAMAGED_COMMIT,
    errors.UnreadableCheckpoint: RefusalReason.DAMAGED_CHECKPOINT,
    errors.MissingVersion: RefusalReason.MISSING_COMMIT,
    errors.IncompleteState: RefusalReason.INCOMPLETE,
}


def reason_of(error: errors.DeltaLogError | errors.StoreError) -> RefusalReason:
    if isinstance(error, errors.StoreError):
        return RefusalReason.NO_ACCESS if error.denied else RefusalReason.NOT_REACHABLE
    return _REASONS.get(type(error), RefusalReason.UNKNOWN_FORM)
