"""Things in a table's directory that no action refers to: orphans, hidden files, look-alikes, empty directories.

Nothing lies in the table's own ``_delta_log``. A name with a ``:`` is that of a hidden file, or of an empty directory
below another: on any other VACUUM fails on Spark (docs/findings.md).
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.layout import partition_directory
from model.table import Kind, StrayFile, Table
from strategies.instants import instants
from strategies.paths import Paths, is_flat, is_hidden_deeper, joined
from strategies.tables import partitions_of
from strategies.weights import odds, one_in, weighted

#: A name about as long as a file system takes, with room for the name of its checksum.
LONG = "long" * 55

#: File names that VACUUM sees, the plain ones first.
VISIBLE_FILES = (
    "orphan.parquet",
    "part-orphan-c000.snappy.parquet",
    "notes.txt",
    "noextension",
    "a b.parquet",
    "x%41.parquet",
    "a%20b.parquet",
    "p%3D1%252F.parquet",
    "50%.parquet",
    "p+q.parquet",
    "h#h.parquet",
    "q?q.parquet",
    "ü.parquet",
    "e\u0301.parquet",
    "\U0001f600.parquet",
    "k=v.parquet",
    f"{LONG}.parquet",
    "metadata",
    "x_y.parquet",
    "deletion_vector_00000000-0000-4000-8000-000000000001.bin",
    "_delta_index_0001.bin",  # visible by its prefix (docs/delta.md 1.2, step 9)
    "_change_data.tmp",  # likewise
)

#: File names that VACUUM passes over.
HIDDEN_FILES = (
    "_SUCCESS",
    ".hidden.parquet",
    "_orphan.parquet",
    ".x.crc",
    "_started_1",
    "..odd",
    "_delta_logs.json",
    "_a:b.parquet",
    ".c:d",
    f"_{LONG}",
)

#: Directories that are neither partitions nor hidden.
PLAIN_DIRECTORIES = (
    "dir",
    "dir/er",
    "deep/er/dir",
    "with space",
    "100%",
    "a+b",
    "größe",
    "h#h",
    "ab",
    "metadata",
    "dir/metadata",
    "enc%20oded",
    "x__HIVE_DEFAULT_PARTITION__",
    "a/b/c/d/e",
    LONG,
)

#: Directories that begin like hidden ones, and are not (docs/delta.md 1.2, step 9).
VISIBLE_UNDERSCORES = ("_change_data", "_delta_index", "_change_data/dir", "_delta_index/0", "_change_data_old")

#: Hidden directories. The last ones resemble the visible ones, or ``_delta_log``, or the directory of a partition.
HIDDEN_DIRECTORIES = (
    "_tmp",
    ".staging",
    "_tmp/dir/er",
    "_delta_logs",
    "_delta_inde",
    "_changedata",
    ".delta_index",
    "_day=2020-01-31",
    "_tmp/_change_data",
    "__HIVE_DEFAULT_PARTITION__",
    "dir/_delta_log",
    "deep/er/_delta_log/_sidecars",
    "dir/.staging",
)

#: A table inside the table: its log is hidden, its files are orphans.
INNER_TABLES = ("inner", "dir/inner")
INNER_FILES = ("_delta_log/00000000000000000000.json", "part-00000-c000.snappy.parquet", "p=1/part-00001.parquet")


@st.composite
def stray_files(
    draw: DrawFn,
    table: Table,
    *,
    cutoff_age: int,
    min_size: int = 0,
    max_size: int = 6,
    taken: tuple[StrayFile, ...] = (),
    flat: bool = False,
    hidden_deeper: bool = True,
) -> tuple[StrayFile, ...]:
    """Strays for ``table``: at most ``max_size``, and few less than ``min_size`` where some would have met on one path.

    Their ages gather around ``cutoff_age`` (ms before the start), one in ten is in the future. Of ten, some four are
    orphans at any depth, two are hidden by their name or by a directory above, two lie in ``_change_data`` or
    ``_delta_index``, two are empty directories; one plain file in eight has its checksum beside it, and one set in eight
    ends with a table inside the table. No path collides with a data file, a stray of the table or one of ``taken``,
    and no file stands where a directory must. ``flat`` leaves out what no inventory can hold, and unless
    ``hidden_deeper`` what is hidden by another name than the first of its path. Shrinks to fewer, plainer names, old
    ages.
    """
    paths = Paths(table, taken)
    drawn: list[StrayFile] = []

    def take(stray: StrayFile) -> bool:
        # A path that is taken is dropped, not drawn again: that keeps drawing fast, and shrinking simple.
        if (flat and not is_flat(stray)) or (not hidden_deeper and is_hidden_deeper(stray.path, table.partition_by)):
            return False
        if not paths.admit(stray):
            return False
        drawn.append(stray)
        return True

    ages = instants(cutoff_age=cutoff_age, future=True)
    for _ in range(draw(st.integers(min_size, max_size))):
        directory, hidden_name, empty = draw(_PLACES)
        base = draw(_directories(table, directory))
        if empty:
            names = draw(_EMPTY)
            stray = StrayFile(path=joined(base, *names), kind=Kind.DIRECTORY, modified=draw(ages), size=0)
        else:
            name = draw(st.sampled_from(HIDDEN_FILES) if hidden_name else _VISIBLE_FILES)
            stray = StrayFile(path=joined(base, name), modified=draw(ages), size=draw(odds((3, 1), (1, 0), (1, 1000))))
        taken_in = take(stray)
        if taken_in and not empty and not hidden_name and ":" not in name and draw(one_in(8)):
            take(StrayFile(path=joined(base, f".{name}.crc"), modified=draw(ages), size=12))
    if len(drawn) >= _ROOM_FOR_A_TABLE and draw(one_in(8)):
        inner = draw(st.sampled_from(INNER_TABLES))
        for name in INNER_FILES:
            take(StrayFile(path=joined(inner, name), modified=draw(ages)))
    return tuple(drawn)


_VISIBLE_FILES = weighted((1, st.sampled_from(VISIBLE_FILES[:2])), (2, st.sampled_from(VISIBLE_FILES)))
_EMPTY = st.sampled_from(
    [
        ("empty",),
        ("empty", "nested", "deeper"),
        ("none here",),
        ("_empty",),
        (".empty", "nested"),
        ("empty", "x:y"),
        ("metadata",),
    ]
)
#: Sets of so many strays may have a table inside the table as well.
_ROOM_FOR_A_TABLE = 4

#: Where a stray lies, whether its own name is hidden, and whether it is an empty directory.
_PLACES = odds(
    (2, ("root", False, False)),
    (3, ("partition", False, False)),
    (2, ("plain", False, False)),
    (2, ("partition", True, False)),
    (1, ("root", True, False)),
    (3, ("hidden", False, False)),
    (3, ("underscore", False, False)),
    (2, ("root", False, True)),
    (2, ("partition", False, True)),
    (1, ("underscore", False, True)),
    (1, ("hidden", False, True)),
)


@st.composite
def _directories(draw: DrawFn, table: Table, place: str) -> str:
    """A directory of the kind that ``place`` names; empty for the root."""
    if place == "root":
        return ""
    if place == "plain":
        return draw(st.sampled_from(PLAIN_DIRECTORIES))
    if place == "partition":
        return draw(_partition_directories(table))
    # At the top, or inside another directory: VACUUM judges each name on the way down.
    above = draw(_partition_directories(table)) if draw(one_in(3)) else ""
    if place == "underscore":
        return joined(above, draw(st.sampled_from(VISIBLE_UNDERSCORES)))
    alike = _look_alikes(table)
    names = weighted((2, st.sampled_from(HIDDEN_DIRECTORIES)), (2 if alike else 0, st.sampled_from(alike or ("_tmp",))))
    return joined(above, draw(names))


def _look_alikes(table: Table) -> tuple[str, ...]:
    """Hidden names like a visible partition directory: ``_dates`` and ``_dates=1`` beside the column ``_date``."""
    return tuple(
        name + more for name in table.partition_by if name.startswith(("_", ".")) for more in ("s", "s=2020-01-31", "")
    )


@st.composite
def _partition_directories(draw: DrawFn, table: Table) -> str:
    """A directory of a partition with files, or of a new one, or one above it; the root if unpartitioned."""
    if not table.partition_by:
        return ""
    existing = [file.partition for file in table.files]
    partition = draw(weighted((2 if existing else 0, st.sampled_from(existing or [()])), (2, partitions_of(table))))
    levels = partition_directory(table, partition).split("/")
    depth = len(levels) if draw(st.booleans()) else draw(st.integers(1, len(levels)))
    return "/".join(levels[:depth])


def littered(table: Table, stray_files: SearchStrategy[tuple[StrayFile, ...]]) -> SearchStrategy[Table]:
    """``table`` with strays beside those that it has."""
    return stray_files.map(lambda drawn: replace(table, stray_files=table.stray_files + drawn))
