"""The lines of a commit file, or of a checkpoint in JSON, one at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from deltalog.entries.actions import Action
from deltalog.entries.codec import from_json
from deltalog.errors import MalformedAction, UnreadableCommit
from deltalog.storage.store import Store

_BUFFER = 1 << 20  # bytes that are read at once


def lines_of(store: Store, path: str) -> Iterator[bytes]:
    """Those that are not empty. Raises StoreError."""
    with io.BufferedReader(store.read(path), _BUFFER) as file:
        for line in file:
            if line.strip():
                yield line


def actions_of(store: Store, path: str) -> Iterator[Action]:
    """Raises StoreError, and UnreadableCommit with the file's name and the line's number."""
    name = path.rpartition("/")[2]
    for number, line in enumerate(lines_of(store, path), start=1):
        try:
            yield from from_json(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError) as error:
            raise UnreadableCommit(f"{name}, line {number}, is not JSON: {error}") from None
        except MalformedAction as error:
            raise UnreadableCommit(f"{name}, line {number}, is not an action: {error}") from None
