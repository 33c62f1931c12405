"""How severe the violation of a clause is, by what a user loses."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Severity(str, Enum):
    """What a user loses, the worst first."""

    DATA_LOSS = "data loss"  # a file that a reader still needs is deleted, or rows that must stay
    WRONG_ANSWERS = "wrong answers"  # the table has other rows than it must
    UNREADABLE = "unreadable"  # the log, or a file that it names, is wrong: readers fail now or later
    SPACE_KEPT = "space kept"  # files are kept that should be deleted
    WRONG_NUMBERS = "wrong numbers"  # a metric or statistic is wrong
    WRONG_WORDS = "wrong words"  # another error, name or text than promised


#: The severity of each family of clauses; the order within a severity is the order of attention.
FAMILIES: dict[str, Severity] = {
    **dict.fromkeys(
        ("VAC-SAFE", "VAC-KEEP", "VAC-EDGE", "VAC-CHK", "VAC-CKPT", "VAC-DRY", "VAC-PROTO"), Severity.DATA_LOSS
    ),
    **dict.fromkeys(
        ("DEL-ROW", "DEL-META", "DEL-DV", "DEL-ALL", "DEL-GEN", "DEL-MAP", "DEL-REF", "DEL-NAME", "DEL-NOOP"),
        Severity.WRONG_ANSWERS,
    ),
    **dict.fromkeys(("DEL-PHYS", "DEL-ADD", "DEL-REM", "DEL-ROWID", "DEL-CDF", "DEL-TT"), Severity.UNREADABLE),
    **dict.fromkeys(("VAC-REF", "VAC-LITE", "VAC-INV", "VAC-PAR", "VAC-FORM"), Severity.UNREADABLE),
    **dict.fromkeys(("VAC-LIVE", "VAC-IDEM"), Severity.SPACE_KEPT),
    **dict.fromkeys(("DEL-INFO", "DEL-MET", "VAC-LOG"), Severity.WRONG_NUMBERS),
}


def severity_of(clause: str) -> Severity:
    """The severity of a clause by its id. Raises KeyError for a family that has none."""
    return FAMILIES[clause.rpartition("-")[0]]


def gravest(clauses: Iterable[str]) -> str:
    """The most severe of these ids, the first one within a family. Raises ValueError if there is none."""
    return min(clauses, key=_rank)


def _rank(clause: str) -> int:
    families = list(FAMILIES)
    return families.index(clause.rpartition("-")[0])
