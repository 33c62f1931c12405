"""Things in a table's directory that no action refers to: orphans, hidden files, look-alikes, empty directories.

Paths hold no ``:``, which Hadoop's Path refuses in some places, nothing below ``_delta_log``, and no file ``x`` beside
a ``.x.crc``: Hadoop's local file system deletes that one together with ``x``, as its checksum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.layout import file_path, partition_directory
from model.table import Kind, Stray, Table
from strategies.instants import instants
from strategies.tables import partitions_of
from strategies.weights import odds, one_in, weighted

#: File names that VACUUM sees, the plain ones first.
VISIBLE_FILES = (
    "orphan.parquet",
    "part-orphan-c000.snappy.parquet",
    "notes.txt",
    "noextension",
    "a b.parquet",
    "x%41.parquet",
    "50%.parquet",
    "p+q.parquet",
    "h#h.parquet",
    "q?q.parquet",
    "ü.parquet",
    "e\u0301.parquet",
    "\U0001f600.parquet",
    "k=v.parquet",
    "deletion_vector_00000000-0000-4000-8000-000000000001.bin",
    "_delta_index_0001.bin",  # visible by its prefix (facts 1.2, step 9)
    "_change_data.tmp",  # likewise
)

#: File names that VACUUM passes over.
HIDDEN_FILES = ("_SUCCESS", ".hidden.parquet", "_orphan.parquet", ".x.crc", "_started_1", "..odd", "_delta_logs.json")

#: Directories that are neither partitions nor hidden.
PLAIN_DIRECTORIES = ("dir", "dir/er", "deep/er/dir", "with space", "100%", "a+b", "größe", "h#h", "ab")

#: Directories that begin like hidden ones, and are not (facts 1.2, step 9).
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
)


@st.composite
def strays(
    draw: DrawFn,
    table: Table,
    *,
    cutoff_age: int,
    min_size: int = 0,
    max_size: int = 6,
    taken: tuple[Stray, ...] = (),
) -> tuple[Stray, ...]:
    """Strays for ``table``: at most ``max_size``, and few less than ``min_size`` where some would have met on one path.

    Their ages gather around ``cutoff_age`` (ms before the start), one in ten is in the future. Of ten, some four are
    orphans at any depth, two are hidden by their name or by a directory above, two lie in ``_change_data`` or
    ``_delta_index``, two are empty directories. No path collides with a data file, a stray of the table or one of
    ``taken``, and no file stands where a directory must. Shrinks to fewer, plainer names, old ages.
    """
    paths = _Paths(table, taken)
    drawn: list[Stray] = []
    ages = instants(cutoff_age=cutoff_age, future=True)
    for _ in range(draw(st.integers(min_size, max_size))):
        directory, hidden_name, empty = draw(_PLACES)
        base = draw(_directories(table, directory))
        if empty:
            names = draw(_EMPTY)
            stray = Stray(path=_joined(base, *names), kind=Kind.DIRECTORY, modified=draw(ages), size=0)
        else:
            name = draw(_HIDDEN_FILES if hidden_name else _VISIBLE_FILES)
            stray = Stray(path=_joined(base, name), modified=draw(ages), size=draw(_SIZES))
        # A path that is taken is dropped, not drawn again: that keeps drawing fast, and shrinking simple.
        if paths.admit(stray):
            drawn.append(stray)
    return tuple(drawn)


_VISIBLE_FILES = weighted((1, st.sampled_from(VISIBLE_FILES[:2])), (2, st.sampled_from(VISIBLE_FILES)))
_HIDDEN_FILES = st.sampled_from(HIDDEN_FILES)
_SIZES = odds((3, 1), (1, 0), (1, 1000))
_EMPTY = st.sampled_from([("empty",), ("empty", "nested", "deeper"), ("none here",), ("_empty",), (".empty", "nested")])

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
        return _joined(above, draw(st.sampled_from(VISIBLE_UNDERSCORES)))
    alike = _look_alikes(table)
    names = weighted((2, st.sampled_from(HIDDEN_DIRECTORIES)), (1 if alike else 0, st.sampled_from(alike or ("_tmp",))))
    return _joined(above, draw(names))


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


def _joined(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _above(path: str) -> list[str]:
    """The directories above a path, the nearest last."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


class _Paths:
    """What stands where already."""

    def __init__(self, table: Table, taken: tuple[Stray, ...]) -> None:
        self._files = {file_path(table, file) for file in table.files}
        self._named = set(self._files)
        self._directories: set[str] = set()
        for path in self._files:
            self._directories.update(_above(path))
        self._note((*table.strays, *taken))

    def _note(self, strays: Iterable[Stray]) -> None:
        for stray in strays:
            self._named.add(stray.path)
            self._directories.update(_above(stray.path))
            if stray.kind is Kind.FILE:
                self._files.add(stray.path)

    def admit(self, stray: Stray) -> bool:
        """Take the stray's path, unless something is in its way. An empty directory may not get anything below it."""
        if stray.path in self._named or stray.path in self._directories:
            return False
        if any(directory in self._named for directory in _above(stray.path)):
            return False
        self._note((stray,))
        return True


def littered(table: Table, strays: SearchStrategy[tuple[Stray, ...]]) -> SearchStrategy[Table]:
    """``table`` with strays beside those that it has."""
    return strays.map(lambda drawn: replace(table, strays=table.strays + drawn))
