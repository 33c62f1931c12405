"""Clock settings that put VACUUM's cutoff on, or one millisecond beside, an instant that the case holds."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.steps import Moment, SetClock
from model.table import DAY, HOUR, StrayFile, Table
from strategies.instants import EDGES
from strategies.weights import weighted

#: After a clock that stands at the retention and so much more (ms), what the case has done so far is outside retention.
LATER = 2 * HOUR


def clocks(
    table: Table, *, retention: int, stray_files: tuple[StrayFile, ...] = (), not_before: int = 0
) -> SearchStrategy[SetClock]:
    """Settings of the engine's clock, never before ``not_before`` (ms from the start, itself 0 or more).

    Five in six put the cutoff (the clock less ``retention``, ms) on an instant of the case, or 1 ms before or after it:
    a tombstone's deletion (a vector's old one too), a removed file's time, a stray's time (the table's and those of
    ``strays``), a commit, and so the files of its vectors. The
    rest are plain steps forward. The clock does not run behind the start, as the engine's own stamps are made after
    it. Shrinks towards the clock's present place, then to tombstones.
    """
    offsets = [
        instant + retention + edge
        for instant in interesting_instants(table, stray_files=stray_files)
        for edge in EDGES
        if instant + retention + edge >= not_before
    ]
    steps = [not_before + step for step in (0, 1, HOUR, DAY, retention, retention + 8 * DAY)]
    plain = st.sampled_from(steps)
    chosen = weighted((1, plain), (5, st.sampled_from(offsets) if offsets else plain))
    return chosen.map(lambda offset: SetClock(Moment(offset)))


def stamped_clocks(*, retention: int, removed_by_step: int) -> SearchStrategy[SetClock]:
    """Settings that put the cutoff on what a DELETE of the program stamped, or 1 ms before or after it.

    Shrinks to the stamp itself.
    """
    return st.sampled_from(EDGES).map(lambda edge: SetClock(Moment(retention + edge, removed_by_step)))


def interesting_instants(table: Table, *, stray_files: tuple[StrayFile, ...] = ()) -> tuple[int, ...]:
    """The instants that decide about something, ms: of tombstones, removed files, strays and commits, each once."""
    removals = [removal for commit in table.commits for removal in commit.removes]
    removed = {removal.file for removal in removals}
    found = [removal.deleted for removal in removals if removal.deleted is not None]
    found += [vector.deleted for commit in table.commits for vector in commit.deletion_vectors]
    found += [file.modified for file in table.files if file.id in removed]
    found += [stray.modified for stray in (*table.stray_files, *stray_files)]
    found += [commit.at for commit in table.commits]
    return tuple(dict.fromkeys(found))
