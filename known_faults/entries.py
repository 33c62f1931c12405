"""Known faults: clauses that an engine is known to fail, each with its symptom, a reason and a link."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from model.codec.by_types import STRICT, ByTypes
from model.codec.plain import InvalidCase, refuse, shown
from model.vocabulary.limits import AT_LEAST_ONE, Limit, Text
from model.vocabulary.versions import is_range
from records.known_fault import KnownFault, Range, Ranged, Symptom, Until
from records.mistakes import UsageMistake
from records.run import ClauseId

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


R = TypeVar("R", bound="Ranged")
T = TypeVar("T")

#: Where an engine may be wrong that is right elsewhere: on a cluster of Spark; on tables in S3, or in files of this machine.
CLUSTER = "cluster"
S3 = "s3"
FILES = "local files"
PLACES = (CLUSTER, S3, FILES)


class InvalidKnownFaults(UsageMistake):
    """A known faults file cannot be used. The text names the entry, and its line if known."""


_VERSION = re.compile(r"\d+(\.\d+)+")


@dataclass(frozen=True)
class _Entry:
    """A table of the file: known faults with one reason, by one symptom, of one clause or of several."""

    reason: Text
    link: Text
    symptom: Symptom
    clause: ClauseId | None = None
    clauses: Annotated[tuple[ClauseId, ...], AT_LEAST_ONE] = ()
    versions: Range = ""
    until: Until = None
    when: Text | None = None
    on: Annotated[str, Limit("enum", PLACES)] | None = None
    wide: Text | None = None
    concerns: Text | None = None


def _range(value: object) -> str:
    if not isinstance(value, str) or not is_range(value):
        refuse(f"must be a range such as '>=4.1,<4.3', but is {shown(value)}")
    return value


def _until(value: object) -> Until:
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    if not (is_day or (isinstance(value, str) and _VERSION.fullmatch(value))):
        refuse(f"must be a day such as 2027-01-31, or a version such as '4.5', but is {shown(value)}")
    return cast(Until, value)


_READERS = {**STRICT, Range: _range, Until: _until}


def entries_in(
    path: Path, name: str, kind: type[T], beside: Collection[str] = (), **renamed: str | None
) -> list[tuple[str, T]]:
    """The tables of this name in a TOML file as records, each with where it is. ``renamed``: the keys that are not the names of
    fields. Raises InvalidKnownFaults for what ``tables_in`` refuses, and for a table that is no such record.
    """
    form = ByTypes(dict(_READERS), renamed={kind: renamed})
    found = []
    for where, table in tables_in(path, name, beside=beside):
        try:
            found.append((where, form.read(table, kind)))
        except InvalidCase as problem:
            raise InvalidKnownFaults(f"{where}: {problem.path} {problem.problem}.") from None
    return found


def read_known_faults(path: Path, *, beside: Collection[str] = ()) -> tuple[KnownFault, ...]:
    """Read a TOML file of ``[[known_fault]]`` entries, in the file's order. Required keys: clause (or
    clauses, a list of those with the same reason), reason, link, symptom. ``beside``: other tables that it may have.

    Raises InvalidKnownFaults for a file that cannot be read, unknown or missing keys, a malformed symptom, version range or
    end, and a clause listed twice for the same versions, condition and symptom.
    """
    found: list[KnownFault] = []
    listed: set[tuple[object, ...]] = set()
    for where, entry in entries_in(path, "known_fault", _Entry, beside):
        shared = dict(vars(entry))
        alone, several = shared.pop("clause"), shared.pop("clauses")
        if (alone is None) is not bool(several):
            raise InvalidKnownFaults(f"{where} must have either 'clause' or 'clauses'.")
        if not (entry.symptom.causes or entry.symptom.errors):
            raise InvalidKnownFaults(f"{where} needs symptom.causes or symptom.errors: what is known to go wrong.")
        for clause in several or (alone,):
            same = clause, entry.versions, entry.when, entry.on, entry.symptom
            if same in listed:
                raise InvalidKnownFaults(f"{where} lists {clause} a second time for the same versions.")
            listed.add(same)
            found.append(KnownFault(clause, **shared))
    return tuple(found)


def tables_in(path: Path, name: str, *, beside: Collection[str] = ()) -> list[tuple[str, dict[str, Any]]]:
    """The tables of this name in a TOML file, each with where it is, for sentences. ``beside``: the names of others that it may
    have.

    Raises InvalidKnownFaults for a file that cannot be read, or has anything else.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise InvalidKnownFaults(f"The known faults file {path} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise InvalidKnownFaults(f"The known faults file {path} is not TOML: {error}.") from error
    allowed = [name, *(one for one in beside if one != name)]
    if unknown := sorted(document.keys() - set(allowed)):
        entries = " and ".join(f"[[{one}]]" for one in allowed)
        raise InvalidKnownFaults(
            f"The known faults file {path} has {unknown[0]!r}: only {entries} entries are allowed."
        )
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise InvalidKnownFaults(f"The known faults file {path} must write its entries as [[{name}]].")
    starts = re.finditer(rf"^[ \t]*\[\[\s*{name}\s*\]\]", text, re.MULTILINE)
    lines = [text.count("\n", 0, match.start()) + 1 for match in starts]
    # Inline tables have no such line: then no line is named.
    places = [f" (line {line})" for line in lines] if len(lines) == len(found) else [""] * len(found)
    named = name.replace("_", " ").capitalize()
    return [
        (f"{named} {number} of {path}{line}", one) for number, (line, one) in enumerate(zip(places, found), start=1)
    ]


def holding_on(places: Collection[str], known_faults: Iterable[KnownFault]) -> tuple[KnownFault, ...]:
    """Those that apply where an engine runs, on these of PLACES, in their order."""
    return tuple(one for one in known_faults if one.on is None or one.on in places)


def in_force(known_faults: Iterable[R], *, version: str, today: date) -> tuple[R, ...]:
    """Those that apply to this engine version and have not ended on ``today``, in their order."""
    return tuple(one for one in known_faults if one.holds_for(version) and not one.is_past(version, today))


def ended(known_faults: Iterable[R], *, version: str, today: date) -> tuple[R, ...]:
    """Those whose range has this engine version, and that have ended on ``today``, in their order."""
    return tuple(one for one in known_faults if one.holds_for(version) and one.is_past(version, today))


def proposed(found: Iterable[tuple[str, str, str]], *, version: str) -> str:
    """The text of a known faults file for these clauses in this engine version, each with the message and cause of a violation.

    Several causes of a clause become one entry. The file is invalid until someone adds the reasons and links.
    """
    messages: dict[str, str] = {}
    causes: dict[str, list[str]] = {}
    for clause, message, cause in found:
        messages.setdefault(clause, message)
        causes.setdefault(clause, []).append(cause)
    entries = [
        f"# Observed: {' '.join(message.split())}\n[[known_fault]]\n"
        f"clause = {quoted(clause)}\nversions = {quoted(f'=={version}')}\n"
        f"symptom.causes = [{', '.join(map(quoted, dict.fromkeys(causes[clause])))}]\n"
        'reason = ""  # required\nlink = ""  # required: a page about it\n'
        for clause, message in messages.items()
    ]
    heading = f"# Proposed by a run on {version}: what failed there." if entries else f"# Nothing failed on {version}."
    return "\n".join([f"{heading}\n", *entries])


def quoted(text: str) -> str:
    return json.dumps(text)  # a basic string of TOML, too
