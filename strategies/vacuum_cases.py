"""Whole cases of VACUUM, one strategy for each campaign: a table that meets many rules at once, and a few engine steps."""

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
    BadVacuum,
    Delete,
    Litter,
    Mode,
    Moment,
    Read,
    SetClock,
    Step,
    Trouble,
    Vacuum,
    VacuumBlunder,
    VacuumForm,
)
from model.table import DAY, HOUR, Feature, Kind, Reference, Stray, Table
from model.vacuum import is_hidden
from strategies.beside import links, links_to_directories, neighbours
from strategies.clocks import clocks, stamped_clocks
from strategies.paths import Paths, joined
from strategies.predicates import picks
from strategies.programs import deletes
from strategies.strays import littered, strays
from strategies.tables import RETENTIONS, live_files
from strategies.vacuum_steps import IN_ORDER, RETAIN_FORMS, vacuums
from strategies.vacuum_tables import (
    MANY_FILES,
    OFTEN_REMOVED,
    SELDOM_REMOVED,
    TABLE_RETENTIONS,
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

_EVENLY = st.booleans()
_ONE_IN_THREE, _ONE_IN_FOUR = one_in(3), one_in(4)
_TWO_IN_THREE = odds((2, True), (1, False))
_RETENTIONS = st.sampled_from(RETENTIONS)
_TABLE_RETENTIONS = st.sampled_from(TABLE_RETENTIONS)
_DEALS = st.sampled_from(range(len(RETAIN_FORMS)))
_LONG_RETENTIONS = odds((2, None), (1, 24), (1, 240))
_RUN_COUNTS = odds((3, 3), (1, 2))
_FORMS = odds((len(VacuumForm) - 2, VacuumForm.SQL_PATH), *((1, form) for form in VacuumForm))
_LOGGING: SearchStrategy[bool | None] = odds((6, True), (1, False), (1, None))
_AT_MOST_TWO = odds((2, 1), (1, 2), (1, 0))
_PARTITIONED = odds((3, 1), (1, 2))
_LISTED_MODES = odds((3, Mode.DEFAULT), (1, Mode.FULL))
_LITE_MODES = odds((2, Mode.LITE), (1, Mode.LITE_SETTING))
_MODES = st.sampled_from(tuple(Mode))
_SAID_MODES = odds((4, Mode.DEFAULT), (2, Mode.LITE_SETTING), *((1, mode) for mode in Mode))
_HISTORIES = odds((4, "expired"), (3, "past"), (2, "plain"))
_LOSSY = odds((4, None), (4, "links"), (3, "absolute"))
_VECTORS_MODES = odds((3, Mode.LITE), (1, Mode.DEFAULT), (1, Mode.FULL))
_VECTORS_AND_URIS = odds((2, (True, True)), (1, (True, False)), (1, (False, True)))
_SHAPES = odds((3, "ages"), (1, "stamped"), (1, "recent"))
_KINDS_OF_MODES = odds((6, "all modes"), (6, "change files"), (3, "lite again"), (2, "said"))
_REFUSALS = odds((7, "blunders"), (3, "protocol"), (4, "pruned"))
_UNKNOWN = odds((1, Feature.UNKNOWN_WRITER), (1, Feature.UNKNOWN_READER))
_TROUBLES_OF_DELETION = (Trouble.CANNOT_DELETE, Trouble.DELETE_CRASHES, Trouble.FILE_VANISHES)

#: Hidden, and not by the first name of their paths.
HIDDEN_DEEPER = ("dir/_deeper.parquet", "dir/.deeper/x.parquet", "ab/_deeper/x.parquet")

#: After a clock that stands at the retention and so much more, what the case has done so far is outside retention.
_LATER = 2 * HOUR


# Retentions, strays, commands -------------------------------------------------------------------------------------------


@st.composite
def vacuum_retentions(draw: DrawFn) -> Case:
    """VACUUMs of tables with many tombstones whose ages gather around the cutoff, and a few strays.

    The clock is set, then come a dry run, two or three real runs, a read. Two in five begin with a DELETE: one sets the clock so
    that the cutoff falls on its stamp, or 1 ms beside it; the other goes on with a VACUUM and a read of the version before
    the DELETE, which is inside retention. That is 4 to 7 engine steps. Shrinks to no DELETE and to a clock that stands
    at the start.
    """
    retention = draw(_RETENTIONS)
    shape = draw(_SHAPES)
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
def vacuum_strays(draw: DrawFn) -> Case:
    """VACUUMs of tables with 8 to 16 strays of all kinds, depths and ages, some tombstones, and at times neighbours.

    The clock is set, then come a dry run, two or three real runs, a read: 4 to 6 engine steps. Shrinks to plain, old strays.
    """
    return draw(_listed(retention=draw(_RETENTIONS), least_strays=8, most_strays=16, beside=True))


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
    if draw(_ONE_IN_THREE):
        steps.append(Read(before_step=draw(st.integers(0, len(steps) - 1))))
    return Case(table=table, steps=tuple(steps))


@st.composite
def _surrounded(draw: DrawFn, table: Table, *, cutoff_age: int) -> Table:
    """One in three with something beside it, one in three with symbolic links."""
    if draw(_ONE_IN_THREE):
        table = draw(littered(table, neighbours(cutoff_age=cutoff_age)))
    return draw(littered(table, links(table, cutoff_age=cutoff_age))) if draw(_ONE_IN_THREE) else table


@st.composite
def _runs(draw: DrawFn) -> list[Step]:
    """A dry run, two or three real ones of a listing, and a read; one in four does not log, or leaves it unset.

    Half of the real ones without a keyword are said in another form than SQL by path.
    """
    logging = draw(_LOGGING)
    modes = [draw(_LISTED_MODES) for _ in range(draw(_RUN_COUNTS))]
    dry = Vacuum(dry_run=True, logging=logging, mode=modes[0])
    forms = [draw(_FORMS) if mode is Mode.DEFAULT else VacuumForm.SQL_PATH for mode in modes]
    return [dry, *(Vacuum(logging=logging, mode=mode, form=form) for mode, form in zip(modes, forms)), Read()]


@st.composite
def vacuum_commands(draw: DrawFn) -> Case:
    """One VACUUM in each mode, each with a RETAIN of its own, then a read: 7 engine steps.

    All kinds of RETAIN, with and without the safety check: refused ones, those that have no effect, and those that draw
    the line at the present. They are dealt to the modes in one of ten ways, of which each mode gets each RETAIN in one:
    so all pairs are met in few cases. One in four is a dry run. All but the last find new strays. Tables are of any
    retention, 0 hours too. Shrinks to RETAIN 0 for the first mode.
    """
    table = draw(_for_all_modes(retention=draw(_TABLE_RETENTIONS)))
    # A sum of several is drawn more evenly than one number.
    first = sum(draw(_DEALS) for _ in range(4))
    runs = [
        draw(
            vacuums(mode=mode, dry_run=draw(_ONE_IN_FOUR), retain=RETAIN_FORMS[(first + 3 * place) % len(RETAIN_FORMS)])
        )
        for place, mode in enumerate(IN_ORDER)
    ]
    steps = _with_new_strays(runs, modified=-table.retention - DAY)
    return Case(table=table, steps=(*steps, Read()))


def _with_new_strays(runs: Sequence[Vacuum], *, modified: int) -> list[Step]:
    """Before each VACUUM but the last strays appear, such that it has something to do whatever those before it deleted.

    The last one is for what the one before it left: nothing, mostly.
    """
    steps: list[Step] = []
    for number, run in enumerate(runs[:-1]):
        steps += [Litter(_fresh(f"new {number}", modified=min(modified, 0))), run]
    return [*steps, runs[-1]]


# Modes ------------------------------------------------------------------------------------------------------------------


@st.composite
def _for_all_modes(draw: DrawFn, *, retention: int | None, advance: int = 0) -> Table:
    """A table with many files, commits and strays around the cutoff, such that LITE and inventories work on it.

    One in three has old hidden files that an inventory takes for visible ones (docs/findings.md).
    """
    age = milliseconds(retention) - advance
    deeper = draw(_ONE_IN_THREE)
    table = draw(
        vacuumables(
            retention=retention,
            advance=advance,
            file_counts=MANY_FILES,
            partition_counts=_AT_MOST_TWO,
            least_strays=3,
            most_strays=9,
            flat=True,
            hidden_deeper=deeper,
        )
    )
    if deeper:
        paths = Paths(table)
        hidden = [Stray(path, modified=min(-age - DAY, 0)) for path in HIDDEN_DEEPER]
        table = replace(table, strays=table.strays + tuple(stray for stray in hidden if paths.admit(stray)))
    return draw(aged(table, cutoff_age=age))


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
    kind = draw(_KINDS_OF_MODES)
    if kind == "change files":
        return draw(_change_files())
    retention = draw(_TABLE_RETENTIONS)
    advance = draw(st.sampled_from([min(step, milliseconds(retention)) for step in (0, 1, HOUR)]))
    table = draw(_for_all_modes(retention=retention, advance=advance))
    clock = draw(weighted((2, st.just(SetClock(Moment(advance)))), (1, clocks(table, retention=table.retention))))
    steps: list[Step] = [] if clock.to == Moment(0) else [clock]
    if kind == "all modes":
        runs = [draw(vacuums(mode=mode, dry_run=draw(_ONE_IN_THREE))) for mode in IN_ORDER]
        steps += _with_new_strays(runs, modified=clock.to.offset - table.retention - DAY)
    elif kind == "said":
        modes = [draw(_SAID_MODES) for _ in range(4)]
        steps += [draw(vacuums(mode=mode, dry_run=draw(_ONE_IN_FOUR), forms=tuple(VacuumForm))) for mode in modes]
    else:
        steps += draw(_lite_again(table, at=clock.to.offset))
    return Case(table=table, steps=(*steps, Read()))


@st.composite
def _lite_again(draw: DrawFn, table: Table, *, at: int) -> list[Step]:
    """LITE two or three times. In a third a FULL VACUUM comes between, and in a third it is a DELETE.

    LITE after FULL begins anew (facts 1.3). After a DELETE the last clock puts what it removed outside retention.
    """
    steps: list[Step] = [draw(vacuums(mode=draw(_LITE_MODES)))]
    between = draw(odds((1, "clock"), (1, "full"), (1, "delete")))
    if between == "full":
        steps.append(draw(vacuums(mode=draw(_LISTED_MODES))))
    elif between == "delete":
        steps.append(draw(deletes(table)))
    later = draw(clocks(table, retention=table.retention, not_before=at))
    steps += [later, draw(vacuums(mode=draw(_LITE_MODES), dry_run=draw(_ONE_IN_FOUR)))]
    last = max(later.to.offset, table.retention) + _LATER
    return [*steps, SetClock(Moment(last)), draw(vacuums(mode=draw(_LITE_MODES)))]


@st.composite
def _change_files(draw: DrawFn) -> Case:
    """A DELETE that writes change files, LITE inside of their retention and outside; and another DELETE that is outside
    as soon as it is done, as the clock is far ahead of its stamps, and LITE. 6 engine steps.
    """
    retention = draw(_LONG_RETENTIONS)
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
    steps.append(draw(vacuums(mode=draw(_LITE_MODES), dry_run=draw(_ONE_IN_FOUR))))
    steps += [SetClock(Moment(age + DAY)), draw(vacuums(mode=draw(_LITE_MODES)))]
    return Case(
        table=table, steps=(*steps, draw(_spread_deletes(table)), draw(vacuums(mode=draw(_LITE_MODES))), Read())
    )


@st.composite
def _spread_deletes(draw: DrawFn, table: Table) -> Delete:
    """DELETEs of the rows that are equal to one of three, so that they touch several files. Shrinks to fewer values."""
    return Delete(Or(Or(draw(picks(table)), draw(picks(table))), draw(picks(table))))


# Vectors, URIs, what lies beside ---------------------------------------------------------------------------------------


@st.composite
def vacuum_vectors(draw: DrawFn) -> Case:
    """VACUUMs of tables with deletion vectors, files named by URI, files and directories beside the root, and links.

    Each table has vectors or URIs, most have both. A dry run, a real one (three in five by LITE), a listing, and a read: 4
    engine steps. In three of eleven vectors are named by absolute paths, in four a link leads to a directory: Spark
    loses files there, so the case ends with the first real run. Shrinks to vectors in the root.
    """
    retention = draw(_RETENTIONS)
    advance = draw(st.sampled_from([min(step, milliseconds(retention)) for step in (0, HOUR)]))
    age = milliseconds(retention) - advance
    lossy = draw(_LOSSY)
    absolute = lossy == "absolute"
    vectors, uris = (True, False) if absolute else draw(_VECTORS_AND_URIS)
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
    flat = draw(_EVENLY)
    table = draw(littered(table, strays(table, cutoff_age=age, max_size=4, flat=flat)))
    table = draw(_surrounded(table, cutoff_age=age))
    behind = draw(links_to_directories(table, cutoff_age=age)) if lossy == "links" else ()
    table = replace(table, strays=table.strays + behind)
    mode = draw(_LISTED_MODES if lossy else _VECTORS_MODES)
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
    retention = draw(_LONG_RETENTIONS)
    age = milliseconds(retention)
    chosen = [Feature.CHECKSUMS] if draw(_EVENLY) else []
    chosen += [Feature.V2_CHECKPOINTS] if draw(_ONE_IN_THREE) else []
    chosen += [Feature.FREQUENT_CHECKPOINTS] if draw(_TWO_IN_THREE) else []
    chosen += [Feature.CHANGE_DATA_FEED] if draw(_EVENLY) else []
    chosen += [Feature.BROKEN_LAST_CHECKPOINT] if draw(_ONE_IN_FOUR) else []
    chosen += [Feature.VACUUM_PROTOCOL_CHECK] if draw(_ONE_IN_FOUR) else []
    vectors = draw(_TWO_IN_THREE)
    table = draw(
        featured_tables(
            retention=retention, cutoff_age=age, features=tuple(chosen), vectors=vectors, file_counts=MANY_FILES
        )
    )
    history = draw(_HISTORIES)
    table = recent(table) if history == "past" else draw(aged(table, cutoff_age=age))
    table = draw(checkpointed(draw(loosely_removed(draw(stored(table, absolute=False))))))
    table = draw(littered(table, strays(table, cutoff_age=age, max_size=3)))
    if history == "plain":
        clock = draw(clocks(table, retention=table.retention))
        modes = [Mode.DEFAULT, Mode.DEFAULT] if table.pruned else [draw(_LITE_MODES), Mode.DEFAULT]
        runs = [draw(vacuums(dry_run=True, mode=modes[0])), *(draw(vacuums(mode=mode)) for mode in modes)]
        return Case(table=table, steps=(clock, *runs, Read()))
    steps: list[Step] = [Delete(draw(picks(table))), draw(vacuums())]
    if history == "expired":
        steps += [SetClock(Moment(age + _LATER)), draw(vacuums())]
    return Case(table=table, steps=(*steps, Read(before_step=0), Read()))


# Troubles ---------------------------------------------------------------------------------------------------------------


@st.composite
def vacuum_troubles(draw: DrawFn) -> Case:
    """Three VACUUMs with a trouble of the file system each, one without, and a read: 5 engine steps.

    Each trouble is with something that the VACUUM looks at: a file that it must delete, an empty directory, or a
    directory that it lists. One file system's trouble in five is with a plain file of the table's own past. Every VACUUM
    finds new strays. Shrinks to files that cannot be deleted.
    """
    retention = draw(_RETENTIONS)
    age = milliseconds(retention)
    table = draw(vacuumables(retention=retention, least_strays=2, most_strays=6))
    steps: list[Step] = []
    for number, trouble in enumerate(draw(_TROUBLES)):
        old = -age - draw(st.sampled_from((DAY, 1, HOUR)))
        fresh = _fresh(f"trouble {number}", modified=old)
        own = _own(table, trouble, cutoff=-age)
        path = draw(st.sampled_from(own)) if own and number == 0 and draw(_EVENLY) else None
        if path is None:
            path = fresh[0].path.rpartition("/")[0] if _is_of_directory(trouble) else draw(_paths_of(fresh))
        step = replace(draw(vacuums(mode=draw(_LISTED_MODES))), trouble=trouble, troubled=path)
        steps += [Litter(fresh), step]
    return Case(table=table, steps=(*steps, draw(vacuums()), Read()))


_TROUBLES = st.lists(st.sampled_from(tuple(Trouble)), min_size=3, max_size=3, unique=True)


def _is_of_directory(trouble: Trouble) -> bool:
    return trouble not in _TROUBLES_OF_DELETION


def _paths_of(strays: Sequence[Stray]) -> SearchStrategy[str]:
    return st.sampled_from([stray.path for stray in strays])


def _fresh(place: str, *, modified: int) -> tuple[Stray, ...]:
    """Old files in a directory, an old file in the root, an empty directory, a file as young as the case."""
    return (
        Stray(joined(place, "a.parquet"), modified=modified),
        Stray(joined(place, "b%20.parquet"), modified=modified),
        Stray(f"{place}.parquet", modified=modified),
        Stray(f"{place} empty", Kind.DIRECTORY, modified=modified, size=0),
        Stray(f"{place} young.parquet", modified=0),
    )


def _own(table: Table, trouble: Trouble, *, cutoff: int) -> list[str]:
    """What of the table's own the trouble may be with: directories of files, or old files that nothing protects."""
    if _is_of_directory(trouble):
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
        for stray in table.strays
        if stray.kind is Kind.FILE
        and stray.modified < cutoff
        and not any(is_hidden(name, table.partition_by) for name in stray.path.split("/"))
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
    kind = draw(_REFUSALS)
    retention = draw(_RETENTIONS)
    if kind == "blunders":
        table = draw(
            vacuumables(retention=retention, removed=SELDOM_REMOVED, partition_counts=_PARTITIONED, most_strays=2)
        )
        blunders = [
            blunder
            for blunder in VacuumBlunder
            if blunder is not VacuumBlunder.PARTITION_DIRECTORY or (table.partition_by and live_files(table))
        ]
        said = draw(st.permutations(blunders))
        return Case(table=table, steps=(*(BadVacuum(blunder, dry_run=draw(_EVENLY)) for blunder in said), Read()))
    table = draw(_for_all_modes(retention=retention))
    if kind == "protocol":
        unknown = draw(_UNKNOWN)
        table = replace(table, features=(unknown.value,))
        steps: list[Step] = [draw(vacuums(mode=draw(_MODES), dry_run=draw(_EVENLY))) for _ in range(4)]
        return Case(table=table, steps=(*steps, *([Read()] if unknown is Feature.UNKNOWN_WRITER else [])))
    table = draw(checkpointed(table, pruned=True))
    first, again = draw(_LITE_MODES), draw(_LITE_MODES)
    steps = [draw(vacuums(mode=first, dry_run=draw(_EVENLY))), draw(vacuums(mode=again))]
    return Case(table=table, steps=(*steps, draw(vacuums()), draw(vacuums(mode=first)), Read()))
