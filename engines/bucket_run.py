"""A run in a user's bucket: its objects are below a prefix that nobody else uses, and it leaves none."""

from __future__ import annotations

from pathlib import Path

from engines.bucket import Bucket, remove_below
from engines.machine import MachineFailed
from engines.object_store import ObjectStore
from engines.port import EngineUnavailable


class BucketRun:
    """The objects of a run, below the path of its ``directory``."""

    def __init__(self, store: ObjectStore, directory: Path) -> None:
        """Try what the run needs: to list, put, get and delete. Raises EngineUnavailable, with the remedy.

        A prefix under which there are objects is refused: another run may use it, or they are somebody's.
        """
        self._store = store
        self._objects = Bucket(store)
        self._directory = str(directory)
        probe = f"{directory}/probe"
        remedy = "see that the bucket is there, and that the key may list, put, get and delete objects in it"
        try:
            found = next(self._objects.list("/"), None)
            if found is not None:
                place = f"s3://{store.bucket}{store.above}"
                raise EngineUnavailable(
                    f"--table-root {place} is not empty (it has {store.key(found.path)}): name a new prefix."
                )
            self._objects.put(probe, b"tombstone")
            try:
                self._objects.get(probe)
            finally:
                self._objects.delete([probe])
        except MachineFailed as failure:
            raise EngineUnavailable(f"{str(failure).rstrip('.')}: {remedy}.") from failure

    def close(self) -> None:
        """Delete what the run has left. Raises EngineUnavailable, with the remedy, if that fails."""
        try:
            remove_below(self._objects, f"{self._directory}/")
        except MachineFailed as failure:
            left = f"{self._store.prefix(self._store.scheme)}{self._directory}"
            raise EngineUnavailable(
                f"{str(failure).rstrip('.')}: delete what the run has left below {left}."
            ) from failure
