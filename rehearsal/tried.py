"""What a release is asked to do to copies of the table, and what the releases did."""

from __future__ import annotations

from dataclasses import dataclass

from rehearsal.deletion import DeletePrediction
from rehearsal.known import KnownOfTable
from rehearsal.prediction import Prediction
from rehearsal.rehearsed import DeleteTrial, Trial
from rehearsal.releases import Release


@dataclass(frozen=True)
class Asked:
    """A DELETE, a VACUUM, or one after the other, by one release. ``known``: its known faults of VACUUM, if it runs one."""

    release: Release
    deletion: DeletePrediction | None
    vacuum: Prediction | None
    known: KnownOfTable | None


@dataclass(frozen=True)
class Tried:
    """A trial of each release; no trial of a VACUUM if a DELETE before it did not do what the model says."""

    deletes: tuple[DeleteTrial, ...]
    vacuums: tuple[Trial, ...]
