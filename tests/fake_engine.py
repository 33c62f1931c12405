"""An engine of the suite's own, without a JVM: it does to a table what the model says that it must.

It proves the judge: on it every clause must hold, and with one fault built in, that fault must be noticed. What an engine
may do in more than one way (the order in which directories are deleted, whether checksum files go along with their files,
how survivors are packed into files) is open here too, so that the judge is seen not to ask for more than is promised.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deltalog.actions import CommitInfo
from deltalog.commits import write_commit
from deltalog.names import LOG_DIRECTORY
from engines.port import EngineError, Outcome
from model.refusals import APPEND_ONLY, Refusal, expected_refusal
from model.steps import BadDelete, Delete, EngineStep, Read, ReadChanges, Vacuum
from model.table import Feature
from model.vacuum import cutoff_for, whole_hours
from model.values import Row
from tests.fake_delete import Deletion, FailingCondition
from tests.fake_view import View

TOO_SHORT = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"


@dataclass(frozen=True)
class Habits:
    """What an engine may do either way."""

    top_down: bool = False  # directories are deleted before those that they lie in, or after
    takes_checksums: bool = True  # a file's checksum goes along with it, as on Hadoop's local file system
    one_file: bool = False  # the survivors of a partition are written as one file, or file by file


class FakeEngine:
    """Runs steps as the model predicts them. It knows of a table what its log says, as any engine does."""

    name = "fake"
    versions: Mapping[str, str] = {"delta": "4.4.0", "fake": "1"}

    def __init__(self, habits: Habits = Habits()) -> None:
        self._habits = habits
        self._deletions = 0

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        started = _now()
        view = View(root)
        try:
            if isinstance(step, Read):
                rows = self._read(view, version, clock)
            elif isinstance(step, Delete):
                rows = self._delete(view, step, clock)
            elif isinstance(step, BadDelete):
                rows = self._bad_delete(view, step)
            elif isinstance(step, ReadChanges):
                rows = self._changes(view, version)
            else:
                rows = self._vacuum(view, step, clock)
        except _Refused as refusal:
            return Outcome((), refusal.error, started, _now())
        return Outcome(rows, None, started, _now())

    def close(self) -> None:
        """There is nothing to close."""

    # Read -----------------------------------------------------------------------------------------------------------

    def _read(self, view: View, version: int | None, clock: int) -> tuple[Row, ...]:
        wanted = view.snapshot.version if version is None else version
        commit = view.log.commits[wanted]
        if wanted != view.snapshot.version and commit.modified < clock - view.retention:
            raise _Refused("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION")
        adds = view.log.snapshot(wanted).adds.values()
        if not all((view.root / add.file).is_file() for add in adds):
            raise _Refused("FAILED_READ_FILE.FILE_NOT_EXIST")
        return tuple(row for add in adds for row in view.visible(add))

    # DELETE ---------------------------------------------------------------------------------------------------------

    def _delete(self, view: View, step: Delete, clock: int) -> tuple[Row, ...]:
        if view.table.has(Feature.APPEND_ONLY):
            raise _due(APPEND_ONLY)
        self._deletions += 1
        deletion = Deletion(view, step, clock, number=self._deletions, one_file=self._habits.one_file)
        try:
            deletion.commit()
        except FailingCondition:
            raise _Refused("CAST_INVALID_INPUT", "22018") from None
        return deletion.answer()

    def _bad_delete(self, view: View, step: BadDelete) -> tuple[Row, ...]:
        has_partitions = any(view.partition(add)[:1] not in ((), (None,)) for add in view.live.values())
        append_only = view.table.has(Feature.APPEND_ONLY)
        raise _due(expected_refusal(step.blunder, append_only=append_only, has_partitions=has_partitions))

    def _changes(self, view: View, version: int | None) -> tuple[Row, ...]:
        assert version is not None
        before, after = (
            Counter(row for add in adds for row in view.visible(add))
            for adds in (
                view.log.snapshot(number).adds.values() if number >= 0 else () for number in (version - 1, version)
            )
        )
        deleted, added = (before - after).elements(), (after - before).elements()
        return (*((*row, "delete") for row in deleted), *((*row, "insert") for row in added))

    # VACUUM ---------------------------------------------------------------------------------------------------------

    def _vacuum(self, view: View, step: Vacuum, clock: int) -> tuple[Row, ...]:
        retain = None if step.retain_hours is None else whole_hours(step.retain_hours)
        retain = 0 if retain == 0 else None  # since Delta 4.1 any other RETAIN is ignored (facts 1.2, step 4)
        if retain is not None and step.safety_check and retain < view.retention:
            raise _Refused(TOO_SHORT)
        now = _now()
        judged = view.judged(cutoff_for(clock=clock, retention=view.retention, retain=retain, wall=(now, now)))
        listed = [path for path, fate in judged.items() if fate.listed]
        if step.dry_run:
            return tuple((f"file:{view.root / path}",) for path in listed)
        version = view.snapshot.version
        if step.logging:
            size = sum((view.root / path).stat().st_size for path in listed if (view.root / path).is_file())
            write_commit(view.root, version + 1, [_start_info(view, step, clock, retain, len(listed), size)])
        deleted = sum(self._remove(view.root, path) for path in self._in_order(listed))
        if step.logging:
            write_commit(view.root, version + 2, [_end_info(clock, deleted)])
        (view.root / LOG_DIRECTORY / "_last_vacuum_info").write_text("{}\n")
        return ((f"file:{view.root}",),)

    def _in_order(self, paths: list[str]) -> list[str]:
        return sorted(paths, key=lambda path: path.count("/"), reverse=not self._habits.top_down)

    def _remove(self, root: Path, path: str) -> bool:
        """Delete one file, or a directory if it is empty; whether it went."""
        if (root / path).is_dir():
            if any((root / path).iterdir()):
                return False
            (root / path).rmdir()
            return True
        (root / path).unlink()
        checksum = (root / path).with_name(f".{Path(path).name}.crc")
        if self._habits.takes_checksums and checksum.is_file():
            checksum.unlink()
        return True


class _Refused(Exception):
    def __init__(self, condition: str, sqlstate: str = "22003") -> None:
        self.error = EngineError("AnalysisException", condition, sqlstate, f"[{condition}] as Delta words it")


def _due(refusal: Refusal) -> _Refused:
    return _Refused(min(refusal.conditions), min(refusal.sqlstates))


def _start_info(view: View, step: Vacuum, clock: int, retain: int | None, count: int, size: int) -> CommitInfo:
    specified = {} if retain is None else {"specifiedRetentionMillis": retain}
    return CommitInfo(
        {
            "timestamp": clock,
            "operation": "VACUUM START",
            "operationParameters": {
                "retentionCheckEnabled": step.safety_check,
                "defaultRetentionMillis": view.retention,
                **specified,
            },
            "operationMetrics": {"numFilesToDelete": str(count), "sizeOfDataToDelete": str(size)},
        }
    )


def _end_info(clock: int, deleted: int) -> CommitInfo:
    return CommitInfo(
        {
            "timestamp": clock,
            "operation": "VACUUM END",
            "operationParameters": {"status": "COMPLETED"},
            "operationMetrics": {"numDeletedFiles": str(deleted)},
        }
    )


def _now() -> int:
    return time.time_ns() // 1_000_000
