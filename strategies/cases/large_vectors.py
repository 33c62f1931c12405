"""DELETEs from files with thousands of rows, whose deletion vectors have each kind of container of a Roaring bitmap, and from
files of several batches and pages."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.case import Case
from model.vocabulary.predicate import Between, Call, Compare, Function, Literal, Of, Op, Predicate, Relate
from model.vocabulary.steps import Delete, Read
from model.vocabulary.table import DAY, HOUR, WEEK, Column, Commit, DataFile, DeletionVector, Feature, Table
from model.vocabulary.values import Type
from strategies.weights import odds

#: Files by the container that their vector has, as the least one is chosen (https://github.com/RoaringBitmap/RoaringFormatSpec):
#: how many rows they have, and of how many rows in turn how many are hidden.
CONTAINERS = {
    "array": (600, 3, 1),
    "run": (3000, 1000, 990),
    "bitmap": (6300, 3, 2),  # more than 4096 rows, in more than 2047 runs
    # An array again, in a file of several batches (DataFusion's have 8,192 rows, Spark's 4,096) and of several pages.
    "pages": (30_000, 1000, 1),
}

_V = Column("v", Type.LONG)  # the row's index
_FEATURES = odds(
    (4, (Feature.DELETION_VECTORS.value,)),
    (1, (Feature.DELETION_VECTORS_OFF.value,)),
    (1, (Feature.DELETION_VECTORS.value, Feature.CHANGE_DATA_FEED.value)),
    (1, (Feature.DELETION_VECTORS.value, Feature.COLUMN_MAPPING_NAME.value)),
)


@st.composite
def large_vector_deletes(draw: DrawFn) -> Case:
    """A DELETE from one or two files with a vector of hundreds or thousands of rows, and a read: 2 engine steps.

    The vectors are in one file. The condition is over the rows' indexes: one row, a range, or one row in three to seven.
    Shrinks to a file whose vector is an array.
    """
    kinds = draw(st.lists(st.sampled_from(tuple(CONTAINERS)), min_size=1, max_size=2, unique=True))
    files = tuple(_file(id, kind) for id, kind in enumerate(kinds))
    vectors = tuple(DeletionVector(id, _hidden(kind), -HOUR) for id, kind in enumerate(kinds))
    table = Table(
        columns=(_V,),
        partition_by=(),
        files=files,
        commits=(
            Commit(-DAY, adds=tuple(file.id for file in files)),
            Commit(-HOUR, deletion_vectors=vectors),
        ),
        features=draw(_FEATURES),
    )
    return Case(table, (Delete(draw(_conditions(max(len(file.rows) for file in files) - 1))), Read()))


def _file(id: int, kind: str) -> DataFile:
    size, *_ = CONTAINERS[kind]
    return DataFile(id, (), tuple((index,) for index in range(size)), -WEEK)


def _hidden(kind: str) -> tuple[int, ...]:
    size, of, hidden = CONTAINERS[kind]
    return tuple(index for index in range(size) if index % of < hidden)


@st.composite
def _conditions(draw: DrawFn, last: int) -> Predicate:
    """Of rows up to the index ``last``."""
    kind = draw(odds((2, "one"), (3, "range"), (3, "some")))
    first = draw(st.integers(0, last))
    if kind == "one":
        return Compare(_V.name, Op.EQ, first, _V.type)
    if kind == "range":
        return Between(_V.name, first, draw(st.integers(first, last)), _V.type)
    every = draw(st.integers(3, 7))
    rest = Call(Function.REMAINDER, (Of(_V.name), Literal(every, Type.LONG)))
    return Relate(rest, Op.EQ, Literal(first % every, Type.LONG))
