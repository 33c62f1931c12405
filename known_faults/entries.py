"""Known faults: clauses that an engine is known to fail, each with its symptom, a reason and a link."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

from model.vocabulary.versions import is_range
from records.known_fault import KnownFault, Ranged, Symptom
from records.mistakes import UsageMistake

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


R = TypeVar("R", bound="Ranged")

#: Where an engine may be wrong that is right elsewhere: on a cluster of Spark; on tables in S3, or in files of this machine.
CLUSTER = "cluster"
S3 = "s3"
FILES = "local files"
PLACES = (CLUSTER, S3, FILES)


class InvalidKnownFaults(UsageMistake):
    """A known faults file cannot be used. The text names the entry, and its line if known."""


_CLAUSE = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+)+")
_VERSION = re.compile(r"\d+(\.\d+)+")
_OF_SYMPTOM = frozenset({"causes", "errors", "of"})


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


#: What keys that may be left out may have, and what to write if it is something else.
_OPTIONAL: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "when": (lambda value: isinstance(value, str), "write the name of a condition"),
    "on": (PLACES.__contains__, f"write {' or '.join(map(repr, PLACES))}, or leave it out"),
    "wide": (_is_text, "say what else it would excuse, or leave it out"),
    "concerns": (_is_text, "end 'Concerns you only if …', or leave it out"),
}
_KEYS = frozenset({"clause", "clauses", "reason", "link", "symptom", "versions", "until", *_OPTIONAL})


def read_known_faults(path: Path, *, beside: Collection[str] = ()) -> tuple[KnownFault, ...]:
    """Read a TOML file of ``[[known_fault]]`` entries, in the file's order. Required keys: clause (or
    clauses, a list of those with the same reason), reason, link, symptom. ``beside``: other tables that it may have.

    Raises InvalidKnownFaults for a file that cannot be read, unknown or missing keys, a malformed symptom, version range or
    end, and a clause listed twice for the same versions, condition and symptom.
    """
    found: list[KnownFault] = []
    listed: set[tuple[object, ...]] = set()
    for where, entry in tables_in(path, "known_fault", beside=beside):
        for known_fault in _known_faults(entry, where):
            same = known_fault.clause, known_fault.versions, known_fault.when, known_fault.on, known_fault.symptom
            if same in listed:
                raise InvalidKnownFaults(f"{where} lists {known_fault.clause} a second time for the same versions.")
            listed.add(same)
            found.append(known_fault)
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


def _known_faults(entry: dict[str, Any], where: str) -> list[KnownFault]:
    """One for each clause of the entry."""
    if unknown := sorted(entry.keys() - _KEYS):
        raise InvalidKnownFaults(f"{where} has the unknown key {unknown[0]!r}: known are {', '.join(sorted(_KEYS))}.")
    named = entry.get("clauses")
    if named is None:
        return [_known_fault(entry, entry.get("clause"), where)]
    if "clause" in entry:
        raise InvalidKnownFaults(f"{where} has both 'clause' and 'clauses': write one of them.")
    if not isinstance(named, list) or not named:
        raise InvalidKnownFaults(f'{where} has clauses = {named!r}: write a list of ids such as ["VAC-SAFE-1"].')
    return [_known_fault(entry, clause, where) for clause in named]


def _known_fault(entry: dict[str, Any], clause: Any, where: str) -> KnownFault:
    _check_texts({"clause": clause, "reason": entry.get("reason"), "link": entry.get("link")}, where)
    if not _CLAUSE.fullmatch(clause):
        raise InvalidKnownFaults(f"{where} has the clause {clause!r}: write an id such as VAC-SAFE-1.")
    versions, until = range_of(entry, where)
    for key, (is_right, advice) in _OPTIONAL.items():
        if entry.get(key) is not None and not is_right(entry[key]):
            raise InvalidKnownFaults(f"{where} has {key} = {entry[key]!r}: {advice}.")
    symptom = _symptom(entry, where)
    optional = {key: entry.get(key) for key in _OPTIONAL}
    return KnownFault(clause, entry["reason"], entry["link"], symptom, versions, until, **optional)


def texts_in(entry: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """An entry's list of texts, with its reason and its link, which must be there. Raises InvalidKnownFaults."""
    if unknown := sorted(entry.keys() - {key, "reason", "link", "versions", "until"}):
        raise InvalidKnownFaults(
            f"{where} has the unknown key {unknown[0]!r}: write {key}, reason, link, versions and until."
        )
    _check_texts({"reason": entry.get("reason"), "link": entry.get("link")}, where)
    return _texts(entry.get(key), key, where)


def _texts(found: Any, key: str, where: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not found or not all(map(_is_text, found)):
        raise InvalidKnownFaults(f"{where} has {key} = {found!r}: write a list of texts.")
    return tuple(found)


def _check_texts(found: Mapping[str, Any], where: str) -> None:
    for key, text in found.items():
        if not _is_text(text):
            raise InvalidKnownFaults(f"{where} needs {key!r}, a text that is not empty.")


def range_of(entry: Mapping[str, Any], where: str) -> tuple[str, date | str | None]:
    """An entry's ``versions`` and ``until``. Raises InvalidKnownFaults."""
    versions = entry.get("versions", "")
    if not isinstance(versions, str) or not is_range(versions):
        raise InvalidKnownFaults(f"{where} has the versions {versions!r}: write a range such as '>=4.1,<4.3'.")
    until = entry.get("until")
    is_day = isinstance(until, date) and not isinstance(until, datetime)
    if not (until is None or is_day or (isinstance(until, str) and _VERSION.fullmatch(until))):
        raise InvalidKnownFaults(
            f"{where} has until = {until!r}: write a day such as 2027-01-31, or a version such as '4.5'."
        )
    return versions, until


def _symptom(entry: dict[str, Any], where: str) -> Symptom:
    given = entry.get("symptom")
    if not isinstance(given, dict) or not given.keys() & {"causes", "errors"}:
        raise InvalidKnownFaults(f"{where} needs symptom.causes or symptom.errors: what is known to go wrong.")
    if unknown := sorted(given.keys() - _OF_SYMPTOM):
        known = ", ".join(f"symptom.{key}" for key in sorted(_OF_SYMPTOM))
        raise InvalidKnownFaults(f"{where} has the unknown key 'symptom.{unknown[0]}': known are {known}.")
    lists = {key: _texts(given[key], f"symptom.{key}", where) for key in sorted(given.keys() - {"of"})}
    if "of" in given and not _is_text(given["of"]):
        raise InvalidKnownFaults(f"{where} has symptom.of = {given['of']!r}: write the name of a kind of subject.")
    return Symptom(**lists, of=given.get("of"))
