"""A step's commits without random parts: the fields of its actions, and its commitInfo."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields

from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.entries.commits import LoggedCommit
from deltalog.entries.descriptors import DeletionVectorDescriptor
from records import run

#: Replaces a value that differs between runs: a time, a duration, a text with random ids.
ANY = "…"

#: The members of commitInfo that do not differ between runs. Of the others the name is kept (docs/delta.md 2.4).
_REPEATABLE = ("isBlindAppend", "isolationLevel", "tags")

_COUNT = re.compile(r"num(_|[A-Z])")
_BYTES = re.compile(r"bytes|size", re.IGNORECASE)


def fields_of(actions: Iterable[Add | Remove | Cdc]) -> tuple[str, ...]:
    """The names of the fields of these actions, as in the log, sorted.

    A boolean has its value in the name, a deletion vector its storage type; statistics and tags have one name per part.
    """
    names = {
        name
        for action in actions
        for field in fields(action)
        if field.init
        for name in _names(field.name, getattr(action, field.name))
    }
    return tuple(sorted(names))


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
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def commit_record(commit: LoggedCommit) -> run.RecordedCommit:
    """A commit's commitInfo: its keys, and the values that do not differ between runs (docs/delta.md 1.5, 2.4).

    Metrics keep counts, and of sizes whether they are 0: a file's size depends on its writer. operationParameters keep their
    values for VACUUM; those of DELETE are predicates with random ids.
    """
    fields = dict(commit.info.fields) if commit.info else {}
    operation = str(fields.get("operation", ""))
    keeps_parameters = operation.startswith("VACUUM")
    return run.RecordedCommit(
        operation=operation,
        keys=tuple(sorted(fields)),
        values={name: _plain(fields[name]) for name in _REPEATABLE if name in fields},
        parameters={
            name: _text(value) if keeps_parameters else ANY for name, value in _members(fields, "operationParameters")
        },
        metrics={name: _metric(name, _text(value)) for name, value in _members(fields, "operationMetrics")},
    )


def _members(fields: Mapping[str, object], name: str) -> list[tuple[str, object]]:
    found = fields.get(name)
    return sorted(found.items()) if isinstance(found, Mapping) else []


def _text(value: object) -> str:
    """A value as text, whether the engine wrote a text or other JSON."""
    return value if isinstance(value, str) else json.dumps(_plain(value))


def _metric(name: str, value: str) -> str:
    if _BYTES.search(name):
        return "0" if value == "0" else "> 0"
    return value if _COUNT.match(name) else ANY


def _plain(value: object) -> object:
    """The value as JSON: parsed logs are immutable."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value
