"""What the scripts of a run's counterexamples answered when they were written: ``counterexamples/scripts.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

#: The file, below the report directory.
FILE = Path("counterexamples", "scripts.json")

HOLDS, VIOLATED, CANNOT_TELL = "HOLDS", "VIOLATED", "CANNOT TELL"


@dataclass(frozen=True)
class ScriptResult:
    """The answer of a script: one of the three words, or another text if it broke off."""

    folder: str  # of the counterexample, below the report directory
    clause: str
    answer: str
    said: str  # its last line
    expected: str  # HOLDS on an engine without the fault that the run's engine had on purpose, else VIOLATED

    @property
    def disagrees(self) -> bool:
        """Whether the script contradicts the verdict. One that cannot tell does not."""
        return self.answer not in (self.expected, CANNOT_TELL)

    @property
    def words(self) -> str:
        """The answer; with a known-bad engine, the script was run on the engine without the fault."""
        return f"{self.answer} without the fault" if self.expected == HOLDS else self.answer

    @property
    def text(self) -> str:
        """The disagreement in one sentence."""
        return (
            f"An error of the suite: the script {self.folder}/reproduce.py says {self.words} "
            f"where the verdict on {self.clause} is fail ({self.said})."
        )


def write_checked(found: Sequence[ScriptResult], directory: Path) -> None:
    """Write the answers into the report directory."""
    (directory / FILE).parent.mkdir(parents=True, exist_ok=True)
    (directory / FILE).write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")


def read_checked(directory: Path | None) -> tuple[ScriptResult, ...]:
    """The answers in a report directory; none if no script was run."""
    if directory is None or not (directory / FILE).exists():
        return ()
    return tuple(ScriptResult(**one) for one in json.loads((directory / FILE).read_text(encoding="utf-8")))


def disagreements(checked: Iterable[ScriptResult], failed: Iterable[str]) -> tuple[list[ScriptResult], bool]:
    """The scripts that contradict their verdicts, and whether no clause that ``failed`` is left without such a script."""
    found = [one for one in checked if one.disagrees]
    contradicted = {one.clause for one in found}
    return found, bool(found) and contradicted >= set(failed)
