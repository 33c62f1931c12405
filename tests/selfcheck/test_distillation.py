"""How the cases of the corpus are chosen: their facets, and the greedy cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import FAULTS
from harness.campaigns.corpus import corpus_cases, write_corpus
from harness.campaigns.record import case_record
from harness.judging.excusing.conditions import CONDITIONS
from harness.running.judge import Judge
from model.codec import InvalidCase
from model.vocabulary.case import Case
from model.vocabulary.commands import Merge, Overwrite, RenameColumn
from model.vocabulary.operations import Operation, operation_of
from model.vocabulary.predicate import Compare, Constant, Op
from model.vocabulary.steps import Delete, Form, OtherCommand, Read, Vacuum
from model.vocabulary.table import HOUR, Column, Commit, Table
from model.vocabulary.values import Type
from records.run import RecordedCase, RecordedError
from reference_engine import ReferenceEngine
from reports.document.markdown import markdown
from selfcheck.corpus.cover import Candidate, Cover
from selfcheck.corpus.facets import CHANGES, GOALS, SMOKE, Facet, FacetCounter, facets_of, goal_of
from selfcheck.corpus.page import Chosen, Shown, corpus_page
from selfcheck.corpus.shortening import shortened, shorter_by_a_step
from selfcheck.distillation import shown
from suites.catalogue import CATALOGUE
from tests.handmade.steps import PARTITIONED

NAME = next(column.name for column in PARTITIONED.columns if column.name not in PARTITIONED.partition_by)
CASE = Case(PARTITIONED, (Delete(Compare(NAME, Op.GE, 2, Type.INTEGER), form=Form.SQL_NAME), Vacuum(), Read()))


def counter_in(directory: Path) -> FacetCounter:
    when = frozenset({next(iter(CONDITIONS))})
    return FacetCounter(
        CATALOGUE.values(),
        dict.fromkeys(CATALOGUE, when),
        directory,
        known_on_newest={},
        known_on_delta_rs={},
        known_on_any_delta_rs={},
    )


def counted(case: Case, directory: Path) -> dict[Facet, int]:
    return counter_in(directory).facets(case)


def recorded(case: Case, directory: Path) -> RecordedCase:
    """By a run on the reference engine."""
    judged = Judge(ReferenceEngine(), list(CATALOGUE.values()), directory / "run").judge(case)
    return case_record(judged, campaign="replay", batch=0, index=0, origin="replayed")


def test_a_small_change_shows_in_a_run_whose_engine_did_what_the_reference_engine_does(tmp_path: Path) -> None:
    case = replace(CASE, steps=(CASE.steps[0], Vacuum(retain_hours=0.0, safety_check=False)))
    counter, run = counter_in(tmp_path), recorded(case, tmp_path)
    changes = {facet for facet in counter.facets(case) if facet[0] in CHANGES}
    delete, *others = run.steps
    refused = replace(delete, outcome=replace(delete.outcome, error=RecordedError("ValueError", None, "no")))
    assert changes and counter.shown_in(run) == changes
    assert counter.shown_in(replace(run, steps=(delete,))) < changes, "the case ended before its VACUUM"
    assert not any(kind == "condition" for kind, _ in counter.shown_in(replace(run, steps=(refused, *others))))


def test_the_facets_of_a_case_are_what_its_steps_show(tmp_path: Path) -> None:
    found = counted(CASE, tmp_path)
    assert found["clause", "DEL-ROW-1"] >= 1 and found["operations", "VACUUM: steps"] == 1
    assert found["form", "Delete: sql by name"] == found["operation on", "read: partitions"] == 1
    assert {outcome for kind, outcome in found if kind == "test"} <= {
        f"Compare >=: {truth}" for truth in (True, False, None)
    }
    assert any(name.startswith("prediction/delete.py:") for kind, name in found if kind == "branch")
    assert {kind for kind, _ in found} <= GOALS.keys() and all(goal_of(facet) >= 1 for facet in found)


def test_what_is_special_in_names_is_a_facet() -> None:
    columns = (Column("Key", Type.STRING), Column("aB", Type.LONG, nullable=False), Column("v", Type.LONG))
    table = Table(columns, ("Key",), (), (Commit(-HOUR),), indexed_columns=("v", "aB"))
    commands = (
        Merge(Constant(True), keys=("aB",), rows=((None, 1, 2),)),
        Overwrite((), Compare("aB", Op.EQ, 1, Type.LONG)),
        RenameColumn("v", "w x"),
        RenameColumn("w x", "y#"),
        RenameColumn("Key", "z#"),
    )
    found = {name for _, name in facets_of(Case(table, tuple(OtherCommand(one) for one in commands))) if "name" in name}
    assert found == {
        "a partition column with a capital in its name",
        "a NOT NULL data column with a capital in its name",
        "statistics of named columns",
        "MERGE: a key with a capital in its name",
        "MERGE: by_name not",
        "overwrite: a condition on a name with a capital",
        "RENAME COLUMN: of a column with named statistics, to ' '",
        "RENAME COLUMN: of a column with named statistics, to '#'",
    }


candidates = st.lists(
    st.builds(
        Candidate,
        st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4), max_size=4),
        st.floats(0.1, 10, allow_nan=False),
    ),
    max_size=12,
)


@given(candidates, st.integers(1, 5))
def test_every_facet_reaches_its_goal_or_is_shown_by_all_that_show_it(some: list[Candidate[str]], goal: int) -> None:
    cover = Cover(some)
    cover.fill(lambda facet: goal)
    assert len(set(cover.chosen)) == len(cover.chosen)
    for facet in {facet for candidate in some for facet in candidate.facets}:
        available = sum(candidate.facets.get(facet, 0) for candidate in some)
        assert (
            cover.shown[facet]
            == sum(some[place].facets.get(facet, 0) for place in cover.chosen)
            >= min(goal, available)
        )


@given(candidates, st.integers(1, 5))
def test_each_choice_gains_most_per_second(some: list[Candidate[str]], goal: int) -> None:
    cover = Cover(some)
    cover.fill(lambda facet: goal)
    shown: dict[str, int] = {}

    def gain(place: int) -> float:
        lacking = {facet: max(0, goal - shown.get(facet, 0)) for facet in some[place].facets}
        return sum(min(some[place].facets[facet], lacking[facet]) / goal for facet in lacking) / some[place].seconds

    for number, place in enumerate(cover.chosen):
        others = set(range(len(some))) - set(cover.chosen[:number])
        assert gain(place) == pytest.approx(max(map(gain, others)))
        for facet, count in some[place].facets.items():
            shown[facet] = shown.get(facet, 0) + count


@given(candidates, st.integers(1, 5))
def test_without_those_that_are_superfluous_every_facet_still_reaches_its_goal(
    some: list[Candidate[str]], goal: int
) -> None:
    cover = Cover(some)
    cover.fill(lambda facet: goal)
    before, shown = list(cover.chosen), dict(cover.shown)
    cover.drop_superfluous(lambda facet: goal, keep=before[:1])
    assert cover.chosen[:1] == before[:1] and set(cover.chosen) <= set(before)
    for facet, count in shown.items():
        left = sum(some[place].facets.get(facet, 0) for place in cover.chosen)
        assert cover.shown[facet] == left >= min(goal, count)


def test_what_is_taken_first_counts() -> None:
    cover = Cover([Candidate({"a": 1}, 9.0), Candidate({"a": 1}, 1.0), Candidate({"b": 1}, 1.0)])
    cover.take(0)
    cover.fill(lambda facet: 1)
    assert cover.chosen == [0, 2]


def test_a_fault_is_shown_by_the_cases_in_which_its_clauses_fail() -> None:
    fault = FAULTS["removes-without-time"]
    reading, asked = Case(PARTITIONED, (Read(),)), frozenset(fault.caught_by)
    assert shown(fault.name, asked, [reading]) == (asked, {})
    missing, places = shown(fault.name, asked, [reading, CASE])
    assert places.keys() == {1} and missing | places[1] == asked and not missing & places[1]


def steps_and(facets: dict[Facet, int], case: Case) -> Shown:
    """A case that shows the facet ``("operations", its name)`` once for each of its steps, and others whatever its steps."""
    return Shown(case, facets | Counter(("operations", operation_of(step).value) for step in case.steps))


def shorten(cases: list[Shown], goal: dict[Facet, int]) -> list[tuple[str, ...]]:
    def shorter(some: Sequence[Shown]) -> list[list[Shown]]:
        return [[steps_and({}, case) for case in shorter_by_a_step(one.case)] for one in some]

    shown = sum((Counter(one.facets) for one in cases), Counter[Facet]())
    found = shortened(cases, others=(), shown=shown, goal=lambda facet: goal.get(facet, 0), shorter=shorter)
    return [tuple(operation_of(step).value for step in one.case.steps) for one in found]


DELETES, VACUUMS, READS = (
    ("operations", operation.value) for operation in (Operation.DELETE, Operation.VACUUM, Operation.READ)
)


@pytest.mark.parametrize(
    ("goal", "left"),
    [
        ({DELETES: 2, VACUUMS: 2, READS: 2}, [("DELETE", "VACUUM", "read"), ("DELETE", "VACUUM", "read")]),
        ({DELETES: 1, VACUUMS: 2, READS: 0}, [("DELETE", "VACUUM"), ("VACUUM",)]),
        ({DELETES: 2, VACUUMS: 1, READS: 9}, [("DELETE", "VACUUM", "read"), ("DELETE", "read")]),
    ],
    ids=["all are needed", "a read and a DELETE are not", "what is below its goal does not fall"],
)
def test_steps_that_are_not_needed_are_left_out(goal: dict[Facet, int], left: list[tuple[str, ...]]) -> None:
    assert shorten([steps_and({}, CASE), steps_and({}, CASE)], goal) == left


def test_no_case_becomes_the_same_as_another() -> None:
    reading = steps_and({}, Case(PARTITIONED, (Read(),)))
    assert shorten([reading, steps_and({}, CASE)], {READS: 2}) == [("read",), ("DELETE", "read")]


def test_a_case_keeps_what_only_the_whole_of_it_shows() -> None:
    whole: Facet = ("pair", "both")
    assert shorten([steps_and({whole: 1}, CASE)], {whole: 1}) == [("DELETE", "VACUUM", "read")]
    assert shorten([steps_and({whole: 1}, CASE)], {READS: 1}) == [("read",)]


def test_the_facets_of_smoke_are_of_known_kinds() -> None:
    assert GOALS.keys() > SMOKE.keys() and "clause" in SMOKE


def test_the_page_says_what_does_not_reach_its_goal() -> None:
    some, rare = ("clause", "DEL-ROW-1"), ("paths", "kept: it is young")
    chosen = Chosen([Shown(CASE, {some: 20})], [Shown(CASE, {rare: 1})], {}, of_gate=["breaks-the-log"])
    page = markdown(corpus_page((), [Shown(CASE, {})], chosen, considered=12_345, faults=7))
    assert "out of 12,345 cases" in page and "can be: 7." in page and "`breaks-the-log`" in page
    assert "| smoke | 1 | 3 | 0.0 |" in page and "| gate | 3 | 9 | 0.1 |" in page
    assert f"| steps that exercise a clause | 1 | {SMOKE['clause']} | 1 | {GOALS['clause']} | 1 |" in page
    assert f"- kept: it is young (paths): 1 of {GOALS['paths']}" in page and "DEL-ROW-1" not in page


def test_a_corpus_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_corpus("some", [CASE, Case(PARTITIONED, (Read(),))], tmp_path / "new")
    assert corpus_cases("some", tmp_path / "new") == (CASE, Case(PARTITIONED, (Read(),)))
    (tmp_path / "bad.jsonl").write_text('{"id": "x", "case": {}}\n', encoding="utf-8")
    with pytest.raises(InvalidCase):
        corpus_cases("bad", tmp_path)
