"""Deletion vectors on storage and inline.

Sources: PROTOCOL.md, "Deletion Vectors" and "Deletion Vector File Storage Format".
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from uuid import UUID

from deltalog.data.bitmaps import decode_rows, encode_rows
from deltalog.entries.descriptors import DeletionVectorDescriptor, z85_decode, z85_encode
from deltalog.errors import MalformedVector, UnsupportedRows
from deltalog.storage.files import write_new
from deltalog.storage.paths import from_root, is_absolute

FORMAT_VERSION = 1


def inline_vector(rows: Iterable[int]) -> DeletionVectorDescriptor:
    """An inline vector of these row indexes (from 0)."""
    distinct = set(rows)
    data = encode_rows(distinct)
    padded = data + bytes(-len(data) % 4)  # Z85 encodes groups of 4 bytes; sizeInBytes is without padding
    return DeletionVectorDescriptor("i", z85_encode(padded), len(data), len(distinct))


def vector_file(
    uuid: UUID, vectors: Sequence[Iterable[int]], prefix: str = ""
) -> tuple[bytes, list[DeletionVectorDescriptor]]:
    """The bytes of a file with these vectors, sets of row indexes (from 0), and a relative descriptor for each.

    ``prefix`` is the directory of the file below the root.
    """
    content = bytearray([FORMAT_VERSION])
    descriptors = []
    for rows in vectors:
        distinct = set(rows)
        data = encode_rows(distinct)
        path = prefix + z85_encode(uuid.bytes)
        descriptors.append(DeletionVectorDescriptor("u", path, len(data), len(distinct), offset=len(content)))
        content += struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))
    return bytes(content), descriptors


def write_vector_file(
    root: Path, uuid: UUID, vectors: Sequence[Iterable[int]], *, prefix: str = "", modified: int | None = None
) -> list[DeletionVectorDescriptor]:
    """Write a file with these vectors below ``root``; return a descriptor for each. Raises AlreadyWritten.

    ``modified`` is its modification time in ms since the epoch (``None``: now).
    """
    data, descriptors = vector_file(uuid, vectors, prefix)
    write_new(root / prefix / f"deletion_vector_{uuid}.bin", data, modified)
    return descriptors


def read_vector(root: Path, vector: DeletionVectorDescriptor) -> tuple[int, ...]:
    """The row indexes, ascending, in ``vector``; ``root`` is the table's.

    Raises MalformedVector if version, size, checksum, magic number or cardinality are wrong, OSError if the file is
    missing, UnsupportedRows if it is on another file system.
    """
    data = _inline(vector) if vector.storage == "i" else _stored(root, vector)
    rows = decode_rows(data)
    if len(rows) != vector.cardinality:
        raise MalformedVector(
            f"the deletion vector {vector.unique_id} has {len(rows)} rows; its cardinality is {vector.cardinality}"
        )
    return rows


def _inline(vector: DeletionVectorDescriptor) -> bytes:
    try:
        data = z85_decode(vector.path_or_inline)
    except ValueError as error:
        raise MalformedVector(f"the inline deletion vector cannot be read: {error}") from None
    if not 0 <= len(data) - vector.size < 4:
        raise MalformedVector(f"the inline deletion vector has {len(data)} bytes; its sizeInBytes is {vector.size}")
    return data[: vector.size]


def _stored(root: Path, vector: DeletionVectorDescriptor) -> bytes:
    file = vector.file
    assert file is not None, "only an inline vector has no file"
    if is_absolute(file) and not file.startswith("/"):
        file = from_root(file, str(root))
    if is_absolute(file) and not file.startswith("/"):
        raise UnsupportedRows(f"the deletion vector {file!r} cannot be read here: it is on another file system")
    with open(root / file, "rb") as stream:
        content = stream.read()
    if content[:1] != bytes([FORMAT_VERSION]):
        raise MalformedVector(f"the deletion vector file {file!r} must begin with the version {FORMAT_VERSION}")
    at = vector.offset or 0
    size = int.from_bytes(content[at : at + 4], "big")
    data, checksum = content[at + 4 : at + 4 + size], content[at + 4 + size : at + 8 + size]
    if size != vector.size or len(checksum) != 4:
        raise MalformedVector(
            f"the deletion vector at {at} in {file!r} says it has {size} bytes; its sizeInBytes is {vector.size}, "
            f"and the file has {len(content)} bytes"
        )
    if int.from_bytes(checksum, "big") != zlib.crc32(data):
        raise MalformedVector(f"the checksum of the deletion vector at {at} in {file!r} is wrong")
    return data
