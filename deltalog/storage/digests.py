"""The digest of files: BLAKE2b with 128 bits, in hexadecimal."""

from __future__ import annotations

from hashlib import blake2b


def digest(data: bytes) -> str:
    """32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()
