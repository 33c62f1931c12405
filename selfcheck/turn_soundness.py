"""``python -m selfcheck.turn_soundness [--cases N] [--seed N]``: random cases on pairs of healthy engines in turn.

Each pair of reference engines draws its own cases, for what both support: half as many of each kind when N is half. A violation
or a failure is a false alarm: its case is written to ``build/turn-soundness``. Exit 0: there was none; 1: there was one; 2:
nothing was judged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import count
from pathlib import Path

from engines.deltalake.capabilities import capabilities_of as of_delta_rs
from engines.spark.releases import capabilities_of as of_spark
from engines.spark.releases import rules_of
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.turns.questions import with_questions
from harness.turns.turn_judge import TurnJudge
from model.codec import case_id, to_json
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS
from reference_engine import ReferenceEngine
from reports.text.quantities import counted
from runner.command_line.commands import ended
from selfcheck.options import asked, number_of_processes
from selfcheck.processes import processes, scratch
from selfcheck.random_cases import random_batches, random_cases
from selfcheck.turn_cases import SECOND
from suites.catalogue import promised
from tombstone.commands import option
from tombstone.values import POSITIVE, WHOLE

DIRECTORY = Path("build/turn-soundness")

Make = Callable[[bool, int], ReferenceEngine]


def delta(version: str) -> Make:
    """A healthy Delta by the rules of a release. It takes whether its clock can be set, and where its files' names begin."""
    return lambda own_clock, first: ReferenceEngine(
        rules=replace(rules_of(version), own_clock=own_clock),
        capabilities=of_spark(version),
        version=version,
        first=first,
    )


def delta_rs(version: str) -> Make:
    return lambda _, first: ReferenceEngine(
        rules=DELTA_RS, capabilities=of_delta_rs(version), version="4.4.0", first=first
    )


#: Two healthy engines each. delta-rs has no clock that can be set, so beside it Delta's is the machine's too.
PAIRS: Mapping[str, tuple[Make, Make]] = {
    "Delta 3.3.2 and 4.4.0": (delta("3.3.2"), delta("4.4.0")),
    "Delta 4.0.1 and 4.4.0": (delta("4.0.1"), delta("4.4.0")),
    "Delta 4.4.0 and deltalake 1.6.6": (delta("4.4.0"), delta_rs("1.6.6")),
    "deltalake 1.5.1 and 1.6.6": (delta_rs("1.5.1"), delta_rs("1.6.6")),
}


@dataclass(frozen=True)
class FalseAlarm:
    """``what``: the violation or failure, in a line."""

    case: Case
    what: str


@dataclass(frozen=True)
class TurnBatch:
    """What a batch of random cases showed on a pair: ``steps`` of engines, in both orders."""

    pair: str
    cases: int
    steps: int
    alarms: tuple[FalseAlarm, ...]


@cache
def _judge(pair: str) -> TurnJudge:
    own_clock = "deltalake" not in pair
    engines = (make(own_clock, first) for make, first in zip(PAIRS[pair], (0, SECOND), strict=True))
    a, b = (Side(engine, promised(engine), Excuses(), name) for engine, name in zip(engines, "AB", strict=True))
    return TurnJudge(a, b, scratch() / pair)


def judged(pair: str, seed: int, number: int) -> TurnBatch:
    """The cases of a batch, by its place among those of a seed."""
    judge = _judge(pair)
    a, b = (side.engine.capabilities for side in judge.sides)
    cases = random_cases(random_batches()[number], seed, a.shared(b))
    found = [judge.judge(with_questions(case)) for case in cases]
    alarms = []
    for one in found:
        told = [f"{of.cause}: {of.clause}: {of.message}" for id in one.violated for of in one.tallies[id].violations]
        told += [] if one.failure is None else [str(one.failure)]
        alarms += [FalseAlarm(one.case, what) for what in told[:1]]
    return TurnBatch(pair, len(cases), sum(len(one.steps) for one in found), tuple(alarms))


def _rounds(seed: int) -> Iterator[tuple[int, int]]:
    """Seeds and batches, in which each campaign has its turn."""
    number = len(random_batches())
    return ((one, place) for one in count(seed) for place in range(number))


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.turn_soundness",
        __doc__,
        arguments,
        option("--cases", "N", "at least so many on each pair (default: 500)", POSITIVE, default="500"),
        option("--seed", "N", "the first seed (default: 0)", WHOLE, default="0"),
        number_of_processes(),
    )
    alarms: list[tuple[str, FalseAlarm]] = []
    total = 0
    with processes(options.n) as workers:
        for pair in PAIRS:
            cases: Counter[str] = Counter()
            rounds = _rounds(options.seed)
            while cases["judged"] < options.cases:
                some = [next(rounds) for _ in range(2 * options.n)]
                for batch in workers.map(partial(_judged, pair), some):
                    cases += Counter(judged=batch.cases, steps=batch.steps)
                    alarms += [(pair, one) for one in batch.alarms]
            print(
                f"{pair}: {counted(cases['judged'], 'case')} in both orders, {counted(cases['steps'], 'step')}, "
                f"{counted(sum(name == pair for name, _ in alarms), 'false alarm')}",
                flush=True,
            )
            total += cases["judged"]
    for pair, alarm in alarms:
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        file = DIRECTORY / f"{case_id(alarm.case)}.json"
        file.write_text(json.dumps(to_json(alarm.case), indent=1) + "\n", encoding="utf-8")
        print(f"{pair}: {alarm.what} ({file})")
    return 1 if alarms else 0 if total else 2


def _judged(pair: str, one: tuple[int, int]) -> TurnBatch:
    return judged(pair, *one)


if __name__ == "__main__":
    ended(main)
