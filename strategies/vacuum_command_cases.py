"""Whole cases of VACUUM, one strategy for each campaign: what it is told, what it runs into, and what it must refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.case import Case
from model.history import live_ids
from model.layout import file_path
from model.predicate import Or
from model.steps import (
    AddStrayFiles,
    Delete,
    InvalidVacuum,
    IOFault,
    Mode,
    Moment,
    Read,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import DAY, HOUR, Feature, Kind, Reference, StrayFile, Table
from model.vacuum import is_visible
from strategies.clocks import LATER, clocks, stamped_clocks
from strategies.paths import Paths, joined
from strategies.predicates import picks
from strategies.programs import deletes
from strategies.tables import RETENTIONS, live_files
from strategies.vacuum_steps import IN_ORDER, LISTED_MODES, LITE_MODES, RETAIN_FORMS, vacuums
from strategies.vacuum_tables import (
    LONG_RETENTIONS,
    MANY_FILES,
    SELDOM_REMOVED,
    TABLE_RETENTIONS,
    aged,
    checkpointed,
    featured_tables,
    milliseconds,
    vacuumables,
)
from strategies.weights import odds, one_in, weighted

_EVENLY = st.booleans()
_SAID_MODES = odds((4, Mode.DEFAULT), (2, Mode.LITE_SETTING), *((1, mode) for mode in Mode))

#: Hidden, and not by the first name of their paths.
_HIDDEN_DEEPER = ("dir/_deeper.parquet", "dir/.deeper/x.parquet", "ab/_deeper/x.parquet")


# Tables and strays for several VACUUMs --------------------------------------------------------------------------------


@st.composite
def _for_all_modes(draw: DrawFn, *, retention: int | None, advance: int = 0) -> Table:
    """A table with many files, commits and strays around the cutoff, such that LITE and inventories work on it.

    One in three has old hidden files that an inventory takes for visible ones (docs/findings.md).
    """
    age = milliseconds(retention) - advance
    deeper = draw(one_in(3))
    table = draw(
        vacuumables(
            retention=retention,
            advance=advance,
            file_counts=MANY_FILES,
            partition_counts=odds((2, 1), (1, 2), (1, 0)),
            least_strays=3,
            most_strays=9,
            flat=True,
            hidden_deeper=deeper,
        )
    )
    if deeper:
        paths = Paths(table)
        hidden = [StrayFile(path, modified=min(-age - DAY, 0)) for path in _HIDDEN_DEEPER]
        table = replace(table, stray_files=table.stray_files + tuple(stray for stray in hidden if paths.admit(stray)))
    return draw(aged(table, cutoff_age=age))


def _with_new_strays(runs: Sequence[Vacuum], *, modified: int) -> list[Step]:
    """Before each VACUUM but the last strays appear, such that it has something to do whatever those before it deleted.

    The last one is for what the one before it left: nothing, mostly.
    """
    steps: list[Step] = []
    for number, run in enumerate(runs[:-1]):
        steps += [AddStrayFiles(_fresh(f"new {number}", modified=min(modified, 0))), run]
    return [*steps, runs[-1]]


def _fresh(place: str, *, modified: int) -> tuple[StrayFile, ...]:
    """Old files in a directory, an old file in the root, an empty directory, a file as young as the case."""
    return (
        StrayFile(joined(place, "a.parquet"), modified=modified),
        StrayFile(joined(place, "b%20.parquet"), modified=modified),
        StrayFile(f"{place}.parquet", modified=modified),
        StrayFile(f"{place} empty", Kind.DIRECTORY, modified=modified, size=0),
        StrayFile(f"{place} young.parquet", modified=0),
    )


# Commands and modes ---------------------------------------------------------------------------------------------------


@st.composite
def vacuum_commands(draw: DrawFn) -> Case:
    """One VACUUM in each mode, each with a RETAIN of its own, then a read: 7 engine steps.

    All kinds of RETAIN, with and without the safety check: refused ones, those that have no effect, and those that draw
    the line at the present. They are dealt to the modes in one of ten ways, of which each mode gets each RETAIN in one:
    so all pairs are met in few cases. One in four is a dry run. All but the last find new strays. Tables are of any
    retention, 0 hours too. Shrinks to RETAIN 0 for the first mode.
    """
    table = draw(_for_all_modes(retention=draw(st.sampled_from(TABLE_RETENTIONS))))
    # A sum of several is drawn more evenly than one number.
    first = sum(draw(st.sampled_from(range(len(RETAIN_FORMS)))) for _ in range(4))
    runs = [
        draw(vacuums(mode=mode, dry_run=draw(one_in(4)), retain=RETAIN_FORMS[(first + 3 * place) % len(RETAIN_FORMS)]))
        for place, mode in enumerate(IN_ORDER)
    ]
    steps = _with_new_strays(runs, modified=-table.retention - DAY)
    return Case(table=table, steps=(*steps, Read()))


@st.composite
def vacuum_modes(draw: DrawFn) -> Case:
    """Each mode of VACUUM, alone and after the others, on tables of all retentions. 4 to 7 engine steps.

    - All modes: one of each, and all but the last find new strays; one in three is a dry run.
    - LITE again: two or three times with steps of the clock between, a DELETE or a FULL VACUUM at times.
    - Change files: two DELETEs on a table with the change data feed, LITE just before they leave retention or at once,
      and after.
    - Said: each form once or twice, parallel, logging unset.

    Clocks put the cutoff on instants of the table, commits among them. Shrinks to all modes, at the start.
    """
    kind = draw(odds((6, "all modes"), (6, "change files"), (3, "lite again"), (2, "said")))
    if kind == "change files":
        return draw(_change_files())
    retention = draw(st.sampled_from(TABLE_RETENTIONS))
    advance = draw(st.sampled_from([min(step, milliseconds(retention)) for step in (0, 1, HOUR)]))
    table = draw(_for_all_modes(retention=retention, advance=advance))
    clock = draw(weighted((2, st.just(SetClock(Moment(advance)))), (1, clocks(table, retention=table.retention))))
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    if kind == "all modes":
        runs = [draw(vacuums(mode=mode, dry_run=draw(one_in(3)))) for mode in IN_ORDER]
        steps += _with_new_strays(runs, modified=clock.to.offset - table.retention - DAY)
    elif kind == "said":
        modes = [draw(_SAID_MODES) for _ in range(4)]
        steps += [draw(vacuums(mode=mode, dry_run=draw(one_in(4)), forms=tuple(VacuumForm))) for mode in modes]
    else:
        steps += draw(_lite_again(table, at=clock.to.offset))
    return Case(table=table, steps=(*steps, Read()))


@st.composite
def _lite_again(draw: DrawFn, table: Table, *, at: int) -> list[Step]:
    """LITE two or three times. In a third a FULL VACUUM comes between, and in a third it is a DELETE.

    LITE after FULL begins anew (docs/delta.md 1.3). After a DELETE the last clock puts what it removed outside retention.
    """
    steps: list[Step] = [draw(vacuums(mode=draw(LITE_MODES)))]
    between = draw(odds((1, "clock"), (1, "full"), (1, "delete")))
    if between == "full":
        steps.append(draw(vacuums(mode=draw(LISTED_MODES))))
    elif between == "delete":
        steps.append(draw(deletes(table)))
    later = draw(clocks(table, retention=table.retention, not_before=at))
    steps += [later, draw(vacuums(mode=draw(LITE_MODES), dry_run=draw(one_in(4))))]
    last = max(later.to.offset, table.retention) + LATER
    return [*steps, SetClock(Moment(last)), draw(vacuums(mode=draw(LITE_MODES)))]


@st.composite
def _change_files(draw: DrawFn) -> Case:
    """A DELETE that writes change files, LITE inside of their retention and outside; and another DELETE that is outside
    as soon as it is done, as the clock is far ahead of its stamps, and LITE. 6 engine steps.
    """
    retention = draw(LONG_RETENTIONS)
    age = milliseconds(retention)
    table = draw(
        featured_tables(
            retention=retention,
            cutoff_age=age,
            features=(Feature.CHANGE_DATA_FEED,),
            file_counts=MANY_FILES,
            removed=SELDOM_REMOVED,
        )
    )
    table = draw(aged(table, cutoff_age=age))
    steps: list[Step] = [draw(_spread_deletes(table))]
    if draw(_EVENLY):
        steps.append(draw(stamped_clocks(retention=age, removed_by_step=0)))
    steps.append(draw(vacuums(mode=draw(LITE_MODES), dry_run=draw(one_in(4)))))
    steps += [SetClock(Moment(age + DAY)), draw(vacuums(mode=draw(LITE_MODES)))]
    return Case(table=table, steps=(*steps, draw(_spread_deletes(table)), draw(vacuums(mode=draw(LITE_MODES))), Read()))


@st.composite
def _spread_deletes(draw: DrawFn, table: Table) -> Delete:
    """DELETEs of the rows that are equal to one of three, so that they touch several files. Shrinks to fewer values."""
    return Delete(Or(Or(draw(picks(table)), draw(picks(table))), draw(picks(table))))


# Troubles ---------------------------------------------------------------------------------------------------------------


@st.composite
def vacuum_io_faults(draw: DrawFn) -> Case:
    """Three VACUUMs with a trouble of the file system each, one without, and a read: 5 engine steps.

    Each trouble is with something that the VACUUM looks at: a file that it must delete, an empty directory, or a
    directory that it lists. One file system's trouble in five is with a plain file of the table's own past. Every VACUUM
    finds new strays. Shrinks to files that cannot be deleted.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    age = milliseconds(retention)
    table = draw(vacuumables(retention=retention, least_strays=2, most_strays=6))
    steps: list[Step] = []
    for number, io_fault in enumerate(draw(_TROUBLES)):
        old = -age - draw(st.sampled_from((DAY, 1, HOUR)))
        fresh = _fresh(f"trouble {number}", modified=old)
        own = _own(table, io_fault, cutoff=-age)
        path = draw(st.sampled_from(own)) if own and number == 0 and draw(_EVENLY) else None
        if path is None:
            path = draw(_paths_of(fresh)) if io_fault.of_deletion else fresh[0].path.rpartition("/")[0]
        step = replace(draw(vacuums(mode=draw(LISTED_MODES))), io_fault=io_fault, faulty_path=path)
        steps += [AddStrayFiles(fresh), step]
    return Case(table=table, steps=(*steps, draw(vacuums()), Read()))


_TROUBLES = st.lists(st.sampled_from(tuple(IOFault)), min_size=3, max_size=3, unique=True)


def _paths_of(stray_files: Sequence[StrayFile]) -> SearchStrategy[str]:
    return st.sampled_from([stray.path for stray in stray_files])


def _own(table: Table, io_fault: IOFault, *, cutoff: int) -> list[str]:
    """What of the table's own the trouble may be with: directories of files, or old files that nothing protects."""
    if not io_fault.of_deletion:
        paths = [file_path(table, file) for file in table.files]
        return sorted({path.rpartition("/")[0] for path in paths if "/" in path})
    live = set(live_ids(table))
    removed = {
        removal.file
        for commit in table.commits
        for removal in commit.removes
        if removal.deleted is not None and removal.deleted < cutoff
    }
    files = [file for file in table.files if file.id in removed - live and file.modified < cutoff]
    return [file_path(table, file) for file in files if file.reference is Reference.RELATIVE] + [
        stray.path
        for stray in table.stray_files
        if stray.kind is Kind.FILE and stray.modified < cutoff and is_visible(stray.path, table.partition_by)
    ]


# Refusals ---------------------------------------------------------------------------------------------------------------


@st.composite
def refused_vacuums(draw: DrawFn) -> Case:
    """VACUUMs that must be refused and change nothing: 4 to 9 engine steps, most of them cheap.

    In seven of fourteen cases they are all the blunders, dry or not, and a read; a partition directory is a target where
    there is one, and most tables have one. In three the table asks for a feature that no engine has: VACUUMs of all modes. In
    four the log has lost its first versions: LITE twice, a FULL VACUUM, which does not help, and LITE again. Shrinks to
    blunders.
    """
    kind = draw(odds((7, "blunders"), (3, "protocol"), (4, "pruned")))
    retention = draw(st.sampled_from(RETENTIONS))
    if kind == "blunders":
        table = draw(
            vacuumables(
                retention=retention, removed=SELDOM_REMOVED, partition_counts=odds((3, 1), (1, 2)), most_strays=2
            )
        )
        blunders = [
            mistake
            for mistake in VacuumMistake
            if mistake is not VacuumMistake.PARTITION_DIRECTORY or (table.partition_by and live_files(table))
        ]
        said = draw(st.permutations(blunders))
        return Case(table=table, steps=(*(InvalidVacuum(mistake, dry_run=draw(_EVENLY)) for mistake in said), Read()))
    table = draw(_for_all_modes(retention=retention))
    if kind == "protocol":
        unknown = draw(odds((1, Feature.UNKNOWN_WRITER), (1, Feature.UNKNOWN_READER)))
        table = replace(table, features=(unknown.value,))
        steps: list[Step] = [
            draw(vacuums(mode=draw(st.sampled_from(tuple(Mode))), dry_run=draw(_EVENLY))) for _ in range(4)
        ]
        return Case(table=table, steps=(*steps, *([Read()] if unknown is Feature.UNKNOWN_WRITER else [])))
    table = draw(checkpointed(table, pruned=True))
    first, again = draw(LITE_MODES), draw(LITE_MODES)
    steps = [draw(vacuums(mode=first, dry_run=draw(_EVENLY))), draw(vacuums(mode=again))]
    return Case(table=table, steps=(*steps, draw(vacuums()), draw(vacuums(mode=first)), Read()))
