"""The texts about a clause, a case, a known fault and a known-bad engine."""

from __future__ import annotations

from typing import Any

from engines.provider import ENGINES, kind_of
from engines.versions import releases_of
from faults import FAULTS
from faults.machinery.fault import Fault
from harness.judging.clause import Clause, holds_for, not_applicable
from model.codec import case_id
from reports.counterexamples.explanation import description
from reports.document import plain
from reports.text.cut import cut
from reports.text.harms import can
from runner.explain.cases import FoundCase
from runner.explain.findings import ROOT, about
from runner.explain.known import FaultOnSide, known_faults
from suites.catalogue import CATALOGUE
from suites.sources import resolve

#: How many lines are shown of a case, and characters of a line.
_LINES, _WIDTH = 30, 400


def clause_text(clause: Clause[Any], engine: str | None) -> list[str]:
    """``engine``: only its known faults are listed; None: those of all engines."""
    said = [f"{clause.id} ({clause.chapter})", f"  {clause.sentence}", "", "Sources"]
    for source in clause.sources:
        link = resolve(source)
        address = link.address if link.address.startswith("https://") else str(ROOT / link.address)
        said.append(f"  {source}: {link.label}: {address}")
    said += ["", "A violation", f"  {can(clause.harm.severity)}: {clause.harm.reason}", "", "Holds for"]
    said += [f"  {holds_for(clause) or 'every engine'}"]
    said += [f"  {name}: {_releases(clause, name)}" for name in ENGINES]
    faults = [one for one in known_faults(engine) if clause.id in one.clauses]
    said += ["", "Known faults" if faults else "No fault is known."]
    for one in faults:
        said += [f"  {one.name} ({one.where})", *(f"    {line}" for line in one.said)]
    if sections := about(clause.id):
        said += ["", "Findings", *(f"  {one.heading}: {ROOT / one.page}" for one in sections)]
    bad = [fault.name for fault in FAULTS.values() if clause.id in fault.caught_by]
    if bad:
        shown = ", ".join(bad[:5]) + (f", and {len(bad) - 5} more" if len(bad) > 5 else "")
        said += ["", "Known-bad engines that it notices (--known-bad)", f"  {shown}"]
    return said


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


def case_text(found: FoundCase) -> list[str]:
    lines = [cut(plain(line), _WIDTH) for line in description(found.case)]
    steps = [line for line in lines if line.startswith("Step ")]
    table = [line for line in lines if line not in steps]
    more = len(table) - _LINES
    shown = [*table[:_LINES], *([f"… and {more} lines more of the table"] if more > 0 else [])]
    return [f"Case {case_id(found.case)}, {found.where}", "", *(f"  {line}" for line in (*shown, *steps))]


def known_text(fault: FaultOnSide) -> list[str]:
    entry = fault.entry
    said = [
        f"{fault.name}, a known fault of {fault.where}",
        *(f"  {line}" for line in fault.said),
        "",
        "Violates",
    ]
    said += [f"  {id}: {CATALOGUE[id].sentence}" for id in fault.clauses]
    said += [
        "",
        "By",
        *(f"  {one}" for one in (*entry["symptom"].get("causes", ()), *entry["symptom"].get("errors", ()))),
    ]
    said += [f"  (of: {entry['symptom']['of']})"] if "of" in entry["symptom"] else []
    said += ["", f"  {entry['wide']}"] if "wide" in entry else []
    sections = {one.heading: one for id in fault.clauses for one in about(id)}
    if sections:
        said += [
            "",
            "Findings about these clauses",
            *(f"  {one.heading}: {ROOT / one.page}" for one in sections.values()),
        ]
    return said


def known_bad_text(fault: Fault) -> list[str]:
    said = [
        f"{fault.name}, a known-bad engine (--known-bad {fault.name})",
        f"  {fault.sentence}",
        "",
        "Is noticed by one of",
    ]
    return [*said, *(f"  {id}: {CATALOGUE[id].sentence}" for id in fault.caught_by)]
