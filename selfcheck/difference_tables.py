"""``python -m selfcheck.difference_tables``: what would show in smoke and in the gate, as tables of docs/coverage.md.

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
from harness.campaigns.regressions import kept_cases, of_others
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
from reports.document import Lines, lines, table
from reports.document.markdown import table as markdown
from runner.command_line.commands import Parser, ended
from selfcheck.corpus.condition_facets import condition_facets
from selfcheck.corpus.pair_facets import pairs_of
from selfcheck.corpus.vacuum_facets import vacuum_facets
from selfcheck.processes import processes
from strategies.restriction.capabilities import knows_types, restricted_to

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


def of_spark(name: str, part: int) -> Differences:
    """Of a part of the cases of a profile."""
    return differences(_cases(name)[part::_PARTS], ReferenceEngine())


def of_delta_rs(name: str, part: int) -> Differences:
    """The same of what delta-rs supports."""
    cases = [
        restricted_to(one, capabilities=NEWEST)
        for one in _cases(name)[part::_PARTS]
        if knows_types(one, capabilities=NEWEST)
    ]
    return differences(cases, ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST))


def _cases(name: str) -> list[Case]:
    """Smoke's on Spark, or the gate's."""
    if name == "smoke":
        return [*kept_cases(without=of_others("spark")), *corpus_cases("smoke")]
    return [*kept_cases(), *corpus_cases("smoke"), *corpus_cases("gate")]


# ---- the page


def page(smoke: Differences, gate: Differences, delta_rs: Differences) -> str:
    """The tables, in Markdown."""
    return "\n\n".join(
        [
            _CONDITIONS.format(
                made=f"{sum(gate.made.values()):,}",
                shown=f"{sum(gate.shown.values()):,}",
                equivalent=f"{sum(gate.equivalent.values()):,}",
                rows=_of_mutations(smoke, gate),
                unshown="; ".join(
                    sorted(f"{one.value}: {place}" for (one, place), count in gate.places.items() if not count)
                ),
            ),
            _VACUUMS.format(rows=_of_vacuums(smoke, gate)),
            _PAIRS.format(
                spark=_share(gate.pairs),
                delta_rs=f"{len(delta_rs.pairs):,}",
                rows=_of_pairs(gate, delta_rs),
            ),
        ]
    )


_CONDITIONS = """\
Of the gate's conditions {made} mutants are made, one small change each; {shown} would show in their tables, and of {equivalent}
no values were found that tell them from the condition. `kinds` counts the kinds of DELETE (whole files, rewritten, vectors,
change feed; what is changed tests partition columns, data columns or both, alone or beside others; other rows or other files) in
which the change would show, on engines too that skip files by their statistics.

{rows}

Made, and shown by no case of the gate: {unshown}."""

#: The kinds of VACUUM, as ``selfcheck.corpus.vacuum_facets`` names them.
_KINDS = ("FULL", "LITE", "inventory", "DRY RUN")

_VACUUMS = """\
Errors of a VACUUM, by its kind: in how many VACUUMs of smoke, and of the gate, each would show.

{rows}"""

_PAIRS = """\
Pairs of commands: how often the gate has each command right before each kind of DELETE and VACUUM on Delta 4.4.0, then on
deltalake 1.6.6; in the second line of a cell by a session that opened the table before the command. On Delta {spark}; on
deltalake {delta_rs}. `–`: the engine does not have it. The API of Delta has no DRY RUN. A session does not DELETE whose columns
others have changed.

{rows}"""


def _of_mutations(smoke: Differences, gate: Differences) -> str:
    heads = ("change of a condition", "smoke: made", "show", "kinds", "gate: made", "show", "kinds", "no values tell")
    rows = [
        (
            one.value,
            *(number for part in (smoke, gate) for number in (part.made[one], part.shown[one], _kinds(one, part))),
            gate.equivalent[one],
        )
        for one in Mutation
    ]
    return markdown(table(heads, rows))


def _kinds(mutation: Mutation, part: Differences) -> int:
    return sum(one is mutation and count > 0 for (one, _), count in part.places.items())


def _of_vacuums(smoke: Differences, gate: Differences) -> str:
    rows = []
    for error in dict.fromkeys(name.rpartition(": ")[0] for name in sorted(gate.errors)):
        names = [f"{error}: {kind}" for kind in _KINDS]
        cells = (f"{smoke.noticed[name]}, {gate.noticed[name]}" if gate.errors[name] else "–" for name in names)
        rows.append((error, *cells))
    return markdown(table(("error", *_KINDS), rows))


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


def _share(pairs: Counter[Pair]) -> str:
    possible = possible_pairs()
    missing = [str(pair) for pair in possible if pair not in pairs]
    return f"{len(possible) - len(missing)} of {len(possible)}" + (f", without {'; '.join(missing)}" if missing else "")


def _of_pairs(gate: Differences, delta_rs: Differences) -> str:
    possible = set(possible_pairs())
    had = {pair.first for pair in delta_rs.pairs}

    def cell(first: str, second: Second) -> Lines:
        pairs = (Pair(first, second, earlier) for earlier in (False, True))
        return lines(
            *(
                f"{gate.pairs[pair] if pair in possible else '–'}, {delta_rs.pairs[pair] if first in had else '–'}"
                for pair in pairs
            )
        )

    rows = ((first, *(cell(first, second) for second in Second)) for first in FIRSTS)
    return markdown(table(("command", *(second.value for second in Second)), rows))


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m selfcheck.difference_tables", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether the page has these tables")
    options = parser.parse_args(arguments)
    with processes(os.cpu_count() or 1) as workers:
        asked = [(of_spark, "smoke"), (of_spark, "gate"), (of_delta_rs, "gate")]
        futures = [[workers.submit(function, name, part) for part in range(_PARTS)] for function, name in asked]
        found = [Differences() for _ in asked]
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
