"""Schemas: names, types and rules of columns, and the partition columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.table import Column, Feature
from model.vocabulary.values import AnyType, Type, is_nested
from strategies.tables.features import maps_columns
from strategies.tables.types import PARTITIONABLE, PLAIN
from strategies.weights import odds, one_in

#: Names of partition columns. VACUUM must not treat the directories of ``_date`` and ``.x`` as hidden (docs/delta.md 1.2,
#: step 9). Spark and Delta accept both names.
PARTITION_NAMES = ("p", "q", "_date", "country", ".x", "Region")

#: Names of data columns, some the same as Delta's own fields, some with capitals. All are distinct, ignoring case.
DATA_NAMES = ("id", "v", "name", "path", "a.b", "größe", "select", "_w", "customerId", "Amount")

#: Names that engines use internally: metadata columns, functions, temporary columns of a DELETE.
INTERNAL_NAMES = ("_metadata", "_row_id", "input_file_name", "rowIndexCol", "file_path", "row_index", "b`t")

#: Columns that the change data feed adds: Delta refuses them when the feed is enabled.
CHANGE_NAMES = ("_change_type", "_commit_version")

#: Names with characters that SQL, paths, URIs or patterns treat otherwise: engines take them with and without column mapping.
ODD_NAMES = ("at:utc", "g/h", "50%", "k'l", 'm"n', "o#?", "w\\[*]^", "x&y+z", "<$1>|~@!")

#: The same for partition columns: Spark writes some of them as %XX in the names of directories, delta-rs none.
ODD_PARTITION_NAMES = ("time:utc", "r/s", "t%41", "u'v", 'x"y', "c#?", "b\\[*]^", "d&e+f", "<$2>|~@!")

#: Names with characters that Parquet schemas do not allow: only with column mapping.
MAPPED_NAMES = ("a b", "x,y", "semi;colon", "{c}", "(d)", "e=q", "t\tab", "n\nl")

#: The same for partition columns.
MAPPED_PARTITION_NAMES = ("p q", "p=q", "p,q;")

PARTITION_TYPES = (Type.STRING, Type.INTEGER, Type.DATE)
DATA_TYPES = (Type.INTEGER, Type.STRING, Type.LONG, Type.BOOLEAN, Type.DATE)

#: The columns, and the names of the partition columns in order.
Schema = tuple[tuple[Column, ...], tuple[str, ...]]

#: Types of the additional columns of wide tables: mostly numbers, which are cheap to draw.
WIDE_TYPES = (Type.LONG, Type.LONG, Type.LONG, Type.INTEGER, Type.STRING)


@st.composite
def schemas(
    draw: DrawFn,
    *,
    partition_counts: SearchStrategy[int] | None = None,
) -> Schema:
    """Schemas of plain types: 0 to 3 partition columns (``partition_counts``) and 1 to 3 data columns.

    A third have their columns in random order, so that partition columns are interleaved with data columns and the
    order of partitioning differs from the schema's. Shrinks to few columns with plain names.
    """
    count = draw(odds((2, 0), (4, 1), (2, 2), (1, 3)) if partition_counts is None else partition_counts)
    partition_by = draw(_names(PARTITION_NAMES, count))
    data = draw(_names(DATA_NAMES, draw(odds((3, 1), (3, 2), (2, 3)))))
    columns = [Column(name, draw(st.sampled_from(PARTITION_TYPES))) for name in partition_by]
    columns += [Column(name, draw(st.sampled_from(DATA_TYPES))) for name in data]
    if draw(one_in(3)):
        columns = draw(st.permutations(columns))
    return tuple(columns), partition_by


@cache
def _names(pool: tuple[str, ...], count: int) -> SearchStrategy[tuple[str, ...]]:
    names = st.lists(st.sampled_from(pool), min_size=count, max_size=count, unique=True)
    return names.map(tuple)


@st.composite
def ruled_schemas(
    draw: DrawFn,
    *,
    features: tuple[str, ...] = (),
    partition_counts: SearchStrategy[int] | None = None,
    partition_types: SearchStrategy[AnyType] = st.sampled_from(PARTITIONABLE),
    types: SearchStrategy[AnyType] = st.sampled_from(PLAIN),
    data_counts: SearchStrategy[int] = odds((3, 1), (3, 2), (2, 3)),
    rules: bool = True,
    wide: SearchStrategy[bool] = st.just(False),
) -> Schema:
    """Schemas with columns of any type, for a table with these ``features``.

    Two fifths of the data columns have a name that engines use internally or that has unusual characters, with column mapping
    also such as Parquet does not allow; so do a third of the partition columns. With ``rules``, of ten tables four have a
    generated column (in half of the partitioned ones a partition column), two an identity column, three a column with a
    default and three a NOT NULL column. ``wide`` draws whether there are 100 columns or more. Shrinks to one plain column
    without rules.
    """
    count = draw(odds((2, 0), (4, 1), (2, 2), (1, 3)) if partition_counts is None else partition_counts)
    partition_by = draw(_names(_partition_names(maps_columns(features)), count))
    partition = [Column(name, draw(partition_types)) for name in partition_by]
    data = [Column(name, draw(types)) for name in draw(_names(_data_names(features), draw(data_counts)))]
    if rules:
        partition, data = draw(_ruled(partition, data))
    if draw(wide):
        more = range(draw(st.sampled_from((100, 110, 120))) - len(partition) - len(data))
        data += [Column(f"c{number:03d}", WIDE_TYPES[number % len(WIDE_TYPES)]) for number in more]
    columns = partition + data
    if draw(one_in(4)):
        # Partition columns last, or between data columns.
        place = draw(st.integers(0, min(len(data), 3)))
        columns = data[:place] + partition + data[place:]
    return tuple(columns), partition_by


@cache
def _data_names(features: tuple[str, ...]) -> tuple[str, ...]:
    names: tuple[str, ...] = DATA_NAMES * 3 + INTERNAL_NAMES + ODD_NAMES
    if Feature.DELETION_VECTORS.value in features or Feature.DELETION_VECTORS_OFF.value in features:
        # Delta 4.4 cannot delete rows of such a table (docs/findings.md): every such case would fail for that reason.
        names = tuple(name for name in names if name != "_metadata")
    if Feature.CHANGE_DATA_FEED.value not in features:
        names += CHANGE_NAMES
    return names + MAPPED_NAMES if maps_columns(features) else names


def _partition_names(mapped: bool) -> tuple[str, ...]:
    names = PARTITION_NAMES * 4 + ODD_PARTITION_NAMES
    return names + MAPPED_PARTITION_NAMES * 2 if mapped else names


@dataclass(frozen=True)
class _Rules:
    generated: bool
    identity: bool
    default: bool
    not_null: bool


_RULES = st.builds(
    _Rules,
    generated=odds((3, False), (2, True)),
    identity=odds((4, False), (1, True)),
    default=odds((7, False), (3, True)),
    not_null=odds((7, False), (3, True)),
)


@st.composite
def _ruled(draw: DrawFn, partition: list[Column], data: list[Column]) -> tuple[list[Column], list[Column]]:
    """The columns with rules, and additional columns that the rules need. No column has two rules."""
    rules = draw(_RULES)
    free = [place for place, column in enumerate(data) if not is_nested(column.type)]
    if rules.not_null:
        # Of any type: the parts of a struct, array or map may still be NULL.
        place = draw(st.integers(0, len(data) - 1))
        data = [*data[:place], replace(data[place], nullable=False), *data[place + 1 :]]
    if rules.default and free:
        place = draw(st.sampled_from(free))
        if data[place].nullable:
            data = [*data[:place], replace(data[place], default=True), *data[place + 1 :]]
    if rules.generated:
        of_partition = draw(st.booleans())
        if partition and of_partition:
            place = draw(st.integers(0, len(partition) - 1))
            data = [*data, Column("source", partition[place].type)]
            partition = list(partition)
            partition[place] = replace(partition[place], generated_from="source")
        elif free:
            source = data[draw(st.sampled_from(free))]
            data = [*data, Column("copy", source.type, generated_from=source.name)]
    if rules.identity:
        data = [*data, Column("number", Type.LONG, identity=True)]
    return partition, data
