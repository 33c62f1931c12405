"""Builds tamperings with the actions that a step committed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from deltalog.entries.codec import to_json
from faults.machinery.fault import Tamper
from faults.machinery.files import ChosenPaths
from faults.machinery.table_log import JsonAction
from faults.machinery.tampering import Tampering

Actions = Callable[[Tampering], list[JsonAction]]

# Which actions --------------------------------------------------------------------------------------------------------


def removes(t: Tampering) -> list[JsonAction]:
    return t.log.actions("remove")


def new_adds(t: Tampering) -> list[JsonAction]:
    """The adds of files that the step wrote."""
    return [add for add in t.log.actions("add") if t.log.path(add) not in t.log.live]


def vector_adds(t: Tampering) -> list[JsonAction]:
    """The adds of files that were live before, with a new deletion vector."""
    return [add for add in t.log.actions("add") if t.log.path(add) in t.log.live and "deletionVector" in add]


def commit_infos(t: Tampering) -> list[JsonAction]:
    return t.log.actions("commitInfo")


# Changes of them ------------------------------------------------------------------------------------------------------


def change_all(actions: Actions, change: Callable[[JsonAction], object]) -> Tamper:
    def tamper(t: Tampering) -> None:
        for action in actions(t):
            change(action)
        t.log.save()

    return tamper


def change_first(actions: Actions, change: Callable[[JsonAction], object]) -> Tamper:
    return change_all(lambda t: actions(t)[:1], change)


def set_fields(actions: Actions, **values: Any) -> Tamper:
    """Set fields of the first of these actions."""
    return change_first(actions, lambda action: action.update(values))


def drop_field(actions: Actions, key: str) -> Tamper:
    """Drop a field of the first of these actions that has it."""
    return change_first(lambda t: [action for action in actions(t) if key in action], lambda action: action.pop(key))


def raise_field(actions: Actions, key: str, *, by: int = 1) -> Tamper:
    """Raise a number in the first of these actions in which it is not 0."""
    return change_first(
        lambda t: [action for action in actions(t) if action.get(key)],
        lambda action: action.update({key: action[key] + by}),
    )


def drop_last_remove(t: Tampering) -> None:
    version, actions = max(t.log.written.items())
    last = max(index for index, action in enumerate(actions) if "remove" in action)
    t.log.rewrite(version, actions[:last] + actions[last + 1 :])


# More commits and a----------------------------------------------------------------------------------------------------


def remove(paths: ChosenPaths) -> Tamper:
    """Commit removes of these live files too."""

    def tamper(t: Tampering) -> None:
        t.log.append(*(removal(t.log.live[path], at=t.outcome.ended) for path in paths(t)))

    return tamper


def removal(add: JsonAction, *, at: int) -> JsonAction:
    """The remove of an add, with this deletionTimestamp (ms since the epoch)."""
    fields = {key: value for key, value in add.items() if key not in ("modificationTime", "stats")}
    return {"remove": {**fields, "deletionTimestamp": at, "dataChange": True, "extendedFileMetadata": True}}


def commit_empty(t: Tampering) -> None:
    """Commit one more version, without changes."""
    t.log.commit_empty(t.clock)


def set_table_property(t: Tampering) -> None:
    """Commit a change of the table's metadata."""
    configuration = {**t.log.configuration, "delta.appendOnly": "true"}
    t.log.append(to_json(replace(t.log.state.metadata, configuration=configuration)))


def encoded(path: str) -> str:
    """A path as an action has it. It encodes more characters than an engine does, and decodes to the same."""
    return quote(path)


# Metrics --------------------------------------------------------------------------------------------------------------


def _infos_of(operation: str) -> Actions:
    """The step's commitInfos of "DELETE", "VACUUM START" or "VACUUM END"."""
    return lambda t: [info for info in commit_infos(t) if info.get("operation") == operation]


def set_metrics(operation: str, **metrics: str) -> Tamper:
    return change_all(_infos_of(operation), lambda info: info.setdefault("operationMetrics", {}).update(metrics))


def raise_metric(operation: str, key: str) -> Tamper:
    """Raise the metric by one, where it is recorded."""

    def change(info: JsonAction) -> None:
        metrics = info.get("operationMetrics", {})
        if metrics.get(key) is not None:
            metrics[key] = str(int(metrics[key]) + 1)

    return change_all(_infos_of(operation), change)


def set_status(status: str) -> Tamper:
    """Set the status of END."""
    return change_all(
        _infos_of("VACUUM END"), lambda info: info.setdefault("operationParameters", {}).update(status=status)
    )


def drop_last_commit(t: Tampering) -> None:
    """Delete the last commit of the step."""
    if t.log.written:
        t.log.uncommit(max(t.log.written))
