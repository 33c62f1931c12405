"""The reference engine, without a JVM: it changes a table as the model predicts.

It tests the judge: every clause must hold on it, and a fault added to it must be caught. Where engines may differ (the order
in which directories are deleted, whether checksum files are deleted with their files, how survivors are packed into files)
it has options, which show that the judge does not demand more than is promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from deltalog.checkpoints import write_checkpoint
from engines.port import Outcome, now
from model.capabilities import EVERYTHING, Capabilities
from model.refusals import (
    APPEND_ONLY,
    BEYOND_RETENTION,
    UNKNOWN_PROTOCOL,
    NamedPartition,
    expected_refusal,
    expected_vacuum_refusal,
    named_partition,
)
from model.rules import SPARK, Rules
from model.steps import Delete, EngineStep, InvalidDelete, InvalidVacuum, Read, ReadChanges, Vacuum
from model.table import Feature
from model.values import Row
from selfcheck.reference_engine.deletion import Deletion, FailingCondition
from selfcheck.reference_engine.refusals import Refused, due
from selfcheck.reference_engine.vacuuming import Habits, Vacuuming
from selfcheck.reference_engine.view import View


class ReferenceEngine:
    """Runs steps as the model predicts them, on what the table's log says."""

    name = "model"
    versions: Mapping[str, str] = {"delta": "4.4.0", "model": "1"}

    def __init__(
        self,
        habits: Habits | None = None,
        *,
        rules: Rules = SPARK,
        capabilities: Capabilities = EVERYTHING,
        version: str = "4.4.0",
    ) -> None:
        self.versions = {"delta": version, "model": "1"}
        self.rules = rules
        self.capabilities = capabilities
        self._habits = habits or Habits()
        self._deletions = 0

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        started = now()
        view = View(root)
        try:
            if view.unreadable:
                raise due(UNKNOWN_PROTOCOL[Feature.UNKNOWN_READER])
            if view.unknown_features and isinstance(step, (Delete, Vacuum)):
                raise due(UNKNOWN_PROTOCOL[Feature.UNKNOWN_WRITER])
            if isinstance(step, Read):
                rows = self._read(view, version, clock)
            elif isinstance(step, Delete):
                rows = self._delete(view, step, clock)
            elif isinstance(step, InvalidDelete):
                rows = self._bad_delete(view, step)
            elif isinstance(step, ReadChanges):
                rows = self._changes(view, version)
            elif isinstance(step, InvalidVacuum):
                raise due(expected_vacuum_refusal(step.mistake).at(self.rules.release))
            else:
                rows = Vacuuming(view, step, clock, self._habits, self.rules).run()
        except Refused as refusal:
            return Outcome((), refusal.error, started, now())
        finally:
            if isinstance(step, (Delete, Vacuum)):
                _checkpoint(root, view.snapshot.version, clock)
        return Outcome(rows, None, started, now())

    def close(self) -> None:
        """Nothing to do."""

    # Read -----------------------------------------------------------------------------------------------------------

    def _read(self, view: View, version: int | None, clock: int) -> tuple[Row, ...]:
        wanted = view.snapshot.version if version is None else version
        commit = view.log.commits[wanted]
        expired = wanted != view.snapshot.version and commit.modified < clock - view.retention
        if expired and self.rules.blocks_expired_versions:
            raise due(BEYOND_RETENTION)
        adds = view.log.snapshot(wanted).adds.values()
        if not all((view.root / add.file).is_file() for add in adds):
            raise Refused("FAILED_READ_FILE.FILE_NOT_EXIST")
        return tuple(row for add in adds for row in view.visible(add))

    # DELETE ---------------------------------------------------------------------------------------------------------

    def _delete(self, view: View, step: Delete, clock: int) -> tuple[Row, ...]:
        if view.table.has(Feature.APPEND_ONLY):
            raise due(APPEND_ONLY)
        self._deletions += 1
        deletion = Deletion(
            view,
            step,
            clock,
            number=self._deletions,
            one_file=self._habits.one_file,
            writes_vectors=self.rules.writes_vectors,
        )
        try:
            deletion.commit()
        except FailingCondition:
            raise Refused("CAST_INVALID_INPUT", "22018") from None
        return deletion.answer()

    def _bad_delete(self, view: View, step: InvalidDelete) -> tuple[Row, ...]:
        first = view.table.partition_columns[:1]
        values = (view.partition(add)[0] for add in view.live.values()) if first else ()
        named = named_partition(values, first[0]) if first else NamedPartition.NONE
        append_only = view.table.has(Feature.APPEND_ONLY)
        answer = expected_refusal(step.mistake, append_only=append_only, partition=named)
        raise due(answer.at(self.rules.release))

    def _changes(self, view: View, version: int | None) -> tuple[Row, ...]:
        assert version is not None
        before = _rows_of(view, version - 1) if version else Counter[Row]()
        after = _rows_of(view, version)
        deleted, added = (before - after).elements(), (after - before).elements()
        return (*((*row, "delete") for row in deleted), *((*row, "insert") for row in added))


def _rows_of(view: View, version: int) -> Counter[Row]:
    return Counter(row for add in view.log.snapshot(version).adds.values() for row in view.visible(add))


def _checkpoint(root: Path, before: int, clock: int) -> None:
    """Write the checkpoints that became due in a step, without expired tombstones."""
    view = View(root)
    configuration = view.metadata.configuration
    interval = int(configuration.get("delta.checkpointInterval") or 0)
    written = {checkpoint.version for checkpoint in view.log.checkpoints}
    for version in range(before + 1, view.snapshot.version + 1) if interval else ():
        if version % interval or version in written:
            continue
        snapshot = view.log.snapshot(version)
        expired = clock - view.retention
        kept = [remove for remove in snapshot.removes.values() if (remove.deletion_timestamp or 0) > expired]
        write_checkpoint(root, snapshot, tombstones=kept, v2=configuration.get("delta.checkpointPolicy") == "v2")
