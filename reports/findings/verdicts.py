"""From judged cases to one verdict for each clause, to the footer, and to the exit code."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from records import run
from records.known_fault import KnownFault
from records.run import ClauseVerdict, Footer, Header, ListedClause, RecordedCase, Verdict
from reports.findings.failures import Example, Simplicity, simplicity
from reports.text.ladder import of_one
from reports.text.quantities import counted

#: The verdicts that need a person's attention.
ATTENTION = (Verdict.FAILS, Verdict.LISTED_BUT_GONE, Verdict.ERROR, Verdict.NOT_TESTED)


@dataclass(frozen=True, kw_only=True)
class ClauseFinding(ClauseVerdict):
    """The verdict on one clause in a run, and what the cases show: ``failures`` counts those that fail it, ``example`` is the id
    of the one to show."""

    clause: str
    failures: int
    example: str | None


@dataclass
class ClauseTally:
    """The cases of a run that show something about a clause. ``failed`` counts those that fail it, ``broken`` also those that
    only show a known fault; both with the simplest case. ``raised`` counts those in which the clause raised.
    """

    met: int = 0
    subjects: int = 0
    seconds: float = 0.0
    failed: int = 0
    broken: int = 0
    raised: int = 0
    simplest_failed: Simplicity | None = None
    simplest_broken: Simplicity | None = None

    @property
    def failures(self) -> int:
        """The cases that count as failing: if none fails the clause, those that show known faults."""
        return self.failed or self.broken

    @property
    def simplest(self) -> str | None:
        """The id of the case to show."""
        found = self.simplest_failed or self.simplest_broken
        return None if found is None else found[-1][-1]

    def add(self, result: run.ClauseResult) -> None:
        """A case that counts as exercising the clause."""
        self.met += result.met
        self.subjects += result.subjects
        self.seconds += result.seconds

    def breaks(self, simplicity: Simplicity, *, fails: bool) -> None:
        """A case that breaks the clause; ``fails``: in a way that is not known."""
        self.broken += 1
        self.simplest_broken = min(self.simplest_broken or simplicity, simplicity)
        if fails:
            self.failed += 1
            self.simplest_failed = min(self.simplest_failed or simplicity, simplicity)


@final
class CaseFold:
    """What cases show of each clause, taken one after another, and how much was judged. ``erred`` counts the cases that ended in
    an error."""

    def __init__(self) -> None:
        self.tallies: dict[str, ClauseTally] = {}
        self.cases = self.steps = self.erred = 0
        self.engine_seconds = 0.0

    def take(self, case: RecordedCase) -> None:
        """Any case can fail a clause, but those made by shrinking do not count as exercising it: their number depends on how long
        shrinking ran."""
        self.cases += 1
        self.steps += len(case.steps)
        self.erred += case.error is not None
        for step in case.steps:
            self.engine_seconds += step.seconds
        for name in case.error.clauses if case.error is not None else ():
            self.tallies.setdefault(name, ClauseTally()).raised += 1
        counts, place = case.origin != "shrunk", None
        for name, result in case.clauses.items():
            tally = self.tallies.get(name)
            if tally is None:
                tally = self.tallies[name] = ClauseTally()
            if counts:
                tally.add(result)
            if result.verdict is not Verdict.HOLDS:
                place = place or simplicity(case)
                tally.breaks(place, fails=result.verdict is Verdict.FAILS)


def verdicts(
    judged: CaseFold,
    header: Header,
    *,
    known_faults: Sequence[KnownFault],
    ended: Sequence[KnownFault] = (),
    stopped: bool = False,
) -> dict[str, ClauseVerdict]:
    """The verdict on each clause of the header, in the header's order.

    ``known_faults`` are those in force, ``ended`` those that are past their end (``known_faults.entries``): their clauses fail or
    are listed but gone, whatever the cases show. ``stopped``: the run ended at its first failure, with cases left. Of a part of
    a run, only failures are decided.
    """
    listed, over = _by_clause(known_faults), _by_clause(ended if header.shard is None else ())
    unasked = {clause.id for clause in header.clauses if clause.status == "disabled"}
    violated = {name for name, tally in judged.tallies.items() if tally.broken}
    current = {_entry(one) for one in known_faults if one.clause in violated | unasked}
    found = {}
    for clause in header.clauses:
        name = clause.id
        tally = judged.tallies.get(name, ClauseTally())
        failed = tally.failures > 0
        known = listed.get(name, [])
        verdict, reason = _judge(clause, failed, tally.met, judged.erred, [] if tally.failed else known, current)
        if verdict is Verdict.NOT_TESTED and unasked:
            reason += " A case also ends where it breaks a clause that --clause does not select."
        if tally.raised and not tally.failed:
            verdict, reason = Verdict.ERROR, f"It raised an error of the suite in {counted(tally.raised, 'case')}."
        if header.left_out:
            verdict, reason = _with_cases_left(
                verdict, reason, known, "The budget left out the cases that exercise it."
            )
        elif verdict is Verdict.NOT_TESTED and header.profile == "smoke" and ":" in (header.option or ""):
            verdict, reason = (
                Verdict.DISABLED,
                "No case of smoke that can be asked of this engine exercises it: the gate has more.",
            )
        elif header.pair is not None:
            verdict, reason = _with_cases_left(verdict, reason, known, "No case exercises it in turn.")
        elif _is_given_its_times(header):
            verdict, reason = _with_cases_left(
                verdict,
                reason,
                known,
                "No case exercises it where the run sets neither the times of files nor the clock.",
            )
        elif header.shared_with is not None and verdict is Verdict.LISTED_BUT_GONE:
            verdict, reason = _with_cases_left(verdict, reason, known, "")
        if header.shard is not None and not tally.raised:
            verdict = Verdict.NOT_TESTED if verdict is Verdict.ERROR else verdict
            verdict, reason = _with_cases_left(verdict, reason, known, "No case of this part exercises it.")
        if stopped and verdict in (Verdict.HOLDS, Verdict.LISTED_BUT_GONE, Verdict.NOT_TESTED, Verdict.ERROR):
            verdict, reason = Verdict.DISABLED, "Undecided: the run stopped at its first failure."
        past = over.get(name, []) if clause.status != "disabled" or failed else []
        if past:
            verdict, reason = (Verdict.FAILS if failed else Verdict.LISTED_BUT_GONE), " ".join(map(_ended, past))
        found[name] = ClauseVerdict(
            verdict=verdict,
            met=tally.met,
            seconds=round(tally.seconds, 3),
            subjects=tally.subjects,
            reason=reason,
            link=(past or known)[0].link
            if past or (known and verdict in (Verdict.KNOWN_FAULT, Verdict.LISTED_BUT_GONE))
            else None,
        )
    return found


def results(
    judged: CaseFold, footer: Footer, header: Header, shown: Mapping[str, Sequence[Example]]
) -> tuple[ClauseFinding, ...]:
    """The verdicts of the footer, in the header's order, with what the cases show. ``shown``: the examples of each clause that
    fails."""
    found = []
    for clause in header.clauses:
        tally = judged.tallies.get(clause.id, ClauseTally())
        example = shown[clause.id][0].judged.id if clause.id in shown else tally.simplest
        own = vars(footer.verdicts[clause.id])
        found.append(ClauseFinding(**own, clause=clause.id, failures=tally.failures, example=example))
    return tuple(found)


def _by_clause(known_faults: Iterable[KnownFault]) -> dict[str, list[KnownFault]]:
    found: dict[str, list[KnownFault]] = {}
    for known_fault in known_faults:
        found.setdefault(known_fault.clause, []).append(known_fault)
    return found


def _judge(
    clause: ListedClause,
    failing: bool,
    met: int,
    erred: int,
    known: Sequence[KnownFault],
    current: Container[KnownEntry],
) -> tuple[Verdict, str]:
    if failing:
        return (Verdict.KNOWN_FAULT, _reasons(known)) if known else (Verdict.FAILS, "")
    if clause.status != "active":
        return Verdict(clause.status), clause.reason
    if met == 0 and erred:
        return Verdict.ERROR, f"No judged case exercised it, and {counted(erred, 'case')} ended in an error."
    if met == 0:
        return Verdict.NOT_TESTED, "No case exercised it: use a larger budget or profile."
    # With a condition it is stale only if all clauses of its entry were asked for and none failed: the condition may be rare.
    if known and not any(one.when is not None and _entry(one) in current for one in known):
        if erred:
            left = f"{counted(erred, 'case')} ended in an error"
            return (
                Verdict.ERROR,
                f"It is listed as a known fault ({_reasons(known)}); no judged case fails it, and {left}.",
            )
        return (
            Verdict.LISTED_BUT_GONE,
            f"It is listed as a known fault ({_reasons(known)}), but it passes: remove the entry.",
        )
    return Verdict.HOLDS, ""


def _with_cases_left(verdict: Verdict, reason: str, known: Sequence[KnownFault], left: str) -> tuple[Verdict, str]:
    """The verdict if the budget left out cases, other parts of the run have them, or cases were narrowed: the omitted cases may
    exercise a clause, or show its known fault. ``left`` tells where the cases are that exercise a clause which no judged case
    does.
    """
    if verdict is Verdict.LISTED_BUT_GONE:
        return Verdict.HOLDS, f"It is listed as a known fault ({_reasons(known)}): none of the judged cases fails it."
    if verdict is Verdict.NOT_TESTED:
        return Verdict.DISABLED, left
    return verdict, reason


def _is_given_its_times(header: Header) -> bool:
    """Whether the bucket set the files' times, or a server the clock: the cases then ask less."""
    master = header.machine.get("master", "")
    return header.machine.get("storage") == "bucket" or (master.startswith("sc://") and master != "sc://local")


def _ended(known_fault: KnownFault) -> str:
    what = f"Its known fault ({known_fault.reason}) was accepted until {known_fault.until}, which is past"
    return f"{what}: remove the entry, or decide on a new end."


#: What the clauses of one entry share: the reason and the condition.
KnownEntry = tuple[str, "str | None"]


def _entry(known_fault: KnownFault) -> KnownEntry:
    return known_fault.reason, known_fault.when


def _reasons(known: Sequence[KnownFault]) -> str:
    return " ".join(dict.fromkeys(one.reason for one in known))


def counts(results: Iterable[ClauseVerdict]) -> dict[Verdict, int]:
    """How many clauses have each verdict, in Verdict's order, without the zeros."""
    found = [result.verdict for result in results]
    return {verdict: found.count(verdict) for verdict in Verdict if verdict in found}


def exit_code(results: Iterable[ClauseVerdict], errors: int, *, part: bool = False) -> int:
    """The exit code of a run. ``errors`` counts the cases that ended in an error.

    1 for any clause that fails or is listed but gone; else 2 for any that ended in an error or is not tested, an error in a case,
    or no clause that was judged, unless it is only a ``part`` of a run; else 0.
    """
    found = {result.verdict for result in results}
    wrong = found & {Verdict.FAILS, Verdict.LISTED_BUT_GONE}
    judged = found & {Verdict.HOLDS, Verdict.KNOWN_FAULT}
    undecided = errors or found & {Verdict.ERROR, Verdict.NOT_TESTED} or not (judged or part)
    return of_one(wrong=wrong, undecided=undecided, part=part).exit


def footer_of(found: Mapping[str, ClauseVerdict], judged: CaseFold, *, seconds: float, part: bool = False) -> Footer:
    """The footer for these verdicts, without its digest. ``seconds`` is how long the run took by the wall clock; ``part``: it is
    only a part of one."""
    return Footer(
        cases=judged.cases,
        steps=judged.steps,
        seconds=round(seconds, 3),
        engine_seconds=round(judged.engine_seconds, 3),
        verdicts=found,
        counts=counts(found.values()),
        exit=exit_code(found.values(), judged.erred, part=part),
        digest="",
    )
