"""Known deviations: clauses that an engine is known to fail, each with a reason, a link and an expiry."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


class InvalidDeviations(Exception):
    """A deviations file cannot be used. The text names the entry, and its line if known."""


@dataclass(frozen=True)
class Deviation:
    """One clause that is known to fail.

    ``versions`` is a range such as ``>=4.1,<4.3`` (all parts must hold; empty means any version). ``expires`` is the
    last day on which the deviation applies; None: it has no end. ``when`` names the condition under which it applies
    (harness.conditions); None: it always applies.
    """

    clause: str
    reason: str
    link: str
    versions: str = ""
    expires: date | None = None
    when: str | None = None

    def holds_for(self, version: str) -> bool:
        """Whether ``version``, such as ``4.4.0``, lies in the range."""
        return all(_compare(version, operator, bound) for operator, bound in _parts(self.versions))


_ENTRY = re.compile(r"^[ \t]*\[\[\s*deviation\s*\]\]", re.MULTILINE)
_PART = re.compile(r"\s*(<=|>=|==|!=|<|>)\s*(\d+(?:\.\d+)*)\s*")
_CLAUSE = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+)+")
_KEYS = frozenset({"clause", "clauses", "reason", "link", "versions", "expires", "when"})


def read_deviations(path: Path) -> tuple[Deviation, ...]:
    """Read a TOML file of ``[[deviation]]`` entries, in the file's order. Required keys: clause (or
    clauses, a list of those with the same reason), reason, link.

    Raises InvalidDeviations for a file that cannot be read, unknown or missing keys, a malformed version range or
    date, and a clause listed twice for the same versions.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise InvalidDeviations(f"The deviations file {path} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise InvalidDeviations(f"The deviations file {path} is not TOML: {error}.") from error
    if unknown := sorted(document.keys() - {"deviation"}):
        raise InvalidDeviations(
            f"The deviations file {path} has {unknown[0]!r}: only [[deviation]] entries are allowed."
        )
    entries = document.get("deviation", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidDeviations(f"The deviations file {path} must write its entries as [[deviation]].")
    lines = [text.count("\n", 0, match.start()) + 1 for match in _ENTRY.finditer(text)]
    found: list[Deviation] = []
    for number, entry in enumerate(entries, start=1):
        # Inline tables have no [[deviation]] line: then no line is named.
        line = f" (line {lines[number - 1]})" if len(lines) == len(entries) else ""
        where = f"Deviation {number} of {path}{line}"
        for deviation in _deviations(entry, where):
            same = (deviation.clause, deviation.versions, deviation.when)
            if any((other.clause, other.versions, other.when) == same for other in found):
                raise InvalidDeviations(f"{where} lists {deviation.clause} a second time for the same versions.")
            found.append(deviation)
    return tuple(found)


def in_force(deviations: Iterable[Deviation], *, version: str, today: date) -> tuple[Deviation, ...]:
    """Those that apply to this engine version and have not expired on ``today``, in their order."""
    return tuple(
        deviation
        for deviation in deviations
        if deviation.holds_for(version) and (deviation.expires is None or today <= deviation.expires)
    )


def proposed(found: Iterable[tuple[str, str]], *, version: str) -> str:
    """The text of a deviations file for these clauses, each with the message of a violation, in this engine version.

    The file is invalid until someone adds the reasons and links.
    """
    entries = [
        f"# Observed: {' '.join(message.split())}\n[[deviation]]\n"
        f"clause = {_quoted(clause)}\nversions = {_quoted(f'=={version}')}\n"
        'reason = ""  # required\nlink = ""  # required: a page about it\n'
        for clause, message in found
    ]
    heading = f"# Proposed by a run on {version}: what failed there." if entries else f"# Nothing failed on {version}."
    return "\n".join([f"{heading}\n", *entries])


def _quoted(text: str) -> str:
    return json.dumps(text)  # a basic string of TOML, too


def _deviations(entry: dict[str, Any], where: str) -> list[Deviation]:
    """One for each clause of the entry."""
    if unknown := sorted(entry.keys() - _KEYS):
        raise InvalidDeviations(f"{where} has the unknown key {unknown[0]!r}: known are {', '.join(sorted(_KEYS))}.")
    named = entry.get("clauses")
    if named is None:
        return [_deviation(entry, entry.get("clause"), where)]
    if "clause" in entry:
        raise InvalidDeviations(f"{where} has both 'clause' and 'clauses': write one of them.")
    if not isinstance(named, list) or not named:
        raise InvalidDeviations(f'{where} has clauses = {named!r}: write a list of ids such as ["VAC-SAFE-1"].')
    return [_deviation(entry, clause, where) for clause in named]


def _deviation(entry: dict[str, Any], clause: Any, where: str) -> Deviation:
    for key, text in (("clause", clause), ("reason", entry.get("reason")), ("link", entry.get("link"))):
        if not isinstance(text, str) or not text.strip():
            raise InvalidDeviations(f"{where} needs {key!r}, a text that is not empty.")
    if not _CLAUSE.fullmatch(clause):
        raise InvalidDeviations(f"{where} has the clause {clause!r}: write an id such as VAC-SAFE-1.")
    versions = entry.get("versions", "")
    if not isinstance(versions, str) or any(_PART.fullmatch(part) is None for part in _split(versions)):
        raise InvalidDeviations(f"{where} has the versions {versions!r}: write a range such as '>=4.1,<4.3'.")
    expires = entry.get("expires")
    if isinstance(expires, str):
        try:
            expires = date.fromisoformat(expires)
        except ValueError as error:
            raise InvalidDeviations(f"{where} has expires = {expires!r}: write a day such as 2027-01-31.") from error
    if isinstance(expires, datetime) or not isinstance(expires, (date, type(None))):
        raise InvalidDeviations(f"{where} has expires = {expires!r}: write a day such as 2027-01-31.")
    when = entry.get("when")
    if not isinstance(when, (str, type(None))):
        raise InvalidDeviations(f"{where} has when = {when!r}: write the name of a condition.")
    return Deviation(clause, entry["reason"], entry["link"], versions, expires, when)


def _split(versions: str) -> list[str]:
    return versions.split(",") if versions.strip() else []


def _parts(versions: str) -> list[tuple[str, str]]:
    matches = [_PART.fullmatch(part) for part in _split(versions)]
    return [(match[1], match[2]) for match in matches if match is not None]


def _numbers(version: str) -> tuple[int, ...]:
    # A suffix such as "-SNAPSHOT" or "rc1" does not count: a pre-release is judged as its release.
    match = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else [0]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _compare(version: str, operator: str, bound: str) -> bool:
    left, right = _numbers(version), _numbers(bound)
    return {
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
        "==": left == right,
        "!=": left != right,
    }[operator]
