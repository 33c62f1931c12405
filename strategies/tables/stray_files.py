"""Stray files: everything in a table's directory that no action refers to. Orphans, hidden files, empty directories.

None is in the table's own ``_delta_log``. A name with a colon belongs to a hidden file, or to an empty directory inside
another directory: anywhere else, VACUUM on Spark fails on it (docs/findings.md).
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.text.layout import partition_directory
from model.vocabulary.table import Kind, StrayFile, Table
from strategies.instants import instants
from strategies.tables.initial_tables import partitions_of
from strategies.tables.paths import UsedPaths, is_flat, is_hidden_deeper, joined
from strategies.weights import odds, one_in, weighted

#: Close to the longest name of a file, with room for its checksum's name (``.….crc``).
LONG = "long" * 55

#: Names of files that VACUUM does not skip, the plain ones first.
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

#: Names of files that VACUUM skips.
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

#: Directories that are neither hidden nor partitions.
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

#: Directories that begin with an underscore but are not hidden (docs/delta.md 1.2, step 9).
VISIBLE_UNDERSCORES = ("_change_data", "_delta_index", "_change_data/dir", "_delta_index/0", "_change_data_old")

#: Hidden directories. The last ones resemble visible ones, ``_delta_log`` or the directory of a partition.
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

#: A table inside the table: its log is hidden, its data files are orphans.
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
    """Stray files for ``table``: up to ``max_size``, and at least ``min_size`` unless some are dropped for a taken path.

    Modification times are ``instants`` of ``cutoff_age``, one in ten in the future. Of ten stray files about four are
    orphans at any depth, two are hidden by their name or a directory, two are in ``_change_data`` or ``_delta_index``,
    two are empty directories. One visible file in eight has its checksum beside it; one set in eight ends with a table
    inside the table. No path conflicts with a data file, another stray file of the table, or one of ``taken``.

    ``flat`` leaves out what an inventory cannot hold; ``hidden_deeper=False`` what is hidden by a part of its path other
    than the first. Shrinks to fewer files with plainer names, all old.

    >>> table = draw(with_stray_files(table, stray_files(table, cutoff_age=WEEK, max_size=3)))
    """
    paths = UsedPaths(table, taken)
    drawn: list[StrayFile] = []

    def add(stray: StrayFile) -> bool:
        # A file whose path is taken is dropped, not drawn again: drawing stays fast, and shrinking simple.
        if (flat and not is_flat(stray)) or (not hidden_deeper and is_hidden_deeper(stray.path, table.partition_by)):
            return False
        if not paths.admit(stray):
            return False
        drawn.append(stray)
        return True

    ages = instants(cutoff_age=cutoff_age, future=True)
    for _ in range(draw(st.integers(min_size, max_size))):
        place, hidden_name, empty = draw(_PLACES)
        base = draw(_directories(table, place))
        if empty:
            names = draw(_EMPTY_DIRECTORIES)
            stray = StrayFile(path=joined(base, *names), kind=Kind.DIRECTORY, modified=draw(ages), size=0)
        else:
            name = draw(st.sampled_from(HIDDEN_FILES) if hidden_name else _VISIBLE_FILES)
            stray = StrayFile(path=joined(base, name), modified=draw(ages), size=draw(odds((3, 1), (1, 0), (1, 1000))))
        if add(stray) and not empty and not hidden_name and ":" not in name and draw(one_in(8)):
            add(StrayFile(path=joined(base, f".{name}.crc"), modified=draw(ages), size=12))
    if len(drawn) >= _LEAST_BESIDE_INNER_TABLE and draw(one_in(8)):
        inner = draw(st.sampled_from(INNER_TABLES))
        for name in INNER_FILES:
            add(StrayFile(path=joined(inner, name), modified=draw(ages)))
    return tuple(drawn)


_VISIBLE_FILES = weighted((1, st.sampled_from(VISIBLE_FILES[:2])), (2, st.sampled_from(VISIBLE_FILES)))
_EMPTY_DIRECTORIES = st.sampled_from(
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
#: A table inside the table is added only to sets of at least this many stray files.
_LEAST_BESIDE_INNER_TABLE = 4

#: The kind of directory, whether the file's own name is hidden, whether it is an empty directory.
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
    """A directory of the kind ``place``; empty for the root."""
    if place == "root":
        return ""
    if place == "plain":
        return draw(st.sampled_from(PLAIN_DIRECTORIES))
    if place == "partition":
        return draw(_partition_directories(table))
    # In the root or inside a partition directory: VACUUM checks every name while it descends.
    above = draw(_partition_directories(table)) if draw(one_in(3)) else ""
    if place == "underscore":
        return joined(above, draw(st.sampled_from(VISIBLE_UNDERSCORES)))
    similar = _similar_to_partitions(table)
    names = weighted(
        (2, st.sampled_from(HIDDEN_DIRECTORIES)), (2 if similar else 0, st.sampled_from(similar or ("_tmp",)))
    )
    return joined(above, draw(names))


def _similar_to_partitions(table: Table) -> tuple[str, ...]:
    """Hidden names that resemble a visible partition directory: ``_dates`` and ``_dates=…`` for the column ``_date``."""
    suffixes = ("s", "s=2020-01-31", "")
    return tuple(name + suffix for name in table.partition_by if name.startswith(("_", ".")) for suffix in suffixes)


@st.composite
def _partition_directories(draw: DrawFn, table: Table) -> str:
    """The directory of a partition with or without files, or a parent of it; the root if unpartitioned."""
    if not table.partition_by:
        return ""
    existing = [file.partition for file in table.files]
    partition = draw(weighted((2 if existing else 0, st.sampled_from(existing or [()])), (2, partitions_of(table))))
    levels = partition_directory(table, partition).split("/")
    depth = len(levels) if draw(st.booleans()) else draw(st.integers(1, len(levels)))
    return "/".join(levels[:depth])


def with_stray_files(table: Table, stray_files: SearchStrategy[tuple[StrayFile, ...]]) -> SearchStrategy[Table]:
    """``table`` with additional stray files."""
    return stray_files.map(lambda drawn: replace(table, stray_files=table.stray_files + drawn))
