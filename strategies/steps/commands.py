"""Commands other than DELETE and VACUUM that may follow a program: mostly those that a right engine does not refuse."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.semantics.definitions import VECTORS
from model.semantics.evaluate import WouldFail, evaluate
from model.semantics.indexed_columns import indexed_columns
from model.vocabulary.commands import (
    SWITCHED,
    AddColumn,
    Assignment,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
    Merge,
    MergeClause,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Then,
    Update,
    VacuumClone,
    When,
    WidenColumn,
)
from model.vocabulary.operations import Operation
from model.vocabulary.pairs import DROPPABLE
from model.vocabulary.predicate import And, Compare, Constant, In, IsNull, Not, Op, Predicate, columns_of
from model.vocabulary.steps import Insert, OtherCommand, Step
from model.vocabulary.table import HOUR, WIDER, Column, Feature, Statistics, Table
from model.vocabulary.values import Row, Type, Value, is_nested
from strategies.conditions.predicates import picks, predicates
from strategies.conditions.wrapped import sometimes_wrapped
from strategies.steps.new_rows import new_files, new_rows, takes_rows
from strategies.steps.program_state import Program
from strategies.tables.column_values import rows, values
from strategies.tables.features import maps_columns
from strategies.tables.initial_tables import live_files, live_rows
from strategies.tables.schemas import CHANGE_NAMES
from strategies.tables.types import PRIMITIVES
from strategies.weights import odds, one_in, weighted

#: Names of new columns; the last ones need column mapping.
NEW_NAMES = ("added", "newName", "x#1", "c.d", "größe 2", "n;w")
_NEW_PLAIN_NAMES = NEW_NAMES[:4]

#: Types of new columns. TIMESTAMP_NTZ is a table feature, which a new column does not switch on.
NEW_TYPES = tuple(type for type in PRIMITIVES if type is not Type.TIMESTAMP_NTZ)

#: Retentions of deleted files, and of the log, in hours: Delta compares each with the default of the other.
_RETENTIONS = (24, 1, 168, 0, 240, 720)
_LOG_RETENTIONS = (168, 240, 720, 1440)

#: Where a MERGE by a condition alone has it; None: in ON.
_WHENS: SearchStrategy[When | None] = odds((3, None), (1, When.MATCHED), (1, When.BY_SOURCE))

#: Statistics are of so many columns, and ZORDER BY needs them.
_WITH_STATISTICS = 30


# Rewriting ------------------------------------------------------------------------------------------------------------


@st.composite
def optimizes(draw: DrawFn, program: Program) -> Optimize:
    """OPTIMIZE: one in three with ZORDER BY one or two data columns, half of those of partitioned tables with a condition, one in
    four with a size at which few or no files fit into one.

    Shrinks to the whole table without an order.
    """
    table = program.table
    where: Predicate | None = None
    if draw(st.booleans()) and table.partition_by:
        anything: SearchStrategy[Predicate] = predicates(table, over="partition")
        where = draw(weighted((1, anything), (1, _partition_ranges(table))))
    size = draw(st.sampled_from(_FILE_SIZES)) if draw(one_in(4)) else None
    names = _ordered_columns(table)
    if not names or not draw(one_in(3)):
        return Optimize(where, target_size=size)
    order = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    return Optimize(where, tuple(order), size)


@st.composite
def optimizes_of_several(draw: DrawFn, program: Program) -> tuple[Step, ...]:
    """OPTIMIZE; half come after an append of a row to each of one or two partitions that have files, so that there is something
    to put together."""
    files = live_files(program.table)
    steps: list[Step] = []
    if files and takes_rows(program.table) and draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(files), min_size=1, max_size=2))
        contents = rows(tuple(column.type for column in program.table.data_columns))
        steps.append(Insert(tuple(program.table.row(file.partition, draw(contents)) for file in chosen)))
    return (*steps, OtherCommand(draw(optimizes(program))))


@st.composite
def _partition_ranges(draw: DrawFn, table: Table) -> Predicate:
    """Each of some partition columns compared with the value of a file, or with a list of such values."""
    files = live_files(table)
    chosen = draw(st.lists(st.sampled_from(table.partition_columns), min_size=1, unique=True))
    tests: list[Predicate] = []
    for column in chosen:
        place = table.partition_columns.index(column)
        found = [file.partition[place] for file in files if file.partition[place] is not None]
        value = draw(st.sampled_from(found)) if found else draw(values(column.type, nulls=0, empty=False))
        listed = In(column.name, tuple(dict.fromkeys([value, *found[:1]])), column.type)
        comparisons = st.sampled_from(_COMPARISONS).map(partial(_compared, column, value))
        tests.append(draw(weighted((6, comparisons), (1, st.just(listed)), (1, st.just(Not(listed))))))
    return reduce(And, tests)


def _compared(column: Column, value: Value, op: Op) -> Predicate:
    return Compare(column.name, op, value, column.type)


#: Those of partition filters.
_COMPARISONS = (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)

#: In bytes: a small file has 500 to 2000.
_FILE_SIZES = (2_000, 1_000, 4_000)


def _ordered_columns(table: Table) -> list[str]:
    """The columns with statistics: a table can be ordered by them. Spark takes a name with a dot for a field of a struct."""
    with_statistics = indexed_columns(table)
    columns = [column for column in table.data_columns[:_WITH_STATISTICS] if column in with_statistics]
    return [column.name for column in columns if column.type is not Type.BINARY and "." not in column.name]


# Rows -----------------------------------------------------------------------------------------------------------------


@st.composite
def updates(draw: DrawFn, program: Program) -> Update:
    """UPDATE of one to three columns that may change, to values of their types; one in ten may be refused, one in five has no
    condition.

    Shrinks to the first column, and the rows equal to one.
    """
    to, *also = draw(_assignments(program.table))
    return Update(to, None if draw(one_in(5)) else draw(_conditions(program.table)), tuple(also))


@st.composite
def merges(draw: DrawFn, program: Program) -> Merge:
    """MERGEs, three in five as upserts (``_upserts``) where the table takes rows. The others go by a condition alone, with a
    source of one row: two in three update the rows that match, the others delete them. Three in five of these have their
    condition in ON, and half of those insert a row if none matches. Shrinks to a deletion without an insert.
    """
    table = program.table
    can_insert = takes_rows(table)
    keys = [column for column in table.columns if _is_key(column)]
    if can_insert and keys and draw(odds((2, False), (3, True))):
        return draw(_upserts(program, keys))
    where, when = draw(_conditions(table)), draw(_WHENS)
    clause = draw(_changes(table, when or When.MATCHED))
    if when is None:
        inserts = can_insert and draw(st.booleans())
        rows = draw(new_rows(program))[:1] if inserts else ()
        return Merge(where, (clause, _INSERT) if inserts else (clause,), rows=rows)
    return Merge(Constant(when is When.MATCHED), (replace(clause, where=where),))


_INSERT = MergeClause(When.NOT_MATCHED, Then.INSERT)


@st.composite
def _upserts(draw: DrawFn, program: Program, keys: Sequence[Column]) -> Merge:
    """MERGEs from up to six rows by one or two keys, of which half are rows of the table with other values. Most update the rows
    that match as a whole and insert the others; some delete or update a part, some also what the source does not have. One in
    three of those without a condition has a source with the names of the table, one in four has a column that the table lacks.
    Shrinks to one row, matched and deleted.
    """
    table = program.table
    chosen = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=2, unique=True))
    places = [table.columns.index(column) for column in chosen]
    new = [*draw(new_rows(program)), *draw(weighted((1, st.just(())), (1, new_rows(program))))]
    old = list(live_rows(table))
    rows: dict[Row, Row] = {}
    for row in new[:6]:
        cells = list(row)
        if draw(one_in(2)) and old:
            other: Row = draw(st.sampled_from(old))
            for place in places:
                cells[place] = other[place]
        rows.setdefault(tuple(cells[place] for place in places), tuple(cells))
    clauses: list[MergeClause] = [MergeClause(then=draw(odds((1, Then.DELETE), (4, Then.UPDATE_ALL))))]
    if draw(one_in(3)):
        clauses.insert(0, replace(draw(_changes(table, When.MATCHED)), where=draw(_conditions(table))))
    if draw(odds((1, False), (3, True))):
        clauses.append(_INSERT)
    if draw(one_in(4)):
        clauses.append(replace(draw(_changes(table, When.BY_SOURCE)), where=draw(_conditions(table))))
    on = draw(_conditions(table)) if draw(one_in(5)) else Constant(True)
    found = Merge(on, tuple(clauses), tuple(column.name for column in chosen), tuple(rows.values()))
    if draw(one_in(4)) and _free_names(table):
        return draw(_evolving(program, found))
    return replace(found, by_name=found.conditions == (Constant(True),) and draw(one_in(3)))


@st.composite
def _evolving(draw: DrawFn, program: Program, found: Merge) -> Merge:
    """The MERGE with a new column, without conditions, and with one clause for each kind of rows; one in four has none for those
    that match."""
    adds = draw(new_columns(program)).column
    clauses = {clause.when: replace(clause, where=None) for clause in reversed(found.clauses)}
    if draw(one_in(4)):
        del clauses[When.MATCHED]
    evolved = replace(found, on=Constant(True), clauses=(*reversed(clauses.values()),), by_name=True, adds=adds)
    if not evolved.can(Then.INSERT, Then.UPDATE_ALL):
        evolved = replace(evolved, clauses=(*evolved.clauses, _INSERT))
    return replace(evolved, rows=tuple((*row, draw(values(adds.type, nulls=5))) for row in found.rows))


@st.composite
def _changes(draw: DrawFn, table: Table, when: When) -> MergeClause:
    """A clause that updates one to three columns, or in one of three deletes."""
    if not _set_by_update(table) or draw(one_in(3)):
        return MergeClause(when)
    to, *also = draw(_assignments(table))
    return MergeClause(when, Then.UPDATE, to, also=tuple(also))


def _is_key(column: Column) -> bool:
    """Whether values of the column are equal only if they are the same."""
    return not is_nested(column.type) and column.type not in (Type.FLOAT, Type.DOUBLE) and column.declared is None


@st.composite
def overwrites(draw: DrawFn, program: Program) -> Overwrite:
    """Overwrites by the rows of one or two new files: half of them of a part of the table, by a condition that is true for the
    rows, on partition columns or, in one of three, on any. One in six is by no row. Of the others a quarter goes by the
    partitions of the rows, and a quarter adds a column. Shrinks to the whole table.
    """
    table = program.table
    rows = draw(_rows_or_none(program))
    if draw(st.booleans()):
        return draw(_whole_overwrites(program, rows))
    if not table.partition_by or draw(one_in(3)):
        where = draw(predicates(table, over="any"))
    elif draw(one_in(3)):
        where = draw(predicates(table, over="partition"))
    else:
        names = [column.name for column in table.columns]
        row = dict(zip(names, rows[0] if rows else _row_of_a_file(draw, program)))
        tests = [_equals(column, row[column.name]) for column in table.partition_columns]
        where = tests[0] if len(tests) == 1 or draw(st.booleans()) else And(tests[0], tests[1])
    return Overwrite(tuple(row for row in rows if _satisfies(where, row, table)), where)


@st.composite
def _whole_overwrites(draw: DrawFn, program: Program, rows: tuple[Row, ...]) -> Overwrite:
    """Half of the whole table as it is, the others by the partitions that the rows have, or with a new column."""
    table = program.table
    if draw(st.booleans()):
        return Overwrite(rows)
    # A column keeps no more than its name and type if the schema is written again.
    plain = all(column == Column(column.name, column.type) for column in table.columns)
    if draw(st.booleans()) and plain and _free_names(table):
        adds = draw(new_columns(program)).column
        return Overwrite(tuple((*row, draw(values(adds.type, nulls=5))) for row in rows), adds=adds)
    # Whether two zeros are one partition is the engine's choice.
    floats = any(column.type in (Type.FLOAT, Type.DOUBLE) for column in table.partition_columns)
    return Overwrite(rows, dynamic=bool(rows and table.partition_by) and not floats)


def _rows_or_none(program: Program) -> SearchStrategy[tuple[Row, ...]]:
    return weighted((5, new_rows(program)), (1, st.just(())))


def _row_of_a_file(draw: DrawFn, program: Program) -> Row:
    file = draw(new_files(program))[0]
    return program.table.row(file.partition, (None,) * len(program.table.data_columns))


def _equals(column: Column, value: Value) -> Predicate:
    return IsNull(column.name) if value is None else Compare(column.name, Op.EQ, value, column.type)


def _satisfies(where: Predicate, row: Row, table: Table) -> bool:
    types = {column.name: column.type for column in table.columns}
    try:
        return evaluate(where, dict(zip(types, row)), types=types) is True
    except WouldFail:
        return False


@st.composite
def _conditions(draw: DrawFn, table: Table) -> Predicate:
    """Half select the rows equal to a row of a file, the others are predicates over any columns. One in 12 goes through a user's
    function.
    """
    can_pick = any(not is_nested(column.type) for column in table.data_columns)
    anything: SearchStrategy[Predicate] = predicates(table, over="any")
    condition = draw(weighted((1, picks(table)), (1, anything)) if can_pick else anything)
    return draw(sometimes_wrapped(condition, one=12))


@st.composite
def _assignments(draw: DrawFn, table: Table) -> list[Assignment]:
    """Values for one to three columns that UPDATE may set; one in ten also for those that it may not, or NULL for those that have
    none. Half are of one column. Shrinks to the first.
    """
    refusable = draw(one_in(10))
    columns = _set_by_update(table, also_refusable=refusable)
    count = min(draw(odds((3, 1), (2, 2), (1, 3))), len(columns))
    chosen = draw(st.lists(st.sampled_from(columns), min_size=count, max_size=count, unique=True))
    found: list[Assignment] = []
    for column in chosen:
        nulls = 5 if column.nullable or refusable else 0
        value = draw(values(column.type, nulls=nulls, empty=column.name not in table.partition_by))
        found.append(Assignment(column.name, column.type, value))
    return found


def _set_by_update(table: Table, *, also_refusable: bool = False) -> list[Column]:
    """The columns that no rule is about, or all but those from which others are generated."""
    sources = {column.generated_from for column in table.columns}
    free = [column for column in table.columns if column.name not in sources]
    if also_refusable:
        return free
    checked = {name for check in table.checks for name in columns_of(check)}
    ruled = [column.name for column in free if column.identity or column.generated_from is not None]
    return [column for column in free if column.name not in {*checked, *ruled}]


# The log --------------------------------------------------------------------------------------------------------------


@st.composite
def restores(draw: DrawFn, program: Program) -> Restore:
    """RESTOREs to the version before a step, or to an earlier one of the initial table: any with the definition that the table
    has now, which may be gone, and one with another definition if it is certainly there. One in three names the time of the
    version. Shrinks to the earliest.
    """
    return Restore(draw(st.sampled_from(_restorable(program))), by_time=draw(one_in(3)))


def _restorable(program: Program) -> list[int]:
    """What later steps name may not be there if a RESTORE to another definition is refused."""
    same = [
        place for place, table in enumerate(program.tables[:-1]) if _definition(table) == _definition(program.table)
    ]
    others = [place for place in range(len(program.steps)) if place not in same and program.is_restorable(place)]
    initial = program.initial
    if _definition(initial) == _definition(program.table) and not initial.has(Feature.ALTERED, Feature.WIDENED):
        others += range(initial.pruned - len(initial.commits) + 1, 0)
    return sorted(same + others)


def _definition(table: Table) -> tuple[object, ...]:
    return table.columns, table.partition_by, table.features, table.retention_hours


@st.composite
def retentions(draw: DrawFn, program: Program) -> SetRetention:
    """New retentions of deleted files (two in three), or of the log. Delta refuses one of deleted files that is longer than that
    of the log. Shrinks to a day.
    """
    table, of_log = program.table, program.log_retention
    shorter = [hours for hours in _RETENTIONS if hours * HOUR <= of_log]
    if draw(one_in(3)) or not shorter:
        return SetRetention(
            draw(st.sampled_from([hours for hours in _LOG_RETENTIONS if hours * HOUR >= table.retention])), of_log=True
        )
    return SetRetention(draw(st.sampled_from(shorter)))


# Features and columns -------------------------------------------------------------------------------------------------


@st.composite
def switches(draw: DrawFn, program: Program) -> Switch:
    """A feature on if it is off, else off; one in eight is set to what it is. Shrinks to deletion vectors."""
    feature = draw(st.sampled_from(_switchable(program.table)))
    return Switch(feature, on=program.table.has(feature) is draw(one_in(8)))


def _switchable(table: Table) -> list[Feature]:
    """The change feed needs the names of its own columns; Delta cannot delete rows of a table with deletion vectors and a column
    _metadata (docs/findings.md), and gives no row ids to files of unknown rows (DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS)."""
    names = {column.name for column in table.columns}
    cannot: dict[Feature, Collection[object]] = {
        Feature.CHANGE_DATA_FEED: names & set(CHANGE_NAMES),
        Feature.DELETION_VECTORS: names & {"_metadata"},
        Feature.ROW_TRACKING: _uncounted(table),
    }
    return [feature for feature in SWITCHED if table.has(feature) or not cannot.get(feature)]


def _uncounted(table: Table) -> list[int]:
    """The files whose number of rows is unknown."""
    return [file.id for file in table.files if file.statistics is Statistics.NONE]


def _droppable(program: Program) -> list[Feature]:
    """The features that the protocol has: once switched on one stays there, until it is dropped."""
    found: list[Feature] = []
    for feature in DROPPABLE:
        names = VECTORS if feature in VECTORS else (feature,)
        dropped = [
            place
            for place, step in enumerate(program.steps)
            if isinstance(step, OtherCommand) and step.command == DropFeature(feature)
        ]
        if any(table.has(*names) for table in program.tables[max(dropped, default=-1) + 1 :]):
            found.append(feature)
    return found


@st.composite
def new_columns(draw: DrawFn, program: Program) -> AddColumn:
    """A column of any primitive type. Shrinks to an INTEGER with a plain name."""
    return AddColumn(Column(draw(st.sampled_from(_free_names(program.table))), draw(st.sampled_from(NEW_TYPES))))


@st.composite
def renames(draw: DrawFn, program: Program) -> RenameColumn:
    """A data or partition column, with a new name: three in four times one with named statistics, if there is one."""
    columns = _unruled(program.table, program.table.columns)
    listed = [name for name in columns if name in program.table.indexed_columns]
    chosen = listed if listed and not draw(one_in(4)) else columns
    return RenameColumn(draw(st.sampled_from(chosen)), draw(st.sampled_from(_free_names(program.table))))


def _free_names(table: Table) -> list[str]:
    taken = {column.name.lower() for column in table.columns}
    return [
        name for name in (NEW_NAMES if maps_columns(table.features) else _NEW_PLAIN_NAMES) if name.lower() not in taken
    ]


def _unruled(table: Table, columns: Iterable[Column]) -> list[str]:
    """The names of the columns that no rule of the table is about."""
    ruled = {name for check in table.checks for name in columns_of(check)}
    for column in table.columns:
        if column.generated_from is not None:
            ruled |= {column.name, column.generated_from}
    return [column.name for column in columns if column.name not in ruled]


def _can_go(table: Table) -> list[str]:
    """Delta may be left without a column whose statistics it collects, but not with an empty list of them."""
    columns = [column for column in table.data_columns if (column.name,) != table.indexed_columns]
    return _unruled(table, columns) if len(table.data_columns) > 1 else []


def _can_widen(table: Table) -> list[str]:
    columns = [column for column in table.data_columns if isinstance(column.type, Type) and column.type in WIDER]
    return _unruled(table, (column for column in columns if not column.identity))


# All of them ----------------------------------------------------------------------------------------------------------


def _has_clone(program: Program) -> bool:
    return any(isinstance(step, OtherCommand) and isinstance(step.command, ShallowClone) for step in program.steps)


def _can_be_cloned(program: Program) -> bool:
    """Delta refuses to clone a table with row tracking that has a file of unknown rows (RowIdCloneSuite), and one with deletion
    vectors that are switched off."""
    now, tables = program.table, program.tables
    tracked = any(table.has(Feature.ROW_TRACKING) for table in tables)
    counted = not any(_uncounted(table) for table in tables)
    vectors = any(table.has(*VECTORS) for table in tables)
    return not _has_clone(program) and (counted or not tracked) and (now.has(Feature.DELETION_VECTORS) or not vectors)


def _always(command: Command) -> Callable[[Program], SearchStrategy[Command]]:
    return lambda program: st.just(command)


def log_compactions() -> SearchStrategy[CompactLog]:
    """A third of all commits that the log has, the others of the newest two to four; half without the newest one or two of these,
    but of two at least. Shrinks to all."""
    commits = st.sampled_from((None, 2, 3, 2, 3, 4))
    return commits.flatmap(
        lambda count: st.sampled_from((0, 0, 1, 2)).map(lambda last: CompactLog(count and count + last, last))
    )


#: What can be drawn of each command, if its condition holds.
COMMANDS: Mapping[Operation, Callable[[Program], SearchStrategy[Command]]] = {
    Operation.OPTIMIZE: optimizes,
    Operation.PURGE: _always(Purge()),
    Operation.RESTORE: restores,
    Operation.UPDATE: updates,
    Operation.MERGE: merges,
    Operation.OVERWRITE: overwrites,
    Operation.STREAM_APPEND: lambda program: new_rows(program).map(StreamAppend),
    Operation.CHECKPOINT: _always(Checkpoint()),
    Operation.COMPACT_LOG: lambda program: log_compactions(),
    Operation.CLEAN_UP_LOG: _always(CleanUpLog()),
    Operation.SET_RETENTION: retentions,
    Operation.SWITCH: switches,
    Operation.DROP_FEATURE: lambda program: st.sampled_from(_droppable(program)).map(DropFeature),
    Operation.ADD_COLUMN: new_columns,
    Operation.RENAME_COLUMN: renames,
    Operation.DROP_COLUMN: lambda program: st.sampled_from(_can_go(program.table)).map(DropColumn),
    Operation.WIDEN_COLUMN: lambda program: st.sampled_from(_can_widen(program.table)).map(WidenColumn),
    Operation.SHALLOW_CLONE: _always(ShallowClone()),
    Operation.VACUUM_CLONE: _always(VacuumClone()),
}

COMMAND_CONDITIONS: Mapping[Operation, Callable[[Program], bool]] = {
    Operation.RESTORE: lambda program: bool(_restorable(program)),
    Operation.UPDATE: lambda program: bool(_set_by_update(program.table)),
    Operation.OVERWRITE: lambda program: takes_rows(program.table),
    Operation.STREAM_APPEND: lambda program: takes_rows(program.table),
    Operation.DROP_FEATURE: lambda program: bool(_droppable(program)),
    Operation.ADD_COLUMN: lambda program: bool(_free_names(program.table)),
    Operation.RENAME_COLUMN: lambda program: (
        program.table.maps_columns
        and bool(_unruled(program.table, program.table.columns))
        and bool(_free_names(program.table))
    ),
    Operation.DROP_COLUMN: lambda program: program.table.maps_columns and bool(_can_go(program.table)),
    Operation.WIDEN_COLUMN: lambda program: bool(_can_widen(program.table)),
    Operation.SHALLOW_CLONE: _can_be_cloned,
    Operation.VACUUM_CLONE: _has_clone,
}
