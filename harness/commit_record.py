"""What a step committed, as plain JSON in which nothing is random: which fields its actions have, and what its commits say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from deltalog.actions import Add, Cdc, Remove
from deltalog.commits import Commit
from deltalog.descriptors import DeletionVectorDescriptor

#: Stands for a value that is another one in each run: a time, a duration, a text with ids that the engine made up.
ANY = "…"

#: The members of commitInfo whose values follow from the step alone. Of the others the name is kept (docs/delta.md 2.4).
_TELLING = ("isBlindAppend", "isolationLevel", "tags")

_COUNT = re.compile(r"num(_|[A-Z])")
_BYTES = re.compile(r"bytes|size", re.IGNORECASE)


def fields_of(actions: Iterable[Add | Remove | Cdc]) -> list[str]:
    """The names of the fields that any of these actions has, as the log writes them, sorted.

    A field that is true or false is named with its value, the parts of statistics and tags each by themselves, and a
    deletion vector with its storage type.
    """
    return sorted(
        {name for action in actions for field, value in vars(action).items() for name in _names(field, value)}
    )


def _names(field: str, value: object) -> Iterable[str]:
    if field == "extra":
        return value if isinstance(value, Mapping) else ()
    name = re.sub("_([a-z])", lambda found: found[1].upper(), field)
    if value is None:
        return ()
    if isinstance(value, bool):
        return (f"{name}={str(value).lower()}",)
    if isinstance(value, DeletionVectorDescriptor):
        return (f"{name}.storageType={value.storage}",)
    if field == "stats" and isinstance(value, str):
        return (name, *(f"{name}.{part}" for part in _object(value)))
    if field == "tags" and isinstance(value, Mapping):
        return (name, *(f"{name}.{part}" for part in value))
    return (name,)


def _object(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def commit_record(commit: Commit) -> dict[str, Any]:
    """A commit's commitInfo: its keys, and the values that are the same in each run (docs/delta.md 1.5, 2.4).

    Of metrics, numbers of files, rows, vectors and directories are kept; of sizes, whether they are 0: how many bytes a
    file has depends on who wrote it. The values of operationParameters are kept for VACUUM; those of DELETE are
    conditions with ids in them.
    """
    fields = dict(commit.info.fields) if commit.info else {}
    operation = str(fields.get("operation", ""))
    parameters, metrics = fields.get("operationParameters"), fields.get("operationMetrics")
    vacuum = operation.startswith("VACUUM")
    return {
        "operation": operation,
        "keys": sorted(fields),
        "values": {name: _plain(fields[name]) for name in _TELLING if name in fields},
        "parameters": {
            name: _text(value) if vacuum else ANY
            for name, value in sorted((parameters if isinstance(parameters, Mapping) else {}).items())
        },
        "metrics": {
            name: _metric(name, _text(value))
            for name, value in sorted((metrics if isinstance(metrics, Mapping) else {}).items())
        },
    }


def _text(value: object) -> str:
    """A value as text, whether the engine wrote it as JSON or as a text."""
    return value if isinstance(value, str) else json.dumps(_plain(value))


def _metric(name: str, value: str) -> str:
    if _BYTES.search(name):
        return "0" if value == "0" else "> 0"
    return value if _COUNT.match(name) else ANY


def _plain(value: object) -> object:
    """The value as JSON: what was read of a log is frozen."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value
