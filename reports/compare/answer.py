"""The answer of a comparison: whether to upgrade, and by what the candidate is worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reports.answers import Answer, Word, named
from reports.compare.cases import Change, Shift
from reports.compare.comparison import Comparison, engine_of
from reports.compare.wording import accepted
from reports.harms import in_ways
from reports.quantities import counted


@dataclass(frozen=True)
class Worse:
    """One way in which the candidate is worse: the gravest clause that fails, and those that fail in the same case with it."""

    lead: Shift
    others: tuple[Shift, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the suite knows it as a deviation of the candidate."""
        return self.lead.change is Change.KNOWN

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that fail with the gravest one."""
        return tuple(dict.fromkeys(one.clause for one in self.others if one.clause != self.lead.clause))

    @property
    def case_ids(self) -> frozenset[str]:
        return self.lead.case_ids.union(*(one.case_ids for one in self.others))


def ways(comparison: Comparison) -> tuple[Worse, ...]:
    """The ways in which the candidate is worse, the gravest first.

    A known deviation is one way, whatever clauses it violates. So are the regressions that the gravest one's smallest case shows.
    """
    known: dict[str, list[Shift]] = {}
    for one in comparison.shifted(Change.KNOWN):
        known.setdefault(one.cause, []).append(one)
    found = [Worse(lead, tuple(others)) for lead, *others in known.values()]
    waiting = list(comparison.shifted(Change.REGRESSED))
    while waiting:
        lead, *rest = waiting
        together = tuple(one for one in rest if lead.case["id"] in one.case_ids)
        waiting = [one for one in rest if one not in together]
        found.append(Worse(lead, together))
    return tuple(sorted(found, key=lambda one: (one.lead.severity.rank, one.is_known, -len(one.lead.case_ids))))


def answer_to(comparison: Comparison) -> Answer:
    """DO NOT UPGRADE (1) if something is worse that the user's file does not accept, with the worst harm.

    Else LOOK FIRST (3, or 0 where changes are allowed) if something differs that nothing explains, or could not be judged on a
    side; else UPGRADE (0). The word, the sentence and the exit code are those of every view.
    """
    base, candidate = named(comparison.base), named(comparison.candidate)
    if base == candidate:
        base = "the base"
    elif engine_of(comparison.base)[0] == engine_of(comparison.candidate)[0]:
        base = base.partition(" ")[2] or base
    if comparison.is_worse:
        harm = in_ways((one.lead.severity for one in ways(comparison)), that=f"that {base} does not", lesser="is worse")
        return Answer(Word.DO_NOT_UPGRADE, f"{candidate} {harm}", comparison.exit)
    nothing = f"nothing is worse on {candidate} than on {base}{_but_accepted(comparison)}"
    if comparison.is_open:
        return Answer(Word.LOOK_FIRST, f"{nothing}, but {' and '.join(_open_questions(comparison))}", comparison.exit)
    return Answer(Word.UPGRADE, nothing, comparison.exit)


def _open_questions(comparison: Comparison) -> Iterator[str]:
    unexplained = len(comparison.unexplained)
    if unexplained:
        yield f"{counted(unexplained, 'difference')} {'is' if unexplained == 1 else 'are'} unexplained"
    cases = sum(one.cases for one in comparison.unjudged)
    clauses = len({clause for one in comparison.unjudged for clause in one.clauses})
    clauses += len({one.clause for one in comparison.shifted(Change.UNCOMPARED)})
    parts = [counted(clauses, "clause")] * bool(clauses) + [counted(cases, "case")] * bool(cases)
    if parts:
        yield f"{' and '.join(parts)} {'was' if clauses + cases == 1 else 'were'} not judged on one of the two"


def _but_accepted(comparison: Comparison) -> str:
    found = accepted(comparison)
    if not found or comparison.acceptance is None:
        return ""
    worst = min((one.severity for one in found), key=lambda severity: severity.rank)
    return (
        f", but for {counted(len(found), 'fault')} that {comparison.acceptance.file} accepts (the worst: {worst.value})"
    )
