"""A working copy of a bucket: the suite works with files, the engine with objects.

Before a step the objects are made equal to the files, after it the files to the objects: their bytes, and their times, which
are those of the uploads. A directory exists as long as an object is below it, or an empty object stands for it (``a/``).

Some engines cache tables by path, and the suite rewrites a log to make a table older. For these the objects of the case then
get another name.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

from engines.bucket import Objects, StoredObject, remove_below
from engines.port import Engine, Outcome
from engines.wrapped import WrappedEngine
from model.prediction.paths import LOG_DIRECTORY
from model.vocabulary.steps import Request

#: Seconds between two looks at the server's clock.
_PAUSE = 0.1


class WorkingCopy:
    """The files below the directories of cases, and the objects of the same paths."""

    def __init__(self, objects: Objects, *, renames: bool = False) -> None:
        """``renames``: a log that is written again gets another name."""
        self._objects = objects
        self._renames = renames
        self._known: dict[str, tuple[StoredObject, str]] = {}  # by path, as it was listed last, with its file's digest
        self._served: dict[Path, Path] = {}  # the directories of cases whose objects have another name, with that
        self._names = 0  # how many cases got one

    def served(self, case: Path) -> Path:
        """The directory that the objects of a case are in."""
        return self._served.get(case, case)

    def put(self, case: Path, *, renames: bool = True) -> None:
        """Make the objects of ``case`` equal to its files, which get the times of their uploads. Without ``renames``, the
        objects of a rewritten log keep their names for any engine.
        """
        files = {path: path.read_bytes() for path in _files(case)}
        if (
            renames
            and self._renames
            and any(self._is_log_written_again(case, path, content) for path, content in files.items())
        ):
            self._rename(case)
        above = self.served(case)
        wanted = {str(above / path.relative_to(case)): content for path, content in files.items()}
        gone = [path for path in self._of(above) if not path.endswith("/") and path not in wanted]
        self._objects.delete(gone)
        changed = [path for path, content in wanted.items() if self._differs(path, content)]
        for path in changed:
            self._objects.put(path, wanted[path])
        if changed or gone:
            self.get(case)

    def put_early(self, case: Path, files: Mapping[Path, bytes]) -> int | None:
        """Upload files of a case that has no others yet, and wait until the server's clock shows a later second.

        That second, in ms since the epoch: all that is uploaded from then on is not older. None if there are no files.
        """
        if not files:
            return None
        for path, content in files.items():
            self._objects.put(str(path), content)
        uploaded = list(self._objects.list(f"{case}/"))
        self._known.update({one.path: (one, _digest(files[Path(one.path)])) for one in uploaded})
        newest = max(one.modified for one in uploaded)
        probe, watch = f"{case}.clock", threading.Event()
        try:
            while True:
                self._objects.put(probe, b"")
                seen = next(found.modified for found in self._objects.list(probe) if found.path == probe)
                if seen > newest:
                    return seen
                watch.wait(_PAUSE)
        finally:
            self._objects.delete([probe])

    def get(self, case: Path) -> None:
        """Make the files below ``case`` equal to its objects."""
        above = self.served(case)
        found = {one.path: one for one in self._objects.list(f"{above}/")}
        for path in self._of(above):
            if path not in found:
                del self._known[path]
        kept = set()
        for path, one in found.items():
            file = f"{case}{path.removeprefix(str(above))}"
            self._take(one, file)
            kept.add(file)
            if not file.endswith("/"):
                os.utime(file, ns=(one.modified * 1_000_000, one.modified * 1_000_000))
        _remove_others(case, kept)

    def require_served(self, case: Path) -> None:
        """List, put and delete an object of the case, as its commands do. Raises MachineFailed if the server refuses that."""
        above = self.served(case)
        next(self._objects.list(f"{above}/"), None)
        probe = f"{above}.probe"
        self._objects.put(probe, b"")
        self._objects.delete([probe])

    @property
    def lost(self) -> str:
        """Why no further case can be judged, in a sentence; empty if one can."""
        return self._objects.lost

    def remove(self, case: Path) -> None:
        """Delete the objects of ``case``."""
        above = self._served.pop(case, case)
        for path in self._of(above):
            del self._known[path]
        remove_below(self._objects, f"{above}/")

    def _rename(self, case: Path) -> None:
        """The objects of ``case`` are deleted, and will be in another directory."""
        self.remove(case)
        self._names += 1
        self._served[case] = case.with_name(f"{case.name}-again-{self._names}")

    def _is_log_written_again(self, case: Path, file: Path, content: bytes) -> bool:
        """Whether a file of a log has another content than its object."""
        path = str(self.served(case) / file.relative_to(case))
        return file.parent.name == LOG_DIRECTORY and path in self._known and self._differs(path, content)

    def _of(self, above: Path) -> list[str]:
        return [path for path in self._known if path.startswith(f"{above}/")]

    def _differs(self, path: str, content: bytes) -> bool:
        return path not in self._known or self._known[path][1] != _digest(content)

    def _take(self, one: StoredObject, file: str) -> None:
        """Make a file equal to its object, which need not be read again if it is as it was."""
        path = Path(file)
        if file.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            self._known[one.path] = one, ""
            return
        known = self._known.get(one.path)
        if known is not None and known[0] == one and path.is_file() and _digest(path.read_bytes()) == known[1]:
            return
        content = self._objects.get(one.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self._known[one.path] = one, _digest(content)


class CopyingEngine(WrappedEngine):
    """An engine that works with the objects, behind the working copy."""

    def __init__(self, engine: Engine, copy: WorkingCopy) -> None:
        super().__init__(engine)
        self._copy = copy

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        case = root.parent
        self._copy.put(case)
        served = self._copy.served(case)
        outcome = super().run(served / root.name, step, clock=clock, version=version)
        if outcome.error is not None:
            self._copy.require_served(
                case
            )  # else the engine says what the server says: the key has expired, for example
        self._copy.get(case)
        return outcome if served == case else outcome.moved(served, case)


class UploadingEngine(WrappedEngine):
    """An engine that changes files after its step: the bucket has these changes, too, before anyone looks at their times."""

    def __init__(self, engine: Engine, copy: WorkingCopy) -> None:
        super().__init__(engine)
        self._copy = copy

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        self._copy.put(root.parent, renames=False)  # another name would give all files of the case another time
        return outcome


def _files(case: Path) -> list[Path]:
    return sorted(Path(directory) / name for directory, _, names in os.walk(case) for name in names)


def _remove_others(case: Path, kept: Collection[str]) -> None:
    """Remove the files that are no objects, and the directories in which none is."""
    for directory, _, names in os.walk(case, topdown=False):
        for name in names:
            if (path := os.path.join(directory, name)) not in kept:
                os.unlink(path)
        if not os.listdir(directory) and f"{directory}/" not in kept and directory != str(case):
            os.rmdir(directory)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
