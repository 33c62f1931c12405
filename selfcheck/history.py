"""The history of soundness runs: JSON lines, one for each judged batch, appended by every run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from records.mistakes import UsageMistake

#: A judged batch: engine, version, suite, seed, batch, cases, steps, seconds, engine_seconds, alarms (false positives), errors.
#: Or a case whose false positives were settled because they became known faults: engine, version, suite, settled.
Line = dict[str, Any]

#: What decides which cases a seed draws and how they are judged.
_ROOMS = ("model", "deltalog", "strategies", "harness", "suites", "reference_engine")
_MODULES = ("selfcheck/random_cases.py", "selfcheck/false_positives.py", "selfcheck/engine_pool.py")
#: Except how a failure is shown, and known faults: the cases of false positives are judged again.
_EXCEPT = (
    "reports/counterexamples/plan.py",
    "suites/sources.py",
    "harness/judging/excusing/command_conditions.py",
    "harness/judging/excusing/conditions.py",
    "harness/judging/excusing/table_conditions.py",
)


@dataclass(frozen=True)
class Subject:
    """An engine in one version, judged by one state of the suite."""

    engine: str
    version: str
    suite: str

    def fits(self, line: Line) -> bool:
        return self.is_same_engine(line) and bool(line["suite"] == self.suite)

    def is_same_engine(self, line: Line) -> bool:
        return (line["engine"], line["version"]) == (self.engine, self.version)


@dataclass
class Totals:
    """Lines added up."""

    cases: int = 0
    steps: int = 0
    seconds: float = 0.0
    false_positives: list[dict[str, str]] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)

    def add(self, line: Line) -> None:
        if "settled" in line:
            self.false_positives = [found for found in self.false_positives if found["case"] != line["settled"]]
            return
        self.cases += line["cases"]
        self.steps += line["steps"]
        self.seconds += line["seconds"]
        self.false_positives += line["alarms"]
        self.errors += line["errors"]

    @property
    def failing_cases(self) -> int:
        """How many cases had a false positive."""
        return len({found["case"] for found in self.false_positives})

    @property
    def exit_code(self) -> int:
        """0: no false positive, 1: one or more, 2: inconclusive."""
        if self.false_positives:
            return 1
        return 2 if self.errors or not self.cases else 0


class HistoryFile:
    """The file of a history. Raises UsageMistake if a line cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.directory = path.parent
        self._lines: list[Line] = list(self._read())

    def _read(self) -> Iterator[Line]:
        if not self._path.exists():
            return
        for number, text in enumerate(self._path.read_bytes().split(b"\n"), start=1):
            if not text:
                continue
            try:
                line = json.loads(text)
                Totals().add(line)
            except (ValueError, KeyError, TypeError):
                raise UsageMistake(f"{self._path}, line {number}, is not a line of a history: remove it.") from None
            yield line

    def append(self, line: Line) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._lines.append(line)

    def judged(self, subject: Subject) -> frozenset[tuple[int, str]]:
        """The judged batches, each with its seed."""
        batches = [line for line in self._lines if subject.fits(line) and "settled" not in line]
        return frozenset((line["seed"], line["batch"]) for line in batches)

    def totals(self, subject: Subject) -> Totals:
        """The totals of this subject."""
        return self._total(subject.fits)

    def totals_before(self, subject: Subject) -> Totals:
        """The totals of other states of the suite on the same engine."""
        return self._total(lambda line: subject.is_same_engine(line) and not subject.fits(line))

    def _total(self, counts: Callable[[Line], bool]) -> Totals:
        found = Totals()
        for line in filter(counts, self._lines):
            found.add(line)
        return found


def suite_digest(root: Path, engine: str) -> str:
    """A short digest of the source that draws and judges cases, the engine's adapter included. Raises OSError."""
    rooms = (path for room in (*_ROOMS, f"engines/{engine}") for path in (root / room).rglob("*.py"))
    paths = {*rooms, *(root / "engines").glob("*.py"), *(root / module for module in _MODULES)}
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(paths.difference(root / module for module in _EXCEPT)):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
