"""The subject of a comparison: the two runs, how many clauses and cases differ, and what was not compared; a label for each
fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from reports.comparison.comparison import Comparison
from reports.comparison.wording import change_words, side_names
from reports.stream.reading import Run
from reports.text.circumstances import machines_differ, profile_of, versions_of
from reports.text.quantities import counted

#: How many features, properties and types are named that the user's tables have and no case.
_MISSING = 3


@dataclass(frozen=True)
class Told:
    """A fact, and what it is about."""

    label: str
    text: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"


def overview(comparison: Comparison) -> list[Told]:
    """Both runs, the clauses by change, how many cases and steps differ, and what was not compared."""
    return [
        Told("From", _versions(comparison.base)),
        Told("To", _versions(comparison.candidate)),
        *([Told("On shared tables", comparison.shared.summary)] if comparison.shared is not None else []),
        *([Told("Your tables", comparison.own.covered(most=_MISSING))] if comparison.own is not None else []),
        *_costs(comparison),
        *_times(comparison),
        *unjudged(comparison),
        *_unused(comparison),
        Told("Clauses", _clauses(comparison)),
        Told("Cases", _cases(comparison)),
        *_machines(comparison),
        *_not_compared(comparison),
    ]


def _costs(comparison: Comparison) -> Iterator[Told]:
    """What storage is asked for, all in all and more or less: ``900 requests to storage, Delta 3.3.2 1,200 in the same steps;
    dearer in 3 ways, cheaper in 1, the most: VACUUM lists …``.
    """
    changes, (before, now), base = comparison.requests, comparison.calls, side_names(comparison)[0]
    if not now and not before:
        return
    told = f"{now:,} requests to storage, {base} {before:,} in the same steps"
    dearer = sum(one.more > 0 for one in changes)
    parts = [f"dearer in {counted(dearer, 'way')}"] * bool(dearer)
    parts += [f"cheaper in {counted(len(changes) - dearer, 'way')}"] * (dearer < len(changes))
    most = f"; {', '.join(parts)}, the most: {changes[0].sentence(base)}" if parts else ""
    yield Told("What it costs", told + most)


def _times(comparison: Comparison) -> Iterator[Told]:
    """How much longer the candidate takes on large tables, where that is clear."""
    if not comparison.times:
        return
    told = [
        f"{one.command} takes {one.ratio:.2f} times as long ({one.spread})" for one in comparison.times if one.is_clear
    ]
    yield Told("Time on large tables", "; ".join(told) or "no difference that is clear of the spread")


def _clauses(comparison: Comparison) -> str:
    """``217 (18 worse by a known fault of Delta 4.4.0, 4 better, 195 the same)``."""
    changes = Counter(clause.change for clause in comparison.clauses)
    tally = [f"{changes[change]} {words}" for change, words in change_words(comparison).items() if changes[change]]
    return f"{len(comparison.clauses)} ({', '.join(tally) or 'none'})"


def _cases(comparison: Comparison) -> str:
    cases = (
        f"{comparison.differing} of {counted(comparison.compared, 'case')} "
        f"({counted(comparison.steps, 'step')} compared) differ in what the engines did"
    )
    kinds = (
        f": {counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.explained)} explained"
    )
    return cases + (kinds if comparison.groups else "")


def unjudged(comparison: Comparison) -> Iterator[Told]:
    """What could not be judged on each side: ``Not exercised on Delta 4.0.0: DEL-ROW-1``."""
    names = dict(zip(map(id, (comparison.base, comparison.candidate)), side_names(comparison)))
    for one in comparison.unjudged:
        if one.clauses:
            yield Told(f"Not exercised on {names[id(one.run)]}", ", ".join(one.clauses))
        if one.cases:
            yield Told(f"Ended in an error on {names[id(one.run)]}", counted(one.cases, "case"))


def _unused(comparison: Comparison) -> Iterator[Told]:
    """The entries of the user's file that nothing needed, if there are any."""
    if comparison.acceptance is None:
        return
    entries = [f"{', '.join(clauses)} ({table.reason})" for table, clauses in comparison.unused.items()]
    entries += [f"{', '.join(one.texts)} ({one.reason})" for one in comparison.unused_texts]
    if entries:
        yield Told(f"Not needed in {comparison.acceptance.file}", "; ".join(entries))


def _machines(comparison: Comparison) -> Iterator[Told]:
    if differing := machines_differ(comparison.base.header, comparison.candidate.header):
        yield Told("The machines differ", f"{differing}.")


def _not_compared(comparison: Comparison) -> Iterator[Told]:
    if comparison.diverged:
        cases = counted(comparison.diverged, "case")
        yield Told("Compared in part", f"{cases} compared only up to the step after which the two tables differ.")
    if comparison.cut_short:
        cases = counted(comparison.cut_short, "case")
        yield Told("Cut short", f"{cases} ended early on one side, at a violation, without an earlier difference.")
    if comparison.unpaired:
        cases = counted(comparison.unpaired, "case")
        yield Told("Not compared", f"{cases} of which the other version judged another form, or none.")


def _versions(run: Run) -> str:
    header = run.header
    seed = f", seed {header.seed}" if header.seed is not None else ""
    return f"{versions_of(header)}; {profile_of(header)}{seed}"
