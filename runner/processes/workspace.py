"""The directory of a run: the run creates, ages, vacuums and deletes files below it only."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from urllib.parse import unquote, urlsplit

from engines.object_store import ObjectStore
from records.mistakes import UsageMistake
from runner.processes import reaper


class Workspace:
    """A new directory, removed at the end of the run, also when the run is killed (runner.processes.reaper)."""

    def __init__(self, table_root: str | None) -> None:
        self._made: Path | None = None  # the user's table root, where it did not exist before
        parent = self._parent(table_root) if table_root is not None else None
        self.directory = Path(tempfile.mkdtemp(prefix="tombstone-", dir=parent)).resolve()
        self._reaper = subprocess.Popen(
            [sys.executable, "-I", reaper.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C must not end it
        )
        self._send(f"remove {self.directory}")

    def _parent(self, table_root: str) -> Path:
        parts = urlsplit(table_root)
        if parts.scheme not in ("", "file"):
            raise UsageMistake(f"--table-root {table_root}: name a local directory, or s3://bucket/prefix.")
        root = Path(unquote(parts.path) if parts.scheme else table_root).absolute()
        try:
            if root.exists() and (not root.is_dir() or any(root.iterdir())):
                raise UsageMistake(f"--table-root {root} is not an empty directory: name a new or an empty one.")
            if not root.exists():
                root.mkdir(parents=True)
                self._made = root
        except OSError as error:
            raise UsageMistake(
                f"--table-root {root} cannot be used ({error.strerror}): name another directory."
            ) from error
        return root

    def uses(self, store: ObjectStore) -> None:
        """Register the bucket in which the run has objects, below the path of its directory."""
        known = {**asdict(store), "prefix": store.key(f"{self.directory}/")}
        self._send(f"bucket {json.dumps(known)}")

    def started(self, pid: int) -> None:
        """Register a process that must not outlive the run."""
        self._send(f"kill {pid}")

    def _send(self, line: str) -> None:
        assert self._reaper.stdin is not None
        self._reaper.stdin.write(f"{line}\n")
        self._reaper.stdin.flush()

    def close(self) -> None:
        """Remove the directory."""
        shutil.rmtree(self.directory, ignore_errors=True)
        if self._made is not None and not any(self._made.iterdir()):
            self._made.rmdir()
        self._send("done")
        assert self._reaper.stdin is not None
        self._reaper.stdin.close()
        self._reaper.wait()
