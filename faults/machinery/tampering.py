"""What a fault works with: a step that the real engine has run, and the table before and after it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from engines.port import EngineError, Outcome
from faults.machinery.disk import Disk
from faults.machinery.table_log import TableLog
from model.prediction.paths import is_visible
from model.vocabulary.commands import Command
from model.vocabulary.readings import Reading
from model.vocabulary.steps import Delete, EngineStep, OtherCommand, Vacuum
from model.vocabulary.table import DEFAULT_RETENTION, retention_of
from model.vocabulary.values import Row


@dataclass
class Tampering:
    """``before`` is a copy of the table before the step, with the files beside the root beside it."""

    root: Path
    before: Path
    step: EngineStep
    outcome: Outcome
    clock: int  # ms since the epoch
    runs: int  # VACUUMs of this table before the step, without DRY RUNs
    settled: bool  # whether the last of them deleted nothing
    version: int | None = None  # the one to be read, of a Read or a ReadChanges

    @cached_property
    def log(self) -> TableLog:
        return TableLog(self.root, self.before)

    @cached_property
    def disk(self) -> Disk:
        return Disk(self.root, self.before)

    @property
    def delete(self) -> Delete:
        """The step of a fault on DELETE."""
        assert isinstance(self.step, Delete)
        return self.step

    @property
    def vacuum(self) -> Vacuum:
        """The step of a fault on VACUUM."""
        assert isinstance(self.step, Vacuum)
        return self.step

    @property
    def command(self) -> Command:
        """The command of a fault on another one."""
        assert isinstance(self.step, OtherCommand)
        return self.step.command

    @property
    def failed(self) -> bool:
        return self.outcome.error is not None

    @property
    def cutoff(self) -> int:
        """The cutoff of a VACUUM without RETAIN, ms since the epoch."""
        text = self.log.configuration.get("delta.deletedFileRetentionDuration")
        return self.clock - (retention_of(text) if text else DEFAULT_RETENTION)

    def hidden(self, path: str) -> bool:
        return not is_visible(path, self.log.partition_by)

    def old(self, path: str) -> bool:
        """Whether a file existed before the step, and was older than the cutoff."""
        return self.disk.existed(path) and self.disk.modified(path) < self.cutoff

    def path_in(self, row: tuple[Any, ...]) -> str:
        """The path in a row that DRY RUN lists."""
        return os.path.relpath(str(row[0]).removeprefix("file:"), self.root)

    # ---- other outcomes

    def answer(self, rows: Iterable[tuple[Any, ...]]) -> Outcome:
        return dataclasses.replace(self.outcome, rows=tuple(rows), error=None)

    def answer_to(self, reading: Reading, change: Callable[[tuple[Row, ...]], tuple[Row, ...]]) -> Outcome | None:
        """The outcome of a read with other rows in the answers to such a reading; None if they are the same."""
        answers = {
            way: dataclasses.replace(one, rows=change(one.rows))
            if one.reading is reading and one.error is None
            else one
            for way, one in self.outcome.answers.items()
        }
        return None if answers == self.outcome.answers else dataclasses.replace(self.outcome, answers=answers)

    def lose_first_row(self) -> Outcome | None:
        return self.answer(self.outcome.rows[1:]) if self.outcome.rows else None

    def succeed(self) -> Outcome:
        """The outcome of a VACUUM that completed."""
        return self.answer([(f"file:{self.root}",)])

    def list_also(self, paths: Iterable[str], scheme: str = "file:") -> Outcome:
        """The outcome of a VACUUM that lists these paths too."""
        return self.answer([*self.outcome.rows, *((f"{scheme}{self.root / path}",) for path in paths)])

    def refuse(self, condition: str | None, exception: str = "AnalysisException") -> Outcome:
        error = EngineError(exception, condition, "22003", f"[{condition}] made up")
        return dataclasses.replace(self.outcome, rows=(), error=error)

    def fail(self, exception: str) -> Outcome:
        """The outcome of a step that ended in an exception of this class, without an error condition."""
        error = EngineError(exception, None, None, f"java.lang.{exception}: made up")
        return dataclasses.replace(self.outcome, rows=(), error=error)
