"""Deletion vectors for faults to put in place of the engine's: inline ones (PROTOCOL.md, "Deletion Vector Format")."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from pyroaring import BitMap64

_MAGIC = 1681511377
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def inline_vector(rows: Iterable[int]) -> dict[str, Any]:
    """The descriptor of a vector that hides these rows (indexes from 0)."""
    hidden = sorted(set(rows))
    data = struct.pack("<I", _MAGIC) + BitMap64(hidden).serialize()
    return {
        "storageType": "i",
        "pathOrInlineDv": _z85(data + bytes(-len(data) % 4)),
        "sizeInBytes": len(data),
        "cardinality": len(hidden),
    }


def _z85(data: bytes) -> str:
    found = ""
    for (number,) in struct.iter_unpack(">I", data):
        found += "".join(_Z85[number // 85**power % 85] for power in (4, 3, 2, 1, 0))
    return found
