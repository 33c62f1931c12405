"""The worlds of vacuum_worlds as observations, for the model."""

from __future__ import annotations

import posixpath
from collections import Counter
from pathlib import Path
from typing import Any

from deltalog.entries.codec import from_json
from deltalog.entries.commits import LoggedCommit
from deltalog.frozen import FrozenMap
from deltalog.log import Log
from deltalog.snapshot import replay
from deltalog.storage.listing import Entry, EntryKind
from engines.port import Outcome
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.root_paths import named_by_uri, relative_log, relative_snapshot
from harness.observing.table.table_state import TableState
from model.vocabulary.rules import DELTA_RS, SPARK, Retain, Rules
from model.vocabulary.steps import Inventory, Mode, Vacuum
from model.vocabulary.table import HOUR, Column, Table
from model.vocabulary.values import Type
from tests.model.second_opinions.plain_log import World
from tests.model.second_opinions.vacuum_worlds import ROOT

_MODES = {
    "full": (Mode.FULL, Inventory.COMPLETE),
    "lite": (Mode.LITE, Inventory.COMPLETE),
    "inventory": (Mode.INVENTORY_QUERY, Inventory.COMPLETE),
    "inventory of files": (Mode.INVENTORY_TABLE, Inventory.FILES),
    "objects": (Mode.FULL, Inventory.COMPLETE),
    "tombstones": (Mode.LITE, Inventory.COMPLETE),
}


def observation(found: World) -> VacuumObservation:
    """The VACUUM of a world, before which the suite saw its storage and its log, and which did nothing."""
    commits = {
        version: LoggedCommit(version, tuple(action for one in actions for action in from_json(one)), time, "")
        for version, (time, actions) in enumerate(found["log"])
    }
    stored = replay((version, commit.actions) for version, commit in commits.items())
    kept = {version: commit for version, commit in commits.items() if version >= found["first"]}
    entries = {path: _entry(path, thing) for path, thing in found["storage"].items()}
    bookmark = found["bookmark"]
    state = TableState(
        {path: entry for path, entry in entries.items() if not path.startswith("../")},
        relative_log(Log(FrozenMap(kept), (), Path(ROOT), ())),
        relative_snapshot(stored, ROOT),
        *({}, {}, {}, {}, {}, {}),
        beside={path: entry for path, entry in entries.items() if path.startswith("../")},
        by_uri=named_by_uri(stored.adds.values(), ROOT),
        last_vacuum=None if bookmark is None else {"latestCommitVersionOutsideOfRetentionWindow": bookmark},
    )
    mode, inventory = _MODES[found["mode"]]
    columns = tuple(Column(name, Type.STRING) for name in found["partition_by"])
    return VacuumObservation(
        table=Table(columns, tuple(found["partition_by"]), (), (), retention_hours=found["retention"] // HOUR),
        root=ROOT,
        index=0,
        step=Vacuum(found["retain_hours"], safety_check=False, mode=mode, inventory=inventory),
        outcome=Outcome((), None, *found["wall"]),
        before=state,
        after=state,
        clock=found["clock"],
        start=found["clock"],
        versions={},
        expected_rows=Counter(),
        clone_rows=None,
        earlier=(),
        rules=_rules(found),
    )


def _rules(found: World) -> Rules:
    if not found["sets_clock"]:
        return DELTA_RS
    retain = Retain.ANY if found["obeys_retain"] else Retain.ZERO
    return Rules(**{**vars(SPARK), "retain": retain, "reserved_names": frozenset(found["reserved"])})


def _entry(path: str, thing: list[Any]) -> Entry:
    if thing[0] == "directory":
        return Entry(EntryKind.DIRECTORY, 0, 0, None)
    if thing[0] == "file":
        return Entry(EntryKind.FILE, 1, thing[1] * 1_000_000, "digest")
    target = "gone/nowhere" if thing[1] is None else thing[1]
    at = posixpath.dirname(posixpath.join(ROOT, path))
    return Entry(EntryKind.LINK, 0, 0, None, posixpath.relpath(posixpath.normpath(posixpath.join(ROOT, target)), at))
