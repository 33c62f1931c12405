"""Values in a form that can be compared."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Context, Decimal
from typing import Any


def plain(value: Any) -> Any:
    """A value in a form that can be compared: NaN equals NaN, -0.0 equals 0.0, decimals have no trailing zeros."""
    if isinstance(value, float):
        return repr(value + 0.0)
    if isinstance(value, dict):
        return sorted(([plain(key), plain(item)] for key, item in value.items()), key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, Decimal):
        return format(value.normalize(Context(60)), "f")
    if isinstance(value, datetime):
        return str(value.replace(tzinfo=None))
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
