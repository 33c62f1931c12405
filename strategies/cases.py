"""Whole cases, one strategy for each campaign. Short, as every engine step costs about a second, and dense."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.case import Case
from model.steps import Delete, Moment, Read, SetClock, Step, Vacuum
from model.table import DAY, DEFAULT_RETENTION, HOUR, SECOND, Table
from strategies import programs as _programs
from strategies.clocks import clocks, stamped_clocks
from strategies.predicates import predicates
from strategies.programs import deletes
from strategies.strays import littered, strays
from strategies.tables import RETENTIONS, tables
from strategies.weights import odds, one_in, weighted

#: Which of the features that change DELETE a table has.
FEATURE_SETS = ((), ("deletionVectors",), ("changeDataFeed",), ("deletionVectors", "changeDataFeed"))

#: RETAIN's hours, and whether the safety check is on. 0.4 and 0.5 fall on both sides of the rounding (facts 1.1).
RETAIN_FORMS: tuple[tuple[float | None, bool], ...] = (
    (None, True),
    (0, True),
    (0, False),
    (0, True),
    (0, False),
    (0.4, True),
    (0.4, False),
    (0.5, False),
    (1, True),
    (1, False),
    (100000, True),
    (-1, True),
)

_MOSTLY_PARTITIONED = odds((2, 1), (1, 2), (1, 0), (1, 3))
_PARTITIONED = odds((3, 1), (2, 2), (1, 3))
_SEVERAL_FILES = odds((1, 2), (2, 3), (3, 4), (3, 5), (2, 6))
_OFTEN_REMOVED = odds((1, False), (2, True))
_EVENLY_REMOVED = st.booleans()
_SELDOM_REMOVED = one_in(4)


@st.composite
def partition_deletes(draw: DrawFn, *, features: tuple[tuple[str, ...], ...] = FEATURE_SETS) -> Case:
    """Metadata-only DELETEs on partitioned tables of every feature set: one or two, each followed by a read.

    Predicates are over partition columns; some are constants or absent. Two in five end with a read of the version
    before one of the DELETEs. 2 to 5 engine steps. Shrinks to one DELETE on a table without features.
    """
    table = draw(
        tables(
            partition_counts=_PARTITIONED,
            file_counts=_SEVERAL_FILES,
            removed=_SELDOM_REMOVED,
            features=st.sampled_from(features),
        )
    )
    return draw(_deletes_and_reads(table, deletes(table, metadata_only=True)))


@st.composite
def row_deletes(draw: DrawFn) -> Case:
    """DELETEs that must look into files, on tables without features: one or two, each followed by a read.

    Predicates are over data columns, on partitioned tables two in three joined with partition conditions. Two in five end
    with a read of the version before one of the DELETEs. 2 to 5 engine steps. Shrinks to one DELETE of one test.
    """
    table = draw(tables(partition_counts=_MOSTLY_PARTITIONED, removed=_SELDOM_REMOVED))
    over_data = predicates(table, over="data")
    mixed = predicates(table, over="mixed") if table.partition_by else over_data
    return draw(_deletes_and_reads(table, weighted((1, over_data), (2, mixed)).map(Delete)))


@st.composite
def _deletes_and_reads(draw: DrawFn, table: Table, deletes: SearchStrategy[Delete]) -> Case:
    count = draw(odds((2, 1), (1, 2)))
    steps: list[Step] = []
    for _ in range(count):
        steps += [draw(deletes), Read()]
    if draw(odds((3, False), (2, True))):
        steps.append(Read(before_step=2 * draw(st.integers(0, count - 1))))
        # Most of the versions that are read are such that they may be: inside retention.
        table = draw(odds((3, _just_committed(table)), (1, table)))
    return Case(table=table, steps=tuple(steps))


@st.composite
def vacuum_retentions(draw: DrawFn) -> Case:
    """VACUUMs of tables with many tombstones whose ages gather around the cutoff, and a few strays.

    The clock is set, then come a dry run, two real runs, a read. Half of the cases begin with a DELETE: one sets the
    clock so that the cutoff falls on its stamp, or 1 ms beside it; the other goes on with a VACUUM and a read of the
    version before the DELETE, which is inside retention. That is 4 to 7 engine steps. Shrinks to no DELETE and to a
    clock that stands at the start.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    shape = draw(odds((4, "ages"), (2, "stamped"), (2, "recent")))
    if shape == "recent":
        table = _just_committed(draw(_vacuumable(retention=retention, removed=_SELDOM_REMOVED, most_strays=3)))
        return Case(table=table, steps=(draw(deletes(table)), Vacuum(), Read(), Read(before_step=0)))
    if shape == "stamped":
        table = draw(_vacuumable(retention=retention, removed=_SELDOM_REMOVED, most_strays=3))
        stamped = draw(stamped_clocks(retention=table.retention, removed_by_step=0))
        steps = (draw(deletes(table)), stamped, *draw(_vacuums()), Read(before_step=0))
        return Case(table=table, steps=steps)
    return draw(_vacuum_cases(retention=retention, most_strays=3))


def _just_committed(table: Table) -> Table:
    """The table with all its commits in the last seconds before the start: every version is inside retention."""
    count = len(table.commits)
    commits = tuple(replace(commit, at=(version - count) * SECOND) for version, commit in enumerate(table.commits))
    return replace(table, commits=commits)


@st.composite
def vacuum_strays(draw: DrawFn) -> Case:
    """VACUUMs of tables with 8 to 14 strays of all kinds, depths and ages, and some tombstones.

    The clock is set, then come a dry run, two real runs, a read: 4 to 6 engine steps. Shrinks to plain, old strays.
    """
    return draw(_vacuum_cases(retention=draw(st.sampled_from(RETENTIONS)), least_strays=8, most_strays=14))


@st.composite
def _vacuum_cases(draw: DrawFn, *, retention: int | None, least_strays: int = 0, most_strays: int) -> Case:
    # Up to the retention: beyond it all that lies before the start is old.
    longest = _milliseconds(retention)
    advance = draw(st.sampled_from([min(step, longest) for step in (0, 1, HOUR, DAY, longest)]))
    table = draw(_vacuumable(retention=retention, advance=advance, least_strays=least_strays, most_strays=most_strays))
    # The ages gather around the cutoff after this advance; any instant of the table may be the one that is met instead.
    clock = draw(weighted((1, st.just(SetClock(Moment(advance)))), (1, clocks(table, retention=table.retention))))
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    steps += draw(_vacuums())
    if draw(one_in(3)):
        steps.append(Read(before_step=draw(st.integers(0, len(steps) - 1))))
    return Case(table=table, steps=tuple(steps))


@st.composite
def vacuumable_tables(draw: DrawFn) -> Table:
    """Tables of any retention, with tombstones and up to four strays, their ages around the cutoff at the start.

    About half of the files are removed. Shrinks to one file and no stray.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    return draw(_vacuumable(retention=retention, removed=_EVENLY_REMOVED, most_strays=4))


@st.composite
def _vacuumable(
    draw: DrawFn,
    *,
    retention: int | None,
    advance: int = 0,
    removed: SearchStrategy[bool] = _OFTEN_REMOVED,
    least_strays: int = 0,
    most_strays: int,
) -> Table:
    """A table with tombstones and strays, their ages around the cutoff of a clock ``advance`` ms after the start."""
    age = _milliseconds(retention) - advance
    table = draw(
        tables(
            cutoff_age=age, file_counts=_SEVERAL_FILES, removed=removed, min_commits=2, retentions=st.just(retention)
        )
    )
    return draw(littered(table, strays(table, cutoff_age=age, min_size=least_strays, max_size=most_strays)))


def _milliseconds(retention_hours: int | None) -> int:
    return DEFAULT_RETENTION if retention_hours is None else retention_hours * HOUR


@st.composite
def _vacuums(draw: DrawFn) -> list[Step]:
    """A dry run, two or three real ones, and a read; one time in four without records in the log."""
    logging = draw(odds((3, True), (1, False)))
    dry, real = Vacuum(dry_run=True, logging=logging), Vacuum(logging=logging)
    again = draw(odds((1, [real, real]), (1, [real, real, real])))
    return [dry, *again, Read()]


@st.composite
def vacuum_commands(draw: DrawFn) -> Case:
    """VACUUM's forms: two values of RETAIN, each with a dry run before the real one, then a read. 5 engine steps.

    Refused ones and allowed ones alike; logging on or off; tables of any retention, 0 hours too. Shrinks to no RETAIN.
    """
    retention = draw(st.sampled_from((*RETENTIONS, 0)))
    table = draw(_vacuumable(retention=retention, least_strays=1, most_strays=5))
    steps: list[Step] = []
    for _ in range(2):
        hours, safety_check = draw(st.sampled_from(RETAIN_FORMS))
        logging = draw(odds((2, True), (1, False)))
        for dry_run in (True, False):
            steps.append(Vacuum(retain_hours=hours, dry_run=dry_run, safety_check=safety_check, logging=logging))
    return Case(table=table, steps=(*steps, Read()))


@st.composite
def programs(draw: DrawFn, *, length: int = 7, engine_steps: int = 6) -> Case:
    """A program of ``length`` operations, at most ``engine_steps`` of them run by the engine, on a table with strays.

    See ``strategies.programs.programs``. Tables are without features. Shrinks operation by operation.
    """
    table = draw(vacuumable_tables())
    steps = draw(_programs.programs(table, length=length, engine_steps=engine_steps))
    return Case(table=table, steps=steps)
