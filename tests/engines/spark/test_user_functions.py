"""Functions of the user through the Spark adapter: in every form of a DELETE, and without a process left behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.kind import Settings
from engines.provider import provider_for
from engines.spark.adapter import SparkEngine
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.commands import Assignment, Update
from model.vocabulary.predicate import And, Compare, IsNull, Op, Predicate, Wrapped, Wrapper
from model.vocabulary.steps import API_DELETE_FORMS, Delete, Form, OpenSession, OtherCommand, Read, Step
from model.vocabulary.table import Feature
from model.vocabulary.values import Type
from runner.processes.workspace import Workspace
from suites.catalogue import CATALOGUE
from tests.builders.merges import merge
from tests.handmade.conditions import FILES, ONE
from tests.runner.test_workspace import alive, until
from tests.slow import slow_after

pytestmark = pytest.mark.xdist_group("spark")


def in_file(number: int) -> And:
    """A row of one file of the table: it is no fault that the others have nothing to delete."""
    return And(ONE, Compare("w", Op.EQ, number, Type.INTEGER))


def with_vectors(*steps: Step) -> Case:
    """Whatever files a function gets rows of."""
    return Case(replace(FILES, features=(Feature.DELETION_VECTORS.value,)), (*steps, Read()))


CASES = (
    with_vectors(
        Delete(Wrapped(in_file(0), Wrapper.PYTHON), Form.SQL_NAME),
        Delete(Wrapped(in_file(1), Wrapper.ARROW), Form.API_PATH_COLUMN),
        *(OpenSession(), Delete(Wrapped(in_file(2), Wrapper.PYTHON), by_earlier=True)),
        OtherCommand(Update(Assignment("v", Type.INTEGER, 9), Wrapped(IsNull("v"), Wrapper.ARROW))),
        OtherCommand(merge(Wrapped(Compare("v", Op.EQ, 2, Type.INTEGER), Wrapper.ARROW))),
    ),
    *(with_vectors(Delete(Wrapped(in_file(0), Wrapper.PYTHON), form)) for form in (Form.SQL_PATH, *API_DELETE_FORMS)),
)


@pytest.mark.parametrize("case", slow_after(1, CASES))
def test_a_function_is_called_in_every_form(spark_engine: SparkEngine, tmp_path: Path, case: Case) -> None:
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path).judge(case)
    assert judged.failure is None and "DEL-ROW-5B" in judged.tallies
    assert "LIFE-1A" in judged.tallies or len(case.steps) == 2
    assert not {id for id in judged.failed if id.startswith(("DEL-ROW", "LIFE-1A"))}


def below(pid: int) -> Iterator[int]:
    """The processes that this one started, and those that they started."""
    children = [int(one) for path in Path(f"/proc/{pid}/task").glob("*/children") for one in path.read_text().split()]
    for child in children:
        yield child
        yield from below(child)


@pytest.mark.slow
def test_no_python_stays_behind_when_the_engine_ends(tmp_path: Path) -> None:
    workspace, started = Workspace(None), list[int]()
    provider = provider_for("spark", Settings(workspace.directory, started.append))
    provider.start()
    where: Predicate = Wrapped(ONE, Wrapper.PYTHON)
    Judge(SparkEngine(provider.lease), [], tmp_path).judge(Case(FILES, (Delete(where), Read())))
    pids = list(below(started[0]))
    assert pids, "Spark started a Python"
    provider.close()
    workspace.close()
    until(lambda: not any(map(alive, pids)), "no Python is there any more")
