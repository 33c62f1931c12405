"""How many of the user's tables are concerned, in words."""

from __future__ import annotations

from records.run import ConcernedTables


def of_tables(number: int, whole: int) -> str:
    """``412 of your 40,000 tables``."""
    return f"{number:,} of your {whole:,} {'table' if whole == 1 else 'tables'}"


def concerned(tables: ConcernedTables, whole: int) -> str:
    """A sentence: ``Concerns 412 of your 40,000 tables.``"""
    certain, possible = tables.certain, tables.possible
    if possible == 0:
        return f"Concerns none of your {whole:,} {'table' if whole == 1 else 'tables'}."
    if certain == possible:
        return f"Concerns {of_tables(certain, whole)}."
    if certain:
        return f"Concerns {of_tables(certain, whole)}, and may concern {possible - certain:,} more."
    if possible < whole:
        return f"May concern {of_tables(possible, whole)}; a shape does not tell."
    return "Whether it concerns your tables, a shape does not tell."
