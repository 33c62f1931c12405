"""``python -m selfcheck.proposals REPORT``: the cases of a random run that show what no case of the corpus shows.

REPORT is the report directory of a nightly or soak run. With ``--add``, they are appended to ``corpus/gate.jsonl``. Exits with 0.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from harness.campaigns.corpus import corpus_cases, write_corpus
from harness.campaigns.costs import seconds_of
from model.codec import case_id
from model.vocabulary.case import Case
from reports.stream.reading import read_run
from runner.command_line.commands import ended
from selfcheck.corpus.cover import Candidate, Cover
from selfcheck.corpus.facets import Facet
from selfcheck.corpus.page import Shown
from selfcheck.distillation import counted, kept
from selfcheck.options import asked, number_of_processes
from selfcheck.processes import processes
from tombstone.commands import Word, option


@dataclass(frozen=True)
class Proposal:
    """A case of a run, and the facets that neither the corpus nor a proposal before it shows."""

    case: Case
    facets: tuple[Facet, ...]


def proposals(corpus: Iterable[Mapping[Facet, int]], run: Sequence[Shown]) -> list[Proposal]:
    """The cases of ``run`` that together show every facet which no case of the corpus shows, those that show most first."""
    shown = {facet for facets in corpus for facet in facets}
    new = [{facet: count for facet, count in one.facets.items() if facet not in shown} for one in run]
    cover = Cover([Candidate(facets, seconds_of(one.case)) for one, facets in zip(run, new)])
    cover.fill(lambda facet: 1)
    found = []
    for place in cover.chosen:
        found.append(Proposal(run[place].case, tuple(sorted(new[place].keys() - shown))))
        shown |= new[place].keys()
    return found


def cases_of(report: Path) -> list[Case]:
    """The drawn cases of a run, each once. Raises UsageMistake."""
    drawn = {one.id: one.case for one in read_run(report).cases if one.origin == "generated"}
    return list(drawn.values())


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.proposals",
        __doc__,
        arguments,
        option("--add", "", "append the cases to corpus/gate.jsonl"),
        number_of_processes(os.cpu_count() or 1),
        words=(Word("REPORT", "the report directory of a run"),),
    )
    cases = cases_of(Path(options.words[0]))
    with processes(options.n) as workers:
        corpus = [one.facets for one in workers.map(counted, chain.from_iterable(kept().values()))]
        run = list(workers.map(counted, cases, chunksize=8))
    proposed = proposals(corpus, run)
    for proposal in proposed:
        named = ", ".join(f"{kind} {name}" for kind, name in proposal.facets[:3])
        more = f" and {len(proposal.facets) - 3} more" if len(proposal.facets) > 3 else ""
        print(f"{case_id(proposal.case)}: {named}{more}")
    print(f"{len(proposed)} of {len(cases)} cases show something that the corpus does not.")
    if options.add and proposed:
        write_corpus("gate", [*corpus_cases("gate"), *(proposal.case for proposal in proposed)])
    return 0


if __name__ == "__main__":
    ended(main)
