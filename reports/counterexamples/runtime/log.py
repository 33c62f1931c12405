"""What is in the log: commits, their actions, and the fields of these."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from engines.script_names import ROOT, T


def log() -> dict[int, list[Any]]:
    """The actions of each commit, by version."""
    commits = sorted(Path(ROOT, "_delta_log").glob("[0-9]" * 20 + ".json"))
    return {int(file.stem): list(map(json.loads, file.read_text("utf-8").strip().split("\n"))) for file in commits}


def version() -> int:
    """The current version."""
    return max(int(file.stem) for file in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + ".json"))


def removed_at(first: int, last: int) -> int:
    """The latest deletionTimestamp of these commits; T if they remove nothing."""
    actions = [action for version in range(first, last + 1) for action in log().get(version, [])]
    return max([action["remove"]["deletionTimestamp"] for action in actions if "remove" in action], default=T)


def name(action: Any) -> str:
    """The path of an action's file, relative to the table and URL-decoded."""
    path = unquote(re.sub("^file:/*", "/", action["path"]))
    return os.path.relpath(path, ROOT) if path.startswith("/") else path


def in_path(path: str) -> dict[str, str]:
    """The partition values in the names of directories."""
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(key): unquote(value) for key, value in pairs if value != "__HIVE_DEFAULT_PARTITION__"}


def at(value: Any, field: str) -> Any:
    """A dotted field of an object (also of stats, which is JSON text), without members that are null; else None."""
    for part in field.split("."):
        try:
            value = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            return None
        value = value.get(part) if isinstance(value, dict) else None
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value
