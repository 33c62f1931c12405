"""Files with a JSON value a line."""

from __future__ import annotations

import json
from typing import Any


def json_lines(data: bytes) -> list[Any]:
    """The JSON values in a file's bytes, one a line; empty lines are skipped. Raises ValueError.

    ``str.splitlines`` would not do: it also ends a line at U+0085, U+2028 and others, which JSON may have as they are.
    """
    return [json.loads(line.decode("utf-8")) for line in data.split(b"\n") if line.strip()]
