"""A part of many things, ``K/N``: the K-th of N, chosen by the things' names."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from tombstone.mistakes import Mistake


@dataclass(frozen=True)
class Part:
    """About the N-th of the names, the same on every machine; each name is in one of the N parts."""

    number: int  # from 1
    of: int

    def has(self, name: str) -> bool:
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.of == self.number - 1


#: All of it.
WHOLE = Part(1, 1)


def part(text: str) -> Part:
    """``2/5``. Raises Mistake, whose sentence goes on after the text."""
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise Mistake("is not a part: give its number and of how many, such as 2/5.")
    return Part(int(match[1]), int(match[2]))
