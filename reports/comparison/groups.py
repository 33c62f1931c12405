"""What two versions of an engine did differently, step by step, in groups of one change each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import final

from model.vocabulary.severity import Severity, gravest
from model.vocabulary.steps import ENGINE_STEPS
from records.run import RecordedCase, RecordedStep
from reports.comparison.acceptance import Acceptances
from reports.comparison.cases import CaseGroup
from reports.comparison.commands import ComparedCommand, command_of
from reports.comparison.difference_harms import harm_of
from reports.comparison.difference_texts import named
from reports.comparison.differences import Difference, deletion_order_differs, differences
from reports.comparison.explanations import Explainer, Explanation, ExplanationKind, ExplanationReason, Finding, Right
from reports.comparison.facts import FactField, facts
from reports.comparison.known_changes import Knowledge
from reports.comparison.requests import RequestWalk


@dataclass(frozen=True)
class Group:
    """Differences of one command in the same steps of the same cases: one change with several effects.

    ``base`` and ``candidate`` are the smallest of its cases, ``step`` its first step with these differences. It is None if the
    case was not judged on one side.
    """

    differences: tuple[Difference, ...]
    explanation: Explanation | None
    right: Right
    case_ids: frozenset[str] = field(repr=False)
    steps: int
    step: int | None
    base: RecordedCase = field(repr=False)
    candidate: RecordedCase = field(repr=False)

    @property
    def cases(self) -> int:
        """How many cases have them."""
        return len(self.case_ids)

    @property
    def severity(self) -> Severity:
        """The worst that the difference can cost, by what differs."""
        return gravest(map(harm_of, self.differences))

    @property
    def is_text(self) -> bool:
        """Whether it is about texts and names alone."""
        return self.severity is Severity.WRONG_WORDS

    @property
    def subject(self) -> str:
        """The command, in words."""
        return self.differences[0].command.text

    def step_of(self, case: RecordedCase) -> RecordedStep | None:
        """The record of the step to show in the case of one side."""
        return next((step for step in case.steps if step.index == self.step), None)


class _Places(CaseGroup[tuple[RecordedCase, RecordedCase, "int | None"]]):
    """Where a difference was found: cases with a step; and the smallest on both sides with its first step."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, int | None]] = []

    def take(self, base: RecordedCase, candidate: RecordedCase, step: int | None) -> None:
        self.found.append((base.id, step))
        self.add(base, (base, candidate, step))

    def group(self, together: Iterable[Difference], finding: Finding) -> Group:
        base, candidate, step = self.shown
        return Group(
            tuple(together), finding.explanation, finding.right, self.ids, len(set(self.found)), step, base, candidate
        )


_UNKNOWN = Finding(None, Right.UNKNOWN)


@final
class ComparisonWalk:
    """Compares case after case and groups the differences; ``Comparison`` describes the counts."""

    def __init__(self, knowledge: Knowledge, explainer: Explainer, accepted: Acceptances) -> None:
        self._knowledge = knowledge
        self._explainer = explainer
        self._accepted = accepted
        self._found: dict[tuple[Difference, Finding], _Places] = {}
        self.requests = RequestWalk()
        self.steps = self.differing = self.diverged = self.cut_short = 0
        self.errors = [0, 0]  # of the generated cases of each side

    def take(self, base: RecordedCase, candidate: RecordedCase) -> None:
        """Compare a case step by step, as long as its tables are the same."""
        cases = base, candidate
        for side, case in enumerate(cases):
            self.errors[side] += case.origin == "generated" and case.error is not None
        one, other = (case.error.kind if case.error else "judged" for case in cases)
        if one != other:
            # A case that is not judged shows no fault of the side: it may be the suite's own error.
            self._add({Difference(ComparedCommand("case"), FactField("case"), one, other): _UNKNOWN}, *cases, None)
            self.differing += 1
            return
        of_candidate = {step.index: step for step in candidate.steps}
        differs = diverges = False
        for step in base.steps:
            counterpart = of_candidate.get(step.index)
            if counterpart is None or diverges:
                break
            self.steps += 1
            self.requests.take(base.case, step, counterpart)
            seen = facts(step), facts(counterpart)
            if seen[0] == seen[1]:
                continue
            found = differences(_command(base, step.index), *seen)
            known = {one: self._knowledge.of(one, seen) for one in found}
            left = [one for one, change in known.items() if change is None]
            explained = {one: Finding(change.explanation, Right.BOTH) for one, change in known.items() if change}
            self._add(explained | self._explainer.explain(cases, step.index, seen, left), *cases, step.index)
            differs = differs or bool(found)
            diverges = any(difference.diverges for difference in found) or deletion_order_differs(*seen)
        self.differing += differs
        self.diverged += diverges
        self.cut_short += not differs and len(base.steps) != len(candidate.steps)

    def _add(
        self,
        found: Mapping[Difference, Finding],
        base: RecordedCase,
        candidate: RecordedCase,
        step: int | None,
    ) -> None:
        for difference, finding in found.items():
            own = finding
            if finding.explanation is None and (entry := self._accepted.of_difference(named(difference))):
                own = replace(
                    finding,
                    explanation=Explanation(
                        ExplanationKind.ACCEPTED, (ExplanationReason("", entry.reason, entry.link),)
                    ),
                )
            self._found.setdefault((difference.grouped, own), _Places()).take(base, candidate, step)

    def groups(self) -> tuple[Group, ...]:
        """The differences; those of the same command in the same steps are one group."""
        merged: dict[object, tuple[list[Difference], Finding, _Places]] = {}
        for (difference, finding), places in self._found.items():
            text = harm_of(difference) is Severity.WRONG_WORDS and finding.explanation is None
            key = (difference.command, finding, text, tuple(places.found))
            merged.setdefault(key, ([], finding, places))[0].append(difference)
        groups = [places.group(together, finding) for together, finding, places in merged.values()]
        return tuple(
            sorted(
                groups,
                key=lambda group: (
                    (False, group.severity.rank) if group.explanation is None else (True, 0),
                    -group.cases,
                    -group.steps,
                    repr(group.differences),
                ),
            )
        )


def _command(case: RecordedCase, index: int) -> ComparedCommand:
    step = case.case.steps[index]
    assert isinstance(step, ENGINE_STEPS)
    return command_of(step)
