"""Tables for VACUUM: many tombstones, vectors and strays, whose ages gather around one cutoff, and histories of all kinds."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.layout import BY_HAND
from model.table import (
    DAY,
    DEFAULT_RETENTION,
    FEATURES,
    HOUR,
    SECOND,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Reference,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from strategies.instants import EDGES, OLDER, YOUNGER, instants
from strategies.schemas import PARTITION_TYPES, ruled_schemas
from strategies.stray_files import littered, stray_files
from strategies.tables import RETENTIONS, tables
from strategies.types import PLAIN
from strategies.weights import odds, one_in, weighted

#: Every way in which a table says its retention, in hours: by default, in weeks, days, hours, and zero.
TABLE_RETENTIONS = (None, None, 168, 336, 24, 240, 1, 30, 0, 0)

#: Retentions of a day and more, in hours: by default, a day, ten days.
LONG_RETENTIONS = odds((2, None), (1, 24), (1, 240))

_SEVERAL_FILES = odds((1, 2), (2, 3), (3, 4), (3, 5), (2, 6))
MANY_FILES = odds((1, 6), (2, 8), (2, 9), (1, 11))
OFTEN_REMOVED = odds((1, False), (2, True))
EVENLY_REMOVED = st.booleans()
SELDOM_REMOVED = one_in(4)


def milliseconds(retention_hours: int | None) -> int:
    """A table's retention, ms."""
    return DEFAULT_RETENTION if retention_hours is None else retention_hours * HOUR


@st.composite
def vacuumable_tables(draw: DrawFn) -> Table:
    """Tables of any retention, with tombstones and up to four strays, their ages around the cutoff at the start.

    About half of the files are removed. Shrinks to one file and no stray.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    return draw(vacuumables(retention=retention, removed=EVENLY_REMOVED, most_strays=4))


@st.composite
def vacuumables(
    draw: DrawFn,
    *,
    retention: int | None,
    advance: int = 0,
    removed: SearchStrategy[bool] = OFTEN_REMOVED,
    file_counts: SearchStrategy[int] = _SEVERAL_FILES,
    partition_counts: SearchStrategy[int] | None = None,
    least_strays: int = 0,
    most_strays: int,
    flat: bool = False,
    hidden_deeper: bool = True,
) -> Table:
    """A table with tombstones and strays, their ages around the cutoff of a clock ``advance`` ms after the start.

    ``flat`` and ``hidden_deeper`` are those of ``strategies.stray_files.strays``. Shrinks to few files, few strays.
    """
    age = milliseconds(retention) - advance
    table = draw(
        tables(
            cutoff_age=age,
            file_counts=file_counts,
            partition_counts=partition_counts,
            removed=removed,
            min_commits=2,
            retentions=st.just(retention),
        )
    )
    things = stray_files(
        table,
        cutoff_age=age,
        min_size=least_strays,
        max_size=most_strays,
        flat=flat,
        hidden_deeper=hidden_deeper,
    )
    return draw(littered(table, things))


@st.composite
def featured_tables(
    draw: DrawFn,
    *,
    retention: int | None,
    cutoff_age: int,
    features: tuple[Feature, ...] = (),
    vectors: bool = False,
    file_counts: SearchStrategy[int] = _SEVERAL_FILES,
    removed: SearchStrategy[bool] = EVENLY_REMOVED,
) -> Table:
    """Tables with features, at most two partition columns, and no strays.

    With ``vectors``, each file that can have one has one or two. Files with vectors share one vector file in each commit
    that has any. Ages gather around the cutoff. Shrinks to few files and one data column.
    """
    wanted = {feature.value for feature in features}
    if vectors:
        wanted.add(draw(odds((2, Feature.DELETION_VECTORS), (1, Feature.DELETION_VECTORS_OFF))).value)
    chosen = tuple(name for name in FEATURES if name in wanted)
    schema = draw(
        ruled_schemas(
            features=chosen,
            partition_counts=odds((2, 1), (1, 2), (1, 0)),
            partition_types=st.sampled_from(PARTITION_TYPES),
            types=st.sampled_from(PLAIN),
            data_counts=odds((2, 1), (1, 2)),
            rules=False,
        )
    )
    return draw(
        tables(
            cutoff_age=cutoff_age,
            schema=schema,
            features=st.just(chosen),
            file_counts=file_counts,
            removed=removed,
            min_commits=4 if vectors else 3,
            retentions=st.just(retention),
            with_vectors=st.just(True) if vectors else None,
        )
    )


@st.composite
def aged(draw: DrawFn, table: Table, *, cutoff_age: int) -> Table:
    """The table with commits whose times gather around the cutoff, and vectors' tombstones likewise.

    In three of four tables a commit is at the cutoff's very ms, and the next one a ms later. A removal that was stamped
    with its commit's time still is. Shrinks to commits that are all old.
    """
    cutoff = -cutoff_age
    pool = sorted({cutoff + offset for offset in (*OLDER, *EDGES, *YOUNGER)} | {cutoff - 2 * HOUR, cutoff + 2 * HOUR})
    # Under a cutoff after the start all is old.
    pool = [instant for instant in pool if instant < 0] or [0]
    pool = [pool[0] - DAY * days for days in range(5, 0, -1)] + pool
    # The old ones first, so that it shrinks to these; the edges more often.
    pool += [cutoff + edge for edge in EDGES if cutoff + edge in pool] * 4
    count = len(table.commits)
    times = sorted(draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count, unique=True)))
    if cutoff in pool and draw(odds((3, True), (1, False))):
        # In place of the next ones, or of the last: LITE's window ends between these two commits.
        place = next((place for place, time in enumerate(times) if time >= cutoff), count - 1)
        times[place] = cutoff
        if place + 1 < count and cutoff + 1 in pool:
            times[place + 1] = cutoff + 1
    ages = instants(cutoff_age=cutoff_age)

    def at(deleted: int | None, commit: Commit, time: int) -> int | None:
        return time if deleted == commit.at else deleted

    def with_vectors(vector: DeletionVector, time: int) -> DeletionVector:
        return replace(vector, deleted=draw(weighted((2, ages), (1, st.just(time)))))

    commits = tuple(
        replace(
            commit,
            at=time,
            removes=tuple(replace(removal, deleted=at(removal.deleted, commit, time)) for removal in commit.removes),
            deletion_vectors=tuple(with_vectors(vector, time) for vector in commit.deletion_vectors),
        )
        for commit, time in zip(table.commits, times)
    )
    return replace(table, commits=commits)


@st.composite
def stored(draw: DrawFn, table: Table, *, absolute: bool) -> Table:
    """The table with vectors in files mostly, in the root or in a directory of random letters.

    ``absolute`` says whether vectors are named by their absolute paths: then those of three in four commits are. Spark
    deletes such files once they are old (docs/findings.md). Shrinks to files in the root.
    """
    commits = []
    for commit in table.commits:
        if commit.deletion_vectors:
            by_path = absolute and draw(odds((3, True), (1, False)))
            deletion_vectors = tuple(
                replace(
                    vector,
                    storage=VectorStorage.ABSOLUTE
                    if by_path
                    else draw(odds((4, VectorStorage.RELATIVE), (1, VectorStorage.INLINE))),
                )
                for vector in commit.deletion_vectors
            )
            commit = replace(
                commit,
                deletion_vectors=deletion_vectors,
                vector_prefix=draw(odds((3, ""), (2, "ab"), (1, "cd"), (1, "p-0"))),
            )
        commits.append(commit)
    return replace(table, commits=tuple(commits))


@st.composite
def referred(draw: DrawFn, table: Table) -> Table:
    """The table with two of three of its files named by URI, half of these in a directory beside the root.

    Shrinks to files below the root, named by their paths.
    """

    def placed(file: DataFile) -> DataFile:
        return replace(
            file, reference=draw(odds((2, Reference.RELATIVE), (2, Reference.ABSOLUTE), (2, Reference.OUTSIDE)))
        )

    return replace(table, files=tuple(placed(file) for file in table.files))


@st.composite
def loosely_removed(draw: DrawFn, table: Table) -> Table:
    """The table with three in seven of its removes without extended metadata, without a time, or without either.

    Shrinks to removes that say all.
    """

    def told(removal: Removal) -> Removal:
        lacks = draw(odds((4, "told"), (1, "bare"), (1, "no time"), (1, "neither")))
        deleted = None if lacks in ("no time", "neither") else removal.deleted
        return replace(removal, deleted=deleted, bare=lacks in ("bare", "neither"))

    commits = tuple(replace(commit, removes=tuple(map(told, commit.removes))) for commit in table.commits)
    return replace(table, commits=commits)


@st.composite
def checkpointed(draw: DrawFn, table: Table, *, pruned: bool | None = None) -> Table:
    """The table with checkpoints at half of its versions, at one at least; classic ones in up to three parts.

    ``pruned`` says whether the log begins at a later version than 0, at a checkpoint; not given, half do.
    Shrinks to one checkpoint of one part.
    """
    last = len(table.commits) - 1
    prunes = draw(st.booleans()) if pruned is None else pruned
    first = draw(st.integers(1, last)) if prunes and last else 0
    must = first or draw(st.integers(0, last))
    classic = not table.has(Feature.V2_CHECKPOINTS)
    commits = []
    for version, commit in enumerate(table.commits):
        here = version == must or draw(st.booleans())
        commits.append(
            replace(commit, checkpoint=here, parts=draw(odds((1, 1), (1, 2), (1, 3))) if here and classic else 1)
        )
    return replace(table, commits=tuple(commits), pruned=first)


def just_committed(table: Table) -> Table:
    """The table with all its commits in the last seconds before the start: every version is inside retention."""
    count = len(table.commits)
    commits = tuple(replace(commit, at=(version - count) * SECOND) for version, commit in enumerate(table.commits))
    return replace(table, commits=commits)


def recent(table: Table) -> Table:
    """The same, and vectors' tombstones are stamped with the times of their commits: they are inside retention too."""
    commits = tuple(
        replace(
            commit, deletion_vectors=tuple(replace(vector, deleted=commit.at) for vector in commit.deletion_vectors)
        )
        for commit in just_committed(table).commits
    )
    return replace(table, commits=commits)


@st.composite
def orphan_vectors(draw: DrawFn, *, cutoff_age: int) -> tuple[StrayFile, ...]:
    """One to three files of deletion vectors that nothing names: what a DELETE that takes whole files leaves behind."""
    ages = instants(cutoff_age=cutoff_age)
    names = [f"deletion_vector_f{number:07x}{BY_HAND}.bin" for number in range(3)]
    places = [draw(odds((1, ""), (1, "xy/"), (1, "ab/"))) for _ in range(draw(st.integers(1, 3)))]
    return tuple(StrayFile(place + name, modified=draw(ages), size=43) for place, name in zip(places, names))
