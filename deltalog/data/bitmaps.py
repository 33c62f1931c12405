"""The bytes of a deletion vector: Delta's magic number and a portable 64-bit Roaring bitmap.

pyroaring writes them. The reader is written here, as it must check every byte and report what is wrong.

Sources: PROTOCOL.md, "Deletion Vector Format"; https://github.com/RoaringBitmap/RoaringFormatSpec.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import pairwise

from pyroaring import BitMap64

from deltalog.errors import MalformedVector

MAGIC = 1681511377

_WITH_RUNS = 12347  # the low half of a bitmap's first word if a container has runs
_WITHOUT_RUNS = 12346
_OFFSETS_FROM = 4  # with runs, fewer containers than this have no offsets
_ARRAY_LIMIT = 4096  # a container with more values is a bitset
_BITMAP_BYTES = 8192


class _Bytes:
    """A cursor over bytes; numbers are little-endian."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise MalformedVector(f"the deletion vector's {len(self._data)} bytes end in the middle of a value")
        self._at += count
        return taken

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "little")

    def numbers(self, count: int) -> tuple[int, ...]:
        """``count`` 16-bit numbers."""
        return struct.unpack(f"<{count}H", self.take(2 * count))

    @property
    def left(self) -> int:
        return len(self._data) - self._at


def encode_rows(rows: Iterable[int]) -> bytes:
    """The bytes of a set of row indexes (from 0, below 2**63), without size and checksum. Raises ValueError if out of range.

    Equal sets have equal bytes with the same version of pyroaring.
    """
    ordered = sorted(set(rows))
    if ordered and not (ordered[0] >= 0 and ordered[-1] < 1 << 63):
        raise ValueError(f"row indexes go from 0 to 2**63 - 1; found {ordered[0]} to {ordered[-1]}")
    bitmap = BitMap64(ordered)
    bitmap.run_optimize()  # the least container of each kind, as Delta writes them
    return struct.pack("<I", MAGIC) + bitmap.serialize()


def decode_rows(data: bytes) -> tuple[int, ...]:
    """The row indexes, ascending, in the bytes of a deletion vector. Raises MalformedVector."""
    source = _Bytes(data)
    magic = source.number(4)
    if magic != MAGIC:
        raise MalformedVector(f"the deletion vector begins with the number {magic}; it must be {MAGIC}")
    rows: list[int] = []
    for _ in range(source.number(8)):
        key = source.number(4)
        if key >= 1 << 31:
            raise MalformedVector(f"the deletion vector has the key {key}, whose highest bit must be 0")
        rows += (key << 32 | low for low in _decode_bucket(source))
    if any(source.take(left := source.left)):  # zeros fill it up, as for base85; other readers do not look at them
        raise MalformedVector(f"{left} bytes are left after the deletion vector's last bucket")
    if any(left >= right for left, right in pairwise(rows)):
        raise MalformedVector("the row indexes of the deletion vector do not ascend")
    return tuple(rows)


def _decode_bucket(source: _Bytes) -> list[int]:
    cookie = source.number(4)
    runs = 0  # bit i is set if container i has runs
    if cookie & 0xFFFF == _WITH_RUNS:
        count = (cookie >> 16) + 1
        runs = source.number((count + 7) // 8)
    elif cookie == _WITHOUT_RUNS:
        count = source.number(4)
    else:
        raise MalformedVector(f"a bucket of the deletion vector begins with {cookie}, which is not a Roaring bitmap")
    header = source.numbers(2 * count)
    if cookie == _WITHOUT_RUNS or count >= _OFFSETS_FROM:
        source.take(4 * count)  # offsets are for random access; this reads the containers in order
    rows: list[int] = []
    for index in range(count):
        key, size = header[2 * index], header[2 * index + 1] + 1
        if runs >> index & 1:
            pairs = source.numbers(2 * source.number(2))
            values = [low for start, more in zip(pairs[::2], pairs[1::2]) for low in range(start, start + more + 1)]
        elif size <= _ARRAY_LIMIT:
            values = list(source.numbers(size))
        else:
            bits = source.number(_BITMAP_BYTES)
            values = [low for low in range(1 << 16) if bits >> low & 1]
        if len(values) != size:
            raise MalformedVector(f"a container of the deletion vector has {len(values)} rows; its header says {size}")
        rows += (key << 16 | low for low in values)
    return rows
