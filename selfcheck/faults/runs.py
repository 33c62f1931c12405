"""What kind of VACUUM a step was: asked by its faults."""

from __future__ import annotations

import json
from typing import Any

from selfcheck.faults.logs import Action
from selfcheck.faults.tampering import Tampering
from model.refusals import TOO_SHORT
from model.steps import Vacuum
from model.vacuum import LOG_DIRECTORY

#: Where LITE keeps its bookmark, and under what key (facts 1.3).
BOOKMARK = "_last_vacuum_info"
BOOKMARK_KEY = "latestCommitVersionOutsideOfRetentionWindow"


def step_of(t: Tampering) -> Vacuum:
    assert isinstance(t.step, Vacuum)
    return t.step


def done(t: Tampering) -> bool:
    """A real run that came to its end, in any mode, with any RETAIN."""
    return not step_of(t).dry_run and t.outcome.error is None


def ran(t: Tampering) -> bool:
    """A real run that looked at the whole directory, to the cutoff of the table's retention."""
    return done(t) and step_of(t).retain_hours is None and not step_of(t).mode.lite


def ran_lite(t: Tampering) -> bool:
    """A real LITE run, to the cutoff of the table's retention."""
    return done(t) and step_of(t).retain_hours is None and step_of(t).mode.lite


def ran_inventory(t: Tampering) -> bool:
    """A real run with an inventory, to the cutoff of the table's retention."""
    return ran(t) and step_of(t).mode.inventory


def refused_retain(t: Tampering) -> bool:
    """A VACUUM whose RETAIN was too short. An engine without error classes names none."""
    error = t.outcome.error
    told = error is not None and error.condition in (TOO_SHORT.condition, None)
    return told and step_of(t).retain_hours is not None


def bookmark(t: Tampering) -> int | None:
    """Up to which version LITE had seen the log before the step."""
    path = t.before / LOG_DIRECTORY / BOOKMARK
    found = json.loads(path.read_text(encoding="utf-8")).get(BOOKMARK_KEY) if path.is_file() else None
    return None if found is None else int(found)


def write_bookmark(t: Tampering, version: int | None) -> None:
    """Put LITE's bookmark to this version; None leaves it empty."""
    path = t.root / LOG_DIRECTORY / BOOKMARK
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    path.write_text(json.dumps({} if version is None else {BOOKMARK_KEY: version}), encoding="utf-8")


def commit_time(t: Tampering, version: int) -> int:
    """When a commit that was there before the step was made, ms since the epoch."""
    for action in t.history[version]:
        stamp = action.get("commitInfo", {}).get("inCommitTimestamp")
        if stamp is not None and t.table_property("delta.enableInCommitTimestamps") == "true":
            return int(stamp)
    return (t.before / LOG_DIRECTORY / f"{version:020d}.json").stat().st_mtime_ns // 1_000_000


def removed_by(t: Tampering, version: int) -> dict[str, int]:
    """The files below the root that this commit removes, no live ones, with their latest deletionTimestamps."""
    found: dict[str, int] = {}
    for action in t.history[version]:
        path = t.path(action["remove"]) if "remove" in action else ""
        if path in t.tombstones:
            found[path] = t.tombstones[path]
    return found


def changes_in(t: Tampering, version: int) -> list[str]:
    """The change files that this commit names."""
    return [t.path(action["cdc"]) for action in t.history[version] if "cdc" in action]


def edit_record(t: Tampering, operation: str, **changes: Any) -> None:
    """Change what START or END says, by the key of a metric or a parameter; None takes it out."""
    for info in t.actions("commitInfo"):
        if info.get("operation") == f"VACUUM {operation}":
            for key, value in changes.items():
                _put(info.setdefault("operationParameters" if key == "status" else "operationMetrics", {}), key, value)
    t.rewrite_all()


def _put(values: Action, key: str, value: Any) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value


def metric(t: Tampering, key: str) -> int | None:
    """A metric that START or END told."""
    found = [info.get("operationMetrics", {}).get(key) for info in t.actions("commitInfo")]
    told = [int(value) for value in found if value is not None]
    return told[0] if told else None
