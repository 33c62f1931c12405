"""A comparison in words, for Markdown and terminal. No code depends on these texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from model.vocabulary.severity import Severity
from records.json_form import to_json
from records.known_fault import KnownFault
from records.run import RecordedCase
from reports.comparison.cases import ClauseShift, ComparedFault, VerdictChange
from reports.comparison.comparison import Comparison
from reports.comparison.difference_texts import joined
from reports.comparison.explanations import Explanation, ExplanationKind, Right
from reports.comparison.groups import Group
from reports.comparison.withdrawn import Withdrawn
from reports.findings.answers import named
from reports.stream.reading import Run
from reports.text.circumstances import machines_differ, profile_of, versions_of
from reports.text.harms import can, does
from reports.text.quantities import counted


def signature(group: Group) -> str:
    """What differs, in one line."""
    return f"{group.subject}: {joined(group.differences)}"


# The whole comparison --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AcceptedFault:
    """What is worse on the candidate by one cause, or one known fault, and which entries accept it."""

    cause: str
    severity: Severity
    entries: tuple[KnownFault, ...]
    clauses: tuple[str, ...]
    case_ids: frozenset[str]

    @property
    def by(self) -> str:
        """``until 2027-06-30: REASON``, of each entry."""
        words = (f"{f'until {one.until}' if one.until else 'without an end'}: {one.reason}" for one in self.entries)
        return " And ".join(dict.fromkeys(words))


def accepted(comparison: Comparison) -> tuple[AcceptedFault, ...]:
    """What the user's file accepts, the gravest first: the shifts of one cause are one fault."""
    found: dict[str, list[ClauseShift]] = {}
    for shift in comparison.shifted(VerdictChange.ACCEPTED):
        found.setdefault(shift.cause, []).append(shift)
    return tuple(
        AcceptedFault(
            cause,
            shifts[0].severity,
            tuple(one.accepted for one in shifts if one.accepted is not None),
            tuple(sorted({one.clause for one in shifts})),
            frozenset[str]().union(*(one.case_ids for one in shifts)),
        )
        for cause, shifts in found.items()
    )


def also(comparison: Comparison) -> dict[str, list[str]]:
    """What is to be said besides the ways to be worse and the differences, by title, a line for each: what is withdrawn,
    what is accepted, what fails where it was not judged before, and what is better."""
    by = comparison.acceptance.file if comparison.acceptance else ""
    unjudged = f"fails on {named(comparison.candidate)}, not judged on {named(comparison.base)}"
    found = {
        "withdrawn": [f"{can(one.severity)}: {withdrawn_words(one)}" for one in comparison.lost],
        f"worse, and accepted by {by}": [
            f"{does(one.severity)}: {one.cause} ({one.by})" for one in accepted(comparison)
        ],
        f"withdrawn, and accepted by {by}": [
            f"{can(one.severity)}: {one.sentence} ({one.accepted.reason})"
            for one in comparison.withdrawn
            if one.accepted is not None
        ],
        unjudged: [
            f"{does(one.severity)} ({one.clause}): {one.cause}" for one in comparison.shifted(VerdictChange.UNCOMPARED)
        ],
        "better": [f"no longer {one.does}: {one.lead.cause}" for one in comparison.better],
        **(comparison.shared.lines() if comparison.shared is not None else {}),
    }
    return {title: list(dict.fromkeys(lines)) for title, lines in found.items()}


def withdrawn_words(one: Withdrawn) -> str:
    """What is withdrawn, what that can do, and what to do before the upgrade; with the clauses that no longer hold."""
    clauses = f" ({', '.join(one.clauses)})" if one.clauses else ""
    return f"{one.sentence}{clauses} {one.harm} Before the upgrade: {one.remedy}"


def right_words(group: Group, comparison: Comparison) -> str:
    """Which side is right, as far as the verdicts and the model tell."""
    return {
        Right.BASE: f"{named(comparison.base)} is right",
        Right.CANDIDATE: f"{named(comparison.candidate)} is right",
        Right.BOTH: "each does as its own rules say",
        Right.NEITHER: "neither is right",
        Right.UNKNOWN: "nothing tells which is right",
    }[group.right]


def unexplained(comparison: Comparison) -> dict[str, list[str]]:
    """The differences that nothing explains, the gravest first, a line for each; mere texts apart."""
    found: dict[str, list[str]] = {"unexplained": [], "unexplained, in words alone": []}
    for one in comparison.unexplained:
        told = f"{signature(one)} ({one.base.id})"
        if one.is_text:
            found["unexplained, in words alone"].append(told)
        else:
            right = "" if one.right is Right.UNKNOWN else f", {right_words(one, comparison)}"
            found["unexplained"].append(f"{can(one.severity)}{right}: {told}")
    return found


def ended_words(shift: ClauseShift, comparison: Comparison) -> str:
    """That the user's file accepted a shift until a day or a version that is past; empty if it did not."""
    if shift.ended is None or comparison.acceptance is None:
        return ""
    return f"{comparison.acceptance.file} accepted it until {shift.ended.until}, which is past"


def unused(comparison: Comparison) -> list[str]:
    """One line on the entries of the user's file that nothing needed, if there are any."""
    if comparison.acceptance is None:
        return []
    entries = [f"{', '.join(clauses)} ({table.reason})" for table, clauses in comparison.unused.items()]
    entries += [f"{', '.join(one.texts)} ({one.reason})" for one in comparison.unused_texts]
    return [f"Not needed in {comparison.acceptance.file}: {'; '.join(entries)}"] if entries else []


def overview(comparison: Comparison) -> list[str]:
    """Both runs, the clauses by change, how many cases and steps differ, and what was not compared."""
    changes = Counter(clause.change for clause in comparison.clauses)
    tally = ", ".join(f"{changes[change]} {change.value}" for change in VerdictChange if changes[change])
    cases = (
        f"{comparison.differing} of {counted(comparison.compared, 'case')} "
        f"({counted(comparison.steps, 'step')} compared) differ in what the engines did"
    )
    kinds = (
        f": {counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.explained)} explained"
    )
    lines = [
        _versions(comparison.base),
        _versions(comparison.candidate),
        *([comparison.shared.summary] if comparison.shared is not None else []),
        *unjudged(comparison),
        *unused(comparison),
        f"{counted(len(comparison.clauses), 'clause')}: {tally or 'none'}",
        cases + (kinds if comparison.groups else ""),
    ]
    if differing := machines_differ(comparison.base.header, comparison.candidate.header):
        lines.append(f"The machines differ: {differing}.")
    if comparison.diverged:
        lines.append(
            f"{counted(comparison.diverged, 'case')} compared only up to the step after which the two tables differ."
        )
    if comparison.cut_short:
        lines.append(
            f"{counted(comparison.cut_short, 'case')} ended early on one side, at a violation, without an earlier difference."
        )
    return lines


def unjudged(comparison: Comparison) -> list[str]:
    """What could not be judged on each side: ``not exercised on Delta 4.0.0: DEL-ROW-1``."""
    lines = []
    for one in comparison.unjudged:
        if one.clauses:
            lines.append(f"not exercised on {named(one.run)}: {', '.join(one.clauses)}")
        if one.cases:
            lines.append(f"ended in an error on {named(one.run)}: {counted(one.cases, 'case')}")
    return lines


def fault_words(fault: ComparedFault, comparison: Comparison) -> str:
    """``known, loses data: REASON``, with the side that has it if the other does not."""
    side = comparison.candidate if fault.on_candidate else comparison.base
    only = "" if fault.on_base and fault.on_candidate else f"{named(side)} only, "
    return f"{only}known, {does(fault.severity)}: {fault.reason}"


def _versions(run: Run) -> str:
    header = run.header
    seed = f", seed {header.seed}" if header.seed is not None else ""
    return f"{header.engine}: {versions_of(run.header)}; {profile_of(run.header)}{seed}"


_ORDER = (
    *(ExplanationKind.ACCEPTED, ExplanationKind.VIOLATION, ExplanationKind.KNOWN_FAULT),
    *(ExplanationKind.PREDICTION, ExplanationKind.RULE, ExplanationKind.KNOWN_CHANGE),
)


def explained(comparison: Comparison) -> list[tuple[Explanation, list[Group]]]:
    """The explanations that occurred, with the groups that they explain: violations, known faults, rules, known changes;
    each in the order of versions."""
    found: dict[Explanation, list[Group]] = {}
    for group in comparison.groups:
        if group.explanation is not None:
            found.setdefault(group.explanation, []).append(group)
    return sorted(found.items(), key=lambda one: (_ORDER.index(one[0].kind), one[0].since, one[0].sentence))


def side_by_side(group: Group) -> Iterator[tuple[str, str, str]]:
    """What differs in the step to show: a name, and the JSON value in the base and in the candidate.

    Of lists and objects only what the other side lacks, and how many members are the same.
    """
    sides = [_members(group, case) for case in (group.base, group.candidate)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        base, candidate = (side.get(name) for side in sides)
        if base != candidate:
            yield name, _only(base, candidate), _only(candidate, base)


def _only(mine: Any, theirs: Any) -> str:
    """What the other side lacks."""
    if isinstance(mine, (list, tuple)) and isinstance(theirs, (list, tuple)):
        shown = list((Counter(map(_json, mine)) - Counter(map(_json, theirs))).elements())
        text, same = f"[{', '.join(shown)}]", len(mine) - len(shown)
    elif isinstance(mine, dict) and isinstance(theirs, dict):
        shown = [name for name in mine if name not in theirs or theirs[name] != mine[name]]
        text, same = _json({name: mine[name] for name in shown}), len(mine) - len(shown)
    else:
        return _json(mine)
    return " and ".join([text] * bool(shown or not same) + [f"{same} that are the same"] * bool(same))


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def seen(group: Group, case: RecordedCase) -> dict[str, Any]:
    """What is recorded of the step to show, as JSON: its text, outcome and observed; of a case without it only its error."""
    step = group.step_of(case)
    if step is None:
        return {"error": case.error and to_json(case.error)}
    record = to_json(step)
    return {name: record[name] for name in ("text", "outcome", "observed")}


def _members(group: Group, case: RecordedCase) -> dict[str, Any]:
    record = seen(group, case)
    if "outcome" not in record:
        return record
    outcome, observed = record["outcome"], record["observed"]
    commits = observed.pop("commits", [])
    members = {"error": outcome["error"], "rows": outcome["rows"], **observed}
    for number, commit in enumerate(commits, start=1):
        members.update({f"commit {number}: {name}": value for name, value in commit.items()})
    return members
