"""The JSON schema of the shapes. ``python -m shapes.schema`` writes it; a test says when that is due."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from records.schema import record_schema
from shapes.shape import SCHEMA_VERSION, Shapes

#: Where it is published.
FILE = Path(__file__).parent / f"shapes-{SCHEMA_VERSION}.json"


def shapes_schema() -> dict[str, Any]:
    return {
        "$id": f"urn:tombstone:shapes-{SCHEMA_VERSION}",
        "title": f"The shapes of tables, schema version {SCHEMA_VERSION}",
        **record_schema(Shapes),
    }
