"""Cases of DELETE, and programs of DELETE and VACUUM: a strategy for each campaign. Short, because engine steps are slow."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.predicate import Call, Cast, Function, Literal, Of, Op, Predicate, Relate
from model.vocabulary.steps import Delete, DeleteMistake, Form, InvalidDelete, Read, ReadChanges, Step
from model.vocabulary.table import Feature, Table
from model.vocabulary.values import WHOLE_NUMBERS, DecimalOf, Type, is_nested
from strategies.cases.large_vectors import large_vector_deletes
from strategies.conditions.literals import conditional_deletes, literals
from strategies.conditions.predicates import Over, constants, picks, predicates
from strategies.conditions.wrapped import sometimes_wrapped, wrapped_deletes
from strategies.steps import programs as _programs
from strategies.steps.operations import ANY_FORM_SOMETIMES, deletes
from strategies.tables.features import feature_sets
from strategies.tables.indexed_columns import indexed_tables
from strategies.tables.initial_tables import History, feature_tables, live_files, tables, tables_with_empty_nulls
from strategies.tables.program_tables import program_tables
from strategies.tables.schemas import schemas
from strategies.tables.types import PLAIN, types
from strategies.tables.vacuum_tables import just_committed
from strategies.weights import odds, one_in, weighted

#: Combinations of the features that change what DELETE commits.
FEATURE_SETS = ((), ("deletionVectors",), ("changeDataFeed",), ("deletionVectors", "changeDataFeed"))

#: Time zones of sessions: west and east of UTC, by whole and half hours, and one whose daylight saving is 30 minutes.
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe")

#: Features of tables that test types.
_FEW_FEATURES = odds(
    (6, ()),
    (2, (Feature.DELETION_VECTORS.value,)),
    (1, (Feature.CHANGE_DATA_FEED.value,)),
    (1, (Feature.COLUMN_MAPPING_NAME.value,)),
    (1, (Feature.COLUMN_MAPPING_ID.value, Feature.ROW_TRACKING.value)),
)
_FEATURES_OR_NONE = weighted((1, st.just(())), (1, feature_sets()))
_MOSTLY_PLAIN = weighted((4, st.sampled_from(PLAIN)), (1, types()))
_CONDITIONS: SearchStrategy[Over | None] = odds((3, "data"), (4, "mixed"), (2, "any"), (4, "partition"), (2, None))
_CONDITIONS_OF_DATA: SearchStrategy[Over | None] = odds((6, "data"), (2, None))
_ZONES = st.sampled_from(ZONES)
_CONSTANT_OR_NONE = weighted((1, constants()), (1, st.none()))


@st.composite
def partition_deletes(draw: DrawFn, *, features: tuple[tuple[str, ...], ...] = FEATURE_SETS) -> Case:
    """Metadata-only DELETEs on partitioned tables with each of ``features``: one or two, each followed by a read.

    Conditions use partition columns; some are constants or absent. Two in five cases end with a read of the version
    before one of the DELETEs. One case in three is of a table whose data files cannot be read, with any features and
    without reads. Some NULL partition values are "" in the log (``tables_with_empty_nulls``). 1 to 5 engine steps. Shrinks to
    one DELETE on a table without features.
    """
    if draw(one_in(3)):
        return draw(_unread_deletes())
    table = draw(
        tables(
            schema=schemas(partition_counts=odds((3, 1), (2, 2), (1, 3))),
            history=History(file_counts=odds((1, 2), (2, 3), (3, 4), (3, 5), (2, 6)), removed=one_in(4)),
            features=st.sampled_from(features),
        )
    )
    table = draw(tables_with_empty_nulls(table))
    return draw(_deletes_and_reads(table, deletes(table, metadata_only=True)))


@st.composite
def _unread_deletes(draw: DrawFn) -> Case:
    """One or two DELETEs of whole files from a table whose data files cannot be read. One in five is a TRUNCATE."""
    table = draw(feature_tables(features=_FEATURES_OR_NONE, partition_counts=odds((3, 1), (2, 2), (1, 0)), rules=False))
    table = replace(table, features=(*table.features, Feature.UNREADABLE_FILES.value))
    metadata_only = deletes(table, metadata_only=True)
    steps = weighted((4, metadata_only), (1, st.just(Delete(None, form=Form.TRUNCATE))))
    return Case(table=table, steps=tuple(draw(steps) for _ in range(draw(odds((1, 1), (1, 2))))))


@st.composite
def row_deletes(draw: DrawFn) -> Case:
    """DELETEs that rewrite files, on tables without features: one or two, each followed by a read.

    Conditions use data columns; on partitioned tables two in three also use partition columns. Two in five cases end
    with a read of the version before one of the DELETEs. One case in six is of ``wrapped_deletes``. 2 to 5 engine steps. Shrinks
    to one DELETE with one test.
    """
    if draw(one_in(6)):
        return draw(wrapped_deletes())
    table = draw(
        tables(
            schema=schemas(partition_counts=odds((2, 1), (1, 2), (1, 0), (1, 3))), history=History(removed=one_in(4))
        )
    )
    over_data = predicates(table, over="data")
    mixed = predicates(table, over="mixed") if table.partition_by else over_data
    return draw(_deletes_and_reads(table, conditional_deletes(weighted((1, over_data), (2, mixed)))))


@st.composite
def _deletes_and_reads(draw: DrawFn, table: Table, deletes: SearchStrategy[Delete]) -> Case:
    count = draw(odds((2, 1), (1, 2)))
    steps: list[Step] = []
    for _ in range(count):
        steps += [draw(deletes), Read()]
    if draw(odds((3, False), (2, True))):
        steps.append(Read(before_step=2 * draw(st.integers(0, count - 1))))
        # Mostly inside retention, so that the read must succeed.
        table = draw(odds((3, just_committed(table)), (1, table)))
    return Case(table=table, steps=tuple(steps))


@st.composite
def feature_deletes(draw: DrawFn) -> Case:
    """DELETEs on tables with any features, deletion vectors and column rules: one or two, each followed by a read.

    Half of the conditions select rows of one file (``picks``), the others are ``_conditions``. Three in four tables with
    the change data feed have the changes of one DELETE read, and the versions and times of its commit: both after a single
    DELETE, else one of them. One DELETE in five uses another form than SQL by path. One in three of the cases with a
    single DELETE ends with a read of the version before. Types are mostly plain, one table in ten has 100 columns or more.
    One case in twelve is of ``large_vector_deletes``. 2 to 5 engine steps. Shrinks to one DELETE on a table without
    features.
    """
    if draw(one_in(12)):
        return draw(large_vector_deletes())
    table = draw(indexed_tables(draw(feature_tables(types=_MOSTLY_PLAIN, wide=one_in(10)))))
    count = draw(odds((1, 1), (1, 2)))
    feed = table.has(Feature.CHANGE_DATA_FEED) and draw(odds((3, True), (1, False)))
    read_changes_of = draw(st.integers(0, count - 1)) if feed else None
    steps: list[Step] = []
    for number in range(count):
        delete = len(steps)
        picked = draw(st.booleans()) and any(not is_nested(column.type) for column in table.data_columns)
        where = draw(picks(table)) if picked else draw(_conditions(table))
        form = draw(ANY_FORM_SOMETIMES)
        text = None if form is Form.API_PATH_COLUMN else where
        steps += [Delete(where, form=form, literals=draw(literals(text))), Read()]
        if number == read_changes_of:
            reads = [ReadChanges(of_step=delete), ReadChanges(of_step=delete, commits=True, zone=draw(_ZONES))]
            steps += reads if count == 1 else [draw(st.sampled_from(reads))]
    if count == 1 and draw(one_in(3)):
        steps.append(Read(before_step=0))
        table = just_committed(table)
    return Case(table=table, steps=tuple(steps))


@st.composite
def _conditions(draw: DrawFn, table: Table, *, functions: bool = False, zone: str = "UTC") -> Predicate | None:
    """Conditions, most of them over data columns; one in seven is a constant or absent. One in 16 predicates goes through a
    user's function. Shrinks to data columns.
    """
    over = draw(_CONDITIONS if table.partition_by else _CONDITIONS_OF_DATA)
    if over is None:
        return draw(_CONSTANT_OR_NONE)
    return draw(sometimes_wrapped(draw(predicates(table, over=over, functions=functions, zone=zone)), one=16))


@st.composite
def typed_deletes(draw: DrawFn) -> Case:
    """DELETEs over columns of all types, with functions and casts: one or two, each followed by a read.

    The session's time zone is one of ``ZONES``. Half of the tables have no features, the others one or two; columns
    have no rules; one table in ten has 100 columns or more. A third of the files with a DECIMAL partition value are trimmed,
    and some NULL partition values are "" in the log (``tables_with_empty_nulls``). Some tables say of which columns files have
    statistics (``indexed_tables``), here and in ``feature_deletes``. Two in three tests of a condition call functions. 2 to 4
    engine steps. Shrinks to one DELETE with one comparison, in UTC.
    """
    table = draw(
        feature_tables(
            features=_FEW_FEATURES,
            types=types(),
            data_counts=odds((1, 2), (1, 1), (2, 3), (2, 4)),
            rules=False,
            wide=one_in(10),
        )
    )
    if any(isinstance(column.type, DecimalOf) for column in table.partition_columns):
        table = replace(table, files=tuple(replace(file, trimmed=draw(one_in(3))) for file in table.files))
    table = draw(indexed_tables(draw(tables_with_empty_nulls(table))))
    zone = draw(st.sampled_from(ZONES))
    steps: list[Step] = []
    for _ in range(draw(odds((1, 1), (1, 2)))):
        where = draw(_conditions(table, functions=True, zone=zone))
        steps += [Delete(where, zone=zone, literals=draw(literals(where))), Read()]
    return Case(table=table, steps=tuple(steps))


@st.composite
def refused_deletes(draw: DrawFn) -> Case:
    """Three DELETEs that must be refused and change nothing, and a read: 4 engine steps.

    Three in seven cases have different invalid commands, on tables with any features or none; two have valid DELETEs
    in any form, on append-only tables; two have conditions that fail for every row whose value is not NULL.
    Shrinks to the first invalid commands on a table without features.
    """
    kind = draw(odds((3, "invalid"), (2, "append-only"), (2, "failing")))
    if kind == "failing":
        table = draw(feature_tables(features=_FEATURES_OR_NONE, rules=False))
        return Case(table=table, steps=(*(Delete(draw(_failing(table))) for _ in range(3)), Read()))
    if kind == "invalid":
        table = draw(feature_tables(features=_FEATURES_OR_NONE, rules=False))
        mistakes = [
            mistake
            for mistake in DeleteMistake
            if mistake is not DeleteMistake.PARTITION_DIRECTORY or (table.partition_by and live_files(table))
        ]
        chosen = draw(st.lists(st.sampled_from(mistakes), min_size=3, max_size=3, unique=True))
        return Case(table=table, steps=(*(InvalidDelete(mistake) for mistake in chosen), Read()))
    table = draw(feature_tables(features=feature_sets(append_only=True), rules=False))
    return Case(table=table, steps=(*(draw(_deletes_in_any_form(table)) for _ in range(3)), Read()))


@st.composite
def _failing(draw: DrawFn, table: Table) -> Predicate:
    """A condition that is an error in ANSI SQL: a remainder by zero, or a cast of a string that is not a number.

    Half of them use data columns only.
    """
    columns = table.data_columns if draw(st.booleans()) else table.columns
    numbers = [column for column in columns if column.type in WHOLE_NUMBERS]
    texts = [column for column in columns if column.type is Type.STRING]
    if numbers and (not texts or draw(st.booleans())):
        column = draw(st.sampled_from(numbers))
        zero = Literal(0, column.type)
        return Relate(Call(Function.REMAINDER, (Of(column.name), zero)), Op.EQ, zero)
    if texts:
        column = draw(st.sampled_from(texts))
        return Relate(Cast(Of(column.name), Type.INTEGER), Op.GT, Literal(3, Type.INTEGER))
    return Relate(Cast(Literal("a", Type.STRING), Type.INTEGER), Op.EQ, Literal(1, Type.INTEGER))


@st.composite
def _deletes_in_any_form(draw: DrawFn, table: Table) -> Delete:
    """A DELETE in any form. One in seven is a TRUNCATE, one in three of the others has no condition."""
    form = draw(st.sampled_from(tuple(Form)))
    if form is Form.TRUNCATE or draw(one_in(3)):
        return Delete(None, form=form)
    return Delete(draw(_conditions(table)), form=form)


@st.composite
def delete_forms(draw: DrawFn) -> Case:
    """DELETEs in every form, equally often: one or two, each followed by a read.

    Tables have no column rules, half of them no features. 2 to 4 engine steps. Shrinks to one DELETE in SQL by path.
    """
    table = draw(feature_tables(features=_FEATURES_OR_NONE, rules=False))
    steps: list[Step] = []
    for _ in range(draw(odds((1, 1), (1, 2)))):
        steps += [draw(_deletes_in_any_form(table)), Read()]
    return Case(table=table, steps=tuple(steps))


@st.composite
def programs(draw: DrawFn, *, length: int = 7, engine_steps: int = 6) -> Case:
    """A program (``strategies.steps.programs.programs``) on a table with stray files, three in four with features.

    Shrinks operation by operation.
    """
    table = draw(program_tables())
    steps = draw(_programs.programs(table, length=length, engine_steps=engine_steps))
    return Case(table=table, steps=steps)
