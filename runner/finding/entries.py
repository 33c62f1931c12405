"""Reads the findings: ``docs/findings/ENGINE/NAME.toml``, a file each. CONTRIBUTING.md, “A finding”, says what is in one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from pathlib import Path

from engines.kind import EngineKind, Version
from engines.provider import kind_of
from model.codec import InvalidCase, loads
from model.codec.by_types import STRICT, ByTypes
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

#: The engines from outside that have findings, by their folders: as ``--engine`` names them.
OUTSIDE = {"sail": "examples.sail_engine:ENGINE"}


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
    has the fault. ``upstream``: a link, empty: not reported. ``fault``, ``right``, ``unknown``: releases. ``expectation``: JSON
    text, empty if no case can say it; ``script`` is the one by hand, below the suite's root, and ``by_hand`` why.
    """

    title: str
    chapter: str
    harm: Harm
    text: str
    clauses: tuple[str, ...] = ()
    promised: str = ""
    cause: str = ""
    note: str = ""
    actual: str = ""
    upstream: str = ""
    fault: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    case: str = ""
    step: int = 0
    expectation: str = ""
    failed: tuple[int, ...] = ()
    script: str = ""
    by_hand: str = ""
    name: str = ""
    engine: str = ""

    @property
    def kind(self) -> EngineKind:
        return kind_of(OUTSIDE.get(self.engine, self.engine))

    def version(self, release: str) -> Version:
        """Raises EngineUnavailable for a release that is not judged."""
        kind = self.kind
        if kind.releases is None:
            return Version(f"{kind.name} {release}", {kind.name: release}, (), is_listed=True)
        return kind.releases.version(release)

    @cached_property
    def expected(self) -> Mapping[str, Expected]:
        """What the script says on each release that was tried, the oldest first."""
        said = {release: word for word in Expected for release in getattr(self, word.value)}
        return {release: said[release] for release in sorted(said, key=parse)}

    @cached_property
    def shown(self) -> Shown | None:
        """Its step of a case, which is beside it if it names none. Raises InvalidFinding."""
        if not self.expectation:
            return None
        expectation = expectation_from_json(json.loads(self.expectation))
        if expectation is None:
            raise InvalidFinding(f"{self.engine}/{self.name}: the suite does not know its expectation.")
        beside = f"{FOLDER.relative_to(ROOT).as_posix()}/{self.engine}/{self.name}.json"
        return Shown(self.case or beside, self.step, expectation, self.failed)

    @property
    def with_fault(self) -> list[str]:
        """The releases that have it, of those that were tried, oldest first."""
        return [release for release, found in self.expected.items() if found is Expected.FAULT]


class InvalidFinding(Exception):
    """A file is no finding; one sentence."""


_FORM = ByTypes(dict(STRICT), renamed={Finding: {"name": None, "engine": None}})


@cache
def findings() -> Mapping[str, Finding]:
    """All, by name: the gravest first. Raises InvalidFinding."""
    found = map(_read, sorted(FOLDER.glob("*/*.toml")))
    ranks = list(Harm)
    return {one.name: one for one in sorted(found, key=lambda one: (one.engine, ranks.index(one.harm), one.name))}


def _read(file: Path) -> Finding:
    try:
        members: Finding = _FORM.read(tomllib.loads(file.read_text(encoding="utf-8")), Finding)
    except InvalidCase as problem:
        raise InvalidFinding(f"{file}: {problem.path} {problem.problem}.") from None
    found = replace(members, name=file.stem, engine=file.parent.name)
    if (found.shown is None) is not bool(found.script and found.by_hand):
        raise InvalidFinding(f"{file}: a finding has a case, or a script by hand with the reason.")
    if strange := {*found.clauses} - CATALOGUE.keys():
        raise InvalidFinding(f"{file}: {min(strange)} is no clause.")
    return found
