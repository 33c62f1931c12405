"""The observation of a step as plain JSON in which nothing is random: for the run stream, and to compare engines by."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from deltalog.actions import Add
from deltalog.listing import EntryKind
from model.layout import without_random
from model.sql import delete_sql, vacuum_sql
from model.steps import BadDelete, BadVacuum, Delete, EngineStep, Form, Mode, ReadChanges, Vacuum, VacuumForm
from model.vacuum import LOG_DIRECTORY, Reason
from suites.commit_record import commit_record, fields_of
from suites.evidence import rows_as_json
from suites.observation import ChangesSeen, ReadSeen, Seen, relative
from suites.observe import LAST_VACUUM_INFO
from suites.vacuum_seen import VacuumSeen


def step_text(step: EngineStep) -> str:
    """The step as users write it."""
    if isinstance(step, Delete):
        said = "" if step.form is Form.SQL_PATH else f" ({step.form.value})"
        return f"{delete_sql(step, 't')}{said}"
    if isinstance(step, BadDelete):
        return f"DELETE with a mistake: {step.blunder.value}"
    if isinstance(step, ReadChanges):
        return f"the change data feed of step {step.of_step}"
    if isinstance(step, BadVacuum):
        return f"VACUUM with a mistake: {step.blunder.value}{' (DRY RUN)' if step.dry_run else ''}"
    if isinstance(step, Vacuum):
        inventory = f"({step.inventory.value})" if step.mode.inventory else None
        besides = [] if step.form is VacuumForm.SQL_PATH else [step.form.value]
        besides += [step.mode.value] if step.mode is Mode.LITE_SETTING else []
        besides += ["in parallel"] if step.parallel else []
        besides += [f"{step.troubled}: {step.trouble.value}"] if step.trouble else []
        return vacuum_sql(step, "t", inventory) + (f" ({'; '.join(besides)})" if besides else "")
    return "SELECT * FROM t" if step.before_step is None else f"SELECT * FROM t (as before step {step.before_step})"


def normalise(seen: Seen) -> dict[str, Any]:
    """A record of the step."""
    error = seen.outcome.error
    return {
        "index": seen.index,
        "kind": type(seen.step).__name__.lower(),
        "text": step_text(seen.step),
        "seconds": seen.outcome.seconds,
        "outcome": {
            "rows": None if error else _answer(seen),
            "error": None
            if error is None
            else {
                "exception": error.exception,
                "condition": error.condition,
                "sqlstate": error.sqlstate,
                "message": _message(seen, error.message),
            },
        },
        "observed": _observed(seen),
    }


def _answer(seen: Seen) -> Any:
    """The engine's rows. A VACUUM's are paths, here relative to the table's root: that is another one in each run."""
    if isinstance(seen.step, (Vacuum, BadVacuum)):
        dry = seen.step.dry_run
        return (
            sorted({_path(seen, relative(str(row[0]), seen.root)) for row in seen.outcome.rows if row}) if dry else []
        )
    if isinstance(seen, ReadSeen):
        return rows_as_json(seen.rows)
    return rows_as_json(Counter(seen.outcome.rows))


def _observed(seen: Seen) -> dict[str, Any]:
    observed: dict[str, Any] = {"version": [seen.before.version, seen.after.version]}
    if isinstance(seen, (ReadSeen, ChangesSeen)):
        return observed
    observed["operations"] = [
        str(commit.info.fields.get("operation")) if commit.info else "" for commit in seen.commits
    ]
    by_order = _by_order(seen)
    observed["vanished"] = sorted(_path(seen, path) for path in seen.vanished - by_order)
    told = {
        **_actions(seen),
        "by_order": sorted(_path(seen, path) for path in by_order),
        "appeared": dict(sorted(Counter(_kind(seen, path) for path in seen.appeared if _counts(seen, path)).items())),
        "changed_beside": [without_random(path) for path in seen.changed_beside],
        "checkpoints": sorted({one.version for one in seen.after.log.checkpoints} - _checkpoints_before(seen)),
        "commits": [commit_record(commit) for commit in seen.commits],
        "broken": seen.after.broken is not None,
    }
    observed.update({name: value for name, value in told.items() if value})
    bookmark = f"{LOG_DIRECTORY}/{LAST_VACUUM_INFO}"
    if bookmark in seen.after.listing and seen.before.listing.get(bookmark) != seen.after.listing[bookmark]:
        observed["last_vacuum"] = sorted(seen.after.last_vacuum or ())  # nothing in it says something, too
    return observed


def _actions(seen: Seen) -> dict[str, Any]:
    """The actions on files that the step committed, and which fields they have."""
    adds = [add for commit in seen.commits for add in commit.adds]
    removes = [remove for commit in seen.commits for remove in commit.removes]
    changes = [cdc for commit in seen.commits for cdc in commit.cdcs]
    masked = [add for add in adds if add.file in seen.before.live]
    written = [add for add in adds if add.file not in seen.before.live]
    return {
        "removed": sorted(_path(seen, remove.file) for remove in removes),
        "added": sorted((_added(seen, add) for add in written), key=str),
        "places": sorted({_place(add) for add in written}),
        "masked": sorted([_path(seen, add.file), *sorted(seen.after.hidden(add) or ())] for add in masked),
        "changed": sum(len(seen.after.changes.get(cdc.file) or ()) for cdc in changes),
        "remove_fields": fields_of(removes),
        "add_fields": fields_of(adds),
        "change_fields": fields_of(changes),
    }


def _added(seen: Seen, add: Add) -> dict[str, Any]:
    return {"partition": dict(add.partition_values), "rows": len(seen.after.contents.get(add.file) or ())}


def _place(add: Add) -> str:
    """Where the engine put a new file."""
    directory = without_random(add.file).rpartition("/")[0]
    if not directory:
        return "the root"
    return "directories with random names" if directory == "*" else "directories of partitions"


def _by_order(seen: Seen) -> frozenset[str]:
    """The vanished directories that may go or stay: the order of deletion, which nobody promises, decides it."""
    if not isinstance(seen, VacuumSeen) or seen.refused:
        return frozenset()
    held = (Reason.HOLDS_OLD, Reason.HOLDS_EMPTY)
    return frozenset(path for path in seen.vanished if path in seen.fates and seen.fates[path].reason in held)


def _checkpoints_before(seen: Seen) -> set[int]:
    return {one.version for one in seen.before.log.checkpoints}


def _counts(seen: Seen, path: str) -> bool:
    """Whether a new path says something: a checksum's is the file system's doing, a directory's follows from its files."""
    return not path.endswith(".crc") and seen.after.data[path].kind is not EntryKind.DIRECTORY


def _kind(seen: Seen, path: str) -> str:
    if path.endswith(".parquet"):
        change = path.startswith("_change_data/") or path.rpartition("/")[2].startswith("cdc-")
        return "change files" if change else "data files"
    return "vector files" if path.endswith(".bin") else "other files"


def _path(seen: Seen, path: str) -> str:
    """The path without what an engine made up, which is another one in each run; nor where it put the file (``places``).

    A directory of two random characters tells it by its coming only: an earlier step made it.
    """
    if len(path) == 2 and any(path in earlier.appeared for earlier in seen.earlier):
        return "*"
    path = _without_root(seen, path)
    starred = without_random(path)
    return path if starred == path else starred.rpartition("/")[2]


def _without_root(seen: Seen, text: str) -> str:
    """The text with ``table`` for the table's root, ``case`` for what is around it. Some engines leave out the first /."""
    case = seen.root.rpartition("/")[0]
    for place, name in ((seen.root, "table"), (case, "case")):
        text = text.replace(place, f"/{name}").replace(place.lstrip("/"), name)
    return text


#: What no two runs have in common: ids that an engine makes up, addresses of objects, instants.
_RANDOM = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-(?!000000000000)[0-9a-f]{12}"), "*"),
    (re.compile(r"#\d+L?"), "#*"),
    (re.compile(r"@[0-9a-f]{5,8}\b"), "@*"),
    (re.compile(r"\b1[0-9]{12}\b"), "*"),  # ms since the epoch
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?"), "*"),
)


def _message(seen: Seen, message: str) -> str:
    """The first line of an error's message, without what is another one in each run."""
    said = _without_root(seen, (message.splitlines() or [""])[0])
    for pattern, star in _RANDOM:
        said = pattern.sub(star, said)
    return said[:500]
