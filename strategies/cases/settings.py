"""Session settings of DELETE and VACUUM: cases of other campaigns, each with some settings."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.case import Case
from model.vocabulary.predicate import Holds, Missing, Predicate, Relate, leaves
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Step, Vacuum
from model.vocabulary.table import Table
from strategies.cases.damaged_files import damaged_deletes
from strategies.cases.deletes import feature_deletes, partition_deletes, row_deletes, typed_deletes
from strategies.cases.vacuums import vacuum_histories, vacuum_vectors
from strategies.weights import odds, weighted

_ANY_CASE = weighted(
    (4, feature_deletes()),
    (4, row_deletes()),
    (1, partition_deletes()),
    (1, damaged_deletes()),
    (1, typed_deletes()),
    (4, vacuum_histories()),
    (1, vacuum_vectors()),
)

_CHANGED = odds((1, False), (1, True))
_RARELY = odds((9, False), (1, True))

#: With 200 tasks for each shuffle a step takes seconds more.
_SLOW = (Setting.MANY_PARTITIONS,)


@st.composite
def configured_cases(draw: DrawFn) -> Case:
    """DELETEs and VACUUMs under session settings that must not matter, the same in all steps of a case.

    Each setting is there in one of two cases, a slow one in one of ten. ANSI is switched off only where no expression depends on
    it. Shrinks to a case without settings.
    """
    case = draw(_ANY_CASE)
    chosen = tuple(setting for setting in Setting if draw(_RARELY if setting in _SLOW else _CHANGED))
    return Case(case.table, tuple(configured(step, chosen, case.table) for step in case.steps))


def configured(step: Step, settings: tuple[Setting, ...], table: Table) -> Step:
    """A DELETE or VACUUM with the settings that must not change what it does; another step as it is."""
    if isinstance(step, Vacuum):
        return replace(step, settings=settings)
    if not isinstance(step, Delete):
        return step
    depends = bool(table.checks) or (step.where is not None and has_expressions(step.where))
    return replace(step, settings=tuple(one for one in settings if not (depends and one is Setting.ANSI_OFF)))


def has_expressions(predicate: Predicate) -> bool:
    """Whether a condition computes anything, so that an overflow or a cast could be NULL without ANSI, and an error with it."""
    return any(isinstance(test, (Relate, Holds, Missing)) for test in leaves(predicate))
