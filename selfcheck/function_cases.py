"""``python -m selfcheck.function_cases``: chooses the cases of ``corpus/functions.jsonl`` for the functions of one engine, and
for the keywords and signs of its conditions.

The cases of the file, and random ones, are judged on the engine itself, since only it knows the functions. Of the DELETEs of
those that break nothing unknown, the next is always the one with the most functions, keywords and signs of which none so far has
an answer that was TRUE for some rows and not for others; where none is left, any answer counts. A case keeps the DELETEs that
were chosen, and no other step. The cases of other languages stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engines.port import Engine, Outcome
from engines.wrapped import WrappedEngine
from harness.campaigns.corpus import corpus_cases, write_corpus
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.predicate import Language, Verbatim, verbatim_tests
from model.vocabulary.steps import Ask, Delete, Request
from runner.command_line.commands import ended
from selfcheck.corpus.cover import Candidate, Cover
from selfcheck.corpus.facets import Facet
from selfcheck.engine_pool import ENGINES, hosted, worker, workers
from selfcheck.options import SEED, asked, number_of_processes
from selfcheck.random_cases import BATCH, random_batches, random_cases
from strategies.conditions.signatures import functions_in, signatures_of
from tombstone.commands import option
from tombstone.values import NATURAL

#: The file of ``corpus/``.
NAME = "functions"


@dataclass(frozen=True)
class Answers:
    """A DELETE of a case, and the functions, keywords and signs in its tests of which the engine has answered."""

    case: Case
    step: int  # its index
    telling: frozenset[str]  # TRUE for some rows, and not for others
    any: frozenset[str]


class Listening(WrappedEngine):
    """Notes the functions, keywords and signs of which the engine answers, DELETE by DELETE."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.telling: list[frozenset[str]] = []
        self.any: list[frozenset[str]] = []

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, Ask):
            answered = outcome.error is None and outcome.rows
            truths = zip(step.tests, step.truths(outcome.rows)) if answered else ()
            found = [(functions_in(test) | written_in(test), {True} < set(seen)) for test, seen in truths]
            self.any.append(frozenset[str]().union(*(names for names, _ in found)))
            self.telling.append(frozenset[str]().union(*(names for names, tells in found if tells)))
        return outcome


def written_in(test: Verbatim) -> frozenset[str]:
    """The keywords and the signs of a text, without what is quoted."""
    return frozenset(re.findall(r"\b[A-Z][A-Z_]+\b|[^\w\s(),.]+", re.sub(_QUOTED, "", test.text)))


#: A name or a text.
_QUOTED = r"""`[^`]*`|"[^"]*"|'(?:[^'\\]|\\.)*'"""


def answers(language: Language, batch: int, seed: int) -> list[Answers]:
    """Of a random batch, as ``of_cases``."""
    own = [one for one in random_batches() if one.campaign.language is language]
    return of_cases(random_cases(own[batch % len(own)], seed, worker().engine.capabilities))


def of_cases(cases: Iterable[Case]) -> list[Answers]:
    """Of the cases that end without an unknown violation, and without a step that could not be judged."""
    here, found = worker(), list[Answers]()
    for case in cases:
        engine = Listening(here.engine)
        judged = here.judge(engine).judge(case)
        if judged.failure is None and not judged.failed and len(judged.steps) == len(case.steps):
            asked = [n for n, step in enumerate(case.steps) if isinstance(step, Delete) and verbatim_tests(step.where)]
            found += map(Answers, [case] * len(asked), asked, engine.telling, engine.any)
    return found


def language_of(case: Case) -> Language | None:
    """The language of a case's verbatim tests."""
    wheres = (step.where for step in case.steps if isinstance(step, Delete))
    return next((test.language for where in wheres for test in verbatim_tests(where)), None)


def chosen(known: Iterable[Answers]) -> list[Answers]:
    """Those that together answer for all functions, each of the telling ones first."""
    answers = list(known)
    cover = Cover([Candidate(dict.fromkeys(_facets(one), 1), seconds=1) for one in answers])
    cover.fill(lambda facet: facet[0] == "telling")
    cover.fill(lambda facet: 1)
    return [answers[place] for place in cover.chosen]


def _facets(one: Answers) -> Iterator[Facet]:
    for kind, names in (("telling", one.telling), ("any", one.any)):
        yield from ((kind, name) for name in sorted(names))


def cases_with(chosen: Iterable[Answers]) -> list[Case]:
    """The cases with the DELETEs that were chosen alone."""
    steps: dict[str, tuple[Case, list[int]]] = {}
    for one in chosen:
        steps.setdefault(case_id(one.case), (one.case, []))[1].append(one.step)
    return [replace(case, steps=tuple(case.steps[n] for n in sorted(places))) for case, places in steps.values()]


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.function_cases",
        __doc__,
        arguments,
        option("--batches", "N", "of 25 random cases each (default: 20)", NATURAL, default="20"),
        option("--engine", "NAME", f"spark (default), {', '.join(ENGINES)}", default="spark"),
        SEED,
        number_of_processes(),
    )
    language = Language.DATAFUSION if options.engine == "deltalake" else Language.SPARK
    kept = [case for case in corpus_cases(NAME) if language_of(case) is language]
    with hosted(options.engine) as host, workers(host, options.n) as pool:
        pending = [pool.submit(of_cases, kept[start : start + BATCH]) for start in range(0, len(kept), BATCH)]
        numbers = range(options.batches)
        pending += [pool.submit(answers, language, number, options.seed + number) for number in numbers]
        known = [one for future in pending for one in future.result()]
    best = chosen(known)
    others = [case for case in corpus_cases(NAME) if language_of(case) is not language]
    write_corpus(NAME, [*others, *cases_with(best)])
    telling = frozenset[str]().union(*(one.telling for one in best))
    some = frozenset[str]().union(*(one.any for one in best))
    names = {one.name for one in signatures_of(language)}
    print(
        f"{len(best)} of {len(known)} DELETEs: of {len(names)} functions, {len(telling & names)} tell rows apart, "
        f"{len(some & names)} are answered; of {len(some - names)} keywords and signs, {len(telling - names)} tell rows apart."
    )
    return 0


if __name__ == "__main__":
    ended(main)
