"""Cases of VACUUM, a strategy for each campaign: its RETAIN clause and mode, I/O faults, and commands it must refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.prediction.history import live_ids
from model.prediction.paths import is_visible
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.predicate import Or
from model.vocabulary.steps import (
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
from model.vocabulary.table import DAY, HOUR, Feature, Kind, Reference, StrayFile, Table
from strategies.conditions.predicates import picks
from strategies.steps.clocks import LATER, clocks, stamped_clocks
from strategies.steps.operations import deletes
from strategies.steps.vacuums import IN_ORDER, LISTED_MODES, LITE_MODES, RETAIN_CLAUSES, vacuums
from strategies.tables.initial_tables import RETENTIONS, live_files
from strategies.tables.paths import UsedPaths, joined
from strategies.tables.vacuum_tables import (
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
#: Modes for a case of all forms: forms without SQL exist only for modes without a keyword.
_MODES_FOR_FORMS = odds((4, Mode.DEFAULT), (2, Mode.LITE_SETTING), *((1, mode) for mode in Mode))

#: Hidden by a part of their paths other than the first.
_HIDDEN_DEEPER = ("dir/_deeper.parquet", "dir/.deeper/x.parquet", "ab/_deeper/x.parquet")


# Tables and stray files for several VACUUMs --------------------------------------------------------------------------------


@st.composite
def _for_all_modes(draw: DrawFn, *, retention: float | None, advance: int = 0) -> Table:
    """A table with many files, commits and stray files around the cutoff, on which LITE and inventories work.

    One in three has old hidden files that VACUUM with an inventory treats as visible (docs/findings.md).
    """
    age = milliseconds(retention) - advance
    deeper = draw(one_in(3))
    table = draw(
        vacuumables(
            retention=retention,
            advance=advance,
            file_counts=MANY_FILES,
            partition_counts=odds((2, 1), (1, 2), (1, 0)),
            min_stray_files=3,
            max_stray_files=9,
            flat=True,
            hidden_deeper=deeper,
        )
    )
    if deeper:
        paths = UsedPaths(table)
        hidden = [StrayFile(path, modified=min(-age - DAY, 0)) for path in _HIDDEN_DEEPER]
        table = replace(table, stray_files=table.stray_files + tuple(stray for stray in hidden if paths.admit(stray)))
    return draw(aged(table, cutoff_age=age))


def _with_new_stray_files(runs: Sequence[Vacuum], *, modified: int) -> list[Step]:
    """The VACUUMs, with new stray files before each but the last, so that each has something to delete."""
    steps: list[Step] = []
    for number, run in enumerate(runs[:-1]):
        steps += [AddStrayFiles(_new_stray_files(f"new {number}", modified=min(modified, 0))), run]
    return [*steps, runs[-1]]


def _new_stray_files(directory: str, *, modified: int) -> tuple[StrayFile, ...]:
    """Two files in a directory, a file in the root and an empty directory, all of this age; and a file of age 0."""
    return (
        StrayFile(joined(directory, "a.parquet"), modified=modified),
        StrayFile(joined(directory, "b%20.parquet"), modified=modified),
        StrayFile(f"{directory}.parquet", modified=modified),
        StrayFile(f"{directory} empty", Kind.DIRECTORY, modified=modified, size=0),
        StrayFile(f"{directory} young.parquet", modified=0),
    )


# Commands and modes ---------------------------------------------------------------------------------------------------


@st.composite
def vacuum_commands(draw: DrawFn) -> Case:
    """One VACUUM in each mode, each with a different RETAIN clause, then a read: 7 engine steps.

    RETAIN clauses of all kinds, with and without the safety check. Ten rotations assign them to the modes, so that few
    cases cover all pairs of mode and clause. One in four VACUUMs is a dry run; new stray files appear before all but the
    last. Tables have any retention, also 0 hours. Shrinks to RETAIN 0 for the first mode.
    """
    table = draw(_for_all_modes(retention=draw(st.sampled_from(TABLE_RETENTIONS))))
    # Hypothesis draws the sum of several numbers more evenly than one number.
    first = sum(draw(st.sampled_from(range(len(RETAIN_CLAUSES)))) for _ in range(4))
    runs = [
        draw(
            vacuums(
                mode=mode, dry_run=draw(one_in(4)), retain=RETAIN_CLAUSES[(first + 3 * place) % len(RETAIN_CLAUSES)]
            )
        )
        for place, mode in enumerate(IN_ORDER)
    ]
    steps = _with_new_stray_files(runs, modified=-table.retention - DAY)
    return Case(table=table, steps=(*steps, Read()))


@st.composite
def vacuum_modes(draw: DrawFn) -> Case:
    """Each mode of VACUUM, alone and after the others, on tables of all retentions. 4 to 7 engine steps.

    - All modes: one VACUUM of each, with new stray files before all but the last; one in three is a dry run.
    - Change files: see ``_change_files``.
    - LITE again: see ``_lite_again``.
    - Forms: four VACUUMs in any form.

    Half of the cases set the clock, so that the cutoff falls on an instant of the table. Shrinks to all modes, without
    a clock.
    """
    kind = draw(odds((6, "all modes"), (6, "change files"), (3, "lite again"), (2, "forms")))
    if kind == "change files":
        return draw(_change_files())
    retention = draw(st.sampled_from(TABLE_RETENTIONS))
    advance = draw(st.sampled_from([min(step, milliseconds(retention)) for step in (0, 1, HOUR)]))
    table = draw(_for_all_modes(retention=retention, advance=advance))
    clock = draw(weighted((2, st.just(SetClock(Moment(advance)))), (1, clocks(table, retention=table.retention))))
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    if kind == "all modes":
        runs = [draw(vacuums(mode=mode, dry_run=draw(one_in(3)))) for mode in IN_ORDER]
        steps += _with_new_stray_files(runs, modified=clock.to.offset - table.retention - DAY)
    elif kind == "forms":
        modes = [draw(_MODES_FOR_FORMS) for _ in range(4)]
        steps += [draw(vacuums(mode=mode, dry_run=draw(one_in(4)), forms=tuple(VacuumForm))) for mode in modes]
    else:
        steps += draw(_lite_again(table, at=clock.to.offset))
    return Case(table=table, steps=(*steps, Read()))


@st.composite
def _lite_again(draw: DrawFn, table: Table, *, at: int) -> list[Step]:
    """LITE three times, with the clock advanced in between. A third have a FULL VACUUM after the first, a third a DELETE.

    LITE after FULL reads the log from its beginning (docs/delta.md 1.3). At the last LITE the files that the DELETE
    removed are outside retention.
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
    """A DELETE that writes change files, and LITE inside and outside their retention; then another DELETE and LITE.

    The files of the second DELETE are outside retention at once: the clock is far ahead of its timestamps. 6 engine
    steps.
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
    """DELETEs of the rows equal to one of up to three rows, so that several files change. Shrinks to fewer values."""
    return Delete(Or(Or(draw(picks(table)), draw(picks(table))), draw(picks(table))))


# I/O faults -------------------------------------------------------------------------------------------------------------


@st.composite
def vacuum_io_faults(draw: DrawFn) -> Case:
    """Three VACUUMs with different I/O faults, one without, and a read: 5 engine steps.

    The faulty path is one that VACUUM deletes or lists. It is one of the new stray files that appear before each VACUUM;
    for half of the first VACUUMs it is one of the table's own paths. Shrinks to files that cannot be deleted.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    age = milliseconds(retention)
    table = draw(vacuumables(retention=retention, min_stray_files=2, max_stray_files=6))
    steps: list[Step] = []
    for number, io_fault in enumerate(draw(_IO_FAULTS)):
        old = -age - draw(st.sampled_from((DAY, 1, HOUR)))
        new = _new_stray_files(f"trouble {number}", modified=old)  # the name is part of the case ids
        own = _own_paths(table, io_fault, cutoff=-age)
        path = draw(st.sampled_from(own)) if own and number == 0 and draw(_EVENLY) else None
        if path is None:
            paths = [stray.path for stray in new]
            path = draw(st.sampled_from(paths)) if io_fault.of_deletion else paths[0].rpartition("/")[0]
        step = replace(draw(vacuums(mode=draw(LISTED_MODES))), io_fault=io_fault, faulty_path=path)
        steps += [AddStrayFiles(new), step]
    return Case(table=table, steps=(*steps, draw(vacuums()), Read()))


_IO_FAULTS = st.lists(st.sampled_from(tuple(IOFault)), min_size=3, max_size=3, unique=True)


def _own_paths(table: Table, io_fault: IOFault, *, cutoff: int) -> list[str]:
    """Paths of the table that VACUUM lists or deletes: directories of data files, or expired and old stray files."""
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
    """VACUUMs that must be refused and change nothing: 4 to 9 engine steps, most of them fast.

    - Invalid commands (half of the cases): all of them in any order, dry runs or not, and a read. The partition
      directory is a target only if there is one.
    - Protocol: four VACUUMs of any mode on a table with a feature that no engine supports.
    - Pruned: the log has no version 0. LITE twice, a VACUUM without a keyword, and LITE again.

    Shrinks to invalid commands.
    """
    kind = draw(odds((7, "invalid"), (3, "protocol"), (4, "pruned")))
    retention = draw(st.sampled_from(RETENTIONS))
    if kind == "invalid":
        table = draw(
            vacuumables(
                retention=retention, removed=SELDOM_REMOVED, partition_counts=odds((3, 1), (1, 2)), max_stray_files=2
            )
        )
        mistakes = [
            mistake
            for mistake in VacuumMistake
            if mistake is not VacuumMistake.PARTITION_DIRECTORY or (table.partition_by and live_files(table))
        ]
        commands = [InvalidVacuum(mistake, dry_run=draw(_EVENLY)) for mistake in draw(st.permutations(mistakes))]
        return Case(table=table, steps=(*commands, Read()))
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
