"""``python -m selfcheck.distillation``: choose the cases of ``corpus/`` anew, out of many thousands that are drawn.

The cases of the corpus and of ``regressions/`` are judged again, and the random cases of the given seeds, on the reference
engine. Of all these, the smoke profile gets the fewest seconds of cases that show each clause three times, each reason of a
path's fate, each form and outcome once, and each known-bad engine; the gate those that show every facet as often as its goal says
(``selfcheck.facets``). ``corpus/README.md`` says what they show. Exits with 0 if every known-bad engine is shown, else with 1.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.corpus import FOLDER, corpus_cases, write_corpus
from harness.costs import seconds_of
from harness.judge import Judge
from harness.regressions import kept_cases
from model.capabilities import EVERYTHING
from model.case import Case
from model.codec import case_id
from model.steps import InvalidVacuum, Vacuum
from runner.commands import Parser, ended, natural, whole
from runner.deviations import deviations_in
from selfcheck.corpus_page import Shown, corpus_page
from selfcheck.cover import Candidate, Cover
from selfcheck.facets import Facet, FacetCounter, goal_in_smoke, goal_of
from selfcheck.faults import FAULTS, Fault, KnownBadEngine
from selfcheck.random_cases import random_cases, random_shards
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import chapters_of
from suites.catalogue import CATALOGUE, unsupported

ROOT = Path(__file__).resolve().parent.parent

#: What every run can judge, by name: the regression cases, and the files of the corpus.
KEPT = ("regressions", "smoke", "gate")

# ---- in a worker process


@cache
def _counter() -> FacetCounter:
    promised = [clause for id, clause in CATALOGUE.items() if id not in unsupported(ReferenceEngine())]
    known: dict[str, frozenset[str]] = {}
    for deviation in deviations_in(ROOT / "deviations" / "spark.toml"):
        if deviation.when is not None:
            known[deviation.clause] = known.get(deviation.clause, frozenset()) | {deviation.when}
    return FacetCounter(promised, known, _directory())


@cache
def _directory() -> Path:
    directory = TemporaryDirectory()
    _KEPT.append(directory)
    return Path(directory.name)


_KEPT: list[TemporaryDirectory[str]] = []  # until the process ends


def counted(named: tuple[str, Case]) -> Shown:
    """A case of the campaign of this name."""
    campaign, case = named
    return Shown(case, _counter().facets(case, campaign))


def kept(name: str) -> list[Shown]:
    """The cases of one of KEPT."""
    cases = kept_cases() if name == KEPT[0] else corpus_cases(name)
    return [counted((name, case)) for case in cases]


def drawn(number: int, seed: int) -> list[Shown]:
    """The cases of a random shard."""
    shard = random_shards()[number]
    return [counted((shard.campaign.name, case)) for case in random_cases(shard, seed, EVERYTHING)]


def shown(name: str, cases: Sequence[Case]) -> tuple[frozenset[str], tuple[int, ...]]:
    """Judge cases on an engine with this fault, until each clause that must notice it has; one of them is enough for VACUUM.

    Returns the clauses that did not, and the places of the cases that were needed.
    """
    fault = FAULTS[name]
    judge = Judge(KnownBadEngine(ReferenceEngine(), fault), list(CATALOGUE.values()), _directory() / name)
    missing, places = set(fault.caught_by), []
    for place, case in enumerate(cases):
        noticed = missing & set(judge.judge(case).violated)
        if noticed:
            places.append(place)
            missing -= noticed
        if not missing or (noticed and fault.on in (Vacuum, InvalidVacuum)):
            return frozenset(), tuple(places)
    return frozenset(missing), tuple(places)


# ---- the command


def pool_of(workers: ProcessPoolExecutor, seeds: int) -> tuple[list[Shown], list[Shown]]:
    """The regression cases, and the distinct cases with a DELETE or a VACUUM: the corpus as it is, then those of the seeds."""
    first = [workers.submit(kept, name) for name in KEPT]
    others = [workers.submit(drawn, n, seed) for seed in range(1, seeds + 1) for n in range(len(random_shards()))]
    regressions = first[0].result()
    found: dict[str, Shown] = {}
    for number, future in enumerate((*first[1:], *others)):
        for one in future.result():
            found.setdefault(case_id(one.case), one)
        if number % 50 == 0:
            print(f"{len(found):,} cases", flush=True)
    known = {case_id(one.case) for one in regressions}
    return regressions, [one for id, one in found.items() if id not in known and chapters_of(one.case)]


def distilled(
    workers: ProcessPoolExecutor, regressions: Sequence[Shown], pool: Sequence[Shown]
) -> tuple[list[Shown], list[Shown], dict[str, frozenset[str]]]:
    """The cases of smoke, those that the gate has besides, and the faults that no case shows, with the clauses that should."""
    everything = [*regressions, *pool]
    cover = Cover([Candidate(one.facets, seconds_of(one.case)) for one in everything])
    for place in range(len(regressions)):
        cover.take(place)
    cover.fill(goal_in_smoke)
    missed = _show_faults(workers, cover, everything)
    smoke = [everything[place] for place in cover.chosen[len(regressions) :]]
    for part in (0, 0.1, 0.25, 0.5, 1):
        cover.fill(partial(_part_of_goal, part))
    cover.drop_superfluous(goal_of, first=len(regressions) + len(smoke))
    gate = [everything[place] for place in cover.chosen[len(regressions) + len(smoke) :]]
    return smoke, gate, missed


def _part_of_goal(part: float, facet: Facet) -> int:
    return max(1, round(part * goal_of(facet)))


def _show_faults(workers: ProcessPoolExecutor, cover: Cover[Facet], pool: Sequence[Shown]) -> dict[str, frozenset[str]]:
    """Choose cases for the faults that are not shown yet; return those that no case shows, with the clauses that should."""
    faults = _applicable()
    first = {fault.name: _relevant(fault.caught_by, cover.chosen, pool) for fault in faults}
    futures = {name: workers.submit(shown, name, [pool[place].case for place in first[name]]) for name in first}
    missed = {name: missing for name, future in futures.items() if (missing := future.result()[0])}
    lost: dict[str, frozenset[str]] = {}
    # One after the other: a case that is chosen for one fault often shows the next.
    for name, clauses in missed.items():
        others = sorted(set(range(len(pool))) - set(cover.chosen), key=lambda place: seconds_of(pool[place].case))
        places = [*_relevant(clauses, cover.chosen, pool), *_relevant(clauses, others, pool)]
        missing, needed = workers.submit(shown, name, [pool[place].case for place in places]).result()
        for place in needed:
            if places[place] not in cover.chosen:
                cover.take(places[place])
        if missing:
            lost[name] = missing
    return lost


def _applicable() -> list[Fault]:
    """The faults that a clause of the reference engine notices."""
    promised = CATALOGUE.keys() - unsupported(ReferenceEngine()).keys()
    return [fault for fault in FAULTS.values() if promised.issuperset(fault.caught_by)]


def _relevant(clauses: Collection[str], places: Iterable[int], pool: Sequence[Shown]) -> list[int]:
    """Those places whose cases exercise one of the clauses."""
    return [place for place in places if any(("clause", id) in pool[place].facets for id in clauses)]


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m selfcheck.distillation", description=__doc__)
    parser.add_argument(
        "--seeds",
        type=natural,
        default=4,
        metavar="N",
        help="of some 6,000 random cases each (default: 4); 0: no others",
    )
    parser.add_argument("-n", type=whole, default=os.cpu_count() or 1, metavar="N", help="processes (default: all)")
    options = parser.parse_args(arguments)
    with ProcessPoolExecutor(options.n, mp_context=get_context("spawn")) as workers:
        regressions, pool = pool_of(workers, options.seeds)
        smoke, gate, missed = distilled(workers, regressions, pool)
    write_corpus("smoke", [one.case for one in smoke])
    write_corpus("gate", [one.case for one in gate])
    considered, faults = len(regressions) + len(pool), len(_applicable()) - len(missed)
    page = corpus_page(regressions, smoke, gate, considered=considered, faults=faults)
    (FOLDER / "README.md").write_text(page, encoding="utf-8")
    print(page)
    for name, clauses in missed.items():
        print(f"no case shows {name} by {', '.join(sorted(clauses))}")
    return 1 if missed else 0


if __name__ == "__main__":
    ended(main)
