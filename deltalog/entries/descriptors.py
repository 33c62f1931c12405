"""Deletion vector descriptors, and their Z85 encoding."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from uuid import UUID

from deltalog.entries.fields import TEXT, WHOLE, WHOLE_32, Logged, log, nested
from deltalog.errors import MalformedVector
from deltalog.storage.paths import decode

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_Z85_DIGITS = {char: digit for digit, char in enumerate(_Z85)}
_UUID_LENGTH = 20  # characters of a base85 UUID


@dataclass(frozen=True)
class DeletionVectorDescriptor(Logged):
    """PROTOCOL.md, "Deletion Vector Descriptor Schema". ``size`` is in bytes, ``cardinality`` in rows.

    ``storage`` is ``u`` (a file below the root, named by a UUID), ``p`` (an absolute path) or ``i`` (inline).
    """

    storage: str = field(metadata=log("storageType", TEXT))
    path_or_inline: str = field(metadata=log("pathOrInlineDv", TEXT))
    #: Bytes from the start of the file; None when inline.
    offset: int | None = field(default=None, kw_only=True, metadata=log("offset", WHOLE_32))
    size: int = field(metadata=log("sizeInBytes", WHOLE_32))
    cardinality: int = field(metadata=log("cardinality", WHOLE))

    @property
    def unique_id(self) -> str:
        """PROTOCOL.md, "Derived Fields"."""
        head = self.storage + self.path_or_inline
        return head if self.offset is None else f"{head}@{self.offset}"

    @property
    def file(self) -> str | None:
        """The vector's file: relative to the table's root for ``u``, absolute for ``p``, ``None`` for ``i``.

        Raises MalformedVector for another storage type or an invalid UUID, and MalformedPath.
        Source: PROTOCOL.md, "Derived Fields".
        """
        if self.storage == "i":
            return None
        if self.storage == "p":
            return decode(self.path_or_inline)
        if self.storage != "u":
            raise MalformedVector(f"a deletion vector has the storage type {self.storage!r}; it must be u, p or i")
        prefix, encoded = self.path_or_inline[:-_UUID_LENGTH], self.path_or_inline[-_UUID_LENGTH:]
        try:
            name = f"deletion_vector_{UUID(bytes=z85_decode(encoded))}.bin"
        except ValueError:
            raise MalformedVector(
                f"the deletion vector path {self.path_or_inline!r} does not end in a base85 UUID"
            ) from None
        return posixpath.join(prefix, name)


#: The kind of an action's field with a descriptor.
VECTOR = nested(DeletionVectorDescriptor, "deletionVector", "a deletion vector descriptor")


def z85_decode(text: str) -> bytes:
    """The bytes of a Z85 text (https://rfc.zeromq.org/spec/32/): 4 for each 5 characters.

    A last group with one to three leading ``#``, which no group of 4 bytes has, stands for that many bytes fewer: so does
    the crate z85 of Rust, which delta-kernel-rs uses. Raises ValueError for a length that is not a multiple of 5, an
    invalid character, or a group beyond its bytes.
    """
    if len(text) % 5:
        raise ValueError(f"{text!r} is not Z85: its length {len(text)} is not a multiple of 5")
    decoded = bytearray()
    for start in range(0, len(text), 5):
        group = text[start : start + 5]
        digits = group.lstrip("#") if start + 5 == len(text) else group
        number = 0
        for char in digits:
            if char not in _Z85_DIGITS:
                raise ValueError(f"{text!r} is not Z85: it contains {char!r}")
            number = number * 85 + _Z85_DIGITS[char]
        size = len(digits) - 1  # bytes
        if size < 1 or number >= 1 << 8 * size:
            raise ValueError(f"{text!r} is not Z85: {group!r} is no group of bytes")
        decoded += number.to_bytes(size, "big")
    return bytes(decoded)


def z85_encode(data: bytes) -> str:
    """``data`` as Z85 text. Raises ValueError for a length that is not a multiple of 4."""
    if len(data) % 4:
        raise ValueError(f"{len(data)} bytes cannot be Z85: not a multiple of 4")
    text = []
    for start in range(0, len(data), 4):
        number = int.from_bytes(data[start : start + 4], "big")
        text.append("".join(_Z85[number // 85**power % 85] for power in (4, 3, 2, 1, 0)))
    return "".join(text)
