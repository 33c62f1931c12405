"""Faults of a DELETE whose condition goes through a user's function."""

from __future__ import annotations

from collections.abc import Callable

from faults.delete.deletes import full_row, is_plain, matches_row
from faults.machinery import actions
from faults.machinery.fault import Question, delete_fault, nothing, when
from faults.machinery.members import JsonAction
from faults.machinery.rows import rows_before, rows_of
from faults.machinery.tampering import Tampering
from model.semantics.condition_mutants import as_true_where_null
from model.vocabulary.predicate import And, Not, Or, Predicate, Wrapped, Wrapper, columns_of, wrappers_of
from model.vocabulary.steps import Delete


def _gets_batches(t: Tampering) -> bool:
    """Whether such a function decides which files are rewritten."""
    where = t.delete.where
    if where is None or columns_of(where) <= set(t.log.partition_by):
        return False
    return bool(wrappers_of(where)) and is_plain(t)


def _leave_all_but_the_last(t: Tampering) -> None:
    """Of the removed files only the last is rewritten; the answer and the metrics stay."""
    removed = list(t.log.removed_adds.items())[:-1]
    new = list(actions.new_adds(t))
    undone: list[JsonAction] = []
    for path, old in removed:
        kept = [row for row in rows_before(t, path).to_pylist() if matches_row(t, full_row(t, old, row)) is not True]
        rewritten = [add for add in new if add["partitionValues"] == old["partitionValues"]]
        found = next((add for add in rewritten if rows_of(t, add).to_pylist() == kept), None)
        if kept and found is None:
            continue  # its rows share a file with others
        undone += [remove for remove in actions.removes(t) if t.log.path(remove) == path]
        if found is not None and kept:
            new.remove(found)
            undone.append(found)
    if undone:
        version, committed = max(t.log.written.items())
        left = [action for action in committed if not any(part is one for part in action.values() for one in undone)]
        t.log.rewrite(version, left)


def _changed(where: Predicate, change: Callable[[Predicate], Predicate]) -> Predicate:
    """The condition with each part changed, the innermost first."""
    if isinstance(where, Not):
        return change(Not(_changed(where.operand, change)))
    if isinstance(where, Wrapped):
        return change(Wrapped(_changed(where.operand, change), where.by))
    if isinstance(where, (And, Or)):
        left, right = _changed(where.left, change), _changed(where.right, change)
        return change(And(left, right) if isinstance(where, And) else Or(left, right))
    return where


def _asked(change: Callable[[Predicate], Predicate]) -> Callable[[Question], Question]:
    """A DELETE with a condition is run with each part changed."""

    def ask(question: Question) -> Question:
        step = question.step
        if not isinstance(step, Delete) or step.where is None:
            return question
        return question.with_condition(_changed(step.where, change))

    return ask


def _null_as_true(part: Predicate) -> Predicate:
    return Wrapped(as_true_where_null(part.operand), part.by) if isinstance(part, Wrapped) else part


def _without_wrapped(part: Predicate) -> Predicate:
    if not isinstance(part, And):
        return part
    kept = [one for one in (part.left, part.right) if not isinstance(one, Wrapped)]
    return kept[0] if len(kept) == 1 else part


# fmt: off
FAULTS = (
    delete_fault("rewrites-the-last-file-of-a-batch", "DEL-ROW-1 DEL-ROW-5B", when(_gets_batches, _leave_all_but_the_last),
        "Where a function gets rows of several files at once, only the last of these files is rewritten: the others keep rows "
        "that are counted as deleted.", needs=Wrapper),
    delete_fault("takes-null-of-a-function-for-true", "DEL-ROW-5B", nothing,
        "A row for which a user's function returns NULL counts as one for which it returns TRUE.",
        asks=_asked(_null_as_true), needs=Wrapper),
    delete_fault("drops-a-function-from-an-and", "DEL-ROW-5B", nothing,
        "Of a condition with AND, the operand that is a call of a user's function is left out.",
        asks=_asked(_without_wrapped), needs=Wrapper),
)
# fmt: on
