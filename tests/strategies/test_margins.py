"""Cases for an engine that runs by the machine's clock: no time lies near a cutoff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.capabilities import NEWEST
from harness.campaigns.batch_runner import BatchRunner
from harness.campaigns.campaign import Batch
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.commands import SetRetention
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import AddStrayFiles, Append, Delete, Moment, OtherCommand, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, HOUR, WEEK, Commit, Removal, StrayFile
from records.run import RecordedCase
from reference_engine import ReferenceEngine
from strategies.restriction.capabilities import restricted_to
from strategies.restriction.margins import kept_apart
from suites.campaigns import EXPLORATION
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES
from tests.drawn_cases import drawn_by
from tests.handmade.steps import PARTITIONED


def clocks(case: Case) -> list[int]:
    """The clock at each step, of a case whose clock settings name no step."""
    found, clock = [], 0
    for step in case.steps:
        if isinstance(step, SetClock):
            assert step.to.removed_by_step is None
            clock = step.to.offset
        found.append(clock)
    return found


def times(case: Case, steps: tuple[Step, ...]) -> Iterator[int]:
    """Every time in the table and in these steps."""
    for commit in case.table.commits:
        yield commit.at
        yield from (removal.deleted for removal in commit.removes if removal.deleted is not None)
        yield from (vector.deleted for vector in commit.deletion_vectors)
    yield from (file.modified for file in case.table.files)
    yield from (stray.modified for stray in case.table.stray_files)
    for step in steps:
        if isinstance(step, Append):
            yield from (file.modified for file in step.files)
        if isinstance(step, AddStrayFiles):
            yield from (stray.modified for stray in step.stray_files)


@pytest.mark.parametrize("name", ["vacuum_retentions", "vacuum_histories", "vacuum_old_versions", "programs"])
def test_no_time_is_near_a_cutoff(name: str) -> None:
    for case in drawn_by(name, 4):
        case = restricted_to(case, capabilities=NEWEST)
        at = clocks(case)
        assert at == sorted(at), "the clock never goes back"
        for index, step in enumerate(case.steps):
            if not isinstance(step, Vacuum):
                continue
            retention = case.table.retention if step.retain_hours is None else int(step.retain_hours) * HOUR
            cutoff = at[index] - retention
            made = {clock for clock in at[:index] if clock != at[index]}
            near = [time for time in {*times(case, case.steps), *made} if abs(time - cutoff) < HOUR]
            assert not near, f"step {index}: the cutoff {cutoff} is near {near}"


def vacuumed(at: int, *steps: Step, retention_hours: int | None = None) -> Case:
    """A case with a tombstone and a stray file of this time, and these steps."""
    last = PARTITIONED.commits[-1]
    gone = next(iter(PARTITIONED.commits[0].adds))
    commit = replace(last, at=last.at + 1, adds=(), removes=(Removal(gone, at),), deletion_vectors=(), checkpoint=False)
    table = replace(
        PARTITIONED,
        commits=(*PARTITIONED.commits, commit),
        stray_files=(StrayFile("stray", modified=at),),
        retention_hours=retention_hours,
    )
    return Case(table, steps)


@pytest.mark.parametrize(
    ("edge", "moved"), [(-1, -HOUR), (0, -HOUR), (1, HOUR), (HOUR, HOUR), (-HOUR, -HOUR), (3 * HOUR, 3 * HOUR)]
)
def test_a_time_stays_on_its_side_of_the_cutoff(edge: int, moved: int) -> None:
    case = kept_apart(vacuumed(-WEEK + edge, Vacuum()))
    assert case.table.commits[-1].removes[0].deleted == case.table.stray_files[0].modified == -WEEK + moved


def test_a_clock_is_set_apart_from_what_an_earlier_step_made() -> None:
    for edge, moved in ((-1, -HOUR), (0, -HOUR), (1, HOUR), (2 * HOUR, 2 * HOUR)):
        steps = (SetClock(Moment(DAY)), Delete(), SetClock(Moment(WEEK + edge, removed_by_step=1)), Vacuum())
        assert kept_apart(Case(PARTITIONED, steps)).steps[2] == SetClock(Moment(DAY + WEEK + moved))


def test_a_clock_never_goes_back() -> None:
    steps = (Delete(), SetClock(Moment(1)), Vacuum(retain_hours=0))
    assert kept_apart(Case(PARTITIONED, steps)).steps[1] == SetClock(Moment(HOUR))


def test_a_retention_counts_from_the_command_that_sets_it() -> None:
    shorter = OtherCommand(SetRetention(24))
    for at, moved in ((-DAY, -DAY - HOUR), (-WEEK, -WEEK)):
        assert kept_apart(vacuumed(at, shorter, Vacuum())).table.stray_files[0].modified == moved
    shorter = OtherCommand(SetRetention(48, of_log=True))
    for steps, moved in (
        ((shorter, Delete()), -2 * DAY - HOUR),
        ((Delete(), shorter), -2 * DAY - HOUR),
        ((), -2 * DAY),
    ):
        assert kept_apart(vacuumed(-2 * DAY, *steps)).table.stray_files[0].modified == moved


def test_commits_stay_in_their_order() -> None:
    commits = tuple(Commit(number - 2, adds=(number,)) for number in range(3))
    case = kept_apart(Case(replace(PARTITIONED, commits=commits), (Vacuum(retain_hours=0),)))
    assert [commit.at for commit in case.table.commits] == [-HOUR - 2, -HOUR - 1, -HOUR]


@pytest.mark.long
def test_the_state_machine_judges_whole_cases_on_such_an_engine(tmp_path: Path) -> None:
    lines: list[RecordedCase] = []
    engine = ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST, version="1.6.6")
    clauses = [clause for id, clause in CATALOGUE.items() if id not in unsupported(engine)]
    runner = BatchRunner(
        Batch(EXPLORATION, 0, 8),
        Judge(engine, clauses, tmp_path),
        emit=lines.append,
        claim=lambda *what: True,
        capabilities=NEWEST,
    )
    runner.run(profile=PROFILES["nightly"], seed=3, database=tmp_path / "examples")
    assert len(lines) >= 5 and not any(line.violations or line.error for line in lines)
    for line in lines:
        case = line.case
        assert restricted_to(case, capabilities=NEWEST) == case
