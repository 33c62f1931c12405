"""Reads the document that ``tombstone shape`` writes."""

from __future__ import annotations

import json
from pathlib import Path

from model.codec import InvalidCase
from model.codec.by_types import STRICT, ByTypes
from records.mistakes import UsageMistake
from shapes.shape import SCHEMA_VERSION, Shapes


def read_shapes(path: Path, *, option: str) -> Shapes:
    """The shapes in the file at ``path``, which ``option`` names.

    Raises UsageMistake for a file that cannot be read, that ``tombstone shape`` did not write, whose form has another version,
    or that has no table.
    """
    asks = "write one with tombstone shape PATH … --out shapes.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageMistake(f"{option} {path} cannot be read ({error.strerror}): name an existing file.") from None
    except (ValueError, RecursionError):
        raise UsageMistake(f"{option} {path} is not JSON: {asks}.") from None
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version is None or isinstance(version, bool) or not isinstance(version, int):
        raise UsageMistake(f"{option} {path} has no shapes of tables: {asks}.")
    if version != SCHEMA_VERSION:
        raise UsageMistake(
            f"{option} {path} has version {version} of the form, and this release reads {SCHEMA_VERSION}: {asks} of this release."
        )
    try:
        shapes: Shapes = ByTypes(dict(STRICT)).read(document, Shapes)
    except InvalidCase as problem:
        raise UsageMistake(f"{option} {path} is not as tombstone shape writes it ({problem}): {asks}.") from None
    if not shapes.shapes:
        raise UsageMistake(f"{option} {path} has no table that was read: {asks}.")
    return shapes
