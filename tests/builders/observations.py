"""Judges of the whole catalogue, and observations without an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from engines.port import Engine, EngineError, Outcome
from harness.judging.clause import NOT_EXERCISED, Clause, Judgement
from harness.observing.observer import Observer
from harness.observing.steps.observation import Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.judge import Judge
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.vocabulary.rules import SPARK
from model.vocabulary.steps import Vacuum
from model.vocabulary.table import Table
from records.known_fault import KnownFault
from suites.catalogue import CATALOGUE

START = 1_700_000_000_000  # of a case, ms since the epoch


def full_judge(engine: Engine, directory: Path, listed: Iterable[KnownFault | str] = ()) -> Judge:
    return Judge(engine, list(CATALOGUE.values()), directory, listed)


def listener(listen: Callable[[Observation], object]) -> Clause[Observation]:
    """A clause that judges nothing; ``listen`` gets every observation."""

    def judge(observation: Observation) -> Judgement:
        listen(observation)
        return NOT_EXERCISED

    return Clause("VAC-PASS-1", "It observes every step.", (), Observation, judge, of_broken=True)


def make(table: Table, directory: Path, *, start: int = START) -> Path:
    """The table on storage, where ``directory`` holds nothing else; its root."""
    root = directory / "case-1" / "table"
    write_table(plan_table(table, root, start=start))
    return root


def vacuum_observation(
    table: Table, root: Path, step: Vacuum, *, clock: int = 0, wall: tuple[int, int] = (0, 0), refused: bool = False
) -> VacuumObservation:
    """A VACUUM that changed nothing. Clock, and start and end of the step by the wall clock: ms since ``START``."""
    state = Observer(table, root).observe()
    error = EngineError("Py4JJavaError", None, None, "broken") if refused else None
    return VacuumObservation(
        table=table,
        root=str(root),
        index=0,
        step=step,
        outcome=Outcome((), error, START + wall[0], START + wall[1]),
        before=state,
        after=state,
        clock=START + clock,
        start=START,
        versions={},
        expected_rows=Counter(),
        clone_rows=None,
        earlier=(),
        rules=SPARK,
    )
