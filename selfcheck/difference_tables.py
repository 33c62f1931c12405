"""``python -m selfcheck.difference_tables``: what would show in the gate, as tables of docs/coverage.md.

The cases of ``regressions/`` and of ``corpus/`` are judged on the reference engine: which small changes of a condition would
show, which errors of a VACUUM, and which pairs of commands there are, on Delta and on the newest delta-rs. With ``--check``
nothing is written. Exits with 0; with ``--check`` with 1 if the page has other tables.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from engines.deltalake.capabilities import NEWEST
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.regressions import kept_cases
from harness.judging.clause import NOT_EXERCISED, Clause, Judgement
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.judge import Judge
from model.semantics.condition_mutants import Mutation
from model.semantics.domains import difference
from model.semantics.evaluate import WouldFail
from model.vocabulary.case import Case
from model.vocabulary.pairs import FIRSTS, OF_EARLIER_SESSIONS, Pair, Second
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Step
from reference_engine import ReferenceEngine
from reports.document import table
from reports.document.markdown import table as markdown
from runner.command_line.commands import ended
from selfcheck.corpus.condition_facets import condition_facets
from selfcheck.corpus.pair_facets import pairs_of
from selfcheck.corpus.vacuum_facets import vacuum_facets
from selfcheck.options import asked
from selfcheck.processes import processes
from strategies.restriction.capabilities import knows_types, restricted_to
from tombstone.commands import option

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coverage.md"

BEGIN, END = "<!-- differences: begin -->", "<!-- differences: end -->"

#: Of the rows of a table, so many are looked at for one that tells two conditions apart.
_ROWS = 40


@dataclass
class Differences:
    """What the steps of some cases would show."""

    made: Counter[Mutation] = field(default_factory=Counter)
    shown: Counter[Mutation] = field(default_factory=Counter)
    equivalent: Counter[Mutation] = field(
        default_factory=Counter
    )  # of those that do not show: no values tell them apart
    places: Counter[tuple[Mutation, str]] = field(
        default_factory=Counter
    )  # where they could show, and how often they do
    errors: Counter[str] = field(default_factory=Counter)  # of a VACUUM, that could be made
    noticed: Counter[str] = field(default_factory=Counter)  # ... that would show
    pairs: Counter[Pair] = field(default_factory=Counter)

    def add(self, other: Differences) -> None:
        for name in ("made", "shown", "equivalent", "places", "errors", "noticed", "pairs"):
            getattr(self, name).update(getattr(other, name))


def differences(cases: Iterable[Case], engine: ReferenceEngine) -> Differences:
    """What the steps of these cases would show on a healthy engine."""
    found, steps = Differences(), list[Step]()

    def note(observation: Observation) -> Judgement:
        _note(found, observation, steps)
        return NOT_EXERCISED

    with TemporaryDirectory() as directory:
        judge = Judge(engine, [Clause("recorder", "", (), Observation, note)], Path(directory))
        for case in cases:
            steps[:] = case.steps
            judge.judge(case)
    return found


def _note(found: Differences, observation: Observation, steps: Sequence[Step]) -> None:
    found.pairs.update(pairs_of(observation, steps))
    if isinstance(observation, VacuumObservation):
        for name, shows in vacuum_facets(observation):
            found.errors[name] += 1
            found.noticed[name] += shows
    if isinstance(observation, DeleteObservation):
        for mutant, places in condition_facets(observation):
            found.made[mutant.mutation] += 1
            for place, shows in places.items():
                found.places[mutant.mutation, place] += shows
            if any(places.values()):
                found.shown[mutant.mutation] += 1
            else:
                found.equivalent[mutant.mutation] += _are_equivalent(observation, mutant.where)


def _are_equivalent(observation: DeleteObservation, other: object) -> bool:
    """Whether no values of the columns are found for which the conditions differ."""
    step = observation.step
    rows = [row for file in observation.live_files for row in file.visible][:_ROWS]
    try:
        return difference(step.where, other, observation.table.columns, rows, step.zone) is None  # type: ignore[arg-type]
    except WouldFail:
        return False


# ---- in a worker process

_PARTS = 8


def of_spark(part: int) -> Differences:
    """What a part of the gate's cases would show."""
    return differences(_cases()[part::_PARTS], ReferenceEngine())


def of_delta_rs(part: int) -> Differences:
    """The same, of the cases that delta-rs supports."""
    cases = [
        restricted_to(one, capabilities=NEWEST)
        for one in _cases()[part::_PARTS]
        if knows_types(one, capabilities=NEWEST)
    ]
    return differences(cases, ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST))


def _cases() -> list[Case]:
    return [*kept_cases(), *corpus_cases("smoke"), *corpus_cases("gate")]


# ---- the page


def page(gate: Differences, delta_rs: Differences) -> str:
    """The tables, in Markdown."""
    return "\n\n".join(
        [
            _CONDITIONS.format(
                made=f"{sum(gate.made.values()):,}",
                shown=f"{sum(gate.shown.values()):,}",
                equivalent=f"{sum(gate.equivalent.values()):,}",
            ),
            _of_mutations(gate),
            _VACUUMS.format(errors=len(_kinds_by_error(gate)), without=_without(gate) or "none"),
            _of_pairs(gate.pairs, delta_rs.pairs),
        ]
    )


_CONDITIONS = """\
**Conditions.** The gate's conditions have {made} mutants, one small change each: {shown} would show in their tables, and for
{equivalent} no values were found that tell them from the condition. A *kind* of DELETE is: whole files, rewritten, vectors or
change feed; a test of partition columns, of data columns or of both is changed, alone or beside others; other rows or other
files are deleted."""

_VACUUMS = """\
**VACUUM.** Each of {errors} errors would show in each kind of VACUUM in which it is possible, except: {without}."""

_PAIRS = """\
**Pairs of commands.** A DELETE or VACUUM of each kind right after another command, by the same session or by one that opened
the table before that command: the gate has {found} of {possible} pairs on Delta, and {delta_rs} on deltalake. Missing on Delta,
by the first command: {missing}."""


def _of_mutations(gate: Differences) -> str:
    rows = []
    for one in Mutation:
        shown = [count > 0 for (mutation, _), count in gate.places.items() if mutation is one]
        rows.append((one.value, gate.made[one], gate.shown[one], f"{sum(shown)} of {len(shown)}"))
    return markdown(table(("change of a condition", "mutants", "show", "kinds of DELETE in which it shows"), rows))


def _kinds_by_error(gate: Differences) -> dict[str, list[str]]:
    """Each error of a VACUUM, with the kinds of VACUUM in which it is possible."""
    found: dict[str, list[str]] = {}
    for name in sorted(gate.errors):
        error, _, kind = name.rpartition(": ")
        found.setdefault(error, []).append(kind)
    return found


def _without(gate: Differences) -> str:
    """The errors that show in no VACUUM of a kind, with these kinds."""
    missing = {
        error: [kind for kind in kinds if not gate.noticed[f"{error}: {kind}"]]
        for error, kinds in _kinds_by_error(gate).items()
    }
    return "; ".join(f"{error} ({', '.join(kinds)})" for error, kinds in missing.items() if kinds)


#: The commands after which a session that opened the table before does not DELETE: the columns are others.
_OTHER_COLUMNS = ("ADD COLUMN", "RENAME COLUMN", "DROP COLUMN", "widen column")


def possible_pairs() -> list[Pair]:
    """All pairs that Delta on Spark has."""
    return [
        Pair(first, second, earlier)
        for first in FIRSTS
        for second in Second
        for earlier in (False, True)
        if not earlier or (second in OF_EARLIER_SESSIONS and not (second.deletes and first in _OTHER_COLUMNS))
    ]


def _of_pairs(spark: Counter[Pair], delta_rs: Counter[Pair]) -> str:
    possible = possible_pairs()
    missing = Counter(pair.first for pair in possible if pair not in spark)
    return _PAIRS.format(
        found=len(possible) - missing.total(),
        possible=len(possible),
        delta_rs=len(delta_rs),
        missing=", ".join(f"{first} {count}" for first, count in missing.items()) or "none",
    )


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.difference_tables",
        __doc__,
        arguments,
        option("--check", "", "only say whether the page has these tables"),
    )
    with processes(os.cpu_count() or 1) as workers:
        engines = (of_spark, of_delta_rs)
        futures = [[workers.submit(function, part) for part in range(_PARTS)] for function in engines]
        found = [Differences() for _ in engines]
        for whole, parts in zip(found, futures):
            for future in parts:
                whole.add(future.result())
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    written = f"{head}{BEGIN}\n\n{page(*found)}\n\n{END}{tail}"
    if options.check:
        return int(written != text)
    PAGE.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    ended(main)
