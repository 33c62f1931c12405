"""Cases of few steps in which many small errors of an engine would show: for the corpus, whose seconds are dear."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.semantics.domains import distinct
from model.vocabulary.case import Case
from model.vocabulary.predicate import And, Between, Compare, In, IsNull, Like, Not, Op, Or, Predicate
from model.vocabulary.steps import Delete, Inventory, Mode, Read, Step, Vacuum
from model.vocabulary.table import Column, Feature, Kind, Table
from model.vocabulary.values import Type, Value, is_nested
from strategies.cases.corpus.telling_files import with_telling_files
from strategies.conditions.predicates import Over, patterns
from strategies.instants import EDGES
from strategies.steps.vacuums import supports_inventories
from strategies.tables.column_values import comes_after, values
from strategies.tables.initial_tables import feature_tables
from strategies.tables.outside_root import links
from strategies.tables.stray_files import stray_files, with_stray_files
from strategies.tables.types import PARTITIONABLE, PLAIN
from strategies.tables.vacuum_tables import LONG_RETENTIONS, MANY_FILES, featured_tables, milliseconds, stored
from strategies.weights import odds, one_in, weighted

_FEATURES = st.sampled_from(
    (
        (),
        (Feature.DELETION_VECTORS.value,),
        (Feature.CHANGE_DATA_FEED.value,),
        (Feature.DELETION_VECTORS.value, Feature.CHANGE_DATA_FEED.value),
    )
)
_SHAPES = st.sampled_from(("and", "or", "and of or", "or of and", "not and", "not or"))
_OVER: SearchStrategy[Over] = odds((2, "data"), (3, "mixed"), (2, "partition"))


@st.composite
def telling_deletes(draw: DrawFn) -> Case:
    """Two to four DELETEs whose conditions join two or three tests of different columns, each kind of test and operator equally
    often, on tables with files for them (``telling_files``); and a read. 3 to 5 engine steps. Shrinks to two DELETEs
    without features.
    """
    over = draw(_OVER)  # of all DELETEs: whole files are removed, or files are rewritten
    partition_counts = odds((2, 2), (1, 3)) if over == "partition" else odds((2, 1), (1, 2))
    types = st.sampled_from([type for type in PLAIN if type is not Type.BOOLEAN])
    table = draw(
        feature_tables(
            features=_FEATURES,
            rules=False,
            types=types,
            partition_types=st.sampled_from([type for type in PARTITIONABLE if type is not Type.BOOLEAN]),
            partition_counts=partition_counts,
            data_counts=odds((2, 2), (1, 3)),
        )
    )
    steps: list[Step] = []
    for _ in range(draw(odds((1, 2), (2, 3), (1, 4)))):
        where = draw(telling_conditions(table, over=over))
        table = with_telling_files(table, where, most=8)
        steps.append(Delete(where))
    return Case(table, (*steps, Read()))


@st.composite
def telling_conditions(draw: DrawFn, table: Table, *, over: Over) -> Predicate:
    """Two or three tests, of different columns as far as there are any, joined by AND, OR and NOT; with ``over="mixed"`` the
    first is of a partition column and the others of data columns. Shrinks to two comparisons that AND joins.
    """
    columns = [column for column in draw(st.permutations(table.columns)) if not is_nested(column.type)]
    partition = [column for column in columns if column.name in table.partition_by]
    data = [column for column in columns if column.name not in table.partition_by] or partition
    if over == "mixed":
        chosen = [partition[0], data[0], data[-1]]
    else:
        chosen = list(islice(cycle(partition if over == "partition" else data), 3))
    left, right, third = (draw(_tests(table, column)) for column in chosen)
    shape = draw(_SHAPES)
    if shape == "and of or":
        return And(left, Or(right, third))
    if shape == "or of and":
        return Or(left, And(right, third))
    if shape in ("not and", "not or"):
        left = Not(left)
    return And(left, right) if shape.endswith("and") else Or(left, right)


@st.composite
def _tests(draw: DrawFn, table: Table, column: Column) -> Predicate:
    """A test of the column, with values of its live files or any others; one comparison in eight is with NULL."""
    place = [other.name for other in table.columns].index(column.name)
    rows = [table.row(file.partition, row)[place] for file in table.files for row in file.rows]
    own: list[Value] = distinct(value for value in rows if value is not None)
    literals = weighted((3 if own else 0, st.sampled_from(own or [None])), (1, values(column.type, nulls=0)))
    kind = draw(st.sampled_from(("compare", "compare", "between", "in", "null", "like")))
    if kind == "between":
        low, high = draw(literals), draw(literals)
        low, high = (high, low) if comes_after(low, high) else (low, high)
        return Between(column.name, low, high, column.type)
    if kind == "in":
        chosen = distinct(draw(literals) for _ in range(draw(odds((1, 2), (1, 3)))))
        return In(column.name, tuple(chosen), column.type)
    if kind == "null":
        return IsNull(column.name)
    if kind == "like" and column.type is Type.STRING:
        return Like(column.name, draw(patterns(tuple(value for value in own if isinstance(value, str)))))
    value = None if draw(one_in(8)) else draw(literals)
    return Compare(column.name, draw(st.sampled_from(tuple(Op))), value, column.type)


@st.composite
def telling_vacuums(draw: DrawFn) -> Case:
    """DRY RUNs in two or three modes and one VACUUM, of tables whose times are all within a millisecond of the cutoff: those of
    removes, of deletion vectors, of stray files, of links. A read ends the case. 4 or 5 engine steps. Shrinks to few files.
    """
    retention = draw(LONG_RETENTIONS)
    age = milliseconds(retention)
    table = draw(
        featured_tables(
            retention=retention,
            cutoff_age=age,
            features=(Feature.CHANGE_DATA_FEED,) if draw(one_in(3)) else (),
            vectors=draw(odds((2, True), (1, False))),
            file_counts=MANY_FILES,
        )
    )
    if table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF):
        table = draw(stored(table, absolute=draw(st.booleans())))
    table = draw(with_stray_files(table, stray_files(table, cutoff_age=age, min_size=4, max_size=8, flat=True)))
    if draw(one_in(3)):
        table = draw(with_stray_files(table, links(table, cutoff_age=age)))
    table = at_the_cutoff(table, -age, first=draw(st.integers(0, len(EDGES) - 1)))
    modes = [Mode.DEFAULT, Mode.LITE, *((Mode.INVENTORY_QUERY,) if supports_inventories(table) else ())]
    last = Vacuum(mode=draw(st.sampled_from(modes)), inventory=draw(st.sampled_from(tuple(Inventory))))
    last = last if last.mode.inventory else Vacuum(mode=last.mode)
    return Case(table, (*(Vacuum(mode=mode, dry_run=True) for mode in modes), last, Read()))


def at_the_cutoff(table: Table, cutoff: int, *, first: int) -> Table:
    """The table with all times of removes, of vectors and of files without a reference on the cutoff (ms from the start), and one
    ms before and after it, in turn from the ``first`` of these."""
    edges = cycle([cutoff + edge for edge in (*EDGES[first:], *EDGES[:first])])
    commits = tuple(
        replace(
            commit,
            removes=tuple(replace(one, deleted=min(next(edges), 0)) for one in commit.removes),
            deletion_vectors=tuple(replace(one, deleted=min(next(edges), 0)) for one in commit.deletion_vectors),
        )
        for commit in table.commits
    )
    files = tuple(replace(file, modified=cutoff - 1) for file in table.files)
    stray = tuple(
        one if one.kind is Kind.DIRECTORY else replace(one, modified=min(next(edges), 0)) for one in table.stray_files
    )
    return replace(table, commits=commits, files=files, stray_files=stray)
