"""Paths and messages as a record has them: without random parts."""

from __future__ import annotations

import re

from harness.observing.steps.accesses import is_change_file
from harness.observing.steps.observation import Observation
from model.text.layout import without_random


def kind_of_file(path: str) -> str:
    if path.endswith(".parquet"):
        return "change files" if is_change_file(path) else "data files"
    return "vector files" if path.endswith(".bin") else "other files"


def recorded_path(observation: Observation, path: str) -> str:
    """The path without its random parts; of a random path only the file name (``places`` has the directories).

    A directory of two random characters is recognised by the earlier step that made it.
    """
    if len(path) == 2 and any(path in earlier.appeared for earlier in observation.earlier):
        return "*"
    path = _without_root(observation, path)
    starred = without_random(path)
    return path if starred == path else starred.rpartition("/")[2]


def _without_root(observation: Observation, text: str) -> str:
    """The text with ``table`` for the table's root and ``case`` for its parent. Some engines omit the first slash."""
    case = observation.root.rpartition("/")[0]
    for place, name in ((observation.root, "table"), (case, "case")):
        text = text.replace(place, f"/{name}").replace(place.lstrip("/"), name)
    return text


#: Random parts of messages: ids of the engine, addresses of objects, instants; the file that an error names, which is any of
#: those that are read at the same time, with the directories of its partition; and which reader of delta-rs meets it first.
_RANDOM = (
    (re.compile(r"((?:(?<=/)[^/=]+|\b[^\s/=]+)=[^/]*/)*\bpart-\d{5}-[^\s/]*?\.parquet"), "part-*.parquet"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-(?!000000000000)[0-9a-f]{12}"), "*"),
    (re.compile(r"#\d+L?"), "#*"),
    (re.compile(r"@[0-9a-f]{5,8}\b"), "@*"),
    (re.compile(r"\b1[0-9]{12}\b"), "*"),  # ms since the epoch
    (
        re.compile(
            r"\A(Failed to parse parquet|Generic DeltaTable error: Parquet error): (?=.*Failed to fetch metadata)"
        ),
        "",
    ),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?"), "*"),
)


def recorded_message(observation: Observation, message: str) -> str:
    """The first line of an error's message, without random parts."""
    text = _without_root(observation, (message.splitlines() or [""])[0])
    for pattern, star in _RANDOM:
        text = pattern.sub(star, text)
    return text[:500]
