"""Paths below a table's root, relative to it, as on storage: which are hidden, and what else their names mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from model.vocabulary.table import Kind

#: Names with these prefixes are visible although they begin with ``_`` (docs/delta.md 1.2, step 9).
VISIBLE_PREFIXES = ("_delta_index", "_change_data")

LOG_DIRECTORY = "_delta_log"


@dataclass(frozen=True, slots=True)  # there may be 100,000
class StorageEntry:
    """A file, directory or link below the root. Links are not followed."""

    kind: Kind
    modified: int  # ms since the epoch
    size: int  # bytes
    target: str | None = None  # of a link: relative to the root ("../x": beside it, ".": the root); None: leads nowhere
    target_modified: int | None = None  # of a link to a file: that file's, ms since the epoch

    @property
    def directory(self) -> bool:
        return self.kind is Kind.DIRECTORY


def parents(path: str) -> list[str]:
    """The directories above a relative path, nearest first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]


def is_hidden(name: str, partition_by: Iterable[str], reserved: Collection[str] = ()) -> bool:
    """Whether one component of a path is hidden (docs/delta.md 1.2, step 9); ``reserved`` names are (docs/delta.md 5)."""
    if name in reserved:
        return True
    if not name.startswith(("_", ".")) or name.startswith(VISIBLE_PREFIXES):
        return False
    return not any(name.startswith(f"{column}=") for column in partition_by)


def is_visible(
    path: str, partition_by: Iterable[str], reserved: Collection[str] = (), hides_names: bool = True
) -> bool:
    """Whether no component of the path is hidden; unless ``hides_names``, whether it is not in the table's log."""
    if not hides_names:
        return path.split("/")[0] != LOG_DIRECTORY
    return not any(is_hidden(name, partition_by, reserved) for name in path.split("/"))


def in_underscored_partition(path: str, partition_by: Iterable[str]) -> bool:
    """Whether the path is in a partition directory whose name begins with ``_`` or ``.`` (docs/delta.md 1.2, step 9)."""
    names = [directory.rpartition("/")[2] for directory in parents(path)]
    columns = [column for column in partition_by if column.startswith(("_", "."))]
    return any(name.startswith(f"{column}=") for name in names for column in columns)


def is_vector_file(path: str) -> bool:
    """Whether the path has the name of a deletion vector file (PROTOCOL.md, "Derived Fields")."""
    name = path.rpartition("/")[2]
    return name.startswith("deletion_vector_") and name.endswith(".bin")


def checksum_of(path: str) -> str | None:
    """The file whose checksum this is for Hadoop's local file system: ``x`` for ``.x.crc``; None if it is none."""
    head, _, name = path.rpartition("/")
    if name.startswith(".") and name.endswith(".crc") and len(name) > len("..crc"):
        return f"{head}/{name[1:-4]}" if head else name[1:-4]
    return None
