"""What a commit records of itself: its commitInfo, its times, the kinds of its actions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from deltalog.entries.actions import Action, Add, Cdc, CommitInfo, DomainMetadata, Remove
from deltalog.entries.commits import LoggedCommit
from harness.judging.clause import Violation
from harness.observing.steps.observation import Observation
from harness.observing.table.vacuum_inputs import committed
from model.vocabulary.table import Feature
from records.expectations import ByReplay, Expectation, FieldHolds, FieldMatches, InfoIs, Measure, NoActions

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

#: The domain of row tracking, which writers of files advance.
_ROW_TRACKING = "delta.rowTracking"

#: A file system may round the time of a file, and have a clock of its own: by a second at worst (ms).
_ROUNDING = 1000


def fields(commit: LoggedCommit) -> dict[str, Any]:
    """The fields of the commit's commitInfo."""
    return dict(commit.info.fields) if commit.info else {}


def check_timestamp(o: Observation, commit: LoggedCommit) -> Violation | None:
    """commitInfo.timestamp must be the engine's clock; if that cannot be set, a time within the step."""
    found, operation = fields(commit).get("timestamp"), _operation(commit)
    first, last = (o.clock, o.clock) if o.rules.own_clock else (o.outcome.started, o.outcome.ended)
    if isinstance(found, int) and first <= found <= last:
        return None
    shown = o.instant(found) if isinstance(found, int) else repr(found)
    due = o.instant(first) if first == last else f"between {o.instant(first)} and {o.instant(last)}"
    message = f"The timestamp of {operation} must be {due}; it is {shown}."
    expectation: Expectation = ByReplay("a script has another clock")
    if not o.rules.own_clock and len(o.commits) == 1:
        expectation = FieldMatches("commitInfo", "timestamp", Measure.CLOCK)
    return Violation("commitInfo", message, expectation)


def check_in_commit_timestamp(o: Observation, commit: LoggedCommit) -> Violation | None:
    """With in-commit timestamps commitInfo is first, and its time the clock, or later than the commit before; else absent."""
    found, operation = fields(commit).get("inCommitTimestamp"), _operation(commit)
    if not o.table.has(Feature.IN_COMMIT_TIMESTAMPS):
        message = f"{operation} must have no inCommitTimestamp, as the table has no such feature; it is {found}."
        return None if found is None else Violation("commitInfo", message, InfoIs("inCommitTimestamp", None))
    previous = o.after.log.commits.get(commit.version - 1)
    if previous is None or not isinstance(next(iter(commit.actions), None), CommitInfo):
        message = (
            f"commitInfo must be the first action of {operation}, as the table has in-commit timestamps; it is not."
        )
        return None if previous is None else Violation("commitInfo", message, ByReplay("actions have an order"))
    first = committed(previous) + 1
    last = max(first, o.clock if o.rules.own_clock else o.outcome.ended)
    if o.rules.own_clock:
        first = last
    if isinstance(found, int) and first <= found <= last:
        return None
    shown = o.instant(found) if isinstance(found, int) else repr(found)
    due = o.instant(first) if first == last else f"from {o.instant(first)} to {o.instant(last)}"
    message = f"The inCommitTimestamp of {operation} must be {due}; it is {shown}."
    return Violation("commitInfo", message, ByReplay("a script has another clock"))


def check_file_time(o: Observation, commit: LoggedCommit) -> Violation | None:
    """A commit's file must be written while the step runs: its modification time is the commit's, without in-commit timestamps."""
    if o.outcome.started - _ROUNDING - o.rules.time_unit <= commit.modified <= o.outcome.ended + _ROUNDING:
        return None
    window = f"{o.instant(o.outcome.started)} to {o.instant(o.outcome.ended)}"
    message = f"The commit of version {commit.version} was modified at {o.instant(commit.modified)}; the step ran from {window}."
    return Violation("log", message, ByReplay("a script does not know when the step ended"))


def check_kinds(commit: LoggedCommit, kinds: Collection[type[Action]]) -> Violation | None:
    """A commit must have one commitInfo, and otherwise actions of these kinds only."""
    infos = sum(isinstance(action, CommitInfo) for action in commit.actions)
    if infos != 1:
        message = f"Version {commit.version} must have one commitInfo; it has {infos}."
        return Violation("commitInfo", message, ByReplay("a script reads one commitInfo"))
    others = [action for action in commit.actions if not isinstance(action, (CommitInfo, *kinds))]
    wrong = [action for action in others if not _is_row_tracking(action) or DomainMetadata not in kinds]
    wrong += [
        action for action in commit.actions if isinstance(action, DomainMetadata) and not _is_row_tracking(action)
    ]
    domains = [action.domain for action in commit.actions if isinstance(action, DomainMetadata)]
    if not wrong and len(domains) > len(set(domains)):
        message = f"Version {commit.version} must name each domain once; it repeats {domains[0]}."
        return Violation("log", message, ByReplay("a script reads no domains"))
    if not wrong:
        return None
    names = sorted({_kind(action) for action in wrong})
    message = f"Version {commit.version} must not have actions of the kind {', '.join(names)}."
    return Violation("log", message, NoActions(names))


#: The kinds of actions that a DELETE commits beside commitInfo.
OF_DELETE: tuple[type[Action], ...] = (Add, Remove, Cdc, DomainMetadata)


def _is_row_tracking(action: Action) -> bool:
    return isinstance(action, DomainMetadata) and action.domain == _ROW_TRACKING and not action.removed


def _kind(action: Action) -> str:
    name = str(getattr(action, "kind", type(action).__name__))
    return {"Metadata": "metaData"}.get(name, name[0].lower() + name[1:])


def check_origin(o: Observation, commit: LoggedCommit, expected: Mapping[str, object]) -> Violation | None:
    """commitInfo must have these values, a txnId that no other commit has, and the engine's name and release."""
    found = fields(commit)
    for key, value in expected.items():
        if found.get(key) != value:
            message = f"{key} of {_operation(commit)} must be {value!r}; it is {found.get(key)!r}."
            expectation: Expectation = InfoIs(key, value, _operation(commit))
            if key == "readVersion":
                expectation = ByReplay("the version depends on the commits before, which an engine may leave out")
            return Violation("commitInfo", message, expectation)
    id = found.get("txnId")
    others = [fields(other).get("txnId") for other in o.after.log.commits.values() if other is not commit]
    if not isinstance(id, str) or not _UUID.fullmatch(id) or id in others:
        message = f"txnId of {_operation(commit)} must be a UUID that no other commit has; it is {id!r}."
        return Violation("commitInfo", message, FieldHolds("commitInfo", "txnId", f'"{_UUID.pattern}"', "a UUID"))
    engine = r"Apache-Spark/\S+ Delta-Lake/\S+"
    if not re.fullmatch(engine, str(found.get("engineInfo"))):
        message = f"engineInfo of {_operation(commit)} must name Apache Spark and Delta Lake; it is {found.get('engineInfo')!r}."
        expectation = FieldHolds("commitInfo", "engineInfo", f'"{engine}"', "the engine's names and versions")
        return Violation("commitInfo", message, expectation)
    return None


def check_names(commit: LoggedCommit, key: str, names: Collection[str]) -> Violation | None:
    """An object in commitInfo must have exactly these members."""
    found = fields(commit).get(key)
    members = sorted(found) if isinstance(found, Mapping) else []
    if members == sorted(names):
        return None
    message = f"{key} of {_operation(commit)} must have the members {sorted(names)}; it has {members}."
    return Violation("commitInfo", message, ByReplay(f"the members of {key} differ by operation"))


def _operation(commit: LoggedCommit) -> str:
    return str(fields(commit).get("operation"))
