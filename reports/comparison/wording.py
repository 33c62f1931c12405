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
from reports.comparison.cases import ClauseShift, VerdictChange
from reports.comparison.comparison import Comparison
from reports.comparison.difference_texts import joined
from reports.comparison.explanations import Explanation, ExplanationKind, Right
from reports.comparison.groups import Group
from reports.comparison.own_tables import concerns_none
from reports.comparison.weight import WeighedWay
from reports.comparison.withdrawn import Withdrawn
from reports.findings.answers import named
from reports.text.harms import does
from reports.text.quantities import counted
from shapes.reach import Reached, furthest


def signature(group: Group) -> str:
    """The differences, in one line."""
    return f"{group.subject}: {joined(group.differences)}"


# The user's tables -----------------------------------------------------------------------------------------------------


def shift_tables(shift: ClauseShift, comparison: Comparison) -> str:
    """``Concerns 412 of your 40,000 tables.`` Empty without ``--like``, and where nothing is told."""
    own = comparison.own
    return "" if own is None else own.words(own.of_shift(shift))


def shift_concerns(shift: ClauseShift, comparison: Comparison) -> str:
    """``Concerns you only if …: https://…``, of a known fault; empty where the list says neither."""
    listed = comparison.listed(shift)
    if listed is None or not (listed.concerns or listed.link):
        return ""
    told = f"Concerns you only if {listed.concerns}" if listed.concerns else "Known"
    return f"{told}: {listed.link}" if listed.link else f"{told}."


def withdrawn_tables(promise: Withdrawn, comparison: Comparison) -> str:
    """The same of a withdrawn promise."""
    own = comparison.own
    return "" if own is None else own.words(own.of_withdrawn(promise))


def explanation_tables(explanation: Explanation, comparison: Comparison) -> str:
    """The same of an explanation."""
    own = comparison.own
    return "" if own is None else own.words(own.of_explanation(explanation))


def is_spared(explanation: Explanation, comparison: Comparison) -> bool:
    """Whether it concerns none of the user's tables."""
    own = comparison.own
    return own is not None and concerns_none(own.of_explanation(explanation))


# The whole comparison --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AcceptedFault:
    """One cause or known fault that is worse on the candidate, and the entries that accept it."""

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


@dataclass(frozen=True)
class Better:
    """A cause of failures on the base that the candidate does not have: once, under its gravest harm, with all its clauses."""

    harm: str  # "no longer loses data"
    cause: str
    clauses: tuple[str, ...]
    reached: Reached

    @property
    def told(self) -> str:
        """The cause, and the clauses."""
        return f"{self.cause} ({', '.join(self.clauses)})"


def better(comparison: Comparison) -> tuple[Better, ...]:
    """What gets better, the gravest first."""
    found: dict[str, list[WeighedWay]] = {}
    for way in comparison.better:
        found.setdefault(way.lead.cause, []).append(way)
    return tuple(
        Better(
            "no longer crashes" if ways[0].is_crash else f"no longer {does(ways[0].severity)}",
            cause,
            tuple(dict.fromkeys(clause for way in ways for clause in (way.lead.clause, *way.clauses))),
            furthest(way.reached for way in ways),
        )
        for cause, ways in found.items()
    )


def better_in_short(comparison: Comparison) -> str:
    """``no longer loses data in 5 ways, no longer gives wrong answers in 1 way``; empty without any."""
    harms = Counter(one.harm for one in better(comparison))
    return ", ".join(f"{harm} in {counted(number, 'way')}" for harm, number in harms.items())


def side_names(comparison: Comparison) -> tuple[str, str]:
    """The two versions; if a build has the same version as the other side, also which side it is."""
    base, candidate = named(comparison.base), named(comparison.candidate)
    return (base, candidate) if base != candidate else (f"{base} (from)", f"{candidate} (to)")


def side_titles(comparison: Comparison) -> tuple[str, str]:
    """``From Delta 3.3.2`` and ``To Delta 4.4.0``, for the heads of columns."""
    return f"From {named(comparison.base)}", f"To {named(comparison.candidate)}"


def change_words(comparison: Comparison) -> dict[VerdictChange, str]:
    """What became of clauses: ``4 better``."""
    base, candidate = side_names(comparison)
    return {
        VerdictChange.REGRESSED: "worse",
        VerdictChange.UNCOMPARED: f"failing on {candidate} and not judged on {base}",
        VerdictChange.KNOWN: f"worse by a known fault of {candidate}",
        VerdictChange.ACCEPTED: "worse, and accepted",
        VerdictChange.WITHDRAWN: "withdrawn",
        VerdictChange.IMPROVED: "better",
        VerdictChange.CHANGED: "with another verdict",
        VerdictChange.ONLY_BASE: f"judged on {base} only",
        VerdictChange.ONLY_CANDIDATE: f"judged on {candidate} only",
        VerdictChange.SAME: "the same",
    }


def right_words(group: Group, comparison: Comparison) -> str:
    """Which side is right, as far as the verdicts and the model tell: ``Delta 3.3.2 holds, Delta 4.4.0 fails DEL-ROW-1``."""
    base, candidate = side_names(comparison)
    broken = _broken_in(group, group.base), _broken_in(group, group.candidate)
    if group.right is Right.BOTH:
        return "both are right: each does as its own rules say"
    if group.right is Right.BASE:
        return _one_is_right(base, candidate, *broken)
    if group.right is Right.CANDIDATE:
        return _one_is_right(candidate, base, *reversed(broken))
    if group.step is None:
        return "only one of them was judged"
    if group.right is Right.NEITHER and not all(broken):
        return "neither does what the model predicts"
    if not any(broken):
        return "both hold the clauses, and nothing tells which is right"
    sides = (
        f"{name} fails {clauses}" if clauses else f"{name} holds" for name, clauses in zip((base, candidate), broken)
    )
    return ", ".join(sides)


def _one_is_right(right: str, wrong: str, broken_by_right: str, broken_by_wrong: str) -> str:
    if broken_by_wrong and not broken_by_right:
        return f"{right} holds, {wrong} fails {broken_by_wrong}"
    return f"{right} does what the model predicts, {wrong} does not"


def _broken_in(group: Group, case: RecordedCase) -> str:
    """The clauses that a side violates in the step to show."""
    return ", ".join(sorted({one.clause for one in case.violations if one.step == group.step}))


def ended_words(shift: ClauseShift, comparison: Comparison) -> str:
    """That the user's file accepted a shift until a day or a version in the past; empty if it did not."""
    if shift.ended is None or comparison.acceptance is None:
        return ""
    return f"{comparison.acceptance.file} accepted it until {shift.ended.until}, which is past"


_ORDER = (
    *(ExplanationKind.ACCEPTED, ExplanationKind.VIOLATION, ExplanationKind.KNOWN_FAULT),
    *(ExplanationKind.PREDICTION, ExplanationKind.RULE, ExplanationKind.KNOWN_CHANGE),
)


def explained(comparison: Comparison) -> list[tuple[Explanation, list[Group]]]:
    """The explanations, with the groups that they explain: violations, known faults, rules, known changes; each in the order of
    versions.
    """
    found: dict[Explanation, list[Group]] = {}
    for group in comparison.groups:
        if group.explanation is not None:
            found.setdefault(group.explanation, []).append(group)
    return sorted(found.items(), key=lambda one: (_ORDER.index(one[0].kind), one[0].since, one[0].sentence))


def side_by_side(group: Group) -> Iterator[tuple[str, str, str]]:
    """The differences in the step to show: a name, and the JSON value in the base and in the candidate. Of lists and objects
    only the members that the other side lacks, and how many members are the same.
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
    """The record of the step to show, as JSON: its text, outcome and observed; only the error if the case has no record."""
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
