"""Whole cases of VACUUM, one strategy for each campaign: what lies in a table and beside it, and what its log says."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.case import Case
from model.steps import Delete, Mode, Moment, Read, SetClock, Step, Vacuum, VacuumForm
from model.table import DAY, HOUR, Feature, Table
from strategies.clocks import LATER, clocks, stamped_clocks
from strategies.outside_root import links, links_to_directories, neighbours
from strategies.predicates import picks
from strategies.programs import deletes
from strategies.stray_files import littered, stray_files
from strategies.tables import RETENTIONS
from strategies.vacuum_steps import LISTED_MODES, LITE_MODES, vacuums
from strategies.vacuum_tables import (
    LONG_RETENTIONS,
    MANY_FILES,
    OFTEN_REMOVED,
    SELDOM_REMOVED,
    aged,
    checkpointed,
    featured_tables,
    just_committed,
    loosely_removed,
    milliseconds,
    orphan_vectors,
    recent,
    referred,
    stored,
    vacuumables,
)
from strategies.weights import odds, one_in, weighted

_FORMS = odds((len(VacuumForm) - 2, VacuumForm.SQL_PATH), *((1, form) for form in VacuumForm))
_LOGGING: SearchStrategy[bool | None] = odds((6, True), (1, False), (1, None))


# Retentions, strays ---------------------------------------------------------------------------------------------------


@st.composite
def vacuum_retentions(draw: DrawFn) -> Case:
    """VACUUMs of tables with many tombstones whose ages gather around the cutoff, and a few strays.

    The clock is set, then come a dry run, two or three real runs, a read. Two in five begin with a DELETE: one sets the clock so
    that the cutoff falls on its stamp, or 1 ms beside it; the other goes on with a VACUUM and a read of the version before
    the DELETE, which is inside retention. That is 4 to 7 engine steps. Shrinks to no DELETE and to a clock that stands
    at the start.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    shape = draw(odds((3, "ages"), (1, "stamped"), (1, "recent")))
    if shape == "recent":
        table = just_committed(draw(vacuumables(retention=retention, removed=SELDOM_REMOVED, most_strays=3)))
        return Case(table=table, steps=(draw(deletes(table)), Vacuum(), Read(), Read(before_step=0)))
    if shape == "stamped":
        table = draw(vacuumables(retention=retention, removed=SELDOM_REMOVED, most_strays=3))
        stamped = draw(stamped_clocks(retention=table.retention, removed_by_step=0))
        steps = (draw(deletes(table)), stamped, *draw(_runs()), Read(before_step=0))
        return Case(table=table, steps=steps)
    return draw(_listed(retention=retention, most_strays=3))


@st.composite
def vacuum_stray_files(draw: DrawFn) -> Case:
    """VACUUMs of tables with 8 to 16 strays of all kinds, depths and ages, some tombstones, and at times neighbours.

    The clock is set, then come a dry run, two or three real runs, a read: 4 to 6 engine steps. Shrinks to plain, old strays.
    """
    return draw(_listed(retention=draw(st.sampled_from(RETENTIONS)), least_strays=8, most_strays=16, beside=True))


@st.composite
def _listed(
    draw: DrawFn, *, retention: int | None, least_strays: int = 0, most_strays: int, beside: bool = False
) -> Case:
    # Up to the retention: beyond it all that lies before the start is old.
    longest = milliseconds(retention)
    advance = draw(st.sampled_from([min(step, longest) for step in (0, 1, HOUR, DAY, longest)]))
    table = draw(vacuumables(retention=retention, advance=advance, least_strays=least_strays, most_strays=most_strays))
    if beside:
        table = draw(_surrounded(table, cutoff_age=longest - advance))
    # The ages gather around the cutoff after this advance; any instant of the table may be the one that is met instead.
    clock = draw(weighted((1, st.just(SetClock(Moment(advance)))), (1, clocks(table, retention=table.retention))))
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    steps += draw(_runs())
    if draw(one_in(3)):
        steps.append(Read(before_step=draw(st.integers(0, len(steps) - 1))))
    return Case(table=table, steps=tuple(steps))


@st.composite
def _surrounded(draw: DrawFn, table: Table, *, cutoff_age: int) -> Table:
    """One in three with something beside it, one in three with symbolic links."""
    if draw(one_in(3)):
        table = draw(littered(table, neighbours(cutoff_age=cutoff_age)))
    return draw(littered(table, links(table, cutoff_age=cutoff_age))) if draw(one_in(3)) else table


@st.composite
def _runs(draw: DrawFn) -> list[Step]:
    """A dry run, two or three real ones of a listing, and a read; one in four does not log, or leaves it unset.

    Half of the real ones without a keyword are said in another form than SQL by path.
    """
    logging = draw(_LOGGING)
    modes = [draw(LISTED_MODES) for _ in range(draw(odds((3, 3), (1, 2))))]
    dry = Vacuum(dry_run=True, logging=logging, mode=modes[0])
    forms = [draw(_FORMS) if mode is Mode.DEFAULT else VacuumForm.SQL_PATH for mode in modes]
    return [dry, *(Vacuum(logging=logging, mode=mode, form=form) for mode, form in zip(modes, forms)), Read()]


# Vectors, URIs, what lies beside ---------------------------------------------------------------------------------------


@st.composite
def vacuum_vectors(draw: DrawFn) -> Case:
    """VACUUMs of tables with deletion vectors, files named by URI, files and directories beside the root, and links.

    Each table has vectors or URIs, most have both. A dry run, a real one (three in five by LITE), a listing, and a read: 4
    engine steps. In three of eleven vectors are named by absolute paths, in four a link leads to a directory: Spark
    loses files there, so the case ends with the first real run. Shrinks to vectors in the root.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    advance = draw(st.sampled_from([min(step, milliseconds(retention)) for step in (0, HOUR)]))
    age = milliseconds(retention) - advance
    lossy = draw(odds((4, None), (4, "links"), (3, "absolute")))
    absolute = lossy == "absolute"
    vectors, uris = (True, False) if absolute else draw(odds((2, (True, True)), (1, (True, False)), (1, (False, True))))
    table = draw(
        featured_tables(
            retention=retention,
            cutoff_age=age,
            vectors=vectors,
            file_counts=MANY_FILES,
            removed=SELDOM_REMOVED if lossy else OFTEN_REMOVED,
        )
    )
    table = draw(stored(draw(aged(table, cutoff_age=age)), absolute=absolute))
    if uris:
        table = draw(referred(table))
    if vectors:
        table = draw(littered(table, orphan_vectors(cutoff_age=age)))
    flat = draw(st.booleans())
    table = draw(littered(table, stray_files(table, cutoff_age=age, max_size=4, flat=flat)))
    table = draw(_surrounded(table, cutoff_age=age))
    behind = draw(links_to_directories(table, cutoff_age=age)) if lossy == "links" else ()
    table = replace(table, stray_files=table.stray_files + behind)
    mode = draw(LISTED_MODES if lossy else odds((3, Mode.LITE), (1, Mode.DEFAULT), (1, Mode.FULL)))
    # Later, all tombstones are expired, and what is live is old.
    at, later = st.just(SetClock(Moment(advance))), st.just(SetClock(Moment(table.retention + DAY)))
    any_time = clocks(table, retention=table.retention)
    clock = draw(
        weighted((3, later), (2, at), (1, any_time)) if mode.lite else weighted((4, at), (1, later), (1, any_time))
    )
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    steps.append(draw(vacuums(mode=mode, dry_run=True)))
    if absolute or behind:
        return Case(table=table, steps=(*steps, draw(vacuums(mode=mode))))
    return Case(table=table, steps=(*steps, draw(vacuums(mode=mode)), draw(vacuums()), Read()))


# Histories --------------------------------------------------------------------------------------------------------------


@st.composite
def vacuum_histories(draw: DrawFn) -> Case:
    """VACUUMs of tables with checkpoints of all kinds, pruned logs, and removes that say little. 3 to 6 engine steps.

    Three in nine read the version before a DELETE, which is inside retention, after a VACUUM; four read it once it is
    outside. Two of three tables have vectors, two of three make a checkpoint at every other version, half keep checksums,
    half the change data feed; a third have checkpoints of the second kind; in a quarter the pointer to the last one is broken;
    a quarter ask that VACUUM checks the protocol. Shrinks to one checkpoint.
    """
    retention = draw(LONG_RETENTIONS)
    age = milliseconds(retention)
    chosen = [Feature.CHECKSUMS] if draw(st.booleans()) else []
    chosen += [Feature.V2_CHECKPOINTS] if draw(one_in(3)) else []
    chosen += [Feature.FREQUENT_CHECKPOINTS] if draw(odds((2, True), (1, False))) else []
    chosen += [Feature.CHANGE_DATA_FEED] if draw(st.booleans()) else []
    chosen += [Feature.BROKEN_LAST_CHECKPOINT] if draw(one_in(4)) else []
    chosen += [Feature.VACUUM_PROTOCOL_CHECK] if draw(one_in(4)) else []
    vectors = draw(odds((2, True), (1, False)))
    table = draw(
        featured_tables(
            retention=retention, cutoff_age=age, features=tuple(chosen), vectors=vectors, file_counts=MANY_FILES
        )
    )
    history = draw(odds((4, "expired"), (3, "past"), (2, "plain")))
    table = recent(table) if history == "past" else draw(aged(table, cutoff_age=age))
    table = draw(checkpointed(draw(loosely_removed(draw(stored(table, absolute=False))))))
    table = draw(littered(table, stray_files(table, cutoff_age=age, max_size=3)))
    if history == "plain":
        clock = draw(clocks(table, retention=table.retention))
        modes = [Mode.DEFAULT, Mode.DEFAULT] if table.pruned else [draw(LITE_MODES), Mode.DEFAULT]
        runs = [draw(vacuums(dry_run=True, mode=modes[0])), *(draw(vacuums(mode=mode)) for mode in modes)]
        return Case(table=table, steps=(clock, *runs, Read()))
    steps: list[Step] = [Delete(draw(picks(table))), draw(vacuums())]
    if history == "expired":
        steps += [SetClock(Moment(age + LATER)), draw(vacuums())]
    return Case(table=table, steps=(*steps, Read(before_step=0), Read()))
