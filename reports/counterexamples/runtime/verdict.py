"""How a script ends: what it prints, and its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def verdict(what: str, expected: object, found: object) -> int:
    """HOLDS (0), or VIOLATED (1)."""
    print("HOLDS:" if found == expected else "VIOLATED:", what, "- expected", expected, "and found", found)
    return 0 if found == expected else 1


def cannot_tell(reason: str) -> int:
    """CANNOT TELL (2)."""
    print(f"CANNOT TELL: {reason}")
    print("To check it: explanation.md, beside this script, has the command.")
    return 2


def ending(main: Callable[[], int]) -> None:
    """Runs ``main``, and ends the process; exit code 2 if it breaks off."""
    try:
        code = main()
    except BaseException as problem:  # a panic of Rust is not an Exception
        print("CANNOT TELL:", repr(problem))
        code = 2
    sys.stdout.flush()
    os._exit(code)  # threads that pyarrow still has may abort an ordinary exit
