"""Promises of earlier releases that a release no longer gives, as its documentation or source says: what an upgrade can cost
though nothing is broken, and what to do before it. docs/upgrades.md says the same."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.severity import Severity


@dataclass(frozen=True)
class Withdrawal:
    """``since``: the release that withdraws it. ``rule``: the field of the rules that it changes (model.vocabulary.rules).
    ``sentence``: what is no longer so; ``harm``: what that can do, and ``severity`` how bad that is; ``remedy``: what to do
    before the upgrade."""

    since: str
    rule: str
    sentence: str
    severity: Severity
    harm: str
    remedy: str


RETAIN_IGNORED = Withdrawal(
    "4.1",
    "retain",
    "RETAIN has no effect any more, unless it rounds to 0 hours.",
    Severity.DATA_LOSS,
    "Where RETAIN is longer than the table's retention, VACUUM deletes files that it kept until now.",
    "Set delta.deletedFileRetentionDuration of each table to what your RETAIN says.",
)

OLD_VERSIONS_REFUSED = Withdrawal(
    "4.1",
    "blocks_expired_versions",
    "Versions older than the retention cannot be read, even if all of their files are there.",
    Severity.UNREADABLE,
    "Time travel and the change feed fail for these versions.",
    "Set delta.deletedFileRetentionDuration to the age of the oldest version that you read.",
)

METADATA_DELETED = Withdrawal(
    "3.3",
    "reserved_names",
    "Files and directories named metadata are no longer hidden from VACUUM, as they are in 3.1 and 3.2.",
    Severity.DATA_LOSS,
    "VACUUM deletes what lies in them and is no part of the table.",
    "Move them out of the table's directory, or give them a name that begins with _.",
)

#: All of them, in the order of docs/upgrades.md.
WITHDRAWALS = (RETAIN_IGNORED, OLD_VERSIONS_REFUSED, METADATA_DELETED)
