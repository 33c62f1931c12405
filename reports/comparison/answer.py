"""The answer of a comparison: whether to upgrade, and why, in one line with both halves: what gets worse, and what gets
better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from model.vocabulary.severity import Severity, gravest
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import Comparison
from reports.comparison.groups import Group
from reports.comparison.requests import RequestChange
from reports.comparison.weight import Balance, WeighedWay, losses
from reports.comparison.withdrawn import Withdrawn
from reports.comparison.wording import accepted
from reports.findings.answers import named
from reports.text.harms import can, does, in_ways
from reports.text.ladder import Answer, Word
from reports.text.quantities import counted
from shapes.reach import Reach

#: The most characters of the first line: three lines of a terminal, which break between words.
_MOST = 3 * 76


@dataclass(frozen=True)
class _Reason:
    """A reason for the answer. ``cause``: of the worst, in words; ``more``: what follows it; ``brief``: the text without the
    cause, after a graver reason.
    """

    rank: int
    told: str
    cause: str = ""
    more: str = ""
    brief: str = ""

    @property
    def whole(self) -> str:
        return f"{self.told}: {self.cause}{self.more}" if self.cause else f"{self.told}{self.more}"


def answer_to(comparison: Comparison) -> Answer:
    """DO NOT UPGRADE (1) if what gets worse, and is not accepted by the user's file, weighs more than what gets better
    (``reports.comparison.weight``); or if the candidate goes wrong on tables of the base.

    Else LOOK FIRST (3, or 0 where changes are allowed) if something is worse or withdrawn, differs without an explanation,
    could not be judged, asks storage for more than the limit, or if there is no way back; else UPGRADE (0). The word, the
    sentence and the exit code are those of every view. The sentence begins with what can cost most, whatever kind of reason it
    is. Where it would be longer than three lines, the last reasons have no cause.
    """
    base, candidate = named(comparison.base), named(comparison.candidate)
    if base == candidate:
        base = "the base"
    else:
        base = base.partition(" ")[2] or base
    worse, shared, word = comparison.worse, comparison.shared, comparison.word
    ranks = [one.severity.rank for one in worse]
    cause = brief = ""
    if comparison.forbids or comparison.is_trade:
        trade = "a trade: " if comparison.is_trade else ""
        told = f"{trade}{candidate} {_listed([*_harms(comparison, base)])}"
        ranks += [one.severity.rank for one in shared.forward] if shared is not None else []
    elif worse:
        worst = f"in {counted(len(worse), 'way')}, {_worst(comparison)}: {worse[0].does}"
        told, brief = f"{candidate} is worse than {base} {worst}", f"worse {worst}"
        cause = _open_end(worse[0].lead.cause)
    else:
        accepts = _but_accepted(comparison)
        told, brief = f"nothing is worse on {candidate} than on {base}{accepts}", f"nothing is worse{accepts}"
    reasons = [_Reason(min(ranks, default=Severity.WRONG_WORDS.rank), told, cause, _sparing(comparison), brief)]
    if comparison.lost:
        reasons.append(_withdrawn(candidate, comparison.lost))
    if word is Word.LOOK_FIRST and comparison.unexplained:
        reasons.append(_Reason(comparison.unexplained[0].severity.rank, _unexplained(comparison.unexplained)))
    if word is Word.LOOK_FIRST and comparison.too_dear:
        reasons.append(_too_dear(comparison.too_dear, comparison.cost_limit, base))
    if comparison.bars_the_way_back and shared is not None:
        reasons.append(_Reason(min(one.severity.rank for one in shared.back), "there is no way back"))
    reasons.sort(key=lambda one: one.rank)
    rest = _better(comparison)
    rest += "".join(f"; {one}" for one in (_unjudged(comparison) if word is Word.LOOK_FIRST else ()))
    for whole in range(len(reasons), -1, -1):
        answer = Answer(word, "; ".join(_told(reasons, whole)) + rest, allowed=comparison.allows_changes)
        if len(str(answer)) <= _MOST:
            break
    return answer


def _told(reasons: Sequence[_Reason], whole: int) -> Iterator[str]:
    """The reasons; so many of them have their causes."""
    for number, one in enumerate(reasons):
        if number < whole:
            yield one.whole
        else:
            yield (one.brief if number and one.brief else one.told) + one.more


def _listed(parts: Sequence[str]) -> str:
    """``a``; ``a, and b``; ``a, b, and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _harms(comparison: Comparison, base: str) -> Iterator[str]:
    """The candidate's harms alone, and on tables of the base."""
    worse = comparison.weighed(comparison.worse)
    if comparison.balance is not Balance.LIGHT:
        worst = [one for one in worse if one.severity is worse[0].severity]
        lesser, crashes = len(worse) - len(worst), sum(one.is_crash for one in worse)
        by_crash = [f"{crashes} by a crash"] * bool(crashes)
        marks = f"({', '.join([_everyday(worst), *(() if lesser else by_crash)])})"
        harm, number = does(worst[0].severity), len(worst)
        if comparison.is_trade:
            ended = losses(comparison.weighed(comparison.better))
            yield f"{harm} in {counted(number, 'new way')} {marks}, no longer in {ended}"
        else:
            yield f"{harm} in {counted(number, 'way')} that {base} does not {marks}"
        if lesser:
            yield " ".join([f"is worse in {counted(lesser, 'lesser way')}", *(f"({one})" for one in by_crash)])
    if comparison.shared is not None and comparison.shared.forward:
        yield in_ways((one.severity for one in comparison.shared.forward), that=f"on tables of {base}")


def _everyday(ways: Sequence[WeighedWay]) -> str:
    """How many of these any table can meet."""
    number = sum(one.reached.reach is Reach.EVERYDAY for one in ways)
    if number == len(ways):
        return "everyday" if number == 1 else "all everyday"
    return f"{number or 'none'} everyday"


def next_steps(comparison: Comparison, *, cases: str = "cases/") -> Iterator[str]:
    """What to do with the answer, one sentence each. ``cases``: where the cases lie."""
    for one in comparison.lost:
        yield f"before the upgrade: {one.remedy}"
    if comparison.forbids:
        yield f"stay on {named(comparison.base)}, or see for each of the ways above whether it concerns your tables"
    elif comparison.worse:
        yield "see for each of the ways above whether it concerns your tables: the case is small, and its step names the command"
    if comparison.unexplained:
        yield f"look at the unexplained differences, the first at the top: their cases are in {cases}"
    if comparison.worse or comparison.lost or comparison.unexplained or comparison.shifted(VerdictChange.UNCOMPARED):
        yield "what you can live with: --propose-accept FILE writes all of it; shorten the file, and give it as --accept FILE"
    if comparison.bars_the_way_back:
        yield f"before the upgrade: keep a copy of what {named(comparison.base)} must still read or write"
    if comparison.unjudged:
        yield "what was not judged: a larger profile, such as --profile gate, has more cases"


def _worst(comparison: Comparison) -> str:
    some = 0 < len(comparison.sparing) < len(comparison.worse)
    return "the worst that may concern your tables" if some else "the worst"


def _sparing(comparison: Comparison) -> str:
    """``; 3 more ways concern none of your tables``."""
    number, whole = len(comparison.sparing), len(comparison.worse)
    if number == whole:
        return "; this concerns none of your tables" if number else ""
    return (
        f"; {counted(number, 'more way')} {'concerns' if number == 1 else 'concern'} none of your tables"
        if number
        else ""
    )


def _open_end(sentence: str) -> str:
    return sentence.rstrip().removesuffix(".")


def _better(comparison: Comparison) -> str:
    """``; better in 14, 5 of which lost data``; of a trade, which says the losses itself, ``; better in 9 lesser ways``."""
    whole, losing = len(comparison.better), losses(comparison.better)
    if comparison.is_trade:
        return f"; better in {counted(whole - losing, 'lesser way')}" if whole > losing else ""
    which = f"{'all' if losing == whole else losing} of which" if whole > 1 else "which"
    return f"; better in {whole}" + (f", {which} lost data" if losing else "") if whole else ""


def _unexplained(unexplained: Sequence[Group]) -> str:
    """``3 differences are unexplained, the worst can lose data``."""
    worst, count = unexplained[0], len(unexplained)
    harm = "in words alone" if worst.is_text else f"the worst {can(worst.severity)}"
    return f"{counted(count, 'difference')} {'is' if count == 1 else 'are'} unexplained, {harm}"


def _unjudged(comparison: Comparison) -> Iterator[str]:
    cases = sum(one.cases for one in comparison.unjudged)
    clauses = len({clause for one in comparison.unjudged for clause in one.clauses})
    clauses += len({one.clause for one in comparison.shifted(VerdictChange.UNCOMPARED)})
    parts = [counted(clauses, "clause")] * bool(clauses) + [counted(cases, "case")] * bool(cases)
    if parts:
        yield f"{' and '.join(parts)} {'was' if clauses + cases == 1 else 'were'} not judged on one of the two"
    if comparison.shared is not None and comparison.shared.is_open:
        report = comparison.shared.report
        if report.cases:
            yield f"{counted(len(report.errors), 'case')} could not be judged in turn"
        else:
            yield "no case was judged in turn" + "".join(f": {_open_end(one)}" for one in report.errors[:1])


def _too_dear(grown: Sequence[RequestChange], limit: float | None, base: str) -> _Reason:
    told = f"in {counted(len(grown), 'way')} it asks storage for more than {limit:g} times as much"
    return _Reason(Severity.COSTS_MORE.rank, told, grown[0].sentence(base))


def _withdrawn(candidate: str, lost: Sequence[Withdrawn]) -> _Reason:
    """``Delta 4.4.0 withdraws 1 promise, which can lose data: RETAIN has no effect …``. What to do is the next step."""
    worst, count = lost[0], len(lost)
    which = "which" if count == 1 else "of which the worst"
    told = f"{counted(count, 'promise')}, {which} {can(worst.severity)}"
    brief = f"{counted(count, 'promise')} {'is' if count == 1 else 'are'} withdrawn, {which} {can(worst.severity)}"
    return _Reason(worst.severity.rank, f"{candidate} withdraws {told}", _open_end(worst.sentence), brief=brief)


def _but_accepted(comparison: Comparison) -> str:
    """``, except for 1 fault and 2 differences that ours.toml accepts (the worst: data loss)``."""
    faults = accepted(comparison)
    promises = [one for one in comparison.withdrawn if one.accepted is not None]
    differences = [group for groups in comparison.accepted_differences.values() for group in groups]
    harms = [one.severity for one in faults]
    harms += [one.severity for one in promises] + [one.severity for one in differences]
    if not harms or comparison.acceptance is None:
        return ""
    numbers = {"fault": len(faults), "withdrawn promise": len(promises), "difference": len(differences)}
    *most, last = [counted(number, noun) for noun, number in numbers.items() if number]
    what = f"{', '.join(most)} and {last}" if most else last
    return f", except for {what} that {comparison.acceptance.file} accepts (the worst: {gravest(harms).value})"
