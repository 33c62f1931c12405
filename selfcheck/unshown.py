"""``python -m selfcheck.unshown RUN``: which small changes of a DELETE or a VACUUM no case of a run would have shown.

RUN is the report of a run of ``smoke`` on a real engine. A change that shows on the reference engine may not show there: the
case ends earlier, a known fault covers it, or the engine does something else that it may do. Of each change that smoke is to
show, the cheapest case of the gate is named that shows it. Exit 0: the run shows all; 1: it does not.
"""

from __future__ import annotations

from harness.campaigns.corpus import corpus_cases
from harness.campaigns.costs import seconds_of
from model.codec import case_id
from model.vocabulary.case import Case
from records.mistakes import StreamError, UsageMistake
from records.run import RecordedCase
from reports.stream.reading import read_run
from runner.command_line.commands import ended
from selfcheck.corpus.facets import CHANGES, CannotBeJudged, Facet, goal_in_smoke
from selfcheck.distillation import counted, counter
from selfcheck.options import asked
from tombstone.commands import Word
from tombstone.values import EXISTING


def shown_in(case: RecordedCase) -> frozenset[Facet]:
    """What the case shows in its run; nothing if only its own engine evaluates its texts."""
    try:
        return counter().shown_in(case)
    except CannotBeJudged:
        return frozenset()


def asked_of_smoke(case: Case) -> frozenset[Facet]:
    """What the case shows on the reference engine of what smoke is to show."""
    try:
        found = counted(case).facets
    except CannotBeJudged:
        return frozenset()
    return frozenset(facet for facet in found if facet[0] in CHANGES and goal_in_smoke(facet))


def main(arguments: list[str]) -> int:
    words = (Word("RUN", "a report directory, or its run.jsonl", kind=EXISTING),)
    (path,) = asked("selfcheck.unshown", __doc__, arguments, words=words).words
    try:
        run = read_run(path)
    except StreamError as error:
        raise UsageMistake(str(error)) from error
    shown = frozenset[Facet]().union(*map(shown_in, run.cases))
    judged = {case.id for case in run.cases}
    cheapest: dict[Facet, str | None] = {facet: None for case in run.cases for facet in asked_of_smoke(case.case)}
    for case in sorted(corpus_cases("gate"), key=seconds_of):
        for facet in asked_of_smoke(case) if case_id(case) not in judged else ():
            if cheapest.get(facet) is None:
                cheapest[facet] = case_id(case)
    missing = {facet: case for facet, case in sorted(cheapest.items()) if facet not in shown}
    print(f"{len(cheapest) - len(missing)} of {len(cheapest)} small changes show in this run.")
    for (kind, name), shows in missing.items():
        print(f"  {kind}: {name} ({'no case of the gate' if shows is None else 'case ' + shows} shows it)")
    return 1 if missing else 0


if __name__ == "__main__":
    ended(main)
