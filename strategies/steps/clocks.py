"""Clock settings that put VACUUM's cutoff on an instant of the case, or 1 ms before or after it."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.vocabulary.steps import Moment, SetClock
from model.vocabulary.table import DAY, HOUR, StrayFile, Table
from strategies.instants import EDGES
from strategies.weights import weighted

#: With the clock at the retention plus this (ms), everything that the case did so far is outside retention.
LATER = 2 * HOUR


def clocks(
    table: Table, *, retention: int, stray_files: tuple[StrayFile, ...] = (), not_before: int = 0
) -> SearchStrategy[SetClock]:
    """Settings of the engine's clock, never before ``not_before`` (ms from the start, 0 or more).

    Five in six put the cutoff (the clock minus ``retention``, ms) on one of ``interesting_instants``, or 1 ms before or
    after it; the rest advance the clock by a round amount. The clock never precedes the start, because the engine's
    own timestamps are later. Shrinks to ``not_before``, then to tombstones.
    """
    offsets = [
        instant + retention + edge
        for instant in interesting_instants(table, stray_files=stray_files)
        for edge in EDGES
        if instant + retention + edge >= not_before
    ]
    steps = [not_before + step for step in (0, 1, HOUR, DAY, retention, retention + 8 * DAY)]
    round_steps = st.sampled_from(steps)
    chosen = weighted((1, round_steps), (5, st.sampled_from(offsets) if offsets else round_steps))
    return chosen.map(lambda offset: SetClock(Moment(offset)))


def stamped_clocks(*, retention: int, removed_by_step: int) -> SearchStrategy[SetClock]:
    """Settings that put the cutoff on the deletionTimestamp that a DELETE step wrote, or 1 ms before or after it.

    Shrinks to the timestamp itself.
    """
    return st.sampled_from(EDGES).map(lambda edge: SetClock(Moment(retention + edge, removed_by_step)))


def interesting_instants(table: Table, *, stray_files: tuple[StrayFile, ...] = ()) -> tuple[int, ...]:
    """The distinct instants (ms) that affect retention: of tombstones, removed files, stray files and commits."""
    removals = [removal for commit in table.commits for removal in commit.removes]
    removed = {removal.file for removal in removals}
    found = [removal.deleted for removal in removals if removal.deleted is not None]
    found += [vector.deleted for commit in table.commits for vector in commit.deletion_vectors]
    found += [file.modified for file in table.files if file.id in removed]
    found += [stray.modified for stray in (*table.stray_files, *stray_files)]
    found += [commit.at for commit in table.commits]
    return tuple(dict.fromkeys(found))
