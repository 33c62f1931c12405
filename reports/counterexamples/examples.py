"""The counterexamples of a run's failures: which examples have one, and each with its script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.dialect import DialectFor
from records.run import Header
from reports.counterexamples import write_counterexample
from reports.counterexamples.explanation import explanation
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import InvalidPlan, reproduction
from reports.counterexamples.turn_plan import turn_plan
from reports.counterexamples.turn_script import turn_reproduction
from reports.findings.engine_rules import sets_clock
from reports.findings.failures import Example, Failure, examples
from reports.text.replaying import replay_command


@dataclass(frozen=True)
class Script:
    """A script that was written. ``home``: the directory of its table. ``shows_storage``: it says the same on any engine."""

    clause: str
    text: str
    home: str
    shows_storage: bool = False


def shown(found: Sequence[Failure]) -> dict[str, tuple[Example, Failure]]:
    """By folder, the examples that have a counterexample, each with a failure that has it: the gravest first."""
    chosen = [example for examples_of in examples(found).values() for example in examples_of]
    ranked = [example for failure in found for example in failure.examples if example in chosen]
    return {
        example.folder: (
            example,
            next(failure for failure in found if example in failure.examples),
        )
        for example in ranked
    }


def write_example(
    example: Example, failure: Failure, *, header: Header, dialects: Sequence[DialectFor | None], directory: Path
) -> Script:
    """Write the counterexample of an example, which is one of the failure's, below the report directory; return its script.

    ``dialects``: that of the engine, or of each of two in turn; None where an engine's commands are not known.
    """
    judged, violation = example.judged, example.violation
    clause = next(clause for clause in header.clauses if clause.id == example.clause)
    others = [other.clause for other in failure.examples if other.clause != example.clause]
    replay = replay_command(header, directory / example.folder / "case.json")
    if header.pair is not None:
        in_turn = turn_plan(judged, violation, header.pair, clause.sentence)
        text, home, shows_storage = turn_reproduction(in_turn, dialects, replay).text, in_turn.scripted.root, False
    else:
        plan = reproduction_plan(judged, violation, clause)
        try:
            text, home, shows_storage = reproduction(plan, *dialects), plan.scripted.root, plan.shows_storage
        except InvalidPlan as invalid:
            raise RuntimeError(f"No script can be made for {clause.id}, case {judged.id}: {invalid}") from invalid
    told = explanation(judged, violation, clause, replay=replay, own_clock=sets_clock(header), others=others)
    write_counterexample(directory / example.folder, judged, explanation=told, script=text)
    return Script(clause.id, text, str(Path(home).parent), shows_storage)
