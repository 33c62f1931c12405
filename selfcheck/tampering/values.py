"""Ways to change a JSON value: each member changed, dropped, made up, or exchanged with that of another value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faults.machinery.members import Edit, drop, parsed, put, within

#: Members that are JSON in a string.
_JSON_TEXTS = ("stats", "configuration", "schemaString")

#: Objects whose keys are the table's or the user's own names: of each only the first member is changed.
_BY_NAME = ("partitionValues", "minValues", "maxValues", "nullCount", "tags", "configuration", "options")


def changed(value: Any) -> Any:
    """Another value of the same JSON type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return str(int(value) + 1) if value.isdecimal() else f"{value}x"
    if isinstance(value, list):
        return [*value, *value[:1]] if value else ["x"]
    return "x" if value is None else {**value, "x": "x"}


def changes(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Edit]]:
    """Every way to change a member of an object, at any depth, with its name: ``stats.numRecords dropped``."""
    for key, member in value.items():
        name = f"{prefix}{key}"
        if not isinstance(_parsed(key, member), dict) or not member:  # else its own members are changed
            yield f"{name} changed", _set(key, changed(member))
        yield f"{name} dropped", drop(key)
        if isinstance(member, int) and not isinstance(member, bool) and member:
            yield f"{name} set to 0", _set(key, 0)
        if isinstance(member, list) and member:
            yield f"{name}: a member dropped", _set(key, member[1:])
        inner = _parsed(key, member)
        yield from _inside(key, inner, name)
    yield f"{prefix}member made up", _set("madeUp", "x")


def _inside(key: str, inner: Any, name: str) -> Iterator[tuple[str, Edit]]:
    if not isinstance(inner, dict):
        return
    if key in _BY_NAME:
        first = next(iter(inner), None)
        if first is not None:
            yield f"{name}: a value changed", within(key, _set(first, changed(inner[first])))
            yield f"{name}: a key dropped", within(key, drop(first))
            yield f"{name}: a key made up", within(key, _set("x", changed(inner[first])))
        return
    for label, change in changes(inner, f"{name}."):
        yield label, within(key, change)


def _parsed(key: str, member: Any) -> Any:
    return parsed(member) if key in _JSON_TEXTS else member


def _set(key: str, value: Any) -> Edit:
    return put(**{key: value})
