"""Cases for an engine that runs by the machine's clock: none of their times lies near a cutoff.

Such an engine's cutoffs move on while a case runs, so what happens to a file whose time is milliseconds from one depends on how
fast the machine is. Here every time is an hour or more from every cutoff, on the side on which it was drawn if it can be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from model.prediction.retention import whole_hours
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.commands import SetRetention
from model.vocabulary.steps import AddStrayFiles, Append, Delete, Insert, Moment, OtherCommand, SetClock, Step, Vacuum
from model.vocabulary.table import DEFAULT_LOG_RETENTION, HOUR, Commit, DataFile, StrayFile, Table

#: The least distance of a time from a cutoff, in ms: no case runs for so long.
MARGIN = HOUR


@dataclass(frozen=True)
class Cutoffs:
    """Instants, in ms from the start of the case, that no time may be near."""

    instants: frozenset[int]

    def apart(self, time: int) -> int:
        """The nearest time on the same side of the nearest cutoff that is near none; a time at a cutoff becomes older."""
        nearest = min(self._near(time), key=lambda cutoff: (abs(time - cutoff), cutoff), default=time)
        return self.older(time) if time <= nearest else self.younger(time)

    def older(self, time: int) -> int:
        """The latest time, at most this one, that is near no cutoff."""
        while near := self._near(time):
            time = min(near) - MARGIN
        return time

    def younger(self, time: int) -> int:
        """The earliest time, at least this one, that is near no cutoff."""
        while near := self._near(time):
            time = max(near) + MARGIN
        return time

    def _near(self, time: int) -> list[int]:
        return [cutoff for cutoff in self.instants if abs(time - cutoff) < MARGIN]


def kept_apart(case: Case) -> Case:
    """The case with its times apart from every cutoff: clocks are set so that no cutoff is near a step before, and
    what the table and the steps contain is made older or younger. A case whose times are apart stays as it is.
    """
    steps, cutoffs = _with_clocks_apart(case)
    return Case(_table(case.table, cutoffs), tuple(_contents(step, cutoffs) for step in steps))


def _with_clocks_apart(case: Case) -> tuple[list[Step], Cutoffs]:
    """The steps with their clock settings apart from the earlier ones by every retention, and all cutoffs of the case."""
    steps: list[Step] = []
    clocks: list[int] = []  # at each step
    settings, cutoffs = {0}, set[int]()
    clock = 0
    retentions = _retentions(case)
    for index, step in enumerate(case.steps):
        if isinstance(step, SetClock):
            by_step = step.to.removed_by_step
            wanted = step.to.offset + (0 if by_step is None else clocks[by_step])
            ahead = _until_next_setting(case.steps, retentions, index + 1)
            clock = _clock(max(wanted, clock), clock, settings, ahead)
            settings.add(clock)
            step = SetClock(Moment(clock))
        cutoffs.update(clock - retention for retention in retentions[index])
        steps.append(step)
        clocks.append(clock)
    return steps, Cutoffs(frozenset(cutoffs))


def _clock(wanted: int, before: int, settings: Iterable[int], retentions: frozenset[int]) -> int:
    """The setting nearest to the wanted one at which no cutoff by these retentions is near what earlier steps made."""
    occupied = Cutoffs(frozenset(time + retention for time in settings for retention in retentions))
    apart = occupied.apart(wanted)
    return apart if apart >= before else occupied.younger(wanted)


def _until_next_setting(steps: tuple[Step, ...], retentions: list[frozenset[int]], first: int) -> frozenset[int]:
    """The retentions of the steps from ``first`` on, up to the next setting of the clock."""
    found: frozenset[int] = frozenset()
    for step, of_step in zip(steps[first:], retentions[first:]):
        if isinstance(step, SetClock):
            break
        found |= of_step
    return found


def _retentions(case: Case) -> list[frozenset[int]]:
    """How long before the clock each step has cutoffs, in ms: by the retention of the table then, and by each that the log has
    had, as a RESTORE may bring one back."""
    found, of_log = [], {DEFAULT_LOG_RETENTION}
    for step, table in zip(case.steps, definitions(case.table, case.steps)):
        if isinstance(step, OtherCommand) and isinstance(step.command, SetRetention) and step.command.of_log:
            of_log.add(step.command.hours * HOUR)
        of_step = set(of_log) if isinstance(step, (Delete, Insert, Vacuum, OtherCommand)) else set()
        if isinstance(step, Vacuum):
            of_step.add(table.retention if step.retain_hours is None else whole_hours(step.retain_hours))
        found.append(frozenset(of_step))
    return found


def _table(table: Table, cutoffs: Cutoffs) -> Table:
    return replace(
        table,
        files=_files(table.files, cutoffs),
        commits=_commits(table.commits, cutoffs),
        stray_files=_strays(table.stray_files, cutoffs),
    )


def _commits(commits: tuple[Commit, ...], cutoffs: Cutoffs) -> tuple[Commit, ...]:
    """Each commit stays before the next."""
    found: list[Commit] = []
    for commit in reversed(commits):
        at = cutoffs.apart(commit.at)
        if found and at >= found[-1].at:
            at = cutoffs.older(found[-1].at - 1)
        removes = tuple(
            removal if removal.deleted is None else replace(removal, deleted=cutoffs.apart(removal.deleted))
            for removal in commit.removes
        )
        vectors = tuple(replace(vector, deleted=cutoffs.apart(vector.deleted)) for vector in commit.deletion_vectors)
        found.append(replace(commit, at=at, removes=removes, deletion_vectors=vectors))
    return tuple(reversed(found))


def _contents(step: Step, cutoffs: Cutoffs) -> Step:
    if isinstance(step, Append):
        return Append(_files(step.files, cutoffs))
    return AddStrayFiles(_strays(step.stray_files, cutoffs)) if isinstance(step, AddStrayFiles) else step


def _files(files: Iterable[DataFile], cutoffs: Cutoffs) -> tuple[DataFile, ...]:
    return tuple(replace(file, modified=cutoffs.apart(file.modified)) for file in files)


def _strays(strays: Iterable[StrayFile], cutoffs: Cutoffs) -> tuple[StrayFile, ...]:
    return tuple(replace(stray, modified=cutoffs.apart(stray.modified)) for stray in strays)
