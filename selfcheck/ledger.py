"""What was judged so far: JSON lines, one for each shard, to which every run appends."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner.options import UsageMistake

#: One judged shard: engine, version, suite, seed, shard, cases, steps, seconds, engine_seconds, alarms, errors. Or a case
#: whose alarms before are none any more, since what breaks its clauses became a known deviation: engine, version, suite, settled.
Line = dict[str, Any]

#: What decides which cases a seed draws, and how they are judged: all of these rooms, and some modules.
_ROOMS = ("model", "deltalog", "strategies", "suites", "selfcheck/reference_engine")
_MODULES = ("selfcheck/random_cases.py", "selfcheck/alarms.py", "selfcheck/bench.py")
#: How a failure is shown; and what of it is excused, as ``deviations/`` says: the cases that raised an alarm are judged again.
_ASIDE = ("harness/reproduction_plan.py", "harness/conditions.py")


@dataclass(frozen=True)
class Subject:
    """What is judged: an engine in one version, by one state of the suite."""

    engine: str
    version: str
    suite: str

    def fits(self, line: Line) -> bool:
        return (line["engine"], line["version"], line["suite"]) == (self.engine, self.version, self.suite)


@dataclass
class Sums:
    """Shards added up. ``alarms`` and ``errors`` are those of the lines."""

    runs: int = 0
    cases: int = 0
    steps: int = 0
    seconds: float = 0.0
    alarms: list[dict[str, str]] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)

    def add(self, line: Line) -> None:
        if "settled" in line:
            self.alarms = [alarm for alarm in self.alarms if alarm["case"] != line["settled"]]
            return
        self.runs += 1
        self.cases += line["cases"]
        self.steps += line["steps"]
        self.seconds += line["seconds"]
        self.alarms += line["alarms"]
        self.errors += line["errors"]

    @property
    def alarming(self) -> int:
        """How many cases raised an alarm."""
        return len({alarm["case"] for alarm in self.alarms})

    @property
    def code(self) -> int:
        """The exit code: 0 no alarm, 1 an alarm, 2 nothing is proven."""
        if self.alarms:
            return 1
        return 2 if self.errors or not self.cases else 0


class Ledger:
    """The file. Raises UsageMistake where it is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.directory = path.parent
        self._lines: list[Line] = list(self._read())

    def _read(self) -> Iterator[Line]:
        if not self._path.exists():
            return
        for number, text in enumerate(self._path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                line = json.loads(text)
                Sums().add(line)
            except (ValueError, KeyError, TypeError):
                raise UsageMistake(f"{self._path}, line {number}, is no line of a ledger: remove it.") from None
            yield line

    def judged(self, subject: Subject) -> frozenset[tuple[int, str]]:
        """The shards that were judged, each with its seed."""
        shards = [line for line in self._lines if subject.fits(line) and "settled" not in line]
        return frozenset((line["seed"], line["shard"]) for line in shards)

    def append(self, line: Line) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._lines.append(line)

    def sums(self, subject: Subject) -> Sums:
        """All that was judged of this subject."""
        found = Sums()
        for line in self._lines:
            if subject.fits(line):
                found.add(line)
        return found

    def before(self, subject: Subject) -> Sums:
        """What was judged of the same engine by other states of the suite."""
        found = Sums()
        for line in self._lines:
            if (line["engine"], line["version"]) == (subject.engine, subject.version) and not subject.fits(line):
                found.add(line)
        return found


def suite_digest(root: Path, engine: str) -> str:
    """A short digest of the suite's source, with one engine's adapter: with another one a seed may draw other cases, judged
    otherwise. Raises OSError."""
    rooms = (path for room in (*_ROOMS, f"engines/{engine}") for path in (root / room).rglob("*.py"))
    paths = {*rooms, *(root / "engines").glob("*.py"), *(root / module for module in _MODULES)}
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(paths.difference(root / module for module in _ASIDE)):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
