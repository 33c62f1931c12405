"""What a VACUUM knows: what the log says of files, and where it looks for more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union


@dataclass(frozen=True)
class References:
    """What the log says. Paths are relative to the root and as on storage; what lies outside the root is not here.

    Stamps are deletionTimestamps in ms since the epoch, 0 where an action has none; of several for a path, the latest.
    """

    live: frozenset[str] = frozenset()  # data files of the current version
    by_uri: frozenset[str] = frozenset()  # those of them that the log names by URI
    tombstones: Mapping[str, int] = field(default_factory=dict)  # removed data files
    live_vectors: frozenset[str] = frozenset()  # files of relative deletion vectors of the current version
    vector_tombstones: Mapping[str, int] = field(default_factory=dict)  # files of relative vectors of removes
    # Files that vectors name by absolute path: None where the current version does, else the stamp of the remove.
    absolute_vectors: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class FullScan:
    """A listing of the directory (docs/delta.md 1.2)."""


@dataclass(frozen=True)
class LiteScan:
    """The commits of a window (docs/delta.md 1.3): ``stamps`` of all that their removes name, the files of their cdc actions.

    ``stamps`` has data files and files of relative vectors by path, each with the newest deletionTimestamp in the window
    (ms since the epoch; 0 where the action has none). Where there is nothing to do, both are empty.
    """

    stamps: Mapping[str, int] = field(default_factory=dict)
    changes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class InventoryScan:
    """An inventory of the directory as it is (docs/delta.md 1.4), links not followed: all of it, or its files only."""

    files_only: bool = False


@dataclass(frozen=True)
class ObjectScan:
    """A list of all files as an object store gives it, links followed: no directories, and one look at each whole path."""


Scan = Union[FullScan, LiteScan, InventoryScan, ObjectScan]
