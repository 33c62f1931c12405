"""What the reproduction script of one violation consists of, on any engine. Instants are in ms from the start of the case."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deltalog.entries.commits import commit_bytes
from deltalog.storage.names import commit_name
from deltalog.storage.parquet import parquet_bytes
from engines.dialect import ScriptedCase, ScriptRun
from harness.tables.file_actions import arrow_table
from harness.tables.plan import PlannedFile, PlannedLink, plan_append, plan_strays, plan_table
from harness.tables.storage import write_log
from model.codec import case_id
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.commands import Merge, Overwrite, StreamAppend, columns_after
from model.vocabulary.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    Delete,
    EngineStep,
    Insert,
    Moment,
    OtherCommand,
    SetClock,
    Vacuum,
)
from model.vocabulary.table import DataFile, Table
from model.vocabulary.values import Row
from records.expectations import Expectation
from records.run import CrashSnapshot, ListedClause, RecordedCase, RecordedViolation

#: Where a script makes its table. The log may contain this path, so it is the same in each run.
HOME = "/tmp/tombstone-{case}"

#: The start of the case in a log that is written before the start is known: no other number is near it.
GENERATED = 4_555_555_555_500_000_000

#: Why a script does not run what a stream has as code.
NO_CODE = "a step of the case is code of the engine, which a report does not pass on"

#: How far from the start of the case an instant may be, in ms: 30 years.
_FAR = 10**12

#: The name in a plan of a commit that becomes the table's next version.
NEXT_COMMIT = "_delta_log/next.json"


@dataclass(frozen=True)
class LogFile:
    """A file of the log that is text. In it ``"T-5"`` is the instant 5 ms before the start."""

    path: str
    text: str
    modified: int


@dataclass(frozen=True)
class Things:
    """Files, directories and links below and beside the root, by paths from it. ``files`` have the log's checkpoints."""

    log: tuple[LogFile, ...]
    files: tuple[PlannedFile, ...]
    directories: tuple[str, ...] = ()
    links: tuple[PlannedLink, ...] = ()

    @property
    def checkpoints(self) -> tuple[PlannedFile, ...]:
        return tuple(file for file in self.files if file.path.startswith("_delta_log/"))


@dataclass(frozen=True)
class Arranged:
    """What is there from a step on that the engine does not run."""

    index: int  # the step's place in the case
    step: Append | AddStrayFiles
    things: Things


@dataclass(frozen=True)
class ScriptPlan:
    """``heading``: what the script shows. ``judged``: the place in the case of the step that is wrong, the last of ``steps``.

    ``left_by``: the place of the step that was killed, before ``steps``, and left ``things``; it may be ``judged`` itself.
    ``unknown``: that of one that was killed whose storage is not known, so that no script can go on from there.
    """

    heading: str
    expectation: Expectation | None
    case_id: str
    scripted: ScriptedCase
    table: Table  # as the case defines it after that step
    things: Things
    steps: tuple[ScriptRun | Arranged, ...]
    judged: int
    left_by: int | None = None
    unknown: int | None = None
    clause: str = ""  # its id, in a run
    has_code: bool = False  # of a stream, which may come from anybody: no script runs it
    file: str = "reproduce.py"

    @property
    def shows_storage(self) -> bool:
        """Whether the fault lies on the storage that a step left which was killed: every engine shows it."""
        return self.left_by == self.judged


def reproduction_plan(judged: RecordedCase, violation: RecordedViolation, clause: ListedClause) -> ScriptPlan:
    """The plan for one of a case's violations."""
    plan = plan_of(
        judged.case,
        f"{clause.id}: {clause.sentence}",
        violation.expectation,
        step=violation.step,
        failed={step.index for step in judged.steps if step.outcome.error is not None},
        processors=judged.processors,
        left=judged.left if judged.left is not None and judged.left.step <= violation.step else None,
    )
    return replace(plan, clause=clause.id, has_code=judged.case.has_code)


def plan_of(
    case: Case,
    heading: str,
    expectation: Expectation | None,
    *,
    step: int,
    failed: Collection[int] = (),
    processors: int | None = None,
    left: CrashSnapshot | None = None,
) -> ScriptPlan:
    """The plan for an expectation about a ``step`` of the case, which is the last one that is run.

    ``failed``: the steps that end in an error; the script goes on after these. ``left``: what a killed step left.
    """
    id = case_id(case)
    root = Path(HOME.format(case=id), case.table.root.value)
    first = 0 if left is None else left.step + 1
    things = things_of(case.table, root) if left is None else _things_left(left)
    steps = tuple(one for one in _steps(case, root, failed, until=step) if one.index >= first)
    killed = (one.index for one in steps if isinstance(one, ScriptRun) and left is None and may_be_killed(one.step))
    runs = tuple(one for one in steps if isinstance(one, ScriptRun))
    tables = definitions(case.table, case.steps[: step + 1])
    return ScriptPlan(
        heading,
        expectation,
        id,
        ScriptedCase(tables[first], str(root), runs, processors, bool(things.checkpoints)),
        tables[-1],
        things,
        steps,
        step,
        left_by=None if left is None else left.step,
        unknown=next(killed, None),
    )


def may_be_killed(step: EngineStep) -> bool:
    """Whether it may have been killed."""
    return isinstance(step, (Delete, Vacuum)) and step.crash is not None


def _things_left(left: CrashSnapshot) -> Things:
    """The storage after a step that was killed."""
    log, files = [], []
    for file in left.files:
        content = base64.b64decode(file.content)
        if file.path.startswith("_delta_log/") and not file.path.endswith(".parquet"):
            log.append(LogFile(file.path, _from_start(content, left.start), file.modified))
        else:
            files.append(PlannedFile(file.path, content, file.modified))
    return Things(tuple(log), tuple(files))


def things_of(table: Table, root: Path) -> Things:
    """The table, with its log and its stray files."""
    plan = plan_table(table, root, start=GENERATED)
    times = {commit_name(commit.version): commit.modified for commit in plan.commits}
    log, checkpoints = [], []
    with tempfile.TemporaryDirectory() as directory:
        write_log(plan, Path(directory))
        for path in filter(Path.is_file, sorted(Path(directory).rglob("*"))):
            name, modified = path.relative_to(directory).as_posix(), times.get(path.name, 0)
            if path.suffix == ".parquet":
                checkpoints.append(PlannedFile(name, path.read_bytes(), modified))
            else:
                log.append(LogFile(name, _from_start(path.read_bytes(), GENERATED), modified))
    return Things(tuple(log), (*plan.files, *checkpoints), plan.directories, plan.links)


def rows_file_of(table: Table, step: EngineStep) -> bytes:
    """A Parquet file with all columns of the rows that the step writes, under the names that users see. Empty if it writes none;
    an overwrite always has one."""
    rows = _rows_of(step)
    if rows is None:
        return b""
    columns = columns_after(step.command, table.columns) if isinstance(step, OtherCommand) else table.columns
    plain = replace(table, columns=columns, partition_by=(), features=())
    return parquet_bytes(arrow_table(plain, DataFile(0, (), rows, modified=0)))


def _from_start(content: bytes, start: int) -> str:
    """A file of the log with its instants as ``"T-604800000"``, in ms from the start. Lines that are no JSON stay as they are."""
    return "\n".join(_line_from_start(line, start) for line in content.decode("utf-8", "replace").split("\n"))


def _line_from_start(line: str, start: int) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    relative, spaces = _relative(value, start), line == json.dumps(value, ensure_ascii=line.isascii())
    if relative == value:
        return line
    return json.dumps(relative, ensure_ascii=line.isascii(), separators=None if spaces else (",", ":"))


def _relative(value: Any, start: int) -> Any:
    """A value of JSON in which each instant is a text."""
    if isinstance(value, dict):
        return {key: _relative(item, start) for key, item in value.items()}
    if isinstance(value, list):
        return [_relative(item, start) for item in value]
    is_instant = isinstance(value, int) and not isinstance(value, bool) and abs(value - start) < _FAR
    return f"T{value - start:+d}" if is_instant else value


def instants_in(content: bytes) -> dict[int, int]:
    """Where a checkpoint that is not compressed has instants, of 8 bytes each, and how far from the start each is."""
    offsets = ((at, int.from_bytes(content[at : at + 8], "little") - GENERATED) for at in range(len(content) - 7))
    return {at: offset for at, offset in offsets if abs(offset) < _FAR}


def _steps(case: Case, root: Path, failed: Collection[int], *, until: int) -> Iterable[ScriptRun | Arranged]:
    """The steps up to the violation; those of the engine with the clock."""
    clock, tables = Moment(0), definitions(case.table, case.steps)
    for index, step in enumerate(case.steps[: until + 1]):
        if isinstance(step, SetClock):
            clock = step.to
        elif isinstance(step, (Append, AddStrayFiles)):
            yield arranged_step(index, step, case.table, root, clock)
        else:
            assert isinstance(step, ENGINE_STEPS)
            yield ScriptRun(index, step, clock, index in failed, rows_file_of(tables[index], step))


def arranged_step(index: int, step: Append | AddStrayFiles, table: Table, root: Path, clock: Moment) -> Arranged:
    """A step that the engine does not run. ``table``: as it is at the start of the case."""
    if isinstance(step, AddStrayFiles):
        return Arranged(index, step, Things((), *plan_strays(step.stray_files)))
    # Another writer commits at the clock's time; one relative to a DELETE's deletionTimestamp is unknown here.
    at = clock.offset
    files, actions = plan_append(table, step.files, root, start=GENERATED, at=at)
    text = _from_start(commit_bytes(actions), GENERATED)
    return Arranged(index, step, Things((LogFile(NEXT_COMMIT, text, at),), files))


def _rows_of(step: EngineStep) -> tuple[Row, ...] | None:
    if isinstance(step, OtherCommand):
        command = step.command
        if isinstance(command, Merge):
            return command.rows or None
        return command.rows if isinstance(command, (Overwrite, StreamAppend)) else None
    return step.rows if isinstance(step, Insert) else None
