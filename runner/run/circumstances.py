"""What may influence an engine besides its version and its settings: the machine's circumstances, for the header."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from engines.kind import EngineKind
from engines.object_store import Storage
from engines.processors import processors


def circumstances(directory: Path, kind: EngineKind, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """``processors`` (those that this process may use), ``time_zone``, ``locale``, and the ``file_system`` of ``directory``."""
    zone = time_zone(environ)
    if kind.session_zone is not None:
        zone += f", of sessions {kind.session_zone}"
    return {
        "processors": str(processors()),
        "time_zone": zone,
        "locale": locale(environ),
        "file_system": file_system(directory),
    }


def set_up(kind: EngineKind, storage: Storage) -> dict[str, str]:
    """How the engine's options change the machine, and the ``storage`` if it is not local."""
    return {**kind.machine, **({} if storage is Storage.LOCAL else {"storage": storage.value})}


def time_zone(environ: Mapping[str, str], link: Path = Path("/etc/localtime")) -> str:
    """The name of the time zone, by TZ or by the system's link; else its abbreviations."""
    if zone := environ.get("TZ"):
        return zone
    _, found, name = str(link.resolve()).partition("/zoneinfo/")
    return name if found else "/".join(dict.fromkeys(time.tzname))


def locale(environ: Mapping[str, str]) -> str:
    """The locale of characters by the variables of POSIX, which the engine's process inherits."""
    return next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "C")


def file_system(directory: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system that holds ``directory``; ``unknown`` where the system has no list of mounts."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return "unknown"
    path = directory.resolve()
    best, kind = -1, "unknown"
    for _, place, type, *_ in (line.split(" ") for line in lines):
        # The list has octal escapes for blanks and backslashes.
        mount = Path(place.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\"))
        if (mount == path or mount in path.parents) and len(mount.parts) >= best:  # of two on one place, the last holds
            best, kind = len(mount.parts), type
    return kind
