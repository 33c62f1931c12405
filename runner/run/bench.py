"""What a run opens: its directory, the storage of its tables, its engine's process, and what is known of the engine there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from engines.bucket import Bucket
from engines.bucket_run import BucketRun
from engines.kind import EngineKind, Given, Provider, Settings
from engines.object_store import ObjectStore, Storage
from engines.pair import PairKind
from engines.port import Engine, EngineUnavailable
from engines.provider import kind_of, limits_in, open_adapter, provider_for, start
from engines.restricted import Restricted
from engines.s3_gateway import Gateway
from engines.working_copy import CopyingEngine, WorkingCopy
from known_faults.known import known_faults_in, known_of, places_of
from records.known_fault import KnownFault
from runner.command_line.options import Options
from runner.processes.workspace import Workspace
from runner.run.circumstances import set_up

#: Seconds for a step of the engine.
STEP_LIMIT = 120


@dataclass(frozen=True)
class Place:
    """Where tables are, as the options of a gate say it."""

    storage: Storage = Storage.LOCAL
    table_root: str | None = None
    bucket: ObjectStore | None = None  # that ``table_root`` names


#: In a temporary directory of this machine.
HERE = Place()


@dataclass(frozen=True)
class ChosenEngine:
    """An engine with its options, and where its tables are."""

    name: str
    given: Given
    place: Place = HERE

    @cached_property
    def kind(self) -> EngineKind:
        return kind_of(self.name).with_options(self.given)

    @property
    def machine(self) -> dict[str, str]:
        """What its options, and the storage, change of the machine."""
        return set_up(self.kind, self.place.storage)

    def known(self, listed: Path) -> tuple[KnownFault, ...]:
        """The known faults of a file that hold where it runs, of any version. Of two engines in turn those of both versions.

        Raises UsageMistake.
        """
        if isinstance(self.kind, PairKind):
            return tuple(replace(one, versions="", until=None) for side in self.kind.sides for one in known_of(side))
        return known_faults_in(listed, places=places_of(self.machine))

    def copy(self) -> WorkingCopy | None:
        """A working copy of the bucket, if its tables are in one."""
        bucket = self.place.bucket
        return None if bucket is None else WorkingCopy(Bucket(bucket), renames=self.kind.remembers_tables)

    def opened(
        self, lease: Callable[[int], Any], copy: WorkingCopy | None, *, time_limit: float = STEP_LIMIT
    ) -> Engine:
        """The engine, through the process that ``lease`` gives. ``copy``: of its bucket. Raises EngineUnavailable."""
        engine = open_adapter(self.name, lease, time_limit=time_limit)
        return engine if copy is None else CopyingEngine(engine, copy)

    def limited(self, engine: Engine) -> Engine:
        """The engine with what its options, and the storage, leave of its capabilities."""
        for limits in limits_in(self.name, self.place.storage, self.given):
            engine = Restricted(engine, engine.capabilities.shared(limits.capabilities))
        return engine


def chosen_in(options: Options) -> ChosenEngine:
    """The engine of a command line."""
    return ChosenEngine(options.engine, options.given, Place(options.storage, options.table_root, options.bucket))


class Bench:
    """What a run has one of. ``close`` ends and removes all of it."""

    def __init__(
        self,
        chosen: ChosenEngine,
        *,
        tell: Callable[[str], None] = print,
        provider: Callable[[Settings], Provider] | None = None,
    ) -> None:
        """Make the run's directory and its storage; the engine is not started yet. ``provider``: instead of the engine's own.

        Raises EngineUnavailable.
        """
        self._chosen = chosen
        self._tell = tell
        self._bucket: BucketRun | None = None
        place = chosen.place
        with ExitStack() as opened:
            self.workspace = Workspace(None if place.bucket else place.table_root)
            opened.callback(self.workspace.close)
            opened.callback(self._leave_bucket)
            store = place.bucket
            if place.storage is Storage.S3:
                gateway = Gateway(self.workspace.directory, self.workspace.started)
                opened.callback(gateway.close)
                store = gateway.store
            settings = Settings(self.directory, self.workspace.started, store=store, tell=tell)
            self.provider = provider(settings) if provider else provider_for(chosen.name, settings, chosen.given)
            opened.callback(self.provider.close)
            self._open = opened.pop_all()

    @property
    def directory(self) -> Path:
        """The run's own: all tables lie below it."""
        return self.workspace.directory

    def start(self, *, time_limit: float = STEP_LIMIT) -> None:
        """Start the engine. Raises EngineUnavailable."""
        bucket = self._chosen.place.bucket
        if bucket is not None:
            self._bucket = BucketRun(bucket, self.directory)
            self.workspace.uses(bucket)
        start(self._chosen.name, self.provider, time_limit=time_limit)

    def _leave_bucket(self) -> None:
        if self._bucket is not None:
            try:
                self._bucket.close()
            except EngineUnavailable as left:
                self._tell(str(left))

    def close(self) -> None:
        self._open.close()
