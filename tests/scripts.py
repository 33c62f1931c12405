"""Reproduction scripts run on the reference engine: the same text except for the lines that use an engine."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engines.deltalake.script import DeltalakeScript
from engines.dialect import Dialect, DialectFor, ScriptCommand, ScriptedCase, ScriptRun
from engines.port import Engine
from engines.script_library import free_names
from engines.spark.script import SparkScript
from harness.campaigns.record import case_record
from harness.running import judge as judging
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.commands import Restore
from model.vocabulary.readings import Reading
from model.vocabulary.steps import ENGINE_STEPS, EngineStep, OtherCommand, Read, ReadChanges
from model.vocabulary.values import AnyType, ArrayOf, MapOf, StructOf
from records.run import ListedClause, RecordedCase
from reports.counterexamples.plan import ScriptPlan, reproduction_plan
from reports.counterexamples.runtime import LIBRARY
from reports.counterexamples.script import DATA, reproduction
from suites.catalogue import CATALOGUE

#: The commands of Spark in a script.
SPARK: DialectFor = partial(SparkScript, delta="4.4.0", pyspark="4.2.0")

#: Those of delta-rs.
DELTA_RS: DialectFor = partial(DeltalakeScript, pip="deltalake pyarrow")


def recorded(judged: judging.JudgedCase) -> RecordedCase:
    """The record of a judged case."""
    return case_record(judged, campaign="net", batch=0, index=0, origin="generated")


def listed(id: str) -> ListedClause:
    """The header's entry for a clause."""
    clause = CATALOGUE[id]
    return ListedClause(id, clause.chapter, clause.sentence, tuple(clause.sources), clause.harm.severity, "active")


def plans(case: Case, judge: Judge) -> Iterator[ScriptPlan]:
    """A plan of the first violation of each clause that the case violates."""
    judged = judge.judge(case)
    assert judged.failure is None, judged.failure
    found = recorded(judged)
    for clause in judged.failed:
        violation = next(one for one in found.violations if one.clause == clause)
        yield reproduction_plan(found, violation, listed(clause))


def runnable(lines: str, dialect: Dialect) -> str:
    """Lines of ``main`` after the functions and imports that they use."""
    library = LIBRARY | dialect.library
    functions = "\n\n".join(library.functions[name] for name in library.called_by(lines))
    return "\n".join([*library.import_lines(free_names(f"{functions}\n{lines}")), functions, lines])


def code(script: str) -> str:
    """A script without its data."""
    return script.split(DATA)[0]


class Reference(DeltalakeScript):
    """Commands are calls of ``run``; files are read with pyarrow."""

    errors = "Exception"

    def __init__(self, case: ScriptedCase) -> None:
        super().__init__(case, pip="")

    def now(self) -> str:
        return "int(time.time() * 1000)"

    def start(self) -> Sequence[str]:
        return ("clock = T",)

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        return (f"clock = {instant}",)

    def command(self, run: ScriptRun) -> ScriptCommand:
        command = run.step.command if isinstance(run.step, OtherCommand) else None
        restored = f", before_{command.before_step}" if isinstance(command, Restore) else ""
        text = f"run({run.index}, clock{restored})"
        return ScriptCommand(text, text)

    def read(self, version: str) -> str:
        return f"read_version(clock, {version or None})"

    def asked(self, reading: Reading, sought: Mapping[str, str | int | None]) -> str | None:
        return f"asked(clock, {reading.value!r})"

    def changes(self, first: str, last: str) -> str:
        return f"feed(clock, {first}, {last})"


def outcome(plan: ScriptPlan, engine: Engine, case: Case, home: Path) -> tuple[int, str]:
    """The exit code of a plan's script on this engine, and what it prints."""
    root = Path(plan.scripted.root)
    script = reproduction(plan, Reference).replace(str(root.parent), str(home))
    types = [column.type for column in case.table.columns]

    def run(step: EngineStep, clock: int, version: int | None = None) -> list[list[Any]]:
        answer = engine.run(home / root.name, step, clock=clock, version=version)
        if answer.error is not None:
            raise Refused(answer.error.condition)
        read = isinstance(step, (Read, ReadChanges))
        return [_row(row, types) if read else list(row) for row in answer.rows]

    def run_numbered(number: int, clock: int, version: int | None = None) -> list[list[Any]]:
        step = case.steps[number]
        assert isinstance(step, ENGINE_STEPS), "scripts do the others themselves"
        return run(step, clock, version)

    def asked(clock: int, reading: str) -> list[list[Any]]:
        answers = engine.run(home / root.name, Read(), clock=clock, version=None).answers.values()
        found = next(answer for answer in answers if answer.reading is Reading(reading))
        if found.error is not None:
            raise Refused(found.error.condition)
        return [_row(row, types) if found.reading is Reading.ROWS else list(row) for row in found.rows]

    scope = {
        "__name__": "script",
        "run": run_numbered,
        "read_version": lambda clock, version: run(Read(None if version is None else 0), clock, version),
        "asked": asked,
        "feed": lambda clock, first, last: [
            row for version in range(first, last + 1) for row in run(ReadChanges(0), clock, version)
        ],
        "condition": lambda error: error.args[0],
    }
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), patch.object(os, "_exit", sys.exit):
        try:
            exec(compile(script, "reproduce.py", "exec"), scope)
        except SystemExit as end:
            return int(end.code or 0), printed.getvalue()
    raise AssertionError("a script always exits")


class Refused(Exception):
    """The engine's error: its condition."""


class Pairs(dict[Any, Any]):
    """A map as PySpark returns it, but with keys that need no hash."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        super().__init__()
        self._pairs = pairs

    def items(self) -> Any:
        return self._pairs


def _row(row: tuple[Any, ...], types: list[AnyType]) -> list[Any]:
    return [*map(_value, row, types), *row[len(types) :]] if len(row) >= len(types) else list(row)


def _value(value: Any, type: AnyType) -> Any:
    if value is None:
        return None
    if isinstance(type, MapOf):
        return Pairs([(_value(key, type.key), _value(item, type.value)) for key, item in value])
    if isinstance(type, ArrayOf):
        return [_value(part, type.element) for part in value]
    if isinstance(type, StructOf):
        return [_value(part, field) for part, (_, field) in zip(value, type.fields)]
    return value
