"""The input of a VACUUM: the references in the log, and the kind of scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from model.vocabulary.rules import Rules, Walk


@dataclass(frozen=True)
class References:
    """The files that the log refers to, by paths relative to the root as on storage; files outside the root are left out.

    Tombstones map to their deletionTimestamp in ms since the epoch (0 if absent; the latest of several).
    """

    live: frozenset[str] = frozenset()  # data files of the current version
    by_uri: frozenset[str] = frozenset()  # those that the log names by URI
    tombstones: Mapping[str, int] = field(default_factory=dict)  # removed data files
    #: Removed data files by the time of the file of the last commit that removed them, in ms since the epoch; empty where VACUUM
    #: does not look at that (Rules.keeps_removals_of_young_commits).
    removals: Mapping[str, int] = field(default_factory=dict)
    live_vectors: frozenset[str] = frozenset()  # files of relative deletion vectors of the current version
    vector_tombstones: Mapping[str, int] = field(default_factory=dict)  # files of relative vectors of removes
    # Files named by an absolute path: None if the current version refers to them, else the deletionTimestamp.
    absolute_vectors: Mapping[str, int | None] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()  # data files of versions that VACUUM is asked to keep
    kept_vectors: frozenset[str] = frozenset()  # files of their deletion vectors, however named


@dataclass(frozen=True)
class FullScan:
    """A listing of the directory (docs/delta.md 1.2)."""

    hides_names: bool = True  # whether names hide paths; if not, the table's log alone is left out
    ages_removed_files: bool = True  # whether a removed file must be old itself, too


@dataclass(frozen=True)
class LiteScan:
    """The removes and cdc actions in a window of commits (docs/delta.md 1.3).

    ``stamps`` maps removed data files and files of relative vectors to the newest deletionTimestamp in the window (ms
    since the epoch; 0 if absent). ``changes`` are the change data files. Both are empty if there is nothing to do.
    """

    stamps: Mapping[str, int] = field(default_factory=dict)
    changes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class InventoryScan:
    """An inventory of the directory (docs/delta.md 1.4), links not followed: everything in it, or files only."""

    files_only: bool = False


@dataclass(frozen=True)
class ObjectScan:
    """A list of all files as from an object store, links followed: no directories, and each path is tested as a whole."""

    hides_names: bool = True
    ages_removed_files: bool = False


def listing_of(rules: Rules) -> FullScan | ObjectScan:
    """How a full VACUUM lists the files below the root."""
    kind = FullScan if rules.walk is Walk.DIRECTORIES else ObjectScan
    return kind(rules.hides_names, rules.ages_removed_files)


Scan = Union[FullScan, LiteScan, InventoryScan, ObjectScan]
