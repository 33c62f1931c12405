"""Markdown tables of the results of ``selfcheck.power``: for each engine a summary, its faults and its clauses."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cached_property
from statistics import median
from typing import Any

from reports.document import Code, Document, Inline, Line, Strong, Text, joined, lines, table
from reports.document import line as line_of
from reports.document.markdown import markdown


class EngineRun:
    """The lines of one engine."""

    def __init__(self, lines: Iterable[dict[str, Any]]) -> None:
        lines = list(lines)
        self.header = next(line for line in lines if line["type"] == "header")
        self.faults = {line["name"]: line for line in lines if line["type"] == "fault"}
        self._proofs = {line["clause"]: line["fault"] for line in lines if line["type"] == "proof"}

    def of(self, status: str) -> list[dict[str, Any]]:
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

    def state(self, clause: str) -> str | Strong:
        """How many faults a clause catches, or why none."""
        if clause in self.header["unpromised"]:
            return "not promised"
        if self.caught_by[clause]:
            return str(len(self.caught_by[clause]))
        return "broken by the engine" if clause in self.header["broken"] else Strong("unproven")


def tables(runs: Iterable[EngineRun]) -> str:
    """The whole document."""
    return "\n".join(markdown(_engine(run), limit=sys.maxsize) for run in runs)


def _engine(run: EngineRun) -> Document:
    caught, applicable = run.of("caught"), len(run.faults) - len(run.of("not applicable"))
    said: list[Inline | Line] = [f"{len(run.faults)} faults, {applicable} applicable, {len(caught)} caught."]
    if caught:
        cases, seconds = [line["cases"] for line in caught], [line["seconds"] for line in caught]
        medians = f"{median(cases):g} cases and {median(seconds):.2f} s (medians)"
        said.append(f"Caught after {medians}, {max(cases)} cases at most.")
    problems = {
        "Missed": [line["name"] for line in run.of("missed")],
        "Unproven": run.unproven,
        "Not judged to the end": [line["name"] for line in run.faults.values() if line.get("failures")],
    }
    said += [line_of(Strong(problem), f": {', '.join(names)}.") for problem, names in problems.items() if names]
    faults = [
        (
            Code(name),
            line["sentence"],
            ", ".join(line.get("clauses", [line.get("reason", "")])) or Strong(line["status"]),
            *(str(line.get(key, "")) for key in ("cases", "seconds", "steps", "bytes")),
        )
        for name, line in sorted(run.faults.items())
    ]
    # Which one catches a fault alone is known only where every case was judged.
    alone = ("caught by it alone",) if run.header["alone"] else ()
    clauses = [
        (
            id,
            run.state(id),
            *(
                joined(Code(name) for name, line in sorted(run.faults.items()) if line.get("ever") == [id])
                for _ in alone
            ),
        )
        for id in run.header["clauses"]
    ]
    return Document(
        f"{run.header['engine']} {next(iter(run.header['versions'].values()))}, profile {run.header['profile']}",
        (
            Text(lines(*said)),
            table(("fault", "what it does wrong", "caught first by", "cases", "s", "steps", "bytes"), faults),
            table(("clause", "faults that it catches", *alone), clauses),
        ),
    )
