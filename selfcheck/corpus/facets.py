"""What a case shows that another may not: the facets by which cases are chosen for the corpus.

They are counted while the case is judged on the reference engine, which takes milliseconds: clauses met, also where it imitates
delta-rs, cells of the coverage tables, branches of the model, tests of conditions by kind and three-valued outcome, forms,
features and their pairs, known faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from itertools import combinations
from pathlib import Path
from typing import Any

from coverage import Coverage

from engines.deltalake.capabilities import NEWEST
from engines.deltalake.versions import JUDGED
from harness.campaigns.features import PAIRED, features_of
from harness.judging.clause import NOT_EXERCISED, Clause, Judgement
from harness.judging.excusing.conditions import CONDITIONS
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.coverage import Cell
from harness.running.judge import Judge, JudgedCase
from model.codec import case_id
from model.prediction.delete import types_of
from model.semantics.definitions import definitions
from model.semantics.evaluate import WouldFail, evaluate
from model.vocabulary.case import Case
from model.vocabulary.commands import Command, Merge, RenameColumn, conditions_of, kind_of
from model.vocabulary.operations import operation_of
from model.vocabulary.predicate import Compare, Predicate, columns_of, leaves, names_metadata, wrappers_of
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import (
    AtOnce,
    Delete,
    InvalidDelete,
    InvalidVacuum,
    Listing,
    OpenSession,
    OtherCommand,
    Read,
    Step,
    Vacuum,
)
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, Row, required_fields
from records.run import RecordedCase, RecordedStep
from reference_engine import ReferenceEngine
from selfcheck.corpus.condition_facets import OTHER_FILES, condition_facets
from selfcheck.corpus.pair_facets import changes_before, pairs_of
from selfcheck.corpus.vacuum_facets import vacuum_facets
from strategies.restriction.capabilities import knows_types, restricted_to
from suites.catalogue import promised

#: The kind of a facet, and its name within the kind.
Facet = tuple[str, str]

#: The release of delta-rs whose known faults end cases.
NEWEST_DELTA_RS = JUDGED[-1]

MODEL = Path(__file__).resolve().parent.parent.parent / "model"

#: How often the gate is to show each facet of a kind: so many steps that exercise a clause, so many paths of a cell, else so
#: many cases.
GOALS: Mapping[str, int] = {
    "clause": 3,
    "clause on delta-rs": 2,
    "clause on any delta-rs": 2,
    "paths": 3,
    "vacuums": 1,
    "cutoff": 3,
    "operations": 3,
    "pair of commands": 1,
    "change before": 1,
    "files of the engine": 2,
    "condition": 3,
    "files of a condition": 1,
    "vacuum's input": 2,
    "command": 3,
    "crash": 1,
    "two at once": 1,
    "held": 1,
    "known_fault": 1,
    "test": 1,
    "tested type": 1,
    "form": 2,
    "mistake": 1,
    "setting": 1,
    "root": 1,
    "size": 2,
    "statistics": 2,
    "damage": 2,
    "spelling": 2,
    "feature": 2,
    "table": 2,
    "text": 2,
    "pair": 1,
    "operation on": 1,
    "branch": 1,
}

#: How often smoke shows each facet of these kinds.
SMOKE: Mapping[str, int] = {
    "clause": 1,
    "clause on delta-rs": 1,
    "clause on any delta-rs": 1,
    "condition": 1,
    "vacuum's input": 1,
    "files of the engine": 1,
    **dict.fromkeys(("paths", "cutoff", "operations", "form", "mistake", "size", "statistics", "damage", "feature"), 1),
}


#: The kinds of small changes that would show in the outcome of a step.
CHANGES = ("condition", "files of a condition", "vacuum's input")


def goal_of(facet: Facet) -> int:
    """How often the gate is to show the facet."""
    return GOALS[facet[0]]


def goal_in_smoke(facet: Facet) -> int:
    """How often smoke is to show the facet; 0: it need not."""
    return SMOKE.get(facet[0], 0)


class CannotBeJudged(RuntimeError):
    """A case has a step that has no meaning: a condition on a column that the table does not have."""


class FacetCounter:
    """Counts the facets of cases on the reference engine. Tables are made below ``directory``.

    ``known`` names the conditions under which clauses are known to fail on any release of Spark, by the clause's id;
    ``known_on_newest`` those on its newest release, ``known_on_delta_rs`` those on delta-rs's, ``known_on_any_delta_rs`` those on
    any of it: a case may end with such a step, so no clause counts after it. Only one counter of a process can be in use: it
    traces the branches that are taken in the model.
    """

    def __init__(
        self,
        clauses: Iterable[Clause[Any]],
        known: Mapping[str, frozenset[str]],
        directory: Path,
        *,
        known_on_newest: Mapping[str, frozenset[str]],
        known_on_delta_rs: Mapping[str, frozenset[str]],
        known_on_any_delta_rs: Mapping[str, frozenset[str]],
    ) -> None:
        self._clauses = list(clauses)
        self._known = known
        self._known_on_newest = known_on_newest
        self._ends = False  # whether the case may have ended with a known fault of the newest release
        self._on_delta_rs = {"clause on delta-rs": known_on_delta_rs, "clause on any delta-rs": known_on_any_delta_rs}
        recorder: Clause[Any] = Clause("recorder", "", (), Observation, self._note)
        self._judge = Judge(ReferenceEngine(), [recorder], directory)
        delta_rs = ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST, version=NEWEST_DELTA_RS)
        self._promised = promised(delta_rs)
        recorder = Clause("recorder", "", (), Observation, self._note_on_delta_rs)
        self._delta_rs = Judge(delta_rs, [recorder], directory / "delta-rs")
        self._going: set[str] = set()  # the kinds of facets of delta-rs that the case still counts for
        self._found: Counter[Facet] = Counter()
        self._observed: list[
            tuple[Observation, bool]
        ] = []  # each with whether the real engine is sure to be judged by it
        self._tracer = Coverage(data_file=None, branch=True, include=[str(MODEL / "*")], config_file=False)

    def shown_in(self, run: RecordedCase) -> frozenset[Facet]:
        """The small changes that would have shown in a case of a run: where its engine did what the reference engine does.

        Raises CannotBeJudged.
        """
        self._observed.clear()
        judged = self._judge.judge(run.case)
        _require_judged(judged)
        mine = {step.index: step for step in judged.steps}
        theirs = {step.index: step for step in run.steps if not step.aside}
        self._found = Counter()
        for observation, _ in self._observed:
            step = theirs.get(observation.index)
            if step is not None and _did_the_same(mine[observation.index], step):
                wrong = {str(one.subject) for one in run.violations if one.step == observation.index}
                self._note_changes(observation, run.case.steps, is_sure=True, but=wrong)
        return frozenset(facet for facet in self._found if facet[0] in CHANGES)

    def facets(self, case: Case) -> dict[Facet, int]:
        """How often the case shows each facet. Raises CannotBeJudged."""
        self._found = Counter(facets_of(case))
        self._observed.clear()
        self._ends = False
        self._tracer.erase()
        self._tracer.start()
        try:
            judged = self._judge.judge(case)
        finally:
            self._tracer.stop()
        _require_judged(judged)
        for observation, is_sure in self._observed:
            self._note_changes(observation, case.steps, is_sure=is_sure)
        for cell, count in judged.coverage.items():
            self._found[_of_cell(cell)] += count
        if knows_types(case, capabilities=NEWEST):
            self._going = set(self._on_delta_rs)
            self._delta_rs.judge(restricted_to(case, capabilities=NEWEST))
        data = self._tracer.get_data()
        for file in data.measured_files():
            name = Path(file).relative_to(MODEL)
            self._found.update(("branch", f"{name}:{start}:{end}") for start, end in data.arcs(file) or ())
        return dict(self._found)

    def _note(self, observation: Observation) -> Judgement:
        exercised = _exercised(self._clauses, observation)
        if not self._ends:
            self._found.update(("clause", clause.id) for clause in exercised)
            self._ends = _is_known(self._known_on_newest, exercised, observation)
        for clause in exercised:
            for when in self._known.get(clause.id, ()):
                if CONDITIONS[when].holds(observation):
                    self._found["known_fault", f"{clause.id}: {when}"] += 1
        self._observed.append((observation, not self._ends))
        if isinstance(observation, DeleteObservation) and observation.step.where is not None:
            rows = list(observation.before.stored_rows)
            self._found.update(set(_of_tests(observation.step, observation.table, rows)))
        return NOT_EXERCISED

    def _note_changes(
        self, observation: Observation, steps: tuple[Step, ...], *, is_sure: bool, but: Collection[str] = ()
    ) -> None:
        """What would show if it were another one; not traced, as the model then computes what is not the case. ``but``: paths
        that the engine is wrong about."""
        self._found.update(("pair of commands", str(pair)) for pair in pairs_of(observation, steps))
        self._found.update(("change before", change) for change in set(changes_before(observation, steps)))
        if not is_sure:
            return  # a known fault may end the case before, or excuse what would show
        if isinstance(observation, VacuumObservation):
            self._found.update(
                {("vacuum's input", name) for name, shows in vacuum_facets(observation, but=but) if shows}
            )
        if isinstance(observation, DeleteObservation):
            self._found.update(("files of the engine", name) for name in _on_engine_files(observation))
            shown = {
                (one.mutation, place)
                for one, places in condition_facets(observation)
                for place, shows in places.items()
                if shows
            }
            self._found.update((_kind_of(place), f"{mutation.value}: {place}") for mutation, place in shown)

    def _note_on_delta_rs(self, observation: Observation) -> Judgement:
        exercised = _exercised(self._promised, observation) if self._going else []
        for kind in sorted(self._going):
            known = self._on_delta_rs[kind]
            self._found.update((kind, clause.id) for clause in exercised)
            if _is_known(known, exercised, observation):
                self._going.discard(kind)
        return NOT_EXERCISED


def _require_judged(found: JudgedCase) -> None:
    """Raises CannotBeJudged."""
    if found.failure is not None:
        raise CannotBeJudged(f"The case {case_id(found.case)} cannot be judged: {found.failure.message}")


def _did_the_same(mine: RecordedStep, theirs: RecordedStep) -> bool:
    """Whether the step succeeded in both, or in neither, and took the same files from the table. What a VACUUM deletes is
    judged by path."""
    return (mine.outcome.error is None, mine.observed.removed, mine.observed.masked) == (
        theirs.outcome.error is None,
        theirs.observed.removed,
        theirs.observed.masked,
    )


def _on_engine_files(observation: DeleteObservation) -> Iterator[str]:
    """How the DELETE changes files that the engine itself has written, all of them, by the features of the table."""
    own = {path for earlier in observation.earlier for path in earlier.added}
    if observation.prediction.commits and own.issuperset(file.path for file in observation.live_files):
        yield from (
            f"{observation.prediction.method.value}: {name}" for name in ("any table", *observation.table.features)
        )


def _is_known(known: Mapping[str, frozenset[str]], exercised: Iterable[Clause[Any]], observation: Observation) -> bool:
    """Whether one of these clauses is known to fail under a condition that the observation meets."""
    return any(
        CONDITIONS[when].holds(observation) for when in {when for one in exercised for when in known.get(one.id, ())}
    )


def _kind_of(place: str) -> str:
    return "files of a condition" if place.endswith(OTHER_FILES) else "condition"


def _exercised(clauses: Iterable[Clause[Any]], observation: Observation) -> list[Clause[Any]]:
    return [one for one in clauses if isinstance(observation, one.of) and one.judge(observation).subjects]


def _of_cell(cell: Cell) -> Facet:
    return cell.table, f"{cell.row}: {cell.column}"


#: The kinds of facets that tell a case before it is run, other than features and their pairs.
WRITTEN = (
    "command",
    "damage",
    "form",
    "held",
    "mistake",
    "root",
    "setting",
    "spelling",
    "statistics",
    "table",
    "text",
    "two at once",
)


def facets_of(case: Case) -> Iterator[Facet]:
    """The facets that the case has without being run, once each."""
    paired = features_of(case.table)
    found: set[Facet] = {("feature", name) for name in case.table.features}
    found |= {("pair", f"{one} and {other}") for one, other in combinations(sorted(set(paired) & set(PAIRED)), 2)}
    found.add(("root", case.table.root.name))
    found |= {("size", f"{name} of {_MANY} or more") for name, size in _sizes(case.table) if size >= _MANY}
    found |= {("statistics", file.statistics.value) for file in case.table.files}
    found |= {("damage", file.damage.value) for file in case.table.files if file.damage is not None}
    found |= {("table", name) for name in _of_table(case.table)}
    found |= {("text", name) for step in case.steps if isinstance(step, Delete) for name in _of_text(step)}
    found |= set(_of_commands(case))
    for step in case.steps:
        operation = operation_of(step).value
        found |= {("operation on", f"{operation}: {name}") for name in {*paired, *case.table.features}}
        if isinstance(step, (Delete, Vacuum)):
            found.add(("form", f"{type(step).__name__}: {step.form.value}"))
            found.add(("spelling", f"{type(step).__name__}: {step.spelling.value}"))
            found |= {("setting", f"{type(step).__name__}: {setting.value}") for setting in step.settings}
        if isinstance(step, Delete) and step.cached:
            found.add(("form", "Delete: cached"))
        if isinstance(step, Vacuum) and step.listing is not Listing.PLAIN:
            found.add(("form", f"Vacuum: an inventory {step.listing.value}"))
        if isinstance(step, Vacuum) and step.io_fault is not None:
            found.add(("mistake", f"{step.mode.value}: {step.io_fault.value}"))
        if isinstance(step, (InvalidDelete, InvalidVacuum)):
            found.add(("mistake", step.mistake.value))
        if isinstance(step, AtOnce):
            sides = f"{operation_of(step.first).value} held, {operation_of(step.second).value}"
            found |= {("two at once", sides), ("held", f"{operation_of(step.first).value}: {step.point.value}")}
        if isinstance(step, (Delete, Vacuum)) and step.crash is not None:
            found.add(("crash", f"{operation}: {step.crash.point.value}, {step.crash.written.value}"))
        if isinstance(step, OpenSession) and step.streams:
            found.add(("form", "Read: as a stream"))
        if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
            found.add(("form", f"{type(step).__name__}: by a session that opened the table earlier"))
    yield from found


def _of_table(table: Table) -> Iterator[str]:
    """Names of columns with a special character, what statistics the table keeps, and how its partition values are written."""
    for column in table.columns:
        place = "partition" if column.name in table.partition_by else "data"
        yield from (f"a {place} column with {sign!r} in its name" for sign in column.name if not sign.isalnum())
        if _has_capital(column.name):
            yield f"a {'' if column.nullable else 'NOT NULL '}{place} column with a capital in its name"
    if table.indexed_columns:
        yield "statistics of named columns"
    if table.indexed_leaves is not None:
        some = {0: "no columns", -1: "all columns"}.get(table.indexed_leaves, "the first columns")
        yield f"statistics of {some}"
    if any(file.empty_nulls for file in table.files):
        yield "NULL partition values written as the empty text"
    if any(file.trimmed for file in table.files):
        yield "DECIMAL partition values without trailing zeros"
    if table.widened_column is not None:
        narrow = table.narrower_type(table.widened_column)
        yield f"{_name_of(narrow)} widened to {_name_of(table.widened_column.type)}"


def _name_of(type: AnyType | None) -> str:
    return str(getattr(type, "value", type.__class__.__name__))


def _of_text(step: Delete) -> Iterator[str]:
    """How the literals of the condition are written, and what wraps its parts."""
    if step.where is not None:
        yield f"literals {step.literals.value}"
        yield from (f"wrapped by {wrapper.value}" for wrapper in wrappers_of(step.where))
        if any(map(names_metadata, leaves(step.where))):
            yield "a metadata column"


def _of_commands(case: Case) -> Iterator[Facet]:
    """The options of commands other than DELETE and VACUUM, and what is special in the names that they have."""
    for step, table in zip(case.steps, definitions(case.table, case.steps)):
        if isinstance(step, OtherCommand):
            kind = kind_of(step.command).value
            yield from (("command", f"{kind}: {option}") for option in _options(step.command))
            yield from (("command", f"{kind}: {name}") for name in _names(step.command, table))


def _options(command: Command) -> Iterator[str]:
    """The fields of the command that have another value than the default; of a feature which one it is."""
    for field in fields(command):
        value = getattr(command, field.name)
        if isinstance(value, Enum):
            yield str(value.value)
        elif isinstance(value, bool) or (field.default is not MISSING and value != field.default):
            yield f"{field.name}{'' if value else ' not'}"
    if isinstance(command, Merge):
        yield from (f"{one.when.value} {one.then.value}" for one in command.clauses)
        yield from ("several clauses" for _ in command.clauses[1:2])
        yield from ("several rows" for _ in command.rows[2:3])
        yield from ("sets several columns" for one in command.clauses if one.also)


def _names(command: Command, table: Table) -> Iterator[str]:
    tested = {name for where in conditions_of(command) for name in columns_of(where)}
    if any(map(_has_capital, tested)):
        yield "a condition on a name with a capital"
    if isinstance(command, Merge) and any(map(_has_capital, command.keys)):
        yield "a key with a capital in its name"
    if isinstance(command, RenameColumn) and command.column in table.indexed_columns:
        yield from (f"of a column with named statistics, to {sign!r}" for sign in command.to if not sign.isalnum())


def _has_capital(name: str) -> bool:
    return name != name.lower()


#: So many rows need more than one batch of a reader; a vector that hides fewer rows is an array.
_MANY = 4096


def _sizes(table: Table) -> Iterator[tuple[str, int]]:
    yield from (("file", len(file.rows)) for file in table.files)
    for commit in table.commits:
        yield from (("vector", len(vector.rows)) for vector in commit.deletion_vectors)


def _of_tests(step: Delete, table: Table, rows: Iterable[Row]) -> Iterator[Facet]:
    """The tests of a DELETE's condition, by kind with their outcome for the live rows and with the types of their columns."""
    assert step.where is not None
    types = types_of(table)
    names = [column.name for column in table.columns]
    seen = [dict(zip(names, row)) for row in rows]
    for test in leaves(step.where):
        kind = f"{type(test).__name__} {test.op.value}" if isinstance(test, Compare) else type(test).__name__
        if any(required_fields(types[column]) for column in columns_of(test)):
            kind += " of a STRUCT with a NOT NULL field"
        for column in columns_of(test):
            yield "tested type", f"{kind}: {_name_of(types[column])}"
        for row in seen:
            yield "test", f"{kind}: {_outcome(test, row, types, step.zone)}"


def _outcome(test: Predicate, row: Mapping[str, Any], types: Mapping[str, AnyType], zone: str) -> str:
    try:
        return str(evaluate(test, row, types=types, zone=zone))
    except WouldFail:
        return "error"
