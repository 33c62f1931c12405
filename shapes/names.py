"""What in a name may matter to an engine; the name itself is not kept."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FLAGS = {
    "back-tick": re.compile("`"),
    "begins-with-dot": re.compile(r"\A\."),
    "begins-with-underscore": re.compile(r"\A_"),
    "blank": re.compile(r"\s"),
    "colon": re.compile(":"),
    "dot": re.compile(r".\.", re.DOTALL),
    "empty": re.compile(r"\A\Z"),
    "not-ascii": re.compile(r"[^\x00-\x7f]"),
    "percent": re.compile("%"),
    "punctuation": re.compile(r"[^\w\s%:.`-]", re.ASCII),
    "upper-case": re.compile(r"[A-Z]"),
}


def flags_of(names: Iterable[str]) -> tuple[str, ...]:
    """The flags of any of these names, sorted; ``punctuation`` is any other ASCII punctuation."""
    return tuple(sorted({flag for name in names for flag, sign in _FLAGS.items() if _has(name, flag, sign)}))


def flags_of_directory(name: str) -> tuple[str, ...]:
    """Those that matter in a path."""
    return tuple(flag for flag in flags_of([name]) if flag not in ("dot", "upper-case"))


def _has(name: str, flag: str, sign: re.Pattern[str]) -> bool:
    if flag == "punctuation":
        return any(sign.match(char) for char in name if char.isascii())
    return sign.search(name) is not None
