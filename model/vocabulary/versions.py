"""Version numbers, and ranges of them."""

from __future__ import annotations

import re
from functools import cache

from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import Version

_NUMBERS = re.compile(r"[0-9]+(\.[0-9]+)*", re.ASCII)


@cache
def parse(version: str) -> Version:
    """``"4.4.0"``, to be compared. A suffix (``rc1``, ``-SNAPSHOT``) does not count: a pre-release is judged as its release.

    A text without a number comes before all versions.
    """
    numbers = _NUMBERS.match(version)
    return Version(numbers[0] if numbers else "0")


def is_version(text: str) -> bool:
    """Whether the text begins with a number."""
    return _NUMBERS.match(text) is not None


def is_range(text: str) -> bool:
    """Whether this is a range of versions, such as ``>=4.1,<4.3``; an empty one has all versions."""
    try:
        return not text.strip() or all(_NUMBERS.fullmatch(Specifier(part).version) for part in text.split(","))
    except InvalidSpecifier:
        return False


def is_in(version: str, versions: str) -> bool:
    """Whether a version lies in a range."""
    return parse(version) in SpecifierSet(versions)
