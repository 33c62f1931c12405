"""The storage of a table as a step left it that was killed, for a reproduction script to begin from."""

from __future__ import annotations

import base64
from pathlib import Path

from deltalog.storage.times import milliseconds
from model.prediction.paths import checksum_of
from records.run import CrashSnapshot, LeftFile


def left_by(step: int, root: Path, *, start: int) -> CrashSnapshot:
    """All files below ``root`` now; ``step`` is the place of the step that was killed, ``start`` the start of the case, ms since
    the epoch. Without the file system's checksums: it writes and reads files without them too."""
    paths = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file())
    return CrashSnapshot(step, start, tuple(_file(root, path, start) for path in paths if checksum_of(path) is None))


def _file(root: Path, path: str, start: int) -> LeftFile:
    modified = milliseconds((root / path).stat().st_mtime_ns) - start
    return LeftFile(path, modified, base64.b64encode((root / path).read_bytes()).decode("ascii"))
