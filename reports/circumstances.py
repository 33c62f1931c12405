"""Under which circumstances a run judged, in words: its profile, and the machine."""

from __future__ import annotations

from records.run import Header
from reports.quantities import counted

#: The members of the header's ``machine``, in words.
_NAMES = {"time_zone": "time zone", "file_system": "tables on", "master": "Spark master", "storage": "served as"}


def profile_of(header: Header) -> str:
    """``profile smoke``, or ``profile smoke, of whose corpus the budget left out 12 cases``."""
    left_out = header.left_out
    return f"profile {header.profile}" + (
        f", of whose corpus the budget left out {counted(left_out, 'case')}" if left_out else ""
    )


def versions_of(header: Header) -> str:
    """``delta 4.4.0, pyspark 4.2.0``: the engine's version first."""
    return ", ".join(f"{name} {version}" for name, version in header.versions.items())


def machine_of(header: Header) -> str:
    """``2 processors, time zone UTC, locale C.UTF-8, tables on ext4``."""
    return ", ".join(_words(name, value) for name, value in header.machine.items())


def machines_differ(base: Header, candidate: Header) -> str:
    """What differs between the machines of two runs: ``2 processors → 4 processors``. Empty where nothing does."""
    one, other = base.machine, candidate.machine
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return ", ".join(f"{_words(name, one.get(name))} → {_words(name, other.get(name))}" for name in names)


def _words(name: str, value: str | None) -> str:
    if value is None:
        return f"{_NAMES.get(name, name)} not known"
    if name == "processors":
        return counted(int(value), "processor")
    return f"{_NAMES.get(name, name)} {value}"
