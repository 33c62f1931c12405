"""Under which circumstances a run judged, in words: its profile, and the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from records.run import Header
from reports.text.quantities import counted

#: The members of the header's ``machine``, in words.
_NAMES = {"time_zone": "time zone", "file_system": "tables on", "master": "Spark master", "storage": "served as"}


def profile_of(header: Header) -> str:
    """``profile smoke``, or ``profile smoke, on what spark==4.4.0 can be asked for too, of whose corpus the budget left out 12
    cases``."""
    shared = f", on what {header.shared_with} can be asked for too" if header.shared_with else ""
    left_out = f", of whose corpus the budget left out {counted(header.left_out, 'case')}" if header.left_out else ""
    return f"profile {header.profile}{shared}{left_out}"


def versions_of(header: Header) -> str:
    """``delta 4.4.0, pyspark 4.2.0, tombstone 0.1.0``: the engine's version first, the suite's last."""
    suite = {} if header.suite is None else {"tombstone": header.suite}
    return ", ".join(f"{name} {version}" for name, version in (*header.versions.items(), *suite.items()))


def machine_of(header: Header) -> str:
    """``2 processors, time zone UTC, locale C.UTF-8, tables on ext4``. Of a run that was merged: ``in 5 parts: …``, and where its
    machines differ, each with its parts: ``in 3 parts: 1, 3: 2 processors, …; 2: 4 processors, …``."""
    if header.machines is None:
        return _machine(header.machine)
    parts: dict[str, list[str]] = {}
    for number, machine in enumerate(header.machines, start=1):
        parts.setdefault(_machine(machine), []).append(str(number))
    each = [machine if len(parts) == 1 else f"{', '.join(own)}: {machine}" for machine, own in parts.items()]
    return f"in {counted(len(header.machines), 'part')}: {'; '.join(each)}"


def machines_differ(base: Header, candidate: Header) -> str:
    """What differs between the machines of two runs: ``2 processors → 4 processors``. Empty where nothing does."""
    one, other = (header.machines or (header.machine,) for header in (base, candidate))
    names = dict.fromkeys(name for machine in (*one, *other) for name in machine)
    differing = [name for name in names if set(_values(name, one)) != set(_values(name, other))]
    return ", ".join(f"{_any_of(name, one)} → {_any_of(name, other)}" for name in differing)


def _machine(machine: Mapping[str, str]) -> str:
    return ", ".join(_words(name, value) for name, value in machine.items())


def _values(name: str, machines: Iterable[Mapping[str, str]]) -> list[str | None]:
    """The values of both machines, each once."""
    return list(dict.fromkeys(machine.get(name) for machine in machines))


def _any_of(name: str, machines: Iterable[Mapping[str, str]]) -> str:
    return " or ".join(_words(name, value) for value in _values(name, machines))


def _words(name: str, value: str | None) -> str:
    if value is None:
        return f"{_NAMES.get(name, name)} not known"
    if name == "processors":
        return counted(int(value), "processor")
    return f"{_NAMES.get(name, name)} {value}"


def catalogue_of(header: Header) -> str:
    """``296 clauses, 2026-11-30``: how many clauses the run knew, and its day."""
    clauses = counted(len(header.clauses), "clause")
    return clauses if header.date is None else f"{clauses}, {header.date}"
