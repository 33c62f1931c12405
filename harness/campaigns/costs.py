"""How long a case takes on an engine, as a basis for choosing cases: an estimate, never a limit."""

from __future__ import annotations

from model.vocabulary.case import Case
from model.vocabulary.operations import COMMANDS, Operation, operation_of
from model.vocabulary.predicate import verbatim_tests
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Step, Vacuum

#: Seconds that a step takes on a warm Spark with two workers on two cores, by operation: means of a whole gate.
SPARK_SECONDS = {
    Operation.DELETE: 0.85,
    Operation.KILLED_DELETE: 0.7,
    Operation.INVALID_DELETE: 0.25,
    Operation.VACUUM: 1.25,
    Operation.RETAIN: 1.2,
    Operation.LITE: 1.3,
    Operation.INVENTORY: 1.7,
    Operation.DRY_RUN: 0.8,
    Operation.IO_FAULT: 1.5,
    Operation.KILLED_VACUUM: 1.1,
    Operation.INVALID_VACUUM: 0.25,
    Operation.READ: 0.5,
    Operation.READ_BEFORE: 0.6,
    Operation.READ_CHANGES: 0.45,
    Operation.INSERT: 1.2,
    Operation.AT_ONCE: 2.5,
    Operation.OPEN_SESSION: 0.6,
    Operation.APPEND: 0.02,
    Operation.STRAY_FILES: 0.01,
    Operation.CLOCK: 0.01,
    **dict.fromkeys(COMMANDS, 1.2),
    Operation.MERGE: 2.0,
    Operation.STREAM_APPEND: 3.0,
}

#: Seconds more with a setting.
SETTING_SECONDS = {
    Setting.CODE_GENERATION: 4.0,  # each query is compiled
    Setting.MANY_PARTITIONS: 1.5,
}

#: Seconds in which an engine is asked before a DELETE by a verbatim test.
ASK_SECONDS = 0.8

#: Seconds for a case's table: its files, the names in the catalog, and their removal.
TABLE_SECONDS = 0.1

#: Seconds that a drawn case takes: the mean of a nightly run.
DRAWN_SECONDS = 3.2

#: Workers, for a time that a run takes on two cores.
WORKERS = 2


#: The estimate of a run counts as much as the pace of such a part of it.
_ESTIMATE = 0.1


def seconds_by_pace(estimated: float, judged: float, elapsed: float) -> float:
    """The seconds that a run takes, if the part ``judged`` took ``elapsed`` seconds.

    ``estimated``: the same by its costs. It counts less and less, so that what is shown as left does not jump.
    """
    return (elapsed + _ESTIMATE * estimated) / (judged + _ESTIMATE)


def seconds_of(case: Case) -> float:
    """The seconds that one worker needs for the case on Spark."""
    return TABLE_SECONDS + sum(map(_seconds_of, case.steps))


def _seconds_of(step: Step) -> float:
    settings = step.settings if isinstance(step, (Delete, Vacuum)) else ()
    asks = ASK_SECONDS if isinstance(step, Delete) and verbatim_tests(step.where) else 0.0
    return SPARK_SECONDS[operation_of(step)] + asks + sum(SETTING_SECONDS.get(setting, 0.0) for setting in settings)
