"""Deletion vectors: makes inline ones, and finds the files of the others.

Source: PROTOCOL.md, "Deletion Vector Format" and "Derived Fields".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from pyroaring import BitMap64

from selfcheck.faults.logs import place

_MAGIC = 1681511377
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def inline_vector(rows: Iterable[int]) -> dict[str, Any]:
    """The descriptor of a deletion vector of these rows (indexes from 0)."""
    hidden = sorted(set(rows))
    data = struct.pack("<I", _MAGIC) + BitMap64(hidden).serialize()
    return {
        "storageType": "i",
        "pathOrInlineDv": _z85(data + bytes(-len(data) % 4)),
        "sizeInBytes": len(data),
        "cardinality": len(hidden),
    }


def vector_place(vector: Mapping[str, Any], root: Path) -> str | None:
    """The path, relative to the root, of the file of a deletion vector. None for an inline one."""
    kind, text = vector["storageType"], vector["pathOrInlineDv"]
    if kind == "p":
        return place(text, root)
    if kind != "u":
        return None
    prefix, name = text[:-20], text[-20:]
    numbers = [0] * 4
    for index, char in enumerate(name):
        numbers[index // 5] = numbers[index // 5] * 85 + _Z85.index(char)
    file = f"deletion_vector_{UUID(bytes=struct.pack('>4I', *numbers))}.bin"
    return f"{prefix}/{file}" if prefix else file


def _z85(data: bytes) -> str:
    found = ""
    for (number,) in struct.iter_unpack(">I", data):
        found += "".join(_Z85[number // 85**power % 85] for power in (4, 3, 2, 1, 0))
    return found
