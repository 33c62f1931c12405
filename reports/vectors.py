"""Deletion vectors, read for a reproduction script: a descriptor's file, its checks, the rows that it hides.

``reports.reproduction`` copies what a law needs of this module into the script, so it uses the standard library only. It
shares no code with the suite's own reader: a script must stand alone. Sources: PROTOCOL.md, "Deletion Vectors";
https://github.com/RoaringBitmap/RoaringFormatSpec; https://rfc.zeromq.org/spec/32/ (Z85).
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

VECTOR_MAGIC = 1681511377
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


class BadVector(Exception):
    """A deletion vector is not what it must be. The text says what is wrong, as a phrase."""


def vector_rows(vector: dict[str, Any], read_bytes: Callable[[str], bytes]) -> list[int]:
    """The row indexes, ascending, that the vector of an add or remove hides. ``read_bytes`` gives a file's bytes by its
    path, relative to the table's root or absolute; it raises OSError.

    Raises BadVector where the file, the version, the size, the checksum, the magic number or the cardinality is wrong.
    """
    path = vector_file(vector)
    if path is None:
        data = from_z85(vector["pathOrInlineDv"])
        if not 0 <= len(data) - vector["sizeInBytes"] < 4:  # Z85 takes whole groups of 4 bytes
            raise BadVector(f"has {len(data)} inline bytes where sizeInBytes is {vector['sizeInBytes']}")
        data = data[: vector["sizeInBytes"]]
    else:
        try:
            content = read_bytes(path)
        except OSError as problem:
            raise BadVector(f"lies in {path}, which cannot be read ({problem.strerror or problem})") from problem
        data = stored_vector(vector, path, content)
    rows = bitmap_rows(data)
    if len(rows) != vector["cardinality"]:
        raise BadVector(f"hides {len(rows)} rows where its cardinality is {vector['cardinality']}")
    return rows


def vector_file(vector: dict[str, Any]) -> str | None:
    # PROTOCOL.md, "Derived Fields": i is inline, u a file below the root that a UUID names, p an absolute path.
    kind, text = vector["storageType"], vector["pathOrInlineDv"]
    if kind == "i":
        return None
    if kind == "p":
        return unquote(urlsplit(text).path)
    if kind != "u":
        raise BadVector(f"has the unknown storage type {kind!r}")
    name = f"deletion_vector_{uuid.UUID(bytes=from_z85(text[-20:]))}.bin"
    return f"{text[:-20]}/{name}" if text[:-20] else name


def stored_vector(vector: dict[str, Any], path: str, content: bytes) -> bytes:
    # PROTOCOL.md, "Deletion Vector File Storage Format": a version byte; then size, data and checksum of each.
    if content[:1] != b"\x01":
        raise BadVector(f"lies in {path}, whose first byte is {content[:1].hex()}, not the version 01")
    at = vector.get("offset") or 1
    size = int.from_bytes(content[at : at + 4], "big")
    data, checksum = content[at + 4 : at + 4 + size], content[at + 4 + size : at + 8 + size]
    if size != vector["sizeInBytes"] or len(checksum) != 4:
        raise BadVector(f"has {size} bytes at {at} of {path} where sizeInBytes is {vector['sizeInBytes']}")
    if int.from_bytes(checksum, "big") != zlib.crc32(data):
        raise BadVector(f"has the wrong checksum at {at} of {path}")
    return data


def from_z85(text: str) -> bytes:
    if len(text) % 5 or any(char not in Z85 for char in text):
        raise BadVector(f"has {text!r}, which is not Z85")
    decoded = b""
    for start in range(0, len(text), 5):
        number = 0
        for char in text[start : start + 5]:
            number = number * 85 + Z85.index(char)
        if number >= 1 << 32:
            raise BadVector(f"has {text!r}, which is not Z85")
        decoded += number.to_bytes(4, "big")
    return decoded


def bitmap_rows(data: bytes) -> list[int]:
    # PROTOCOL.md, "Deletion Vector Format": a magic number, then a portable 64-bit Roaring bitmap, all little-endian.
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        place += count
        if place > len(data):
            raise BadVector(f"ends after {len(data)} bytes, in the middle of a value")
        return data[place - count : place]

    def number(size: int) -> int:
        return int.from_bytes(take(size), "little")

    if (magic := number(4)) != VECTOR_MAGIC:
        raise BadVector(f"begins with {magic}, not with the magic number {VECTOR_MAGIC}")
    rows: list[int] = []
    for _ in range(number(8)):
        high, cookie, runs = number(4) << 32, number(4), 0
        if cookie & 0xFFFF == 12347:  # some containers hold runs: bit i of ``runs`` says that container i does
            count = (cookie >> 16) + 1
            runs = number((count + 7) // 8)
        elif cookie == 12346:
            count = number(4)
        else:
            raise BadVector(f"holds a bitmap that begins with {cookie}, which is no Roaring bitmap")
        heads = [(number(2), number(2) + 1) for _ in range(count)]  # of each container: the key, how many values
        if cookie == 12346 or count >= 4:
            take(4 * count)  # where the containers begin: not needed to read them in order
        for index, (key, size) in enumerate(heads):
            if runs >> index & 1:
                pairs = [(number(2), number(2)) for _ in range(number(2))]
                values = [value for first, more in pairs for value in range(first, first + more + 1)]
            elif size <= 4096:
                values = [number(2) for _ in range(size)]
            else:
                bits = take(8192)
                values = [value for value in range(1 << 16) if bits[value >> 3] >> (value & 7) & 1]
            if len(values) != size:
                raise BadVector(f"holds a container of {len(values)} rows where its head says {size}")
            rows += [high | key << 16 | value for value in values]
    if place != len(data) or rows != sorted(set(rows)):
        raise BadVector("holds rows that do not ascend, or bytes behind its last row")
    return rows
