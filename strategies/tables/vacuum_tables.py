"""Tables for VACUUM: many tombstones, deletion vectors and stray files with ages around one cutoff, and their logs."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.text.layout import BY_HAND
from model.vocabulary.table import (
    DAY,
    DEFAULT_RETENTION,
    FEATURES,
    HOUR,
    SECOND,
    Commit,
    DeletionVector,
    Feature,
    Reference,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from strategies.instants import EDGES, OLDER, YOUNGER, instants
from strategies.tables.initial_tables import RETENTIONS, History, ruled_tables, tables
from strategies.tables.schemas import PARTITION_TYPES, ruled_schemas, schemas
from strategies.tables.stray_files import stray_files, with_stray_files
from strategies.tables.types import PLAIN
from strategies.weights import odds, one_in, weighted

#: Retentions in hours, among them the default (None), whole weeks and days, minutes and seconds, and zero.
TABLE_RETENTIONS = (None, None, 168, 336, 24, 240, 1, 30, 0, 0, 1.5, 30.0125)

#: Retentions of a day or more, in hours.
LONG_RETENTIONS = odds((2, None), (1, 24), (1, 240))

_SEVERAL_FILES = odds((1, 2), (2, 3), (3, 4), (3, 5), (2, 6))
MANY_FILES = odds((1, 6), (2, 8), (2, 9), (1, 11))
OFTEN_REMOVED = odds((1, False), (2, True))
EVENLY_REMOVED = st.booleans()
SELDOM_REMOVED = one_in(4)


def milliseconds(retention_hours: float | None) -> int:
    """A table's retention, ms."""
    return DEFAULT_RETENTION if retention_hours is None else round(retention_hours * HOUR)


@st.composite
def vacuumable_tables(draw: DrawFn) -> Table:
    """Tables of any retention, with tombstones and up to four stray files, their ages around the cutoff at the start.

    About half of the files are removed. Shrinks to one file and no stray file.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    return draw(vacuumables(retention=retention, removed=EVENLY_REMOVED, max_stray_files=4))


@st.composite
def vacuumables(
    draw: DrawFn,
    *,
    retention: float | None,
    advance: int = 0,
    removed: SearchStrategy[bool] = OFTEN_REMOVED,
    file_counts: SearchStrategy[int] = _SEVERAL_FILES,
    partition_counts: SearchStrategy[int] | None = None,
    min_stray_files: int = 0,
    max_stray_files: int,
    flat: bool = False,
    hidden_deeper: bool = True,
) -> Table:
    """Tables with tombstones and stray files, their ages around the cutoff of a clock ``advance`` ms after the start.

    ``flat`` and ``hidden_deeper`` are those of ``stray_files``. Shrinks to few files and few stray files.
    """
    age = milliseconds(retention) - advance
    table = draw(
        tables(
            schema=schemas(partition_counts=partition_counts),
            history=History(cutoff_age=age, file_counts=file_counts, removed=removed, min_commits=2),
            retentions=st.just(retention),
        )
    )
    strays = stray_files(
        table,
        cutoff_age=age,
        min_size=min_stray_files,
        max_size=max_stray_files,
        flat=flat,
        hidden_deeper=hidden_deeper,
    )
    return draw(with_stray_files(table, strays))


@st.composite
def featured_tables(
    draw: DrawFn,
    *,
    retention: float | None,
    cutoff_age: int,
    features: tuple[Feature, ...] = (),
    vectors: bool = False,
    file_counts: SearchStrategy[int] = _SEVERAL_FILES,
    removed: SearchStrategy[bool] = EVENLY_REMOVED,
) -> Table:
    """Tables with features, at most two partition columns, and no stray files. Ages gather around the cutoff.

    With ``vectors``, each file that can have a deletion vector has one or two; those of one commit share a vector file.
    Shrinks to few files and one data column.
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
        ruled_tables(
            schema=schema,
            history=History(
                cutoff_age=cutoff_age,
                file_counts=file_counts,
                removed=removed,
                with_vectors=st.just(vectors),
                min_commits=4 if vectors else 3,
            ),
            retentions=st.just(retention),
            features=chosen,
        )
    )


@st.composite
def aged(draw: DrawFn, table: Table, *, cutoff_age: int) -> Table:
    """The table with the times of commits and of replaced deletion vectors around the cutoff.

    In three of four tables one commit is exactly at the cutoff, and the next 1 ms later. A removal with its commit's
    time keeps having it. Shrinks to commits that are all old.
    """
    cutoff = -cutoff_age
    pool = sorted({cutoff + offset for offset in (*OLDER, *EDGES, *YOUNGER)} | {cutoff - 2 * HOUR, cutoff + 2 * HOUR})
    # With a cutoff after the start everything is old.
    pool = [instant for instant in pool if instant < 0] or [0]
    pool = [pool[0] - DAY * days for days in range(5, 0, -1)] + pool
    # Old ones first, for shrinking; the edges are more frequent.
    pool += [cutoff + edge for edge in EDGES if cutoff + edge in pool] * 4
    count = len(table.commits)
    times = sorted(draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count, unique=True)))
    if cutoff in pool and draw(odds((3, True), (1, False))):
        # LITE reads the log up to the cutoff: between these two commits.
        place = next((place for place, time in enumerate(times) if time >= cutoff), count - 1)
        times[place] = cutoff
        if place + 1 < count and cutoff + 1 in pool:
            times[place + 1] = cutoff + 1
    ages = instants(cutoff_age=cutoff_age)

    def moved_removal(removal: Removal, commit: Commit, time: int) -> Removal:
        return replace(removal, deleted=time) if removal.deleted == commit.at else removal

    def moved_vector(vector: DeletionVector, time: int) -> DeletionVector:
        return replace(vector, deleted=draw(weighted((2, ages), (1, st.just(time)))))

    commits = tuple(
        replace(
            commit,
            at=time,
            removes=tuple(moved_removal(removal, commit, time) for removal in commit.removes),
            deletion_vectors=tuple(moved_vector(vector, time) for vector in commit.deletion_vectors),
        )
        for commit, time in zip(table.commits, times)
    )
    return replace(table, commits=commits)


def with_relative_vectors(table: Table) -> Table:
    """The table with all deletion vectors in files that VACUUM protects; Spark loses others (docs/findings.md)."""

    def relative(commit: Commit) -> Commit:
        vectors = tuple(replace(vector, storage=VectorStorage.RELATIVE) for vector in commit.deletion_vectors)
        return replace(commit, deletion_vectors=vectors)

    return replace(table, commits=tuple(relative(commit) for commit in table.commits))


@st.composite
def stored(draw: DrawFn, table: Table, *, absolute: bool) -> Table:
    """The table with its deletion vectors in files, in the root or in a directory with a random prefix.

    In one of seven tables half of them are inline: of these Spark vacuums none (docs/findings.md). With ``absolute``, three
    in four commits reference the files by absolute path. Spark deletes such files once they are old. Shrinks to files in
    the root.
    """
    commits = []
    in_files = draw(odds((6, True), (1, False)))
    for commit in table.commits:
        if commit.deletion_vectors:
            by_path = absolute and draw(odds((3, True), (1, False)))
            deletion_vectors = tuple(
                replace(
                    vector,
                    storage=VectorStorage.INLINE
                    if not in_files and draw(st.booleans())
                    else VectorStorage.ABSOLUTE
                    if by_path
                    else VectorStorage.RELATIVE,
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
def referenced_by_uri(draw: DrawFn, table: Table) -> Table:
    """The table with two in three files referenced by URI, half of these in a directory beside the root.

    Shrinks to files below the root, referenced by relative paths.
    """
    references = odds((2, Reference.RELATIVE), (2, Reference.ABSOLUTE), (2, Reference.OUTSIDE))
    return replace(table, files=tuple(replace(file, reference=draw(references)) for file in table.files))


@st.composite
def incomplete_removes(draw: DrawFn, table: Table) -> Table:
    """The table with three in seven removes lacking extended metadata, the deletionTimestamp, or both.

    Shrinks to complete removes.
    """

    def incomplete(removal: Removal) -> Removal:
        timed, bare = draw(odds((4, (True, False)), (1, (True, True)), (1, (False, False)), (1, (False, True))))
        return replace(removal, deleted=removal.deleted if timed else None, bare=bare)

    commits = tuple(replace(commit, removes=tuple(map(incomplete, commit.removes))) for commit in table.commits)
    return replace(table, commits=commits)


@st.composite
def checkpointed(draw: DrawFn, table: Table, *, pruned: bool | None = None) -> Table:
    """The table with checkpoints at half of its versions, and at least one; classic ones have up to three parts.

    With ``pruned`` the log begins with a checkpoint at a later version than 0; without a value, half do. Shrinks to one
    checkpoint of one part.
    """
    last = len(table.commits) - 1
    prunes = draw(st.booleans()) if pruned is None else pruned
    first = draw(st.integers(1, last)) if prunes and last else 0
    certain = first or draw(st.integers(0, last))
    classic = not table.has(Feature.V2_CHECKPOINTS)
    commits = []
    for version, commit in enumerate(table.commits):
        checkpoint = version == certain or draw(st.booleans())
        parts = draw(odds((1, 1), (1, 2), (1, 3))) if checkpoint and classic else 1
        commits.append(replace(commit, checkpoint=checkpoint, parts=parts))
    return replace(table, commits=tuple(commits), pruned=first)


def just_committed(table: Table) -> Table:
    """The table with all commits in the last seconds before the start, so that every version is inside retention."""
    count = len(table.commits)
    commits = tuple(replace(commit, at=(version - count) * SECOND) for version, commit in enumerate(table.commits))
    return replace(table, commits=commits)


def recent(table: Table) -> Table:
    """``just_committed``, with replaced deletion vectors inside retention too."""
    commits = tuple(
        replace(
            commit, deletion_vectors=tuple(replace(vector, deleted=commit.at) for vector in commit.deletion_vectors)
        )
        for commit in just_committed(table).commits
    )
    return replace(table, commits=commits)


@st.composite
def orphan_vectors(draw: DrawFn, *, cutoff_age: int) -> tuple[StrayFile, ...]:
    """One to three files of deletion vectors that no action references, as a DELETE that removes whole files leaves them."""
    ages = instants(cutoff_age=cutoff_age)
    names = [f"deletion_vector_f{number:07x}{BY_HAND}.bin" for number in range(3)]
    places = [draw(odds((1, ""), (1, "xy/"), (1, "ab/"))) for _ in range(draw(st.integers(1, 3)))]
    return tuple(StrayFile(place + name, modified=draw(ages), size=43) for place, name in zip(places, names))
