"""Findings in words: lists, errors, and how rows or values differ."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from reports.laws.evidence import Action, Evidence, Finding, Row
from reports.values import comparable


def at(value: Any, key: str) -> Any:
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def mismatches(info: Action, expected: dict[str, Any]) -> list[str]:
    found = [(key, at(info, key), value) for key, value in expected.items()]
    return [f"{key} = {seen!r} instead of {value!r}" for key, seen, value in found if seen != value]


def same_rows(found: list[Row], promised: list[Row], what: str) -> Finding:
    return same(forms(found), forms(promised), f"the rows of {what}")


def forms(rows: list[Row]) -> Counter[str]:
    # NaN equals NaN, and -0.0 equals 0.0: as texts of their one form, rows can be counted.
    return Counter(json.dumps(comparable(row), sort_keys=True) for row in rows)


def same(found: Counter[str], promised: Counter[str], what: str) -> Finding:
    more, less = sorted((found - promised).elements()), sorted((promised - found).elements())
    if more or less:
        return False, f"{what}: {len(more)} too many ({listed(more)}), {len(less)} missing ({listed(less)})"
    return True, f"{what} are the {sum(found.values())} promised ones"


def listed(texts: list[str], limit: int = 10) -> str:
    more = [f"and {len(texts) - limit} more"] if len(texts) > limit else []
    return ", ".join(texts[:limit] + more) or "nothing"


def named(error: Action) -> str:
    lines = str(error.get("message", "")).strip().splitlines()
    return f"{error.get('condition') or error.get('exception')}: {lines[0] if lines else ''}"


def ending(seen: Evidence) -> str:
    return "it ended without an error" if seen.error is None else f"it ended with {named(seen.error)}"
