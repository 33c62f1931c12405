"""Actions to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from deltalog.entries.actions import (
    Action,
    Add,
    Cdc,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    Remove,
    Txn,
    Unknown,
)
from deltalog.entries.fields import read_fields, shown, write_fields
from deltalog.errors import MalformedAction
from deltalog.frozen import FrozenMap

#: The actions whose fields the protocol defines, by their names in the log.
_KINDS: Mapping[str, type[Protocol | Metadata | Add | Remove | Cdc | Txn | DomainMetadata]] = {
    "protocol": Protocol,
    "metaData": Metadata,
    "add": Add,
    "remove": Remove,
    "cdc": Cdc,
    "txn": Txn,
    "domainMetadata": DomainMetadata,
}
NAMES: Mapping[type[Any], str] = {kind: name for name, kind in _KINDS.items()}


def to_json(action: Action) -> dict[str, object]:
    """The action in JSON: an object with one key, its kind. Source: PROTOCOL.md, "Actions"."""
    if isinstance(action, CommitInfo):
        return {"commitInfo": dict(action.fields)}
    if isinstance(action, Unknown):
        return {action.kind: action.value}
    written = write_fields(action)
    if isinstance(action, Metadata):
        written["format"] = written.pop("format")  # last, so that tables keep their bytes
    return {NAMES[type(action)]: written}


def to_line(action: Action) -> str:
    """The action as a line of a commit file, without the newline."""
    return json.dumps(to_json(action), ensure_ascii=False, separators=(",", ":"))


def from_json(value: object) -> tuple[Action, ...]:
    """The actions in the JSON object of a line: at most one that the protocol defines, and any number of unknown ones.

    Keys whose value is null count as absent. An unknown kind becomes ``Unknown``, unknown fields go to ``extra``. Raises
    MalformedAction for anything that the protocol does not allow.
    Source: PROTOCOL.md, "Protocol Evolution": readers ignore what they do not know.
    """
    if not isinstance(value, Mapping):
        raise MalformedAction(f"an action must be a JSON object, not {shown(value)}")
    present = [name for name, item in value.items() if item is not None]
    known = [name for name in present if name == "commitInfo" or name in _KINDS]
    if len(known) > 1:
        raise MalformedAction(f"an action must have exactly one kind; found {', '.join(sorted(known))}")
    return tuple(_action(name, value[name]) if name in known else Unknown(name, value[name]) for name in present)


def _action(name: str, item: object) -> Action:
    """The action of a kind that the protocol defines."""
    if not isinstance(item, Mapping):
        raise MalformedAction(f"{name} must be an object, not {shown(item)}")
    if name == "commitInfo":
        return CommitInfo(FrozenMap(item))
    action: Action = read_fields(_KINDS[name], name, item)
    return action
