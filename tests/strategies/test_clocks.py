"""Clocks: the cutoff falls on an instant of the case or 1 ms beside it, and the clock never goes back."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from model.vocabulary.steps import Moment, SetClock
from model.vocabulary.table import DAY, HOUR, WEEK, Column, Commit, DataFile, Removal, StrayFile, Table
from model.vocabulary.values import Type
from strategies.steps.clocks import clocks, interesting_instants, stamped_clocks
from strategies.tables.initial_tables import History, tables
from tests.sampling import sample

TABLE = Table(
    columns=(Column("i", Type.INTEGER),),
    partition_by=(),
    files=(
        DataFile(id=0, partition=(), rows=(), modified=-3 * DAY),
        DataFile(id=1, partition=(), rows=(), modified=-2 * WEEK),
    ),
    commits=(Commit(at=-4 * DAY, adds=(0, 1)), Commit(at=-2 * DAY, removes=(Removal(file=0, deleted=-DAY),))),
    stray_files=(StrayFile("old", modified=-2 * DAY),),
)


def test_interesting_instants() -> None:
    # The age of a live file does not matter.
    assert interesting_instants(TABLE, stray_files=(StrayFile("new", modified=-HOUR),)) == (
        -DAY,
        -3 * DAY,
        -2 * DAY,
        -HOUR,
        -4 * DAY,
    )


def test_the_cutoff_is_drawn_on_both_sides_of_every_instant() -> None:
    moments = [step.to for step in sample(clocks(TABLE, retention=WEEK), examples=300, seeds=[1])]
    assert all(moment.removed_by_step is None for moment in moments)
    seen = Counter(moment.offset - WEEK for moment in moments)
    for instant in interesting_instants(TABLE):
        for edge in (-1, 0, 1):
            assert seen[instant + edge] >= 3, f"{instant} {edge:+}"
    assert seen[0] >= 1, "an advance by the retention"


@given(st.data(), st.sampled_from([0, 1, HOUR, WEEK, 30 * DAY]))
def test_the_clock_is_never_before_its_bound(data: st.DataObject, not_before: int) -> None:
    table = data.draw(tables(history=History(cutoff_age=DAY)))
    step = data.draw(clocks(table, retention=DAY, not_before=not_before))
    assert step.to.offset >= not_before


@given(stamped_clocks(retention=WEEK, removed_by_step=3))
def test_stamped_clocks_put_the_cutoff_on_the_timestamp(step: SetClock) -> None:
    assert step.to in {Moment(WEEK + edge, 3) for edge in (-1, 0, 1)}
