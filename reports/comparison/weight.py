"""Weighs an upgrade: the ways in which the candidate is worse and better, by harm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from model.vocabulary.severity import Severity, gravest
from records.symptoms import is_crash
from reports.comparison.acceptance import error_of
from reports.comparison.cases import ClauseShift, VerdictChange
from reports.text.harms import does
from shapes.reach import Reached, furthest


@dataclass(frozen=True)
class WeighedWay:
    """One way in which the candidate is worse, or better: the gravest clause that fails, and those that fail in the same
    case with it."""

    lead: ClauseShift
    others: tuple[ClauseShift, ...] = ()

    @property
    def severity(self) -> Severity:
        return self.lead.severity

    @property
    def reached(self) -> Reached:
        """Whom it can meet: by the clause that needs least."""
        return furthest(one.reached for one in (self.lead, *self.others))

    @property
    def is_known(self) -> bool:
        """Whether the suite knows it as a known fault of the side that fails."""
        return self.lead.known

    @property
    def is_crash(self) -> bool:
        return is_crash(error_of(self.lead.case, self.lead.step))

    @property
    def does(self) -> str:
        """``loses data``; or ``crashes, and gives wrong answers``: what a user loses by the crash."""
        return f"crashes, and {does(self.severity)}" if self.is_crash else does(self.severity)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that fail with the gravest one."""
        return tuple(dict.fromkeys(one.clause for one in self.others if one.clause != self.lead.clause))

    @property
    def case_ids(self) -> frozenset[str]:
        return self.lead.case_ids.union(*(one.case_ids for one in self.others))


def worse_in(shifts: Iterable[ClauseShift]) -> tuple[WeighedWay, ...]:
    """The ways in which the candidate is worse, the gravest first."""
    return _ways([one for one in shifts if one.change in (VerdictChange.KNOWN, VerdictChange.REGRESSED)])


def better_in(shifts: Iterable[ClauseShift]) -> tuple[WeighedWay, ...]:
    """The ways in which it is better, the gravest first."""
    return _ways([one for one in shifts if one.change is VerdictChange.IMPROVED])


def _ways(shifts: Sequence[ClauseShift]) -> tuple[WeighedWay, ...]:
    """A known fault is one way, however many clauses it violates. So is everything that the smallest case of the gravest
    failure shows.
    """
    known: dict[str, list[ClauseShift]] = {}
    for one in shifts:
        if one.known:
            known.setdefault(one.cause, []).append(one)
    found = [WeighedWay(lead, tuple(others)) for lead, *others in known.values()]
    waiting = [one for one in shifts if not one.known]
    while waiting:
        lead, *rest = waiting
        together = tuple(one for one in rest if lead.case.id in one.case_ids)
        waiting = [one for one in rest if one not in together]
        found.append(WeighedWay(lead, together))
    return tuple(
        sorted(found, key=lambda one: (one.severity.rank, one.reached.place, one.is_known, -len(one.lead.case_ids)))
    )


class Balance(Enum):
    """What the ways in which a candidate is worse weigh beside those in which it is better."""

    LIGHT = "what gets worse needs a look at most"
    TRADE = "a trade: it loses data in new ways, and in more ways no longer"
    HEAVY = "a reason not to upgrade"


def balance(worse: Iterable[WeighedWay], better: Iterable[WeighedWay]) -> Balance:
    """HEAVY: new ways to lose data, as many as end or more; or something graver than all that gets better. TRADE: new ways to
    lose data, and more that end. Else LIGHT. Ways to cost more do not count.
    """
    worse = [one for one in worse if one.severity is not Severity.COSTS_MORE]
    better = [*better]
    added, ended = losses(worse), losses(better)
    if added:
        return Balance.TRADE if ended > added else Balance.HEAVY
    if not worse:
        return Balance.LIGHT
    worst = gravest(one.severity for one in worse).rank
    return Balance.LIGHT if better and gravest(one.severity for one in better).rank <= worst else Balance.HEAVY


def losses(ways: Iterable[WeighedWay]) -> int:
    """How many of these ways lose data."""
    return sum(one.severity is Severity.DATA_LOSS for one in ways)
