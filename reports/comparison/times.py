"""How long two versions take for the same steps on large tables: as a ratio, where it is clear of its spread.

Both ran in turn on one machine, several times. Seconds alone would say more of the machine than of the versions.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from records.mistakes import UsageMistake
from reports.comparison.requests import kind_of
from reports.stream.reading import Run, is_whole, read_run

#: The sides of an upgrade, whose runs lie in directories such as ``base-1``.
_SIDES = ("base", "candidate")


@dataclass(frozen=True)
class TimeRatio:
    """A step on a large table. ``ratios``: of each pair of runs, the candidate's seconds by the base's; ``seconds``: the base's
    median."""

    command: str
    files: int
    seconds: float
    ratios: tuple[float, ...]

    @property
    def ratio(self) -> float:
        return median(self.ratios)

    @property
    def is_clear(self) -> bool:
        """Whether each pair says the same, and by more than the pairs differ."""
        apart = min(self.ratios) - 1 if self.ratio > 1 else 1 - max(self.ratios)
        return apart > max(self.ratios) - min(self.ratios)

    @property
    def spread(self) -> str:
        """``1.31 to 1.42``."""
        return f"{min(self.ratios):.2f} to {max(self.ratios):.2f}"


def time_ratios(place: Path) -> tuple[TimeRatio, ...]:
    """Of the runs below a directory, those that are whole on both sides. Raises UsageMistake if there are none."""
    pairs: list[list[Run]] = []
    while all(is_whole(place / f"{side}-{len(pairs) + 1}") for side in _SIDES):
        pairs.append([read_run(place / f"{side}-{len(pairs) + 1}") for side in _SIDES])
    if not pairs:
        raise UsageMistake(
            f"--times {place} has no runs of large tables: name the directory that `upgrade --costs` left."
        )
    found: dict[tuple[str, int, str, int], list[tuple[float, float]]] = {}
    for base, candidate in pairs:
        others = {case.id: case for case in candidate.cases}
        for case in base.cases:
            other = others.get(case.id)
            for one, step in zip(case.steps, other.steps if other is not None else ()):
                key = case.id, one.index, kind_of(case.case, one.index), len(case.case.table.files)
                found.setdefault(key, []).append((one.seconds, step.seconds))
    return tuple(
        TimeRatio(command, files, median(one for one, _ in times), tuple(other / one for one, other in times))
        for (_, _, command, files), times in found.items()
    )
