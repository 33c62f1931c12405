"""Numbers of files and of bytes in words."""

from __future__ import annotations

from rehearsal.rehearsed import Sum
from reports.text.quantities import counted

_UNITS = ("kB", "MB", "GB", "TB", "PB")


def size(number: int) -> str:
    """``999 bytes``, ``1.5 kB``, ``3.1 TB``: a unit is a thousand of the one before."""
    if number < 1000:
        return "1 byte" if number == 1 else f"{number} bytes"
    shown = float(number)
    for unit in _UNITS:
        shown /= 1000
        if shown < 999.95 or unit == _UNITS[-1]:
            break
    return f"{shown:.1f} {unit}"


def files(found: Sum) -> str:
    """``1,204 files (3.1 TB)``, ``no file``."""
    return f"{counted(found.files, 'file')} ({size(found.bytes)})" if found.files else "no file"
