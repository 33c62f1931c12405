"""The texts about a clause, a case, a known fault and a known-bad engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engines.provider import ENGINES, kind_of
from engines.versions import releases_of
from faults import FAULTS
from faults.machinery.fault import Fault
from harness.judging.clause import Clause, holds_for, not_applicable
from model.codec import case_id
from reports.counterexamples.explanation import description
from reports.document import Document, Facts, Inline, Items, Line, Section, Text, line, plain
from reports.text.cut import cut
from reports.text.harms import can
from runner.explain.cases import FoundCase
from runner.explain.known import FaultOnSide, known_faults
from runner.finding.entries import ROOT, Finding, findings
from suites.catalogue import CATALOGUE
from suites.sources import resolve

#: How many lines are shown of a case, and characters of a line.
_LINES, _WIDTH = 30, 400


def clause_text(clause: Clause[Any], engine: str | None) -> Document:
    """``engine``: only its known faults are listed; None: those of all engines."""
    faults = [one for one in known_faults(engine) if clause.id in one.clauses]
    bad = [fault.name for fault in FAULTS.values() if clause.id in fault.caught_by]
    shown = ", ".join(bad[:5]) + (f", and {len(bad) - 5} more" if len(bad) > 5 else "")
    return Document(
        f"{clause.id} ({clause.chapter})",
        (
            Text(clause.sentence),
            _items("Sources", map(_source, clause.sources)),
            Section("A violation", (Text(f"{can(clause.harm.severity)}: {clause.harm.reason}"),)),
            Section(
                "Holds for",
                (
                    Text(holds_for(clause) or "every engine"),
                    Facts(tuple((name, _releases(clause, name)) for name in ENGINES)),
                ),
            ),
            _items("Known faults", (line(f"{one.name} ({one.where}): ", " ".join(one.said)) for one in faults)),
            Text("" if faults else "No fault is known."),
            _items("Findings (`tombstone finding NAME` shows one)", map(_finding, about(clause.id))),
            Section("Known-bad engines that it notices (--known-bad)", (Text(shown),)),
        ),
    )


def _items(title: str, items: Iterable[Inline | Line]) -> Section:
    return Section(title, (Items(tuple(items), whole=True),))


def _source(source: str) -> str:
    link = resolve(source)
    address = link.address if link.address.startswith("https://") else str(ROOT / link.address)
    return f"{source}: {link.label}: {address}"


def about(clause: str) -> list[Finding]:
    """Those that break the clause."""
    return [one for one in findings().values() if clause in one.clauses]


def _finding(one: Finding) -> str:
    return f"{one.name} ({one.engine}): {one.title}"


def _promise(id: str) -> str:
    return f"{id}: {CATALOGUE[id].sentence}"


def _releases(clause: Clause[Any], engine: str) -> str:
    """The releases that judge it, or why none does."""
    kind, judged = kind_of(engine), list(releases_of(engine).judged)
    why = [not_applicable(clause, one, kind.capabilities_of(one), kind.rules_of(one)) for one in judged]
    able = [one for one, reason in zip(judged, why) if reason is None]
    if not able:
        return f"not judged. {why[-1]}"
    first, last = judged.index(able[0]), judged.index(able[-1])
    if last - first + 1 == len(able):
        return f"{able[0]} to {able[-1]}" if len(able) > 1 else able[0]
    return ", ".join(able)


def case_text(found: FoundCase) -> Document:
    told = [cut(plain(line), _WIDTH) for line in description(found.case)]
    steps = tuple(line for line in told if line.startswith("Step "))
    table = [line for line in told if line not in steps]
    more = len(table) - _LINES
    shown = (*table[:_LINES], *([f"… and {more} lines more of the table"] if more > 0 else []))
    title = f"Case {case_id(found.case)}, {found.where}"
    return Document(title, (Items(shown, whole=True), Items(steps, whole=True)))


def known_text(fault: FaultOnSide) -> Document:
    symptom = fault.entry["symptom"]
    found = {one.name: one for id in fault.clauses for one in about(id) if one.engine == fault.engine}
    return Document(
        f"{fault.name}, a known fault of {fault.where}",
        (
            *map(Text, fault.said),
            _items("Violates", map(_promise, fault.clauses)),
            _items("By", (*symptom.get("causes", ()), *symptom.get("errors", ()))),
            Text(f"Of: {symptom['of']}" if "of" in symptom else ""),
            Text(fault.entry.get("wide", "")),
            _items("Findings about these clauses", map(_finding, found.values())),
        ),
    )


def known_bad_text(fault: Fault) -> Document:
    return Document(
        f"{fault.name}, a known-bad engine (--known-bad {fault.name})",
        (Text(fault.sentence), _items("One of these clauses notices it", map(_promise, fault.caught_by))),
    )
