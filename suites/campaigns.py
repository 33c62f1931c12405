"""The campaigns that the test modules of this directory define, and the batches of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from types import ModuleType

from harness.campaigns.campaign import Batch, Campaign, Profile, campaign_of
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.costs import seconds_of
from harness.campaigns.drawing import kept_cases
from harness.campaigns.regressions import kept_cases as regression_cases
from harness.judging.clause import matches
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.steps import (
    AtOnce,
    Delete,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    Vacuum,
)
from suites import (
    test_at_once,
    test_corpus,
    test_crashes,
    test_delete,
    test_programs,
    test_regressions,
    test_scale,
    test_settings,
    test_vacuum,
)
from suites.catalogue import CATALOGUE


def _campaigns(*modules: ModuleType) -> list[Campaign]:
    """The campaigns of these modules, in the order of their definition."""
    found = (campaign_of(test) for module in modules for test in vars(module).values())
    return [campaign for campaign in found if campaign is not None]


#: The campaigns that draw their cases, from a strategy or by a state machine.
CAMPAIGNS = tuple(_campaigns(test_delete, test_vacuum, test_programs, test_settings, test_crashes, test_at_once))

#: The regression cases, which every run judges first.
(REGRESSIONS,) = _campaigns(test_regressions)

#: The cases of the corpus, which the fixed profiles judge.
(CORPUS,) = _campaigns(test_corpus)

#: The files of ``corpus/`` that the gate judges.
FILES = ("smoke", "gate", "functions")

#: The cases on large tables, which the profile scale judges.
(SCALE,) = _campaigns(test_scale)

#: The state machine.
(EXPLORATION,) = (campaign for campaign in CAMPAIGNS if campaign.machine is not None)

#: The chapter of the clauses that judge a step.
_CHAPTERS: Mapping[type, str] = {
    Delete: "DEL",
    InvalidDelete: "DEL",
    Vacuum: "VAC",
    InvalidVacuum: "VAC",
    Read: "READ",
    Insert: "LIFE",
    OtherCommand: "LIFE",
    OpenSession: "LIFE",
    AtOnce: "CONC",
}


def chapters_of(case: Case) -> frozenset[str]:
    """The chapters whose commands the case has; with one that is killed, also that of crashes."""
    found = {_CHAPTERS[type(step)] for step in case.steps if type(step) in _CHAPTERS}
    killed = any(isinstance(step, (Delete, Vacuum)) and step.crash is not None for step in case.steps)
    return frozenset(found | {"CRASH"} if killed else found)


def selected(clauses: Iterable[str], capabilities: Capabilities = EVERYTHING) -> tuple[Campaign, ...]:
    """The campaigns that can exercise these clauses (ids or prefixes; none: all) on an engine with these ``capabilities``."""
    chapters = _chapters(clauses, capabilities)
    return tuple(
        campaign
        for campaign in CAMPAIGNS
        if chapters & set(campaign.chapters)
        and (campaign.language is None or campaign.language in capabilities.languages)
    )


#: Puts the cases that matter most to the user first.
Order = Callable[[Sequence[Case]], Sequence[Case]]


def batches(
    profile: Profile, clauses: Iterable[str], capabilities: Capabilities = EVERYTHING, *, order: Order | None = None
) -> list[Batch]:
    """The test items of a run: the regression cases, the corpus or the large tables, then what is drawn, the slowest first.

    Cases that are kept are restricted to what an engine with these ``capabilities`` supports. ``order`` chooses which cases
    a budget leaves out, and which cases ``nearby`` the profile judges too.
    """
    wanted = tuple(clauses)
    found = [
        *_kept(REGRESSIONS, _regressions(profile, capabilities), profile.batch),
        *_kept(SCALE if profile.large else CORPUS, _of_corpus(profile, wanted, capabilities, order)[0], profile.batch),
    ]
    drawn = [
        batch
        for campaign in selected(wanted, capabilities)
        for batch in _split(campaign, profile.cases[campaign.name], profile.batch)
    ]
    drawn.sort(key=lambda batch: (batch.campaign.chapters == ("DEL",), batch.number, batch.campaign.name))
    return found + drawn


def left_out(
    profile: Profile, clauses: Iterable[str], capabilities: Capabilities = EVERYTHING, *, order: Order | None = None
) -> int:
    """How many cases of the corpus a budget leaves out, or the choice of large tables in its place."""
    wanted = tuple(clauses)
    others = replace(profile, corpus=FILES, large=False, budget_share=1.0) if profile.large else None
    of_corpus = 0 if others is None else len(_of_corpus(others, wanted, capabilities)[0])
    return len(_of_corpus(profile, wanted, capabilities, order)[1]) + of_corpus


def corpus_seconds(profile: Profile, clauses: Iterable[str], capabilities: Capabilities = EVERYTHING) -> float:
    """What one worker needs for the profile's whole corpus, by ``harness.campaigns.costs``."""
    judged, others = _of_corpus(profile, clauses, capabilities)
    return sum(map(seconds_of, (*judged, *others)))


def regression_seconds(profile: Profile, capabilities: Capabilities = EVERYTHING) -> float:
    """The same for the regression cases, which no budget leaves out."""
    return sum(map(seconds_of, _regressions(profile, capabilities)))


def _chapters(clauses: Iterable[str], capabilities: Capabilities) -> frozenset[str]:
    wanted = tuple(clauses)
    found = {id.split("-")[0] for id in CATALOGUE if not wanted or any(matches(id, prefix) for prefix in wanted)}
    has = {"VAC": capabilities.vacuum, "LIFE": capabilities.commands, "CRASH": capabilities.crashes}
    without = {name for name, present in has.items() if not present}
    return frozenset(found - without)


def _regressions(profile: Profile, capabilities: Capabilities) -> list[Case]:
    """The regression cases that the profile judges."""
    if not profile.regressions:
        return []
    return kept_cases(REGRESSIONS.of(regression_cases(without=profile.without)), capabilities)


def _of_corpus(
    profile: Profile, clauses: Iterable[str], capabilities: Capabilities, order: Order | None = None
) -> tuple[Sequence[Case], Sequence[Case]]:
    """The cases of the corpus that the profile judges, and those of its own files that its budget leaves out.

    With an ``order`` they are chosen from the files ``nearby`` too. Without a budget all of its own are judged, and then those
    nearby, in this order, for a part of the time.
    """
    chapters = _chapters(clauses, capabilities)

    def of(campaign: Campaign) -> list[Case]:
        return [case for case in kept_cases(campaign, capabilities) if chapters & chapters_of(case)]

    cases = of(SCALE if profile.large else CORPUS.of(_in_files(profile.corpus)))
    nearby = profile.nearby if order is not None else ()
    others = of(CORPUS.of(_in_files((*profile.corpus, *nearby))))[len(cases) :] if nearby else []
    whole = sum(map(seconds_of, cases))
    if profile.budget_share == 1:
        return [*cases, *_within(profile.nearby_share * whole, order(others) if order else ())], ()
    chosen = _within(profile.budget_share * whole, order([*cases, *others]) if order else cases)
    taken = frozenset(chosen)
    return chosen, [case for case in cases if case not in taken]


def _in_files(names: Iterable[str]) -> tuple[Case, ...]:
    return tuple(case for name in names for case in corpus_cases(name))


def _within(seconds: float, cases: Sequence[Case]) -> Sequence[Case]:
    """The first of these cases, as many as one worker judges in so many seconds: one at least."""
    reached = accumulate(map(seconds_of, cases))
    return cases[: max(1, sum(one <= seconds for one in reached))]


def _kept(campaign: Campaign, cases: Sequence[Case], size: int) -> Iterator[Batch]:
    """Batches of ``size`` of these cases, in their order."""
    for number, start in enumerate(range(0, len(cases), size)):
        some = tuple(cases[start : start + size])
        yield Batch(campaign.of(some), number, len(some))


def _split(campaign: Campaign, cases: int, size: int) -> list[Batch]:
    """Batches of ``size`` cases; the last has what remains."""
    return [Batch(campaign, number, min(cases - done, size)) for number, done in enumerate(range(0, cases, size))]
