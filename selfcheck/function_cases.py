"""``python -m selfcheck.function_cases``: chooses the cases of ``corpus/functions.jsonl`` for the functions of one engine, and
for the keywords and signs of its conditions.

Random cases are judged on the engine itself, since only it knows the functions. Of those that break nothing unknown, the next is
always the one with the most functions, keywords and signs of which no case so far has an answer that was TRUE for some rows and
not for others; where none is left, any answer counts. The cases of other languages stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from engines.port import Outcome
from engines.wrapped import WrappedEngine
from harness.campaigns.corpus import corpus_cases, write_corpus
from model.vocabulary.case import Case
from model.vocabulary.predicate import Language, Verbatim, verbatim_tests
from model.vocabulary.steps import Ask, Delete, Request
from runner.command_line.commands import Parser, ended, whole
from selfcheck.engine_pool import ENGINES, hosted, worker, workers
from selfcheck.random_cases import random_batches, random_cases
from strategies.conditions.signatures import functions_in, signatures_of

#: The file of ``corpus/``.
NAME = "functions"


@dataclass(frozen=True)
class Answers:
    """A case, and the functions, keywords and signs in tests of which the engine has answered."""

    case: Case
    telling: frozenset[str]  # TRUE for some rows, and not for others
    any: frozenset[str]


class Listening(WrappedEngine):
    """Notes the functions, keywords and signs of which the engine answers."""

    telling: frozenset[str] = frozenset()
    any: frozenset[str] = frozenset()

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, Ask) and outcome.error is None and outcome.rows:
            for test, truths in zip(step.tests, step.truths(outcome.rows)):
                found = functions_in(test) | written_in(test)
                self.any |= found
                if {True} < set(truths):
                    self.telling |= found
        return outcome


def written_in(test: Verbatim) -> frozenset[str]:
    """The keywords and the signs of a text, without what is quoted."""
    return frozenset(re.findall(r"\b[A-Z][A-Z_]+\b|[^\w\s(),.]+", re.sub(_QUOTED, "", test.text)))


#: A name or a text.
_QUOTED = r"""`[^`]*`|"[^"]*"|'(?:[^'\\]|\\.)*'"""


def answers(language: Language, batch: int, seed: int) -> list[Answers]:
    """The cases of a batch that end without an unknown violation, and without a step that could not be judged."""
    here = worker()
    own = [one for one in random_batches() if one.campaign.language is language]
    found = []
    for case in random_cases(own[batch % len(own)], seed, here.engine.capabilities):
        engine = Listening(here.engine)
        judged = here.judge(engine).judge(case)
        if judged.failure is None and not judged.failed and len(judged.steps) == len(case.steps):
            found.append(Answers(case, engine.telling, engine.any))
    return found


def language_of(case: Case) -> Language | None:
    """The language of a case's verbatim tests."""
    wheres = (step.where for step in case.steps if isinstance(step, Delete))
    return next((test.language for where in wheres for test in verbatim_tests(where)), None)


def chosen(known: Iterable[Answers]) -> list[Answers]:
    """Those that together answer for all functions, each of the telling ones first."""
    left, found = list(known), []
    telling, some = set[str](), set[str]()

    def gain(one: Answers) -> tuple[float, float]:
        steps = len(one.case.steps)
        return len(one.telling - telling) / steps, len(one.any - some) / steps

    while left:
        best = max(left, key=gain)
        if gain(best) == (0, 0):
            break
        left.remove(best)
        telling |= best.telling
        some |= best.any
        found.append(best)
    return found


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m selfcheck.function_cases", description=__doc__)
    parser.add_argument("--engine", required=True, metavar="NAME", help=", ".join(ENGINES))
    parser.add_argument("--batches", type=whole, default=20, metavar="N", help="of 25 random cases each (default: 20)")
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help="the first seed (default: 1)")
    parser.add_argument("-n", type=whole, default=2, metavar="N", help="processes (default: 2)")
    options = parser.parse_args(arguments)
    language = Language.DATAFUSION if options.engine == "deltalake" else Language.SPARK
    with hosted(options.engine) as host, workers(host, options.n) as pool:
        numbers = islice(count(), options.batches)
        pending = [pool.submit(answers, language, number, options.seed + number) for number in numbers]
        known = [one for future in pending for one in future.result()]
    best = chosen(known)
    others = [case for case in corpus_cases(NAME) if language_of(case) is not language]
    write_corpus(NAME, [*others, *(one.case for one in best)])
    telling = frozenset[str]().union(*(one.telling for one in best))
    some = frozenset[str]().union(*(one.any for one in best))
    names = {one.name for one in signatures_of(language)}
    print(
        f"{len(best)} of {len(known)} cases: of {len(names)} functions, {len(telling & names)} tell rows apart, "
        f"{len(some & names)} are answered; of {len(some - names)} keywords and signs, {len(telling - names)} tell rows apart."
    )
    return 0


if __name__ == "__main__":
    ended(main)
