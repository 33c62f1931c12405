"""Promises that the base keeps and the candidate no longer gives, as documented: nothing is broken, and yet an upgrade can
cost data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from model.vocabulary.severity import Severity
from model.vocabulary.withdrawals import Withdrawal
from records.run import ListedClause, Verdict
from reports.comparison.acceptance import Acceptances, AcceptedText
from reports.comparison.explanations import ExplanationKind
from reports.comparison.groups import Group
from reports.findings.verdicts import ClauseFinding
from suites.catalogue import CATALOGUE


@dataclass(frozen=True)
class Withdrawn:
    """``name``: in the user's file, the clause, or the release and the sentence of a rule without one. ``accepted``: the entry
    of that file that accepts it. ``rule``: the changed field of the rules; may be empty.
    """

    name: str
    sentence: str
    severity: Severity
    harm: str
    remedy: str
    clauses: tuple[str, ...] = ()
    case_ids: frozenset[str] = field(default=frozenset(), repr=False)  # in which it makes a difference
    accepted: AcceptedText | None = None
    rule: str = ""

    @property
    def words(self) -> str:
        """``RETAIN has no effect any more. Where RETAIN is longer …: Set …``."""
        return f"{self.sentence} {self.harm} {self.remedy}"


def withdrawn(
    listed: Mapping[str, ListedClause],
    base: Mapping[str, ClauseFinding],
    candidate: Mapping[str, ClauseFinding],
    groups: Iterable[Group],
    accepted: Acceptances,
) -> tuple[Withdrawn, ...]:
    """What the candidate withdraws, the gravest first: clauses that held on the base and do not apply on the candidate, and
    rules of the candidate that made a difference. ``listed``: the base's clauses by id."""
    found: dict[Withdrawal | str, Withdrawn] = {}
    for clause, result in base.items():
        other = candidate.get(clause)
        if result.verdict is Verdict.HOLDS and other is not None and other.verdict is Verdict.NOT_APPLICABLE:
            own = CATALOGUE[clause].withdrawal if clause in CATALOGUE else None
            one = _of_clause(listed[clause], other.reason) if own is None else _of(own, name=clause)
            had = found.setdefault(own or clause, one)
            found[own or clause] = replace(had, clauses=(*had.clauses, clause))
    for group in groups:
        for reason in (
            group.explanation.reasons if group.explanation and group.explanation.kind is ExplanationKind.RULE else ()
        ):
            if reason.withdrawal is not None:
                had = found.setdefault(reason.withdrawal, _of(reason.withdrawal))
                found[reason.withdrawal] = replace(had, case_ids=had.case_ids | group.case_ids)
    made = [replace(one, accepted=accepted.of_withdrawn(one.name)) for one in found.values()]
    return tuple(sorted(made, key=lambda one: (one.severity.rank, one.name)))


def _of(own: Withdrawal, *, name: str = "") -> Withdrawn:
    called = name or f"{own.since}: {own.sentence}"
    return Withdrawn(called, own.sentence, own.severity, own.harm, own.remedy, rule=own.rule)


def _of_clause(listed: ListedClause, reason: str) -> Withdrawn:
    """A withdrawn clause without words of its own, such as one of a later release than the candidate."""
    sentence = f"No longer promised: {listed.sentence} {reason}"
    remedy = "See that nothing of yours relies on it."
    return Withdrawn(listed.id, sentence, listed.severity, listed.harm, remedy)
