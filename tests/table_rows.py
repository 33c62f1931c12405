"""A table's rows as its log tells them, without those that deletion vectors hide; and a vector with another name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deltalog.data.deletion_vectors import read_vector
from deltalog.data.rows import metadata_to_read_by, read_stored_rows
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.snapshot import Snapshot
from deltalog.storage.paths import encode
from deltalog.values.arrow_values import Values


def read_rows(root: Path, snapshot: Snapshot) -> list[Values]:
    """The rows of the table at ``root``, in schema order, by file path."""
    found: list[Values] = []
    for add in sorted(snapshot.adds.values(), key=lambda add: (add.file, str(add.key[1]))):
        hidden = set(read_vector(root, add.deletion_vector)) if add.deletion_vector else ()
        rows = read_stored_rows(root, add, metadata_to_read_by(snapshot))
        found += [row for index, row in enumerate(rows) if index not in hidden]
    return found


def by_uri(root: Path, vector: DeletionVectorDescriptor) -> DeletionVectorDescriptor:
    """The same vector, with its file named by a URI instead of a UUID (PROTOCOL.md, storage type ``p``)."""
    return replace(vector, storage="p", path_or_inline=f"file://{encode(f'{root}/{vector.file}')}")
