"""The Pythons of this machine: on PATH, of pyenv and of uv."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

#: The oldest that the suite runs on.
OLDEST = (3, 10)

_NAME = re.compile(r"python(3)\.(\d+)")
_FOLDER = re.compile(r"(?:cpython-)?(3)\.(\d+)(?:[.-].*)?")


@dataclass(frozen=True)
class FoundPython:
    release: tuple[int, int]
    path: Path

    @property
    def number(self) -> str:
        """3.11."""
        return ".".join(map(str, self.release))


def pythons(environ: Mapping[str, str] = os.environ, home: Path | None = None) -> tuple[FoundPython, ...]:
    """One of each release, the newest first; of this process' release, this Python. None is run: that takes time."""
    found = {sys.version_info[:2]: Path(sys.executable)}
    for release, path in (*_on_path(environ), *_managed(environ, home or Path.home())):
        found.setdefault(release, path)
    return tuple(FoundPython(release, found[release]) for release in sorted(found, reverse=True))


def works(python: FoundPython) -> bool:
    """Whether it runs, and is what its name says."""
    asked = [str(python.path), "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.stdout.split() == [str(part) for part in python.release]


def _on_path(environ: Mapping[str, str]) -> Iterator[tuple[tuple[int, int], Path]]:
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(folder).name == "shims":  # pyenv's: it may refuse to run them; what they stand for is found below
            continue
        for path in _listed(Path(folder)):
            match = _NAME.fullmatch(path.name.removesuffix(".exe"))
            if match and os.access(path, os.X_OK):
                yield (int(match[1]), int(match[2])), path


def _managed(environ: Mapping[str, str], home: Path) -> Iterator[tuple[tuple[int, int], Path]]:
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    folders = (
        Path(environ.get("PYENV_ROOT") or home / ".pyenv") / "versions",
        Path(environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python"),
    )
    for folder in folders:
        for one in sorted(_listed(folder), reverse=True):
            match, path = _FOLDER.fullmatch(one.name), one / "bin" / "python3"
            if match and os.access(path, os.X_OK):
                yield (int(match[1]), int(match[2])), path


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
