"""The file in which LITE VACUUM keeps the version up to which it has read the log (docs/delta.md)."""

from __future__ import annotations

import json

from deltalog.storage.names import LAST_VACUUM_INFO, LAST_VACUUM_KEY
from faults.machinery import files
from faults.machinery.tampering import Tampering
from model.prediction.paths import LOG_DIRECTORY


def bookmark(t: Tampering) -> int | None:
    """The version in the file before the step."""
    path = t.before / LOG_DIRECTORY / LAST_VACUUM_INFO
    found = json.loads(path.read_text(encoding="utf-8")).get(LAST_VACUUM_KEY) if path.is_file() else None
    return None if found is None else int(found)


def write_bookmark(t: Tampering, version: int | None) -> None:
    """Write this version to the file; without a version it is empty."""
    content = json.dumps({} if version is None else {LAST_VACUUM_KEY: version})
    files.write(f"{LOG_DIRECTORY}/{LAST_VACUUM_INFO}", content.encode())(t)
