"""``python -m selfcheck.turn_cases``: choose the cases of ``corpus/together.jsonl``, which two engines run in turn.

They are chosen out of the regression cases, smoke's and the gate's, by what they show in turns on two healthy reference
engines: once as two releases of Delta, once restricted to what Delta and delta-rs both support. Those with which real engines
or known-bad ones showed something come first. Then the next case is always the one that gains most per second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from engines.deltalake.capabilities import NEWEST
from engines.spark.releases import capabilities_of, rules_of
from harness.campaigns.corpus import corpus_cases, write_corpus
from harness.campaigns.costs import seconds_of
from harness.campaigns.features import PAIRED, features_of
from harness.campaigns.regressions import kept_cases
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.turns.questions import with_questions
from harness.turns.turn_judge import PATTERNS, TurnJudge
from harness.turns.turn_run import step_of
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.operations import operation_of
from model.vocabulary.predicate import Compare
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Delete, Read, ReadChanges
from model.vocabulary.values import type_name
from records.run import RecordedStep
from reference_engine import ReferenceEngine
from runner.command_line.commands import ended
from selfcheck.corpus.cover import Candidate, Cover
from selfcheck.corpus.facets import Facet
from selfcheck.options import asked, number_of_processes
from selfcheck.processes import processes, scratch
from strategies.restriction.capabilities import can_be_judged, restricted_to
from suites.catalogue import promised
from tombstone.commands import option
from tombstone.values import POSITIVE

#: The newest release of Delta, which both pairs have.
DELTA = "4.4.0"

#: Where the names of the second engine's files begin.
SECOND = 50_000

#: Cases that must stay, by their ids, each with what it showed on real engines (docs/together.md).
SHOWN: Mapping[str, str] = {
    "5cf35b86db23": "a property of a table with features: older releases of delta-rs refuse the table",
    "50fe18cd8156": "a remove that is not spelled as its add: Delta reads the rows that delta-rs deleted",
    "b5937cf56dc7": "bounds of a wide DECIMAL by delta-rs: a DELETE of Delta misses the row",
    "11282611f10b": "bounds of an old TIMESTAMP by Delta 3.3.2: a DELETE of Delta 4.4.0 misses the row",
    "ed05db2ed3ea": "a partition of U+FFFF: Delta reads the rows that delta-rs deleted",
}


def _side(engine: ReferenceEngine, name: str) -> Side:
    return Side(engine, promised(engine), Excuses(), name)


@cache
def _judges() -> Mapping[str, TurnJudge]:
    """The healthy engines in turn, by the pair's name."""
    root = scratch()
    delta = partial(ReferenceEngine, capabilities=capabilities_of(DELTA), version=DELTA)
    rules = rules_of(DELTA)
    on_the_clock = delta(rules=replace(rules, own_clock=False))  # delta-rs has no clock that can be set
    delta_rs = ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST, version=DELTA, first=SECOND)
    return {
        "Delta": TurnJudge(
            _side(delta(rules=rules), "A"), _side(delta(rules=rules, first=SECOND), "B"), root / "delta"
        ),
        "Delta and delta-rs": TurnJudge(_side(on_the_clock, "A"), _side(delta_rs, "B"), root / "delta-rs"),
    }


def shown(case: Case) -> Counter[Facet]:
    """What the case shows in turns, each facet as often as a pair and an order show it."""
    found: Counter[Facet] = Counter()
    for pair, judge in _judges().items():
        a, b = (side.engine.capabilities for side in judge.sides)
        if not can_be_judged(case, capabilities=a.shared(b)):
            continue
        restricted = with_questions(restricted_to(case, capabilities=a.shared(b)))
        judged = judge.judge(restricted)
        if judged.failure is not None or judged.violated:
            raise AssertionError(f"{case_id(restricted)} on {pair}: {judged.failure or judged.violated}")
        features = [one for one in features_of(restricted.table) if one in PAIRED] or ["no feature"]
        for pattern in PATTERNS:
            taken = [one for one in judged.steps if one.pattern == pattern]
            found.update((f"{kind} on {pair}", name) for kind, name in _facets(restricted, taken, features))
    return found


def _facets(case: Case, taken: Sequence[RecordedStep], features: Sequence[str]) -> Iterator[Facet]:
    """What each step meets of the other engine's: its latest change, the table's features, the type of a DELETE's value."""
    last: dict[str, str] = {}  # by side, its latest change
    for one in taken:
        step, refused = step_of(case, one), one.outcome.error is not None
        operation = operation_of(step).value
        (other,) = {"A", "B"} - {one.side}
        if other in last and not refused:
            yield "operation after the other's", f"{operation} after {last[other]}"
            for feature in features:
                yield "operation on the other's table", f"{operation} after {last[other]}, {feature}"
            where = step.where if isinstance(step, Delete) else None
            if isinstance(where, Compare):
                yield "type of a DELETE after the other's", f"{type_name(where.type)} after {last[other]}"
        if not isinstance(step, (Read, ReadChanges)) and not refused:
            last[one.side] = operation


def chosen(pool: Mapping[str, Case], found: Sequence[Counter[Facet]], number: int) -> list[Case]:
    """So many cases: those of SHOWN, then those that gain most per second."""
    cases = list(pool.values())
    cover = Cover([Candidate(facets, seconds_of(case)) for case, facets in zip(cases, found, strict=True)])
    places = {id: place for place, id in enumerate(pool)}
    for id in SHOWN:
        cover.take(places[id])
    cover.fill(lambda facet: 1)
    return [cases[place] for place in cover.chosen[:number]]


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.turn_cases",
        __doc__,
        arguments,
        option("--cases", "N", "how many (default: 60)", POSITIVE, default="60"),
        number_of_processes(),
    )
    pool = {case_id(case): case for case in (*kept_cases(), *corpus_cases("smoke"), *corpus_cases("gate"))}
    with processes(options.n) as workers:
        found = list(workers.map(shown, pool.values(), chunksize=8))
    taken = chosen(pool, found, options.cases)
    write_corpus("together", taken)
    ids = {case_id(case) for case in taken}
    whole_, mine = set().union(*found), set().union(*(one for id, one in zip(pool, found, strict=True) if id in ids))
    kinds = Counter(kind for kind, _ in whole_)
    print(
        f"{len(taken)} of {len(pool)} cases, some {sum(map(seconds_of, taken)):.0f} s for each order on a warm Spark."
    )
    for kind, number in kinds.items():
        print(f"- {kind}: {sum(one[0] == kind for one in mine)} of {number}")
    return 0


if __name__ == "__main__":
    ended(main)
