"""``python -m selfcheck.distillation``: choose the cases of ``corpus/`` again, out of many thousands that are drawn.

The cases of the corpus and of ``regressions/`` are judged again, and the random cases of the given seeds, on the reference
engine. Of all these, the smoke profile gets the fewest seconds of cases that show each facet as often as its goal in smoke says
(``selfcheck.corpus.facets``), and the known-bad engines that it can show in a second or so each; the gate those that show every
facet as often as its goal says, and the other known-bad engines. ``corpus/README.md`` says what they show. Exits with 0 if every
known-bad engine is shown, else with 1.

With ``--of CAMPAIGN`` only random cases of these campaigns are drawn, which takes a part of the time. With ``--lacking`` all
cases of the corpus stay, and of all random cases only those are judged that have a name, a form or a text of which it lacks some.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from engines.versions import judged_of
from faults import FAULTS, Fault, KnownBadEngine
from harness.campaigns.corpus import FOLDER, corpus_cases, write_corpus
from harness.campaigns.costs import seconds_of
from harness.campaigns.regressions import kept_cases, of_others
from harness.running.judge import Judge
from known_faults.known import known, known_faults_in
from model.codec import case_id
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.steps import AtOnce, InvalidVacuum, Vacuum
from records.known_fault import KnownFault
from reference_engine import ReferenceEngine
from reports.document.markdown import markdown
from runner.command_line.commands import ended
from selfcheck.corpus.cover import Candidate, Cover
from selfcheck.corpus.facets import (
    NEWEST_DELTA_RS,
    WRITTEN,
    CannotBeJudged,
    Facet,
    FacetCounter,
    facets_of,
    goal_in_smoke,
    goal_of,
)
from selfcheck.corpus.page import FAULT_SECONDS, Chosen, Shown, corpus_page
from selfcheck.corpus.shortening import shortened, shorter_by_a_step
from selfcheck.options import OF, asked, number_of_processes
from selfcheck.processes import processes, scratch
from selfcheck.random_cases import random_batches, random_cases
from suites.campaigns import chapters_of
from suites.catalogue import CATALOGUE, promised, unsupported
from tombstone.commands import option
from tombstone.values import NATURAL

ROOT = Path(__file__).resolve().parent.parent

#: What every run can judge, by name: the regression cases, and the files of the corpus.
KEPT = ("regressions", "smoke", "gate")

# ---- in a worker process


@cache
def counter() -> FacetCounter:
    return FacetCounter(
        promised(ReferenceEngine()),
        _conditions(_listed("spark")),
        scratch(),
        known_on_newest=_conditions(known(_listed("spark"), judged_of("spark")[-1])),
        known_on_delta_rs=_conditions(known(_listed("deltalake"), NEWEST_DELTA_RS)),
        known_on_any_delta_rs=_conditions(_listed("deltalake")),
    )


def _listed(engine: str) -> tuple[KnownFault, ...]:
    return known_faults_in(ROOT / "known_faults" / f"{engine}.toml")


def _conditions(listed: Iterable[KnownFault]) -> Mapping[str, frozenset[str]]:
    """The conditions under which clauses are known to fail, by the clause's id."""
    found: dict[str, frozenset[str]] = {}
    for known_fault in listed:
        if known_fault.when is not None:
            found[known_fault.clause] = found.get(known_fault.clause, frozenset()) | {known_fault.when}
    return found


def counted(case: Case) -> Shown:
    """The case with what it shows."""
    return Shown(case, counter().facets(case))


def kept() -> dict[str, list[Case]]:
    """The cases of KEPT."""
    return {name: list(kept_cases() if name == KEPT[0] else corpus_cases(name)) for name in KEPT}


def drawn(number: int, seed: int) -> list[Shown]:
    """The cases of a random batch, without those whose texts only another engine evaluates."""
    return [one for case in random_cases(random_batches()[number], seed, EVERYTHING) for one in judged(case)]


def judged(case: Case) -> list[Shown]:
    """The case, or nothing if only another engine evaluates its texts."""
    with suppress(CannotBeJudged):
        return [counted(case)]
    return []


def having(number: int, seed: int, enough: Collection[Facet]) -> list[Case]:
    """The cases of a random batch that have other written facets than these. They are not run."""
    cases = random_cases(random_batches()[number], seed, EVERYTHING)
    return [case for case in cases if any(facet[0] in WRITTEN and facet not in enough for facet in facets_of(case))]


def shorter(one: Shown) -> list[Shown]:
    """The case with one step less, where it can be judged and shows the faults that it was chosen for."""
    found = []
    for case in shorter_by_a_step(one.case):
        if chapters_of(case) and all(clauses <= _violated(name, case) for name, clauses in one.faults.items()):
            with suppress(CannotBeJudged):  # without a step that adds the column of a condition
                found.append(replace(counted(case), faults=one.faults))
    return found


def shown(
    name: str, clauses: frozenset[str], cases: Sequence[Case]
) -> tuple[frozenset[str], dict[int, frozenset[str]]]:
    """Judge cases on an engine with this fault, until each of the clauses has noticed it; one of them is enough for VACUUM.

    Returns the clauses that did not, and those that did, by the places of the cases that were needed.
    """
    missing, places = clauses, dict[int, frozenset[str]]()
    for place, case in enumerate(cases):
        if found := missing & _violated(name, case):
            places[place] = found
            missing -= found
        if not missing or (found and FAULTS[name].on in (Vacuum, InvalidVacuum)):
            return frozenset(), places
    return missing, places


def _violated(name: str, case: Case) -> frozenset[str]:
    """The clauses that the case violates on an engine with this fault."""
    return frozenset(_judge_of(name).judge(case).violated)


@cache
def _judge_of(name: str) -> Judge:
    return Judge(KnownBadEngine(ReferenceEngine(), FAULTS[name]), list(CATALOGUE.values()), scratch() / name)


# ---- the command


def pool_of(
    workers: ProcessPoolExecutor, seeds: int, campaigns: Collection[str] = ()
) -> tuple[list[Shown], list[Shown]]:
    """The regression cases, and the distinct cases with a DELETE or a VACUUM: the corpus as it is, then those of the seeds; with
    ``campaigns`` those of these only."""
    first = {name: workers.map(counted, cases) for name, cases in kept().items()}
    others = [workers.submit(drawn, n, seed) for seed in range(1, seeds + 1) for n in _numbers(campaigns)]
    regressions = list(first.pop(KEPT[0]))
    found: dict[str, Shown] = {case_id(one.case): one for cases in first.values() for one in cases}
    for number, future in enumerate(others):
        for one in future.result():
            found.setdefault(case_id(one.case), one)
        if number % 10 == 0:
            print(f"{number} of {len(others)} batches: {len(found):,} cases", flush=True)
    known = {case_id(one.case) for one in regressions}
    return regressions, [one for id, one in found.items() if id not in known and chapters_of(one.case)]


def _lacking(
    workers: ProcessPoolExecutor, corpus: Iterable[Shown], seeds: int, campaigns: Collection[str]
) -> list[Shown]:
    """Random cases that have the written facets of which the corpus has too few, several of each; with ``campaigns`` those of
    these only."""
    counts = Counter(facet for one in corpus for facet in one.facets if facet[0] in WRITTEN)
    enough = {facet for facet, count in counts.items() if count >= goal_of(facet)}
    batches = [(number, seed) for seed in range(1, seeds + 1) for number in _numbers(campaigns)]
    futures = [workers.submit(having, number, seed, enough) for number, seed in batches]
    drawn = {case_id(case): case for future in futures for case in future.result() if chapters_of(case)}
    cases = list(drawn.values())
    some = Cover([Candidate(Counter(set(facets_of(case)) - enough), seconds_of(case)) for case in cases])
    some.fill(lambda facet: 4 * goal_of(facet) if facet[0] in WRITTEN else 0)
    print(f"{len(cases):,} cases have what the corpus lacks; {len(some.chosen)} of them are judged", flush=True)
    return [one for found in workers.map(judged, [cases[place] for place in some.chosen]) for one in found]


def _numbers(campaigns: Collection[str]) -> list[int]:
    """The batches of these campaigns; of all without any."""
    return [n for n, one in enumerate(random_batches()) if not campaigns or one.campaign.name in campaigns]


def in_smoke(regressions: Iterable[Shown]) -> list[Shown]:
    """Those that smoke judges on Spark, for which it is chosen."""
    ids = {case_id(case) for case in kept_cases(without=of_others("spark"))}
    return [one for one in regressions if case_id(one.case) in ids]


#: The goals of the gate, one after the other.
_PARTS = tuple(
    partial(lambda part, facet: max(1, round(part * goal_of(facet))), part) for part in (0, 0.1, 0.25, 0.5, 1)
)


def _without_clauses(one: Shown) -> Shown:
    """A regression case may end with its known fault on the real engine, so other cases must exercise each clause."""
    return replace(one, facets={facet: count for facet, count in one.facets.items() if facet[0] != "clause"})


def distilled(workers: ProcessPoolExecutor, regressions: Sequence[Shown], pool: Sequence[Shown]) -> Chosen:
    """Choose among the cases of the pool."""
    own = [_without_clauses(one) for one in in_smoke(regressions)]
    cover = _cover(own, pool)
    cover.fill(goal_in_smoke)
    first = set(cover.chosen)
    faults, missed = _show_faults(workers, cover, [*in_smoke(regressions), *pool])
    pool = [replace(one, faults=faults.get(place, {})) for place, one in enumerate(pool, len(own))]
    dear = {
        place
        for place, one in enumerate(pool, len(own))
        if place not in first and seconds_of(one.case) > FAULT_SECONDS * len(one.faults)
    }
    cover.drop_superfluous(goal_in_smoke, keep=(faults.keys() - dear) | set(range(len(own))))
    whole = smoke = [one for place, one in enumerate(pool, len(own)) if place in cover.chosen]
    left = [one for place, one in enumerate(pool, len(own)) if place not in cover.chosen]
    others, left = [one for one in left if one.faults], [one for one in left if not one.faults]
    smoke = _shortened(workers, smoke, cover, goal_in_smoke, own)
    kept = {case_id(one.case) for one in smoke}
    left += [
        replace(one, faults={}) for one in whole if case_id(one.case) not in kept
    ]  # as they were, for the gate's goals
    smoke = _arranged(own, smoke, [goal_in_smoke])
    judged = [*regressions, *smoke]
    cover = _cover([*judged, *others], left)
    for goal in _PARTS:
        cover.fill(goal)
    taken = len(judged) + len(others)
    cover.drop_superfluous(goal_of, keep=range(taken))
    gate = [*others, *(one for place, one in enumerate(left, taken) if place in cover.chosen)]
    gate = _arranged(judged, _shortened(workers, gate, cover, goal_of, judged), _PARTS)
    return Chosen(smoke, gate, missed, sorted({name for one in others for name in one.faults}))


def extended(workers: ProcessPoolExecutor, corpus: Mapping[str, Sequence[Shown]], pool: Sequence[Shown]) -> Chosen:
    """As ``distilled``, with all cases of the ``corpus``, by the names of KEPT; of ``pool`` those that show what these do not."""
    regressions, smoke, gate = (corpus[name] for name in KEPT)
    own = [_without_clauses(one) for one in in_smoke(regressions)]
    taken, judged = [*own, *smoke], [*own, *smoke, *gate]
    faults, missed = _show_faults(workers, _cover(judged, pool), [*judged, *pool])
    of_gate = sorted({name for place in range(len(taken), len(judged)) for name in faults.get(place, {})})
    faults = {place - len(gate): some for place, some in faults.items() if place >= len(judged)}
    cover = _cover(taken, pool)
    for place in faults:
        cover.take(place)
    cover.fill(goal_in_smoke)
    cover.drop_superfluous(goal_in_smoke, keep=faults.keys() | set(range(len(taken))))
    more = [
        replace(one, faults=faults.get(place, {}))
        for place, one in enumerate(pool, len(taken))
        if place in cover.chosen
    ]
    smoke = _arranged(own, [*smoke, *_shortened(workers, more, cover, goal_in_smoke, taken)], [goal_in_smoke])
    first = [*regressions, *smoke]
    cover = _cover([*first, *gate], pool)
    cover.fill(lambda facet: goal_of(facet) if facet[0] in ADDED else 0)
    others = [one for place, one in enumerate(pool, len(first) + len(gate)) if place in cover.chosen]
    return Chosen(smoke, _arranged(first, [*gate, *others], _PARTS), missed, of_gate)


#: The kinds of facets for which the gate gets cases that are added.
ADDED = ("clause", "operations", "pair of commands", "crash", *WRITTEN)


def _cover(taken: Sequence[Shown], others: Sequence[Shown]) -> Cover[Facet]:
    """A cover that has chosen the first."""
    cover = Cover([Candidate(one.facets, seconds_of(one.case)) for one in (*taken, *others)])
    for place in range(len(taken)):
        cover.take(place)
    return cover


def _arranged(taken: Sequence[Shown], cases: Sequence[Shown], goals: Iterable[Callable[[Facet], int]]) -> list[Shown]:
    """The cases, those that show most after ``taken`` first."""
    cover = _cover(taken, cases)
    for goal in goals:
        cover.fill(goal)
    order = [place - len(taken) for place in cover.chosen[len(taken) :]]
    return [cases[place] for place in dict.fromkeys([*order, *range(len(cases))])]


def _shortened(
    workers: ProcessPoolExecutor,
    cases: Sequence[Shown],
    cover: Cover[Facet],
    goal: Callable[[Facet], int],
    others: Sequence[Shown],
) -> list[Shown]:
    """The cases without the steps that are not needed beside ``others``, where all that the cover has chosen are these."""
    before = sum(len(one.case.steps) for one in cases)
    found = shortened(
        cases,
        others=[one.case for one in others],
        shown=cover.shown,
        goal=goal,
        shorter=lambda some: workers.map(shorter, some),
    )
    print(f"{before - sum(len(one.case.steps) for one in found)} of {before} steps left out", flush=True)
    return found


def _show_faults(
    workers: ProcessPoolExecutor, cover: Cover[Facet], pool: Sequence[Shown]
) -> tuple[dict[int, dict[str, frozenset[str]]], dict[str, frozenset[str]]]:
    """Choose cases for the faults that are not shown yet.

    Returns the faults that each needed case shows, by its place, and those that no case shows; each with the clauses that notice
    it, or should.
    """
    by_place: dict[int, dict[str, frozenset[str]]] = {}
    missed: dict[str, frozenset[str]] = {}
    asked = {fault.name: frozenset(fault.caught_by) for fault in _applicable()}
    first = {name: _relevant(name, clauses, cover.chosen, pool) for name, clauses in asked.items()}
    futures = {
        name: workers.submit(shown, name, asked[name], [pool[place].case for place in places])
        for name, places in first.items()
    }
    for name, future in futures.items():
        missing, found = future.result()
        needed = {first[name][number]: clauses for number, clauses in found.items()}
        if missing:  # one after the other: a case that is chosen for one fault often shows the next
            others = sorted(set(range(len(pool))) - set(cover.chosen), key=lambda place: seconds_of(pool[place].case))
            places = [*_relevant(name, missing, cover.chosen, pool), *_relevant(name, missing, others, pool)]
            missing, found = workers.submit(shown, name, missing, [pool[place].case for place in places]).result()
            needed |= {places[number]: clauses for number, clauses in found.items()}
        for place, clauses in needed.items():
            by_place.setdefault(place, {})[name] = clauses
            if place not in cover.chosen:
                cover.take(place)
        if missing:
            missed[name] = missing
    return by_place, missed


def _applicable() -> list[Fault]:
    """The faults that a clause of the reference engine notices."""
    promised = CATALOGUE.keys() - unsupported(ReferenceEngine()).keys()
    return [fault for fault in FAULTS.values() if promised.issuperset(fault.caught_by)]


def _relevant(name: str, clauses: Collection[str], places: Iterable[int], pool: Sequence[Shown]) -> list[int]:
    """Those places whose cases exercise one of the clauses. What is refused in vain beside another is refused by the fault alone:
    for such a fault all cases in which two commands run at once."""
    if FAULTS[name].on is AtOnce:
        return [place for place in places if any(isinstance(step, AtOnce) for step in pool[place].case.steps)]
    return [place for place in places if any(("clause", id) in pool[place].facets for id in clauses)]


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.distillation",
        __doc__,
        arguments,
        option("--seeds", "N", "of some 6,000 random cases each (default: 4); 0: no others", NATURAL, default="4"),
        option(
            "--lacking",
            "",
            "keep the corpus, and add random cases with names, forms and texts of which it has too few",
            default=False,
        ),
        OF,
        number_of_processes(os.cpu_count() or 1),
    )
    with processes(options.n) as workers:
        if options.lacking:
            corpus = {name: list(workers.map(counted, cases)) for name, cases in kept().items()}
            known = [one for cases in corpus.values() for one in cases]
            regressions, pool = corpus[KEPT[0]], _lacking(workers, known, options.seeds, options.of)
            chosen = extended(workers, corpus, pool)
            considered = len(known) - len(regressions)
        else:
            regressions, pool = pool_of(workers, options.seeds, options.of)
            chosen = distilled(workers, regressions, pool)
            considered = 0
    write_corpus("smoke", [one.case for one in chosen.smoke])
    write_corpus("gate", [one.case for one in chosen.gate])
    considered += len(regressions) + len(pool)
    faults = len(_applicable()) - len(chosen.missed)
    page = markdown(corpus_page(in_smoke(regressions), regressions, chosen, considered=considered, faults=faults))
    (FOLDER / "README.md").write_text(page, encoding="utf-8")
    print(page)
    for name, clauses in chosen.missed.items():
        print(f"no case shows {name} by {', '.join(sorted(clauses))}")
    return 1 if chosen.missed else 0


if __name__ == "__main__":
    ended(main)
