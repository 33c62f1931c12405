"""Reads the findings: ``docs/findings/ENGINE/NAME.toml``, a file each. CONTRIBUTING.md, “A finding”, says what is in one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from model.codec import loads
from model.vocabulary.case import Case
from model.vocabulary.versions import parse
from records.expectations import Expectation
from records.json_form import expectation_from_json
from suites.catalogue import CATALOGUE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).resolve().parent.parent.parent

FOLDER = ROOT / "docs" / "findings"


class Harm(str, Enum):
    """What the fault costs a user, the gravest first."""

    TABLE = "the table is lost"
    DATA = "rows are lost"
    OTHERS = "other files are lost"
    HISTORY = "older versions are lost"
    ANSWERS = "answers are wrong"
    COMMAND = "a command fails"
    PROMISE = "a promise is broken"


class Expected(str, Enum):
    """What the script of a finding says on a release."""

    FAULT = "fault"
    RIGHT = "right"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Shown:
    """A step of a case in which the engine does what it must not. ``file``: below the suite's root."""

    file: str
    step: int
    expectation: Expectation
    failed: tuple[int, ...] = ()  # the steps that end in an error there

    @property
    def case(self) -> Case:
        """Up to the step."""
        whole = loads((ROOT / self.file).read_text(encoding="utf-8"))
        return replace(whole, steps=whole.steps[: self.step + 1])


@dataclass(frozen=True)
class Finding:
    """``text``, ``promised``, ``cause`` and ``note`` are Markdown; ``actual`` is what the script says on the newest release that
    has the fault. ``upstream``: a link, empty: not reported. ``shown``: None if no case can say it; ``script`` is the one by
    hand, below the suite's root, and ``by_hand`` why.
    """

    name: str
    engine: str
    title: str
    chapter: str
    harm: Harm
    expected: Mapping[str, Expected]
    text: str
    clauses: tuple[str, ...] = ()
    promised: str = ""
    cause: str = ""
    note: str = ""
    actual: str = ""
    upstream: str = ""
    shown: Shown | None = None
    script: str = ""
    by_hand: str = ""

    @property
    def with_fault(self) -> list[str]:
        """The releases that have it, of those that were tried, oldest first."""
        return [release for release, found in self.expected.items() if found is Expected.FAULT]


class InvalidFinding(Exception):
    """A file is no finding; one sentence."""


@cache
def findings() -> Mapping[str, Finding]:
    """All, by name: the gravest first. Raises InvalidFinding."""
    found = map(_read, sorted(FOLDER.glob("*/*.toml")))
    ranks = list(Harm)
    return {one.name: one for one in sorted(found, key=lambda one: (one.engine, ranks.index(one.harm), one.name))}


def _read(file: Path) -> Finding:
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    names = {one.name for one in fields(Finding)} - {"name", "engine", "shown", "expected"}
    if (
        strange := document.keys()
        - names
        - {"case", "step", "expectation", "failed", *(word.value for word in Expected)}
    ):
        raise InvalidFinding(f"{file}: {min(strange)} is no member of a finding.")
    expected, shown = _expected(document), _shown(file, document)
    if (shown is None) is not bool(document.get("script") and document.get("by_hand")):
        raise InvalidFinding(f"{file}: a finding has a case, or a script by hand with the reason.")
    document["harm"], document["clauses"] = Harm(document["harm"]), tuple(document.get("clauses", ()))
    if strange := {*document["clauses"]} - CATALOGUE.keys():
        raise InvalidFinding(f"{file}: {min(strange)} is no clause.")
    return Finding(
        name=file.stem,
        engine=file.parent.name,
        expected=expected,
        shown=shown,
        **{name: document[name] for name in names & document.keys()},
    )


def _expected(document: Mapping[str, Any]) -> Mapping[str, Expected]:
    said = {release: word for word in Expected for release in document.get(word.value, ())}
    return {release: said[release] for release in sorted(said, key=parse)}


def _shown(file: Path, document: Mapping[str, Any]) -> Shown | None:
    if "expectation" not in document:
        return None
    beside = file.with_suffix(".json").relative_to(ROOT).as_posix()
    expectation = expectation_from_json(json.loads(document["expectation"]))
    if expectation is None:
        raise InvalidFinding(f"{file}: the suite does not know its expectation.")
    return Shown(document.get("case", beside), document["step"], expectation, tuple(document.get("failed", ())))
