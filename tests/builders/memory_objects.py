"""Objects in memory, as a bucket has them, and an engine that sees nothing else of a table."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from engines.bucket import StoredObject
from engines.port import Engine, Outcome
from engines.wrapped import WrappedEngine
from model.vocabulary.steps import Request


class MemoryObjects:
    """Their clock goes on by ``tick`` ms with each upload, by a second with each look at it.

    It tells whole ``unit`` ms.
    """

    def __init__(self, clock: int, *, tick: int = 400, unit: int = 1000) -> None:
        self.content: dict[str, tuple[bytes, int]] = {}  # by path, with the time of the upload
        self._clock = clock
        self._tick = tick
        self._unit = unit

    lost = ""

    def list(self, above: str) -> Iterator[StoredObject]:
        for path, (content, at) in sorted(self.content.items()):
            if path.startswith(above):
                yield StoredObject(path, len(content), at // self._unit * self._unit, sha256(content).hexdigest())

    def put(self, path: str, content: bytes, at: int | None = None) -> None:
        self._clock += 1000 if path.endswith(".clock") else self._tick
        self.content[path] = content, self._clock if at is None else at

    def get(self, path: str) -> bytes:
        return self.content[path][0]

    def delete(self, paths: Iterable[str]) -> None:
        for path in paths:
            del self.content[path]


class ObjectsEngine(WrappedEngine):
    """An engine of files on the objects: for each step it has files of its own, in the place of the suite's.

    What it writes is as old as its file.
    """

    def __init__(self, engine: Engine, objects: MemoryObjects) -> None:
        super().__init__(engine)
        self._objects = objects

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        case = root.parent
        aside = case.with_name(f"{case.name}-of-the-suite")
        is_the_suites = case.exists()  # else the objects have another name
        if is_the_suites:
            os.rename(case, aside)
        try:
            case.mkdir()
            for found in self._objects.list(f"{case}/"):
                path = Path(found.path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self._objects.get(found.path))
                os.utime(path, ns=(found.modified * 1_000_000, found.modified * 1_000_000))
            outcome = super().run(root, step, clock=clock, version=version)
            self._keep(case)
        finally:
            shutil.rmtree(case)
            if is_the_suites:
                os.rename(aside, case)
        return outcome

    def _keep(self, case: Path) -> None:
        files = {str(path): path.read_bytes() for path in case.rglob("*") if path.is_file()}
        known = {found.path for found in self._objects.list(f"{case}/")}
        self._objects.delete(sorted(known - files.keys()))
        for path, content in sorted(files.items()):
            if path not in known or self._objects.get(path) != content:
                self._objects.put(path, content, os.stat(path).st_mtime_ns // 1_000_000)
