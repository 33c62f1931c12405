"""Builds tamperings with the actions that a step committed."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from deltalog.entries.codec import to_json
from faults.machinery.fault import Fault, Tamper, delete_fault
from faults.machinery.files import ChosenPaths
from faults.machinery.members import Edit, JsonAction, within
from faults.machinery.tampering import Tampering

Actions = Callable[[Tampering], list[JsonAction]]

# Which actions --------------------------------------------------------------------------------------------------------


def of(kind: str) -> Actions:
    return lambda t: t.log.actions(kind)


removes, commit_infos = of("remove"), of("commitInfo")


def new_adds(t: Tampering) -> list[JsonAction]:
    """The adds of files that the step wrote."""
    return [add for add in t.log.actions("add") if t.log.path(add) not in t.log.live]


def first_new_file(t: Tampering) -> list[str]:
    """The first file that the step wrote and added."""
    return [t.log.path(add) for add in new_adds(t)[:1]]


def vector_adds(t: Tampering) -> list[JsonAction]:
    """The adds of files that were live before, with a new deletion vector."""
    return [add for add in t.log.actions("add") if t.log.path(add) in t.log.live and "deletionVector" in add]


def infos(operation: str) -> Actions:
    """The step's commitInfos of "DELETE", "VACUUM START" or "VACUUM END"."""
    return lambda t: [info for info in commit_infos(t) if info.get("operation") == operation]


# Changes of them ------------------------------------------------------------------------------------------------------


def every(actions: Actions, *edits: Edit) -> Tamper:
    def tamper(t: Tampering) -> None:
        for action in actions(t):
            for edit in edits:
                edit(action)
        t.log.save()

    return tamper


def first(actions: Actions, *edits: Edit) -> Tamper:
    """Edit the first of these actions in which that changes something."""

    def tamper(t: Tampering) -> None:
        for action in actions(t):
            before = deepcopy(action)
            for edit in edits:
                edit(action)
            if action != before:
                break
        t.log.save()

    return tamper


def edited(
    found: Actions,
    name: str,
    caught_by: str,
    change: Edit,
    sentence: str,
    *,
    edit: Callable[[Actions, Edit], Tamper] = first,
    make: Callable[..., Fault] = delete_fault,
    **options: Any,
) -> Fault:
    """A row in a table of faults: a field of the ``first`` of these actions, or of ``every``, becomes another."""
    return make(name, caught_by, edit(found, change), sentence, **options)


remove_fault, add_fault, vector_fault = (partial(edited, found) for found in (removes, new_adds, vector_adds))
info_fault = partial(edited, commit_infos, edit=every)


def metrics(operation: str, *edits: Edit) -> Tamper:
    """Edit the metrics in commitInfo."""
    return every(infos(operation), within("operationMetrics", *edits))


def drop_last_remove(t: Tampering) -> None:
    version, actions = max(t.log.written.items())
    last = max(index for index, action in enumerate(actions) if "remove" in action)
    t.log.rewrite(version, actions[:last] + actions[last + 1 :])


# More commits and actions ---------------------------------------------------------------------------------------------


def remove(paths: ChosenPaths) -> Tamper:
    """Commit removes of these live files too."""

    def tamper(t: Tampering) -> None:
        t.log.append(*(removal(t.log.live[path], at=t.outcome.ended) for path in paths(t)))

    return tamper


def removal(add: JsonAction, *, at: int) -> JsonAction:
    """The remove of an add, with this deletionTimestamp (ms since the epoch)."""
    fields = {key: value for key, value in add.items() if key not in ("modificationTime", "stats")}
    return {"remove": {**fields, "deletionTimestamp": at, "dataChange": True, "extendedFileMetadata": True}}


def append(action: JsonAction) -> Tamper:
    """Commit an action too."""
    return lambda t: t.log.append(deepcopy(action))


def drop_first(kind: str) -> Tamper:
    """Drop the step's first action of a kind."""

    def tamper(t: Tampering) -> None:
        for version, found in t.log.written.items():
            place = next((place for place, action in enumerate(found) if kind in action), None)
            if place is not None:
                return t.log.rewrite(version, found[:place] + found[place + 1 :])
        return None

    return tamper


def commit_empty(t: Tampering) -> None:
    """Commit one more version, without changes."""
    t.log.commit(t.clock)


def set_table_property(t: Tampering) -> None:
    """Commit a change of the table's metadata."""
    configuration = {**t.log.configuration, "delta.appendOnly": "true"}
    t.log.append(to_json(replace(t.log.state.metadata, configuration=configuration)))


def encoded(path: str) -> str:
    """A path as an action has it. It encodes more characters than an engine does, and decodes to the same."""
    return quote(path)


def drop_last_commit(t: Tampering) -> None:
    """Delete the last commit of the step."""
    if t.log.written:
        t.log.uncommit(max(t.log.written))
