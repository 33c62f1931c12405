"""Ways to tamper with the commits of a step: every field of every action, every action, the files themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from functools import partial
from typing import Any

from deltalog.entries.actions import Add, Cdc, DomainMetadata, Remove, Txn
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from faults.machinery.actions import commit_empty
from faults.machinery.fault import Tamper
from faults.machinery.members import Edit, JsonAction, put
from faults.machinery.tampering import Tampering
from selfcheck.tampering.values import changes
from selfcheck.tampering.way import Way, of_actions, of_path, touch

#: The fields that the format defines for an action (PROTOCOL.md, "Actions"), by its kind.
_FIELDS = {
    kind: tuple(re.sub("_([a-z])", lambda found: found[1].upper(), one.name) for one in fields(action))
    for kind, action in (
        ("add", Add),
        ("remove", Remove),
        ("cdc", Cdc),
        ("txn", Txn),
        ("domainMetadata", DomainMetadata),
    )
}

#: Values for fields that an action lacks.
_MADE_UP: dict[str, Any] = {
    "stats": '{"numRecords":987}',
    "tags": {"x": "x"},
    "deletionVector": {"storageType": "i", "pathOrInlineDv": "x", "sizeInBytes": 1, "cardinality": 1},
    "baseRowId": 7,
    "defaultRowCommitVersion": 7,
    "clusteringProvider": "x",
    "lastUpdated": 1,
}

#: Actions that a command has no reason to commit.
_FOREIGN: dict[str, Any] = {
    "txn": {"appId": "x", "version": 1},
    "domainMetadata": {"domain": "x", "configuration": "x", "removed": False},
    "cdc": {"path": "_change_data/x.parquet", "partitionValues": {}, "size": 1, "dataChange": False},
    "madeUp": {"x": "x"},
}


def ways(t: Tampering) -> Iterator[Way]:
    """The ways for the commits that the step wrote."""
    for version, actions in sorted(t.log.written.items()):
        yield from _ways_of(t, version, deepcopy(actions))
    if t.log.written:
        yield Way("another commit", commit_empty)


def _ways_of(t: Tampering, version: int, actions: list[JsonAction]) -> Iterator[Way]:
    operation = next((action["commitInfo"].get("operation") for action in actions if "commitInfo" in action), "?")
    commit = "commit" if len(t.log.written) == 1 else str(operation)
    yield from of_actions(commit, actions, partial(_rewrite, version), _field_changes, alike=_interchangeable)
    kinds = {kind for action in actions for kind in action}
    if len(actions) > 1:
        yield Way(f"{commit}: order of actions reversed", _rewrite(version, actions[::-1]))
    for kind, value in _FOREIGN.items():
        if kind not in kinds:
            yield Way(f"{commit}: {kind} made up", _rewrite(version, [*actions, {kind: value}]))
    for kind in ("add", "remove"):
        if kind not in kinds and t.log.live:
            yield Way(f"{commit}: {kind} made up", _rewrite(version, [*actions, {kind: _of_live_file(t, kind)}]))
    yield Way(f"{commit}: file removed", lambda t: t.log.uncommit(version))
    yield of_path(f"{commit}: file touched", f"{LOG_DIRECTORY}/{commit_name(version)}", touch)


def _field_changes(kind: str, value: JsonAction) -> Iterator[tuple[str, Edit]]:
    yield from changes(value)
    for field in _FIELDS.get(kind, ()):
        if field in _MADE_UP and field not in value:
            yield f"{field} made up", put(**{field: _MADE_UP[field]})


def _interchangeable(field: str, one: JsonAction, other: JsonAction) -> bool:
    """Whether the two values may as well be exchanged: nobody promises which of two files of a length has which row ids."""
    counts = [json.loads(action.get("stats") or "{}").get("numRecords") for action in (one, other)]
    return field == "baseRowId" and counts[0] == counts[1]


def _of_live_file(t: Tampering, kind: str) -> JsonAction:
    add = next(iter(t.log.live.values()))
    if kind == "add":
        return add
    return {"path": add["path"], "deletionTimestamp": t.outcome.ended, "dataChange": True}


def _rewrite(version: int, actions: list[JsonAction]) -> Tamper:
    return lambda t: t.log.rewrite(version, json.loads(json.dumps(actions)))
