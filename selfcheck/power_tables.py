"""Markdown tables of the results of ``selfcheck.power``: for each engine a summary, its faults and its clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from statistics import median
from typing import Any

Line = dict[str, Any]


class EngineRun:
    """The lines of one engine."""

    def __init__(self, lines: Iterable[Line]) -> None:
        lines = list(lines)
        self.header = next(line for line in lines if line["type"] == "header")
        self.faults = {line["name"]: line for line in lines if line["type"] == "fault"}
        self._proofs = {line["clause"]: line["fault"] for line in lines if line["type"] == "proof"}

    def of(self, status: str) -> list[Line]:
        """The faults that are "caught", "missed" or "not applicable"."""
        return [line for line in self.faults.values() if line["status"] == status]

    @cached_property
    def caught_by(self) -> dict[str, set[str]]:
        """The faults that each clause catches."""
        found: dict[str, set[str]] = {id: set() for id in self.header["clauses"]}
        for line in self.faults.values():
            for id in line.get("ever", ()):
                found[id].add(line["name"])
        for id, fault in self._proofs.items():
            found[id].add(fault)
        return found

    @property
    def unproven(self) -> list[str]:
        """The promised clauses that catch no fault, without those that the engine itself violates."""
        excluded = {*self.header["unpromised"], *self.header["broken"]}
        return [id for id, faults in self.caught_by.items() if not faults and id not in excluded]

    def state(self, clause: str) -> str:
        """How many faults a clause catches, or why none."""
        if clause in self.header["unpromised"]:
            return "not promised"
        if self.caught_by[clause]:
            return str(len(self.caught_by[clause]))
        return "broken by the engine" if clause in self.header["broken"] else "**unproven**"


def tables(runs: Iterable[EngineRun]) -> str:
    """The whole document."""
    return "\n".join(line for run in runs for line in _engine(run)) + "\n"


def _engine(run: EngineRun) -> Iterator[str]:
    caught, applicable = run.of("caught"), len(run.faults) - len(run.of("not applicable"))
    yield f"# {run.header['engine']} {next(iter(run.header['versions'].values()))}, profile {run.header['profile']}\n"
    yield f"{len(run.faults)} faults, {applicable} applicable, {len(caught)} caught."
    if caught:
        cases, seconds = [line["cases"] for line in caught], [line["seconds"] for line in caught]
        yield f"Caught after {median(cases):g} cases and {median(seconds):.2f} s (medians), {max(cases)} cases at most."
    problems = {
        "Missed": [line["name"] for line in run.of("missed")],
        "Unproven": run.unproven,
        "Not judged to the end": [line["name"] for line in run.faults.values() if line.get("failures")],
    }
    yield from (f"**{problem}**: {', '.join(names)}." for problem, names in problems.items() if names)
    yield from _table("fault", "what it does wrong", "caught first by", "cases", "s", "steps", "bytes")
    for name, line in sorted(run.faults.items()):
        numbers = [line.get(key, "") for key in ("cases", "seconds", "steps", "bytes")]
        first = ", ".join(line.get("clauses", [line.get("reason", f"**{line['status']}**")]))
        yield _row(f"`{name}`", line["sentence"], first, *numbers)
    alone = ["caught by it alone"] if run.header["alone"] else []  # known only where every case was judged
    yield from _table("clause", "faults that it catches", *alone)
    for id in run.header["clauses"]:
        only = ", ".join(sorted(f"`{name}`" for name, line in run.faults.items() if line.get("ever") == [id]))
        yield _row(id, run.state(id), *([only] if alone else []))
    yield ""


def _table(*heads: str) -> Iterator[str]:
    yield from ("", _row(*heads), _row(*["---"] * len(heads)))


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
