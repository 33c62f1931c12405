"""The observation of a VACUUM, and what the model predicts for it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from deltalog.errors import MalformedPath
from deltalog.storage.paths import decode
from harness.observing.steps.observation import Observation, relative
from harness.observing.table.vacuum_inputs import commit_times, lite_scan, named_outside, references_of, tombstone_scan
from model.prediction.fates import PathFate
from model.prediction.lite import LogPruned, Window, lite_window
from model.prediction.refusals import CANNOT_VACUUM_LITE, UNKNOWN_PROTOCOL, Refusal, checks_writer
from model.prediction.retention import Cutoff, cutoff_for, effective_retain, refuses_retain
from model.prediction.scans import InventoryScan, References, Scan, listing_of
from model.prediction.vacuum import ends_in_error, predict_vacuum
from model.vocabulary.rules import SPARK
from model.vocabulary.steps import InvalidVacuum, Inventory, IOFault, Vacuum
from model.vocabulary.table import Feature


@dataclass(frozen=True)
class VacuumObservation(Observation):
    step: Vacuum

    @cached_property
    def retain(self) -> int | None:
        """The effective RETAIN in ms: since Delta 4.1 only one that rounds to 0 hours (docs/delta.md 1.2, step 4)."""
        return effective_retain(self.step.retain_hours, self.rules.retain)

    @property
    def moves_cutoff(self) -> bool:
        """Whether RETAIN moves the cutoff. It does not if it is the table's retention and both count from the wall clock."""
        return self.retain is not None and (self.rules.own_clock or self.retain != self.table.retention)

    @cached_property
    def cutoff(self) -> Cutoff:
        return cutoff_for(
            clock=self.clock,
            retention=self.table.retention,
            retain=self.retain,
            wall=(self.outcome.started, self.outcome.ended),
            own_clock=self.rules.own_clock,
        )

    @property
    def too_short(self) -> bool:
        """Whether RETAIN is below the table's retention, which the safety check refuses (docs/delta.md 1.2, step 7)."""
        return self.retain is not None and self.retain < self.table.retention

    @property
    def retain_refused(self) -> bool:
        """Whether the step must be refused for its RETAIN: a negative one also with the safety check off."""
        return refuses_retain(self.retain, retention=self.table.retention, safety_check=self.step.safety_check)

    @cached_property
    def references(self) -> References:
        """The paths below the root that the log referred to before the step, or that belong to a version to keep."""
        return references_of(
            self.before,
            self.step.kept_versions(self.before.version),
            removals=self.rules.keeps_removals_of_young_commits,
        )

    @cached_property
    def outside(self) -> frozenset[str]:
        """The data files and deletion vector files beside the root that the log named before the step."""
        return named_outside(self.before)

    @property
    def last_vacuumed(self) -> int | None:
        """The version up to which LITE VACUUMs had read the log before the step; None: no bookmark."""
        return self.before.last_vacuumed

    @cached_property
    def window(self) -> Window | None:
        """The versions that a LITE run reads; None: no LITE run, no versions, or it must be refused."""
        return self._window_and_pruned[0]

    @cached_property
    def _window_and_pruned(self) -> tuple[Window | None, bool]:
        """The window of a LITE run, and whether the log lacks commits in it."""
        if not self.step.mode.lite or not self.rules.lite_window:
            return None, False
        times = commit_times(self.before)
        try:
            return lite_window(times, cutoff=self.cutoff.earliest, last_vacuumed=self.before.last_vacuumed), False
        except LogPruned:
            return None, True

    @cached_property
    def scan(self) -> Scan:
        """Where the run finds files to delete."""
        if self.step.mode.lite:
            return lite_scan(self.before, self.window) if self.rules.lite_window else tombstone_scan(self.before)
        if self.step.mode.inventory:
            return InventoryScan(self.step.inventory is Inventory.FILES)
        return listing_of(self.rules)

    @cached_property
    def fates(self) -> dict[str, PathFate]:
        """The prediction for every path that was below the root before the step."""
        io_fault = self.step.io_fault
        # A dry run deletes nothing, so a fault of deletions does not occur.
        without_fault = self.step.dry_run and io_fault is not None and io_fault.of_deletion
        return predict_vacuum(
            self.before.things,
            self.references,
            partition_by=self.table.partition_by,
            reserved=self.rules.reserved_names,
            cutoff=self.cutoff,
            scan=self.scan,
            faulty_path=None if without_fault else self._io_fault,
            directories=self.rules.directories,
        )

    @property
    def _io_fault(self) -> tuple[IOFault, str] | None:
        io_fault, path = self.step.io_fault, self.step.faulty_path
        return None if io_fault is None or path is None else (io_fault, path)

    @cached_property
    def fails(self) -> bool:
        """Whether the I/O fault must end the run in an error; as observed where the model leaves it open.

        Not where the run is refused before.
        """
        if self.retain_refused:
            return False
        ends = ends_in_error(
            self.fates,
            self.before.things,
            partition_by=self.table.partition_by,
            reserved=self.rules.reserved_names,
            scan=self.scan,
            faulty_path=self._io_fault,
            dry_run=self.step.dry_run,
        )
        return self.refused if ends is None else ends

    @property
    def due(self) -> Refusal | None:
        """The refusal that the table's state demands, if any. A RETAIN that is too short is not among them."""
        due = UNKNOWN_PROTOCOL if checks_writer(self.step, self.rules) else (Feature.UNKNOWN_READER,)
        unknown = next((feature for feature in due if self.table.has(feature)), None)
        if unknown is not None:
            return UNKNOWN_PROTOCOL[unknown]
        _, pruned = self._window_and_pruned
        return CANNOT_VACUUM_LITE if pruned and not self.retain_refused else None

    @cached_property
    def listed(self) -> frozenset[str]:
        """The relative paths that a DRY RUN returned."""
        return (
            frozenset(relative(self._decoded(str(row[0])), self.root) for row in self.outcome.rows if row)
            if self.step.dry_run
            else frozenset()
        )

    @cached_property
    def returned(self) -> frozenset[str]:
        """The paths, from the root, that a run returned as deleted: delta-rs (an absolute one may lack its first slash)."""
        if not self.ran or self.rules.implementation == SPARK.implementation:
            return frozenset()
        # A file that the log names by its URI is returned as if that were a path below the root.
        paths = (
            relative(self._decoded(relative(str(row[0]), self.root)), self.root) for row in self.outcome.rows if row
        )
        return frozenset(path.removeprefix(f"{self.root.lstrip('/')}/") for path in paths)

    def _decoded(self, path: str) -> str:
        """A path in the result. delta-rs returns a file's URI as the log has it, percent-encoded; Spark never encodes."""
        if self.rules.implementation == SPARK.implementation or not path.startswith("file:"):
            return path
        with suppress(MalformedPath):
            return decode(path)
        return path

    @property
    def ran(self) -> bool:
        """Whether it was no DRY RUN, and not refused."""
        return not self.step.dry_run and not self.refused


@dataclass(frozen=True)
class VacuumRefusalObservation(Observation):
    """A VACUUM that must be refused for an invalid command or for the table's state."""

    step: Vacuum | InvalidVacuum
    due: Refusal
