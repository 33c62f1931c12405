"""Cases of VACUUM, a strategy for each campaign: files in a table and beside it, and the history in its log."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, Mode, Moment, Read, ReadChanges, SetClock, Step, Vacuum, VacuumForm
from model.vocabulary.table import DAY, HOUR, Feature, Table
from strategies.conditions.predicates import picks
from strategies.steps.clocks import LATER, clocks, stamped_clocks
from strategies.steps.operations import deletes
from strategies.steps.vacuums import LISTED_MODES, LITE_MODES, keeping, vacuums
from strategies.tables.initial_tables import RETENTIONS
from strategies.tables.outside_root import links, links_to_directories, neighbours
from strategies.tables.stray_files import stray_files, with_stray_files
from strategies.tables.vacuum_tables import (
    LONG_RETENTIONS,
    MANY_FILES,
    OFTEN_REMOVED,
    SELDOM_REMOVED,
    aged,
    checkpointed,
    featured_tables,
    incomplete_removes,
    just_committed,
    milliseconds,
    orphan_vectors,
    recent,
    referenced_by_uri,
    stored,
    vacuumables,
    with_relative_vectors,
)
from strategies.weights import odds, one_in, weighted

_FORMS = odds((len(VacuumForm) - 2, VacuumForm.SQL_PATH), *((1, form) for form in VacuumForm))
_LOGGING: SearchStrategy[bool | None] = odds((6, True), (1, False), (1, None))


# Retentions, stray files ---------------------------------------------------------------------------------------------------


@st.composite
def vacuum_retentions(draw: DrawFn) -> Case:
    """VACUUMs of tables with many tombstones, their ages around the cutoff, and a few stray files. 4 to 7 engine steps.

    - Ages (three in five): the clock is set, then a dry run, two or three real runs, and a read.
    - Stamped: a DELETE, the clock with the cutoff on the DELETE's timestamp or 1 ms beside it, the same runs, a read.
    - Recent: a DELETE, a VACUUM, and a read of the version before the DELETE, which is inside retention.

    Shrinks to ages, without a clock.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    shape = draw(odds((3, "ages"), (1, "stamped"), (1, "recent")))
    if shape == "recent":
        table = just_committed(draw(vacuumables(retention=retention, removed=SELDOM_REMOVED, max_stray_files=3)))
        return Case(table=table, steps=(draw(deletes(table)), Vacuum(), Read(), Read(before_step=0)))
    if shape == "stamped":
        table = draw(vacuumables(retention=retention, removed=SELDOM_REMOVED, max_stray_files=3))
        stamped = draw(stamped_clocks(retention=table.retention, removed_by_step=0))
        steps = (draw(deletes(table)), stamped, *draw(_runs()), Read(before_step=0))
        return Case(table=table, steps=steps)
    return draw(_runs_at_a_cutoff(retention=retention, max_stray_files=3))


@st.composite
def vacuum_stray_files(draw: DrawFn) -> Case:
    """VACUUMs of tables with 8 to 16 stray files of all kinds, depths and ages, and some tombstones.

    The clock is set, then a dry run, two or three real runs, and a read: 4 to 6 engine steps. A third have files beside
    the root, a third links. Shrinks to plain, old files.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    return draw(_runs_at_a_cutoff(retention=retention, min_stray_files=8, max_stray_files=16, outside=True))


@st.composite
def _runs_at_a_cutoff(
    draw: DrawFn, *, retention: float | None, min_stray_files: int = 0, max_stray_files: int, outside: bool = False
) -> Case:
    # At most the retention: with a later clock everything from before the start is old.
    longest = milliseconds(retention)
    advance = draw(st.sampled_from([min(step, longest) for step in (0, 1, HOUR, DAY, longest)]))
    table = draw(
        vacuumables(
            retention=retention, advance=advance, min_stray_files=min_stray_files, max_stray_files=max_stray_files
        )
    )
    if outside:
        table = draw(_with_files_outside(table, cutoff_age=longest - advance))
    # Ages gather around the cutoff of this advance; half of the clocks use any other instant of the table instead.
    clock = draw(weighted((1, st.just(SetClock(Moment(advance)))), (1, clocks(table, retention=table.retention))))
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    steps += draw(_runs())
    if draw(one_in(3)):
        steps.append(Read(before_step=draw(st.integers(0, len(steps) - 1))))
    return Case(table=table, steps=tuple(steps))


@st.composite
def _with_files_outside(draw: DrawFn, table: Table, *, cutoff_age: int) -> Table:
    """The table, one in three with directories beside the root, one in three with symbolic links."""
    if draw(one_in(3)):
        table = draw(with_stray_files(table, neighbours(cutoff_age=cutoff_age)))
    return draw(with_stray_files(table, links(table, cutoff_age=cutoff_age))) if draw(one_in(3)) else table


@st.composite
def _runs(draw: DrawFn) -> list[Step]:
    """A dry run, two or three real runs that list the directory, and a read. A quarter disable logging or leave it unset.

    Half of the real runs without a keyword use another form than SQL by path.
    """
    logging = draw(_LOGGING)
    modes = [draw(LISTED_MODES) for _ in range(draw(odds((3, 3), (1, 2))))]
    dry = Vacuum(dry_run=True, logging=logging, mode=modes[0])
    forms = [draw(_FORMS) if mode is Mode.DEFAULT else VacuumForm.SQL_PATH for mode in modes]
    return [dry, *(Vacuum(logging=logging, mode=mode, form=form) for mode, form in zip(modes, forms)), Read()]


# Deletion vectors, URIs, files outside ---------------------------------------------------------------------------------------


@st.composite
def vacuum_vectors(draw: DrawFn) -> Case:
    """VACUUMs of tables with deletion vectors, files referenced by URI, files beside the root, and links.

    Each table has vectors or URIs, most have both. A dry run, a real run (three in five LITE), another without a keyword,
    and a read: 4 engine steps. Three in eleven have vectors with absolute paths, four a link to a directory: Spark loses
    files there, so these cases end with the first real run. Shrinks to vectors in the root.
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
        table = draw(referenced_by_uri(table))
    if vectors:
        table = draw(with_stray_files(table, orphan_vectors(cutoff_age=age)))
    flat = draw(st.booleans())
    table = draw(with_stray_files(table, stray_files(table, cutoff_age=age, max_size=4, flat=flat)))
    table = draw(_with_files_outside(table, cutoff_age=age))
    linked = draw(links_to_directories(table, cutoff_age=age)) if lossy == "links" else ()
    table = replace(table, stray_files=table.stray_files + linked)
    mode = draw(LISTED_MODES if lossy else odds((3, Mode.LITE), (1, Mode.DEFAULT), (1, Mode.FULL)))
    # At ``later`` all tombstones are expired, and all live files are old.
    at, later = st.just(SetClock(Moment(advance))), st.just(SetClock(Moment(table.retention + DAY)))
    any_time = clocks(table, retention=table.retention)
    clock = draw(
        weighted((3, later), (2, at), (1, any_time)) if mode.lite else weighted((4, at), (1, later), (1, any_time))
    )
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    steps.append(draw(vacuums(mode=mode, dry_run=True)))
    if absolute or linked:
        return Case(table=table, steps=(*steps, draw(vacuums(mode=mode))))
    return Case(table=table, steps=(*steps, draw(vacuums(mode=mode)), draw(vacuums()), Read()))


# Histories --------------------------------------------------------------------------------------------------------------


@st.composite
def vacuum_histories(draw: DrawFn) -> Case:
    """VACUUMs of tables with checkpoints of all kinds, pruned logs, and removes without optional fields. 4 or 5 engine steps.

    Three in nine cases read the version before a DELETE while it is inside retention, four once it is outside; a third of the
    VACUUMs before these, where the log has all versions, are asked to keep some. Of the tables two in three have vectors, two
    in three frequent checkpoints, half checksums, half the change data feed, a third v2 checkpoints, a quarter a broken
    ``_last_checkpoint``, a quarter the VACUUM protocol check. Shrinks to one checkpoint.
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
    table = draw(checkpointed(draw(incomplete_removes(draw(stored(table, absolute=False))))))
    table = draw(with_stray_files(table, stray_files(table, cutoff_age=age, max_size=3)))
    if history == "plain":
        clock = draw(clocks(table, retention=table.retention))
        modes = [Mode.DEFAULT, Mode.DEFAULT] if table.pruned else [draw(LITE_MODES), Mode.DEFAULT]
        runs = [draw(vacuums(dry_run=True, mode=modes[0])), *(draw(vacuums(mode=mode)) for mode in modes)]
        return Case(table=table, steps=(clock, *runs, Read()))
    steps: list[Step] = [Delete(draw(picks(table))), draw(vacuums())]
    if history == "expired":
        later = draw(vacuums())
        keeps = not table.pruned and draw(one_in(3))
        steps += [SetClock(Moment(age + LATER)), draw(keeping(later)) if keeps else later]
    return Case(table=table, steps=(*steps, Read(before_step=0), Read()))


# Old versions -----------------------------------------------------------------------------------------------------------


@st.composite
def vacuum_old_versions(draw: DrawFn) -> Case:
    """DELETEs, a VACUUM that deletes the files they removed, and reads of the versions before them. 7 to 9 engine steps.

    Two DELETEs, the second mostly of everything or of whole partitions. Three in four VACUUMs have RETAIN 0, so that the versions
    are inside retention, without their files; half of these are asked to keep some versions. The others run when all is
    outside. Then the versions before both DELETEs, and the change feeds of both if the table has it (five in six have); another
    VACUUM, which sees the emptied directories, and a read. A third of the tables have deletion vectors. Shrinks to RETAIN 0.
    """
    retention = draw(LONG_RETENTIONS)
    age = milliseconds(retention)
    features = () if draw(one_in(6)) else (Feature.CHANGE_DATA_FEED,)
    vectors = draw(one_in(3))
    table = draw(
        featured_tables(
            retention=retention,
            cutoff_age=age,
            features=features,
            vectors=vectors,
            file_counts=MANY_FILES,
            removed=SELDOM_REMOVED,
        )
    )
    table = recent(with_relative_vectors(table))
    steps: list[Step] = [Delete(draw(picks(table))), draw(_whole_or_picked(table))]
    if draw(one_in(4)):
        steps += [SetClock(Moment(age + LATER)), draw(vacuums())]
    else:
        now = replace(draw(vacuums()), retain_hours=0, safety_check=False)
        steps.append(draw(keeping(now)) if draw(st.booleans()) else now)
    steps += [Read(before_step=0), Read(before_step=1)]
    if features:
        steps += [ReadChanges(of_step=0), ReadChanges(of_step=1)]
    return Case(table=table, steps=(*steps, draw(vacuums()), Read()))


def _whole_or_picked(table: Table) -> SearchStrategy[Delete]:
    """DELETEs of everything, of whole partitions or of rows of one file."""
    return weighted((4, st.just(Delete())), (2, deletes(table, metadata_only=True)), (1, picks(table).map(Delete)))
