"""Which of several broken clauses is the gravest: the one that a failing test names, and that its case is shrunk for."""

from __future__ import annotations

from collections.abc import Iterable

#: Families of clauses, the gravest first, by what a user loses. A clause of no listed family comes last.
FAMILIES = (
    # files that a reader still needs are deleted, for good
    *("VAC-SAFE", "VAC-KEEP", "VAC-EDGE", "VAC-CHK", "VAC-CKPT", "VAC-DRY", "VAC-PROTO"),
    # the table has other rows than it should have
    *("DEL-ROW", "DEL-META", "DEL-DV", "DEL-ALL", "DEL-GEN", "DEL-MAP", "DEL-REF", "DEL-NAME", "DEL-NOOP"),
    # the log, or what it names, is wrong: readers fail now or later
    *("DEL-PHYS", "DEL-ADD", "DEL-REM", "DEL-ROWID", "DEL-CDF", "DEL-TT"),
    # a command that must be refused runs, or deletes in a mode what that mode must leave
    *("VAC-REF", "VAC-LITE", "VAC-INV", "VAC-PAR", "VAC-FORM"),
    # files stay that should go: storage is lost, not data
    *("VAC-LIVE", "VAC-IDEM"),
    # a report is wrong
    *("DEL-INFO", "DEL-MET", "VAC-LOG"),
)


def gravest(clauses: Iterable[str]) -> str:
    """The gravest of these ids, of one family the first. Raises ValueError where there is none."""
    return min(clauses, key=_rank)


def _rank(clause: str) -> int:
    family = clause.rpartition("-")[0]
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
