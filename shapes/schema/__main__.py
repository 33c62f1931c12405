"""``python -m shapes.schema``: write the schema."""

from __future__ import annotations

import json

from shapes.schema import FILE, shapes_schema

FILE.write_text(json.dumps(shapes_schema(), indent=1) + "\n", encoding="utf-8")
