"""MERGEs as short texts for tests."""

from __future__ import annotations

from model.vocabulary.commands import Assignment, Merge, MergeClause, Then, When
from model.vocabulary.predicate import Constant, Predicate
from model.vocabulary.table import Column
from model.vocabulary.values import Row


def merge(
    where: Predicate, to: Assignment | None = None, insert: tuple[Row, ...] = (), *, when: When | None = None
) -> Merge:
    """A MERGE by a condition alone that updates the rows that satisfy ``where``, or without ``to`` deletes them; with the
    condition in ON, or after ``when``. The row to ``insert`` is inserted if none does."""
    clause = MergeClause(when or When.MATCHED, Then.DELETE if to is None else Then.UPDATE, to, where if when else None)
    inserts = (MergeClause(When.NOT_MATCHED, Then.INSERT),) if insert else ()
    return Merge(where if when is None else Constant(when is When.MATCHED), (clause, *inserts), rows=insert)


def evolving(adds: Column, key: str, *rows: Row, inserts: bool = True) -> Merge:
    """A MERGE from a source that has a new column too, last in its rows."""
    clauses = (MergeClause(then=Then.UPDATE_ALL), *([MergeClause(When.NOT_MATCHED, Then.INSERT)] if inserts else []))
    return Merge(Constant(True), clauses, (key,), rows, by_name=True, adds=adds)
