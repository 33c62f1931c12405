"""The observation of a step as plain JSON in which nothing is random: for the run stream, and to compare engines by."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from deltalog.actions import Add
from deltalog.listing import EntryKind
from harness.commit_record import commit_record, fields_of
from harness.evidence import rows_as_json
from harness.observation import ChangesObservation, Observation, ReadObservation, relative
from harness.observer import LAST_VACUUM_INFO
from harness.vacuum_observation import VacuumObservation
from model.layout import without_random
from model.sql import delete_sql, vacuum_sql
from model.steps import Delete, EngineStep, Form, InvalidDelete, InvalidVacuum, Mode, ReadChanges, Vacuum, VacuumForm
from model.vacuum import LOG_DIRECTORY, Reason


def step_text(step: EngineStep) -> str:
    """The step as users write it."""
    if isinstance(step, Delete):
        said = "" if step.form is Form.SQL_PATH else f" ({step.form.value})"
        return f"{delete_sql(step, 't')}{said}"
    if isinstance(step, InvalidDelete):
        return f"DELETE with a mistake: {step.mistake.value}"
    if isinstance(step, ReadChanges):
        return f"the change data feed of step {step.of_step}"
    if isinstance(step, InvalidVacuum):
        return f"VACUUM with a mistake: {step.mistake.value}{' (DRY RUN)' if step.dry_run else ''}"
    if isinstance(step, Vacuum):
        inventory = f"({step.inventory.value})" if step.mode.inventory else None
        besides = [] if step.form is VacuumForm.SQL_PATH else [step.form.value]
        besides += [step.mode.value] if step.mode is Mode.LITE_SETTING else []
        besides += ["in parallel"] if step.parallel else []
        besides += [f"{step.faulty_path}: {step.io_fault.value}"] if step.io_fault else []
        return vacuum_sql(step, "t", inventory) + (f" ({'; '.join(besides)})" if besides else "")
    return "SELECT * FROM t" if step.before_step is None else f"SELECT * FROM t (as before step {step.before_step})"


def normalise(observation: Observation) -> dict[str, Any]:
    """A record of the step."""
    error = observation.outcome.error
    return {
        "index": observation.index,
        "kind": type(observation.step).__name__.lower(),
        "text": step_text(observation.step),
        "seconds": observation.outcome.seconds,
        "outcome": {
            "rows": None if error else _answer(observation),
            "error": None
            if error is None
            else {
                "exception": error.exception,
                "condition": error.condition,
                "sqlstate": error.sqlstate,
                "message": _message(observation, error.message),
            },
        },
        "observed": _observed(observation),
    }


def _answer(observation: Observation) -> Any:
    """The engine's rows. A VACUUM's are paths, here relative to the table's root: that is another one in each run."""
    if isinstance(observation.step, (Vacuum, InvalidVacuum)):
        dry = observation.step.dry_run
        return (
            sorted(
                {_path(observation, relative(str(row[0]), observation.root)) for row in observation.outcome.rows if row}
            )
            if dry
            else []
        )
    if isinstance(observation, ReadObservation):
        return rows_as_json(observation.rows)
    return rows_as_json(Counter(observation.outcome.rows))


def _observed(observation: Observation) -> dict[str, Any]:
    observed: dict[str, Any] = {"version": [observation.before.version, observation.after.version]}
    if isinstance(observation, (ReadObservation, ChangesObservation)):
        return observed
    observed["operations"] = [
        str(commit.info.fields.get("operation")) if commit.info else "" for commit in observation.commits
    ]
    by_order = _by_order(observation)
    observed["vanished"] = sorted(_path(observation, path) for path in observation.vanished - by_order)
    told = {
        **_actions(observation),
        "by_order": sorted(_path(observation, path) for path in by_order),
        "appeared": dict(
            sorted(
                Counter(_kind(observation, path) for path in observation.appeared if _counts(observation, path)).items()
            )
        ),
        "changed_beside": [without_random(path) for path in observation.changed_beside],
        "checkpoints": sorted(
            {one.version for one in observation.after.log.checkpoints} - _checkpoints_before(observation)
        ),
        "commits": [commit_record(commit) for commit in observation.commits],
        "broken": observation.after.broken is not None,
    }
    observed.update({name: value for name, value in told.items() if value})
    bookmark = f"{LOG_DIRECTORY}/{LAST_VACUUM_INFO}"
    if (
        bookmark in observation.after.listing
        and observation.before.listing.get(bookmark) != observation.after.listing[bookmark]
    ):
        observed["last_vacuum"] = sorted(observation.after.last_vacuum or ())  # nothing in it says something, too
    return observed


def _actions(observation: Observation) -> dict[str, Any]:
    """The actions on files that the step committed, and which fields they have."""
    adds = [add for commit in observation.commits for add in commit.adds]
    removes = [remove for commit in observation.commits for remove in commit.removes]
    changes = [cdc for commit in observation.commits for cdc in commit.cdcs]
    hidden_rows = [add for add in adds if add.file in observation.before.live]
    written = [add for add in adds if add.file not in observation.before.live]
    return {
        "removed": sorted(_path(observation, remove.file) for remove in removes),
        "added": sorted((_added(observation, add) for add in written), key=str),
        "places": sorted({_place(add) for add in written}),
        "masked": sorted(
            [_path(observation, add.file), *sorted(observation.after.hidden(add) or ())] for add in hidden_rows
        ),
        "changed": sum(len(observation.after.changes.get(cdc.file) or ()) for cdc in changes),
        "remove_fields": fields_of(removes),
        "add_fields": fields_of(adds),
        "change_fields": fields_of(changes),
    }


def _added(observation: Observation, add: Add) -> dict[str, Any]:
    return {"partition": dict(add.partition_values), "rows": len(observation.after.contents.get(add.file) or ())}


def _place(add: Add) -> str:
    """Where the engine put a new file."""
    directory = without_random(add.file).rpartition("/")[0]
    if not directory:
        return "the root"
    return "directories with random names" if directory == "*" else "directories of partitions"


def _by_order(observation: Observation) -> frozenset[str]:
    """The vanished directories that may go or stay: the order of deletion, which nobody promises, decides it."""
    if not isinstance(observation, VacuumObservation) or observation.refused:
        return frozenset()
    held = (Reason.HOLDS_OLD, Reason.HOLDS_EMPTY)
    return frozenset(
        path for path in observation.vanished if path in observation.fates and observation.fates[path].reason in held
    )


def _checkpoints_before(observation: Observation) -> set[int]:
    return {one.version for one in observation.before.log.checkpoints}


def _counts(observation: Observation, path: str) -> bool:
    """Whether a new path says something: a checksum's is the file system's doing, a directory's follows from its files."""
    return not path.endswith(".crc") and observation.after.data[path].kind is not EntryKind.DIRECTORY


def _kind(observation: Observation, path: str) -> str:
    if path.endswith(".parquet"):
        change = path.startswith("_change_data/") or path.rpartition("/")[2].startswith("cdc-")
        return "change files" if change else "data files"
    return "vector files" if path.endswith(".bin") else "other files"


def _path(observation: Observation, path: str) -> str:
    """The path without what an engine made up, which is another one in each run; nor where it put the file (``places``).

    A directory of two random characters tells it by its coming only: an earlier step made it.
    """
    if len(path) == 2 and any(path in earlier.appeared for earlier in observation.earlier):
        return "*"
    path = _without_root(observation, path)
    starred = without_random(path)
    return path if starred == path else starred.rpartition("/")[2]


def _without_root(observation: Observation, text: str) -> str:
    """The text with ``table`` for the table's root, ``case`` for what is around it. Some engines leave out the first /."""
    case = observation.root.rpartition("/")[0]
    for place, name in ((observation.root, "table"), (case, "case")):
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


def _message(observation: Observation, message: str) -> str:
    """The first line of an error's message, without what is another one in each run."""
    said = _without_root(observation, (message.splitlines() or [""])[0])
    for pattern, star in _RANDOM:
        said = pattern.sub(star, said)
    return said[:500]
