"""Reproduction scripts run on the reference engine: the same text except for the lines that use an engine."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engines.port import Engine
from harness.campaigns.record import case_record
from harness.judging.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.steps import ENGINE_STEPS, EngineStep, InvalidDelete, InvalidVacuum, Read, ReadChanges, Vacuum
from model.vocabulary.values import AnyType, ArrayOf, MapOf, StructOf
from records.json_form import to_json
from reports.counterexamples.deltalake import Deltalake
from reports.counterexamples.dialect import Command, Op
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import DATA, reproduction
from suites.catalogue import CATALOGUE

#: The packages that a plan names.
SPARK = {
    "engine": "spark",
    "packages": "io.delta:delta-spark_4.2_2.13:4.4.0",
    "pip": "pyspark==4.2.0 delta-spark==4.4.0",
}


def plans(case: Case, judge: Judge, **how: Any) -> Iterator[dict[str, Any]]:
    """A plan of the first violation of each clause that the case violates."""
    judged = judge.judge(case)
    assert judged.failure is None, judged.failure
    line = to_json(case_record(judged, campaign="witness", shard=0, index=0, origin="drawn"))
    for clause in judged.failed:
        violation = next(one for one in line["violations"] if one["clause"] == clause)
        entry = {"id": clause, "sentence": CATALOGUE[clause].sentence}
        yield reproduction_plan(case, line=line, violation=violation, clause=entry, **how)


def operation(step: EngineStep) -> dict[str, Any]:
    """The kind of a command only: the reference engine is given the step itself."""
    kind = "vacuum" if isinstance(step, (Vacuum, InvalidVacuum)) else "delete"
    return {"do": f"bad {kind}" if isinstance(step, (InvalidDelete, InvalidVacuum)) else kind}


def code(script: str) -> str:
    """A script without its data."""
    return script.split(DATA)[0]


class Reference(Deltalake):
    """Commands are calls of ``run``; files are read with pyarrow."""

    errors = "Exception"
    imports = Deltalake.imports[:2]

    def now(self) -> str:
        return "int(time.time() * 1000)"

    def clock(self, instant: str, *, first: bool) -> tuple[str, ...]:
        return (f"clock = {instant}",)

    def command(self, op: Op) -> Command:
        text = f"run({op['step']}, clock)"
        return Command(text, text)

    def read(self, version: str) -> str:
        return f"read_version(clock, {version or None})"

    def changes(self, first: str, last: str) -> str:
        return f"feed(clock, {first}, {last})"


def outcome(plan: Mapping[str, Any], engine: Engine, case: Case, home: Path) -> tuple[int, str]:
    """The exit code of a plan's script on this engine, and what it prints."""
    script = reproduction(plan, Reference(plan)).replace(str(Path(plan["root"]).parent), str(home))
    types = [column.type for column in case.table.columns]

    def run(step: EngineStep, clock: int, version: int | None = None) -> list[list[Any]]:
        answer = engine.run(home / Path(plan["root"]).name, step, clock=clock, version=version)
        if answer.error is not None:
            raise Refused(answer.error.condition)
        read = isinstance(step, (Read, ReadChanges))
        return [_row(row, types) if read else list(row) for row in answer.rows]

    def run_numbered(number: int, clock: int) -> list[list[Any]]:
        step = case.steps[number]
        assert isinstance(step, ENGINE_STEPS), "scripts do the others themselves"
        return run(step, clock)

    scope = {
        "__name__": "script",
        "run": run_numbered,
        "read_version": lambda clock, version: run(Read(None if version is None else 0), clock, version),
        "feed": lambda clock, first, last: [
            row for version in range(first, last + 1) for row in run(ReadChanges(0), clock, version)
        ],
        "condition": lambda error: error.args[0],
    }
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
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
