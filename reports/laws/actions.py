"""What the actions of a commit say: their kinds, files, columns and partition values."""

from __future__ import annotations

import os
from urllib.parse import unquote

from reports.laws.evidence import Action
from reports.vectors import vector_file


def actions_of(commit: list[Action], kind: str) -> list[Action]:
    return [action[kind] for action in commit if action.get(kind) is not None]


def info_of(commit: list[Action]) -> Action:
    return next(iter(actions_of(commit, "commitInfo")), {})


def file_of(action: Action, root: str) -> str:
    # The log url-encodes paths, and may name a file by its URI (PROTOCOL.md, "Add File and Remove File").
    return below(unquote(action["path"]), root)


def below(path: str, root: str) -> str:
    # A path relative to the root. What lies outside of it leads there: "../…".
    path = "/" + path[5:].lstrip("/") if path.startswith("file:") else path
    return os.path.relpath(path, root) if path.startswith("/") else path


def vector_of(action: Action, root: str) -> str | None:
    # The file of its deletion vector, relative to the root; there is none where it has no vector, or an inline one.
    path = vector_file(action["deletionVector"]) if action.get("deletionVector") else None
    return None if path is None else below(path, root)


def logical_file(action: Action) -> tuple[str, str]:
    # The primary key of adds and removes (PROTOCOL.md, "Add File and Remove File").
    vector = action.get("deletionVector") or {}
    parts = [str(vector[key]) for key in ("storageType", "pathOrInlineDv", "offset") if vector.get(key) is not None]
    return unquote(action["path"]), "@".join(parts)


def physical_name(field: Action) -> str:
    # PROTOCOL.md, "Column Mapping": a table without it has no such metadata.
    return str(field.get("metadata", {}).get("delta.columnMapping.physicalName", field["name"]))


def names_in(fields: list[Action], prefix: str = "") -> list[str]:
    # Nested fields are dotted; what is inside an array or a map is as if it stood in its place.
    found = []
    for field in fields:
        name = prefix + physical_name(field)
        found.append(name)
        kinds = [field["type"]]
        while kinds:
            kind = kinds.pop()
            if isinstance(kind, dict):
                kinds += [part for key, part in kind.items() if key.endswith("Type")]
                found += names_in(kind.get("fields", []), f"{name}.")
    return found


def without_nulls(values: Action | None) -> Action | None:
    # Delta 4.4 leaves NULL partition values out of its removes, but not out of its adds.
    return None if values is None else {name: value for name, value in values.items() if value is not None}


def values_in(path: str) -> dict[str, str | None]:
    # Hive's names: column=value, special characters as %XX, NULL as __HIVE_DEFAULT_PARTITION__.
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(key): None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value) for key, value in pairs}
