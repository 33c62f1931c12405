"""The steps of a program. Delete, Vacuum and Read are run by the engine; the rest is done to the table around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from model.predicate import Predicate
from model.table import DataFile, Stray


@dataclass(frozen=True)
class Delete:
    """``DELETE FROM t [WHERE where]``."""

    where: Predicate | None = None


@dataclass(frozen=True)
class Vacuum:
    """``VACUUM t [RETAIN retain_hours HOURS] [DRY RUN]``."""

    retain_hours: float | None = None
    dry_run: bool = False
    safety_check: bool = True  # spark.databricks.delta.retentionDurationCheck.enabled
    logging: bool = True  # spark.databricks.delta.vacuum.logging.enabled


@dataclass(frozen=True)
class Read:
    """Read all rows: of the current version, or of the version that was current just before a step of the program."""

    before_step: int | None = None


@dataclass(frozen=True)
class Moment:
    """An instant: ``offset`` ms after the start of the case, or after the latest deletionTimestamp that a step wrote.

    A DELETE stamps its removes with the wall clock, which no case can know; naming the stamp keeps the case a value.
    A step that removed nothing stands for the start of the case.
    """

    offset: int
    removed_by_step: int | None = None


@dataclass(frozen=True)
class SetClock:
    """The engine's clock is put to this moment; it stays there until the next SetClock. It starts at offset 0."""

    to: Moment


@dataclass(frozen=True)
class Append:
    """Another writer commits these files (one commit). Their ids are new in the case."""

    files: tuple[DataFile, ...]


@dataclass(frozen=True)
class Litter:
    """These stray files and directories appear."""

    strays: tuple[Stray, ...]


EngineStep = Union[Delete, Vacuum, Read]
Step = Union[Delete, Vacuum, Read, SetClock, Append, Litter]
