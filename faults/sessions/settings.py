"""Faults of DELETE and of VACUUM that show under one session setting only."""

from __future__ import annotations

from faults.delete.deletes import first_untouched
from faults.machinery import actions, files
from faults.machinery.actions import remove_fault
from faults.machinery.fault import Condition, delete_fault, vacuum_fault, when
from faults.machinery.members import raised
from faults.machinery.runs import full_run
from faults.machinery.tampering import Tampering
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Vacuum


def _removed(t: Tampering) -> bool:
    return bool(t.log.actions("remove"))


def _under(setting: Setting, condition: Condition = lambda t: True) -> Condition:
    """The step has the setting, and the condition holds."""

    def holds(t: Tampering) -> bool:
        return isinstance(t.step, (Delete, Vacuum)) and setting in t.step.settings and condition(t)

    return holds


# fmt: off
FAULTS = (
    delete_fault("forgets-a-file-when-case-sensitive", "DEL-ROW-5B",
        when(_under(Setting.CASE_SENSITIVE, _removed), actions.drop_last_remove),
        "With spark.sql.caseSensitive a DELETE does not remove the last of its files.", needs=[Setting.CASE_SENSITIVE]),
    delete_fault("forgets-a-file-when-adaptive", "DEL-ROW-5B",
        when(_under(Setting.ADAPTIVE_EXECUTION, _removed), actions.drop_last_remove),
        "With adaptive execution a DELETE does not remove the last of its files.", needs=[Setting.ADAPTIVE_EXECUTION]),
    remove_fault("removes-with-wrong-size-by-the-row-reader", "DEL-REM-1B", raised("size"),
        "With the row-based reader of Parquet the removes of a DELETE have a wrong size.", run=_under(Setting.ROW_READER), needs=[Setting.ROW_READER]),
    delete_fault("removes-a-file-without-skipping", "DEL-ROW-5B",
        when(_under(Setting.NO_SKIPPING), actions.remove(first_untouched)),
        "Without data skipping a DELETE removes a file that it must not touch.", needs=[Setting.NO_SKIPPING]),
    vacuum_fault("vacuums-a-live-file-when-case-sensitive", "VAC-SAFE-1",
        when(_under(Setting.CASE_SENSITIVE, full_run), files.delete_first(files.live)),
        "With spark.sql.caseSensitive VACUUM deletes a live file.", needs=[Setting.CASE_SENSITIVE]),
    vacuum_fault("keeps-orphans-without-skipping", "VAC-LIVE-2",
        when(_under(Setting.NO_SKIPPING, full_run), files.restore_all(files.unreferenced)),
        "Without data skipping VACUUM keeps unreferenced files.", needs=[Setting.NO_SKIPPING]),
)
# fmt: on
