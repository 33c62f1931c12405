"""Faults of INSERT."""

from __future__ import annotations

from functools import partial

from faults.delete.deletes import first_untouched
from faults.life.commands import undo_and_refuse
from faults.machinery import actions, files
from faults.machinery.fault import fault, succeeds, when
from faults.machinery.rows import change_rows
from model.vocabulary.steps import Insert

insert_fault = partial(fault, on=Insert)


# fmt: off
FAULTS = (
    insert_fault("insert-loses-a-row", "LIFE-6A", when(succeeds, change_rows(lambda rows: rows.slice(1))),
        "INSERT does not write the first of its rows."),
    insert_fault("insert-writes-a-row-twice", "LIFE-6A",
        when(succeeds, change_rows(lambda rows: rows.take([0, *range(rows.num_rows)]))),
        "INSERT writes the first of its rows twice."),
    insert_fault("insert-removes-a-file", "LIFE-6A LIFE-6D", when(succeeds, actions.remove(first_untouched)),
        "INSERT removes a file of the table."),
    insert_fault("insert-deletes-a-removed-file", "LIFE-6C", when(succeeds, files.delete_all(files.tombstones)),
        "INSERT deletes the files that no version needs but earlier ones."),
    insert_fault("insert-breaks-the-log", "LIFE-1J", files.in_each(files.commits, files.cut_off),
        "INSERT leaves a truncated commit."),
    insert_fault("insert-is-refused", "LIFE-6B", when(succeeds, undo_and_refuse),
        "INSERT is refused without a reason."),
)
# fmt: on
