"""Pairs of commands: each first is drawn, and what comes second, also of a session that opened the table before."""

from __future__ import annotations

from collections import Counter

import pytest

from model.vocabulary.case import Case
from model.vocabulary.pairs import FIRSTS, first_of
from model.vocabulary.steps import Delete, Mode, OpenSession, Vacuum
from strategies.instants import EDGES
from strategies.tables.vacuum_tables import milliseconds
from tests.drawn_cases import drawn
from tests.sampling import check_shares

#: The tests share drawn cases: one worker of pytest-xdist does them all.
pytestmark = pytest.mark.xdist_group("drawn")


@pytest.mark.slow
def test_almost_every_first_is_drawn() -> None:
    found = Counter(name for case in drawn("pairs") for step in case.steps if (name := first_of(step)) is not None)
    assert len(set(FIRSTS) - set(found)) <= 2, "four hundred cases"


@pytest.mark.slow
def test_what_comes_second() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        deletes = [step for step in case.steps if isinstance(step, Delete)]
        vacuums = [step for step in case.steps if isinstance(step, Vacuum)]
        return {
            "another session": (16, any(isinstance(step, OpenSession) for step in case.steps)),
            "its DELETEs": (11, any(step.by_earlier for step in deletes)),
            "its VACUUMs": (8, any(step.by_earlier for step in vacuums)),
            "its LITE VACUUMs": (5, any(step.by_earlier and step.mode is Mode.LITE_SETTING for step in vacuums)),
            "DRY RUN": (12, any(step.dry_run for step in vacuums)),
            "DELETE without a condition": (12, any(step.where is None for step in deletes)),
        }

    check_shares(drawn("pairs"), conditions)


@pytest.mark.slow
def test_times_of_telling_vacuums_are_at_the_cutoff() -> None:
    found = Counter[int]()
    for case in drawn("telling_vacuums"):
        cutoff = -milliseconds(case.table.retention_hours)
        found.update(one.deleted - cutoff for commit in case.table.commits for one in commit.removes if one.deleted)
    assert set(found) == set(EDGES)
