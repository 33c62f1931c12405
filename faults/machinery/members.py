"""Edits of a JSON object, such as an action, a version checksum or a pointer: a member of it becomes another."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

#: The JSON of an action, without its kind; or with it, in a list of a commit's actions.
JsonAction = dict[str, Any]

#: Changes a JSON object in place.
Edit = Callable[[JsonAction], object]


def put(**members: Any) -> Edit:
    return lambda action: action.update(members)


def put_present(**members: Any) -> Edit:
    """Set members, where all of them are there."""
    return lambda action: action.update(members if members.keys() <= action.keys() else {})


def drop(*names: str) -> Edit:
    return lambda action: [action.pop(name, None) for name in names]


def becomes(name: str, change: Callable[[Any], Any]) -> Edit:
    """Change a member, where it is there."""
    return lambda action: action.update({name: change(action[name])} if action.get(name) is not None else {})


def raised(name: str, *, by: int = 1) -> Edit:
    """Raise a number that is not 0, or one in a text, as metrics are."""
    return becomes(name, lambda found: str(int(found) + by) if isinstance(found, str) else found and found + by)


def within(name: str, *edits: Edit) -> Edit:
    """Edit a member that is an object, or JSON in a text, or that may be made."""

    def edit(action: JsonAction) -> None:
        member = action.get(name)
        inner = parsed(member)
        if isinstance(inner, dict) or inner is None:
            new = dict(inner or {})
            for change in edits:
                change(new)
            if new or inner is not None:
                action[name] = json.dumps(new) if isinstance(member, str) else new

    return edit


def parsed(member: Any) -> Any:
    """What JSON in a text says; other members as they are."""
    if isinstance(member, str) and member.startswith(("{", "[")):
        try:
            return json.loads(member)
        except ValueError:
            return member
    return member
