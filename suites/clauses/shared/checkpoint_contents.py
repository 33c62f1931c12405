"""What a new checkpoint may hold, and what it says of itself, of its sidecars and in _last_checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from deltalog.checkpoints.reading import CheckpointParts, LoggedCheckpoint, read_parts
from deltalog.entries.actions import Action, Add, Cdc, CommitInfo, Protocol, Remove, Unknown
from deltalog.entries.codec import from_json, to_json
from deltalog.errors import MalformedAction, UnreadableCheckpoint
from deltalog.storage.names import SIDECARS, LogFileKind, parse_name
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, each, judgement
from harness.judging.severity import Cause
from harness.observing.steps.observation import Observation
from harness.observing.table.root_paths import relative_action
from model.prediction.paths import LOG_DIRECTORY
from records.expectations import ByReplay
from suites.clauses.shared.checks import sorted_features
from suites.clauses.shared.log_files import OPTIONAL_IN_REMOVES, new_checkpoints, wrong_pointer

#: Checks a checkpoint, which can be read, by its actions.
ContentCheck = Callable[[Observation, LoggedCheckpoint, CheckpointParts], Violation | None]


def judge_checkpoints(o: Observation, check: ContentCheck) -> Judgement:
    """Judge the step's checkpoints. One that cannot be read is DEL-CKPT-1's and VAC-CKPT-3's."""
    return each(_readable(o), lambda found: check(o, *found))


def judge_v2_checkpoints(o: Observation, check: ContentCheck) -> Judgement:
    """Judge those of the step's checkpoints that follow the V2 spec."""
    return each([found for found in _readable(o) if _follows_v2(*found)], lambda found: check(o, *found))


def _readable(o: Observation) -> list[tuple[LoggedCheckpoint, CheckpointParts]]:
    found = []
    for checkpoint in new_checkpoints(o):
        try:
            found.append((checkpoint, read_parts(checkpoint)))
        except UnreadableCheckpoint:
            continue
    return found


def _follows_v2(checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> bool:
    """One named by a UUID must; one with a classic name may."""
    name = parse_name(checkpoint.files[0].name)
    return bool(parts.metadata or parts.sidecars) or (name is not None and name.kind is LogFileKind.CHECKPOINT_UUID)


def _wrong(checkpoint: LoggedCheckpoint, problem: str, cause: str) -> Violation:
    message = f"The checkpoint of version {checkpoint.version} is wrong: {problem}."
    reason = "a checkpoint must be read with its sidecars"
    return Violation(f"checkpoint {checkpoint.version}", message, ByReplay(reason), cause=Cause(cause))


# What every checkpoint may hold -------------------------------------------------------------------------------------


def check_kinds_held(o: Observation, checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> Violation | None:
    """It must hold neither commitInfo nor cdc, and its removes neither stats nor tags."""
    for action in parts.actions:
        if isinstance(action, (CommitInfo, Cdc)):
            kind = "cdc" if isinstance(action, Cdc) else "commitInfo"
            return _wrong(checkpoint, f"it has an action {kind}, which only commits have", f"it has {kind}")
        if isinstance(action, Remove) and (action.stats is not None or action.tags is not None):
            field = "tags" if action.stats is None else "stats"
            return _wrong(checkpoint, f"its remove of {action.file} has {field}", f"a remove has {field}")
    return None


def check_removes(o: Observation, checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> Violation | None:
    """Its removes must have every field that those of the log have, also those that a checkpoint may leave out."""
    root = o.before.root
    known = {**o.before.snapshot.removes, **{remove.key: remove for commit in o.commits for remove in commit.removes}}
    for action in parts.actions:
        if not isinstance(action, Remove):
            continue
        remove = known.get(relative_action(action, root).key)
        for field, name in OPTIONAL_IN_REMOVES.items() if remove is not None else ():
            if getattr(action, name) is None and getattr(remove, name) is not None:
                return _wrong(checkpoint, f"its remove of {action.file} has no {field}", f"a remove has no {field}")
    return None


def check_data_change(o: Observation, checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> Violation | None:
    """Every add and remove must have dataChange=false."""
    for action in parts.actions:
        if isinstance(action, (Add, Remove)) and action.data_change:
            kind = type(action).__name__.lower()
            problem = f"its {kind} of {action.file} has dataChange=true, and must have false"
            return _wrong(checkpoint, problem, f"dataChange of {kind}")
    return None


# What a V2 checkpoint says of itself --------------------------------------------------------------------------------


def check_metadata(o: Observation, checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> Violation | None:
    """It must have one checkpointMetadata, with its version; the counts in its tags, where it has any, must be true."""
    if len(parts.metadata) != 1:
        problem = f"it has {len(parts.metadata)} actions checkpointMetadata, and must have one"
        return _wrong(checkpoint, problem, "not one checkpointMetadata")
    fields = parts.metadata[0] if isinstance(parts.metadata[0], Mapping) else {}
    if fields.get("version") != checkpoint.version:
        problem = f"its checkpointMetadata has the version {fields.get('version')}"
        return _wrong(checkpoint, problem, "another value: version")
    found = fields.get("tags")
    tags = found if isinstance(found, Mapping) else {}
    counted = {
        "sidecarNumActions": sum(len(sidecar.actions) for sidecar in parts.sidecars),
        "sidecarSizeInBytes": sum(sidecar.file.stat().st_size for sidecar in parts.sidecars),
        "numOfAddFiles": sum(isinstance(action, Add) for action in parts.actions),
    }
    for tag, count in counted.items():
        if tag in tags and tags[tag] != str(count):
            return _wrong(checkpoint, f"its tag {tag} is {tags[tag]!r}, and must be {count}", f"another value: {tag}")
    return None


def check_sidecars(o: Observation, checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> Violation | None:
    """Each sidecar must be named once, and be a file in _delta_log/_sidecars of the size and time that are named."""
    names = [sidecar.file.name for sidecar in parts.sidecars]
    for sidecar in parts.sidecars:
        name, file = sidecar.file.name, o.after.listing.get(f"{LOG_DIRECTORY}/{SIDECARS}/{sidecar.file.name}")
        if file is None or sidecar.file.parent != checkpoint.files[0].parent / SIDECARS:
            return _wrong(checkpoint, f"its sidecar {name} is not in {SIDECARS}", "a sidecar elsewhere")
        if names.count(name) > 1:
            return _wrong(checkpoint, f"it names the sidecar {name} {names.count(name)} times", "a sidecar twice")
        for field, due in {"sizeInBytes": file.size, "modificationTime": file.modified}.items():
            found = sidecar.fields.get(field)
            if found != due:
                problem = f"the {field} of its sidecar {name} is {found}, and that of the file {due}"
                return _wrong(checkpoint, problem, f"another value: {field}")
    return None


def check_division(o: Observation, checkpoint: LoggedCheckpoint, parts: CheckpointParts) -> Violation | None:
    """Its adds and removes must all be in its own file or all in sidecars, and nothing else in sidecars."""
    files = [action for action in parts.own if isinstance(action, (Add, Remove))]
    if files and parts.sidecars:
        problem = f"it has sidecars, and {files[0].file} in its own file"
        return _wrong(checkpoint, problem, "file actions in two places")
    for sidecar in parts.sidecars:
        if any(not isinstance(action, (Add, Remove)) for action in sidecar.actions):
            problem = f"its sidecar {sidecar.file.name} has actions that are neither add nor remove"
            return _wrong(checkpoint, problem, "other actions in a sidecar")
    return None


# What _last_checkpoint says of a V2 checkpoint ----------------------------------------------------------------------


def check_embedded(o: Observation) -> Judgement:
    """What _last_checkpoint embeds of the step's V2 checkpoint must be true of its file, and be all of its own actions."""
    embedded = (o.after.last_checkpoint or {}).get("v2Checkpoint")
    readable = {checkpoint.files[0].name: parts for checkpoint, parts in _readable(o)}
    if not isinstance(embedded, Mapping) or not readable:
        return NOT_EXERCISED
    name = str(embedded.get("path"))
    if name not in readable:
        return judgement(
            wrong_pointer(f"v2Checkpoint names {name}, which is no checkpoint of the step that can be read")
        )
    file, parts = o.after.listing[f"{LOG_DIRECTORY}/{name}"], readable[name]
    for field, due in {"sizeInBytes": file.size, "modificationTime": file.modified}.items():
        if embedded.get(field) != due:
            return judgement(wrong_pointer(f"v2Checkpoint.{field} is {embedded.get(field)}, and must be {due}"))
    own = [action for action in parts.own if not isinstance(action, (Add, Remove))]
    for member, actions in {
        "sidecarFiles": [action for action in own if _names_sidecar(action)],
        "nonFileActions": [action for action in own if not _names_sidecar(action)],
    }.items():
        listed = embedded.get(member)
        if listed is not None and _embedded(member, listed) != sorted(map(_text, actions)):
            return judgement(wrong_pointer(f"v2Checkpoint.{member} are not those of the checkpoint"))
    return judgement(None)


def _names_sidecar(action: Action) -> bool:
    return isinstance(action, Unknown) and action.kind == "sidecar"


def _embedded(member: str, listed: object) -> list[str] | None:
    """The texts of the embedded actions, sorted; None if they are none. Those of sidecars come without their kind."""
    if not isinstance(listed, Sequence):
        return None
    documents = [{"sidecar": one} for one in listed] if member == "sidecarFiles" else listed
    try:
        return sorted(_text(action) for document in documents for action in from_json(document))
    except MalformedAction:
        return None


def _text(action: Action) -> str:
    """An action as JSON: the same text for equal ones, whether they have been read from JSON or from Parquet."""
    plain = sorted_features(action) if isinstance(action, Protocol) else action
    return json.dumps(_without_nulls(to_json(plain)), sort_keys=True)


def _without_nulls(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_nulls(member) for key, member in value.items() if member is not None}
    return value
