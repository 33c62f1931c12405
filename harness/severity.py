"""Which of several violated clauses is the most severe: a failing test names it, and its case is shrunk for it."""

from __future__ import annotations

from collections.abc import Iterable

#: Families of clauses, the most severe first, by what a user loses. A clause of another family comes last.
FAMILIES = (
    # files that a reader still needs are deleted
    *("VAC-SAFE", "VAC-KEEP", "VAC-EDGE", "VAC-CHK", "VAC-CKPT", "VAC-DRY", "VAC-PROTO"),
    # the table has the wrong rows
    *("DEL-ROW", "DEL-META", "DEL-DV", "DEL-ALL", "DEL-GEN", "DEL-MAP", "DEL-REF", "DEL-NAME", "DEL-NOOP"),
    # the log, or a file that it names, is wrong: readers fail now or later
    *("DEL-PHYS", "DEL-ADD", "DEL-REM", "DEL-ROWID", "DEL-CDF", "DEL-TT"),
    # a command that must be refused runs, or a mode deletes what it must keep
    *("VAC-REF", "VAC-LITE", "VAC-INV", "VAC-PAR", "VAC-FORM"),
    # files are kept that should be deleted: storage is lost, not data
    *("VAC-LIVE", "VAC-IDEM"),
    # a report is wrong
    *("DEL-INFO", "DEL-MET", "VAC-LOG"),
)


def gravest(clauses: Iterable[str]) -> str:
    """The most severe of these ids, the first one within a family. Raises ValueError if there is none."""
    return min(clauses, key=_rank)


def _rank(clause: str) -> int:
    family = clause.rpartition("-")[0]
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
