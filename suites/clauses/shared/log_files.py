"""What a command may change among the files of ``_delta_log``; everything else must stay byte for byte.

A commit adds its own files. If it writes a checkpoint, the engine may also clean up the log (docs/delta.md 2.5).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from deltalog.checkpoints.checksums import json_checksum
from deltalog.checkpoints.parsed_columns import ParsedColumns
from deltalog.checkpoints.reading import LoggedCheckpoint, read_checkpoint, read_parts
from deltalog.entries.actions import Action, Add, Metadata, Protocol, Remove
from deltalog.errors import DeltaLogError
from deltalog.snapshot import Snapshot, replay
from deltalog.storage.listing import Entry, EntryKind
from deltalog.storage.names import (
    LAST_CHECKPOINT,
    LAST_VACUUM_INFO,
    SIDECARS,
    LogFileKind,
    LogFileName,
    commit_name,
    compacted_name,
    parse_name,
)
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, judgement
from harness.judging.severity import NO_CAUSE, Cause
from harness.observing import evidence
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.observation import CommandObservation, Observation
from harness.observing.steps.vacuums import vacuums_of
from harness.observing.table.log_compactions import compaction
from harness.observing.table.root_paths import relative_action
from model.prediction.paths import LOG_DIRECTORY, checksum_of
from model.text.layout import is_named_by_engine
from model.vocabulary import commands
from model.vocabulary.severity import Severity
from model.vocabulary.steps import AtOnce, OtherCommand
from model.vocabulary.table import DAY, DEFAULT_LOG_RETENTION, retention_of
from records.expectations import ByReplay, Removes, Unchanged, about
from suites.clauses.shared import causes
from suites.clauses.shared.checks import sorted_features

_CLEANED_UP = (
    LogFileKind.COMMIT,
    LogFileKind.CHECKPOINT,
    LogFileKind.CHECKPOINT_PART,
    LogFileKind.CHECKPOINT_UUID,
    LogFileKind.CHECKSUM,
    LogFileKind.COMPACTED,
)


def new_checkpoints(o: Observation) -> list[LoggedCheckpoint]:
    """The checkpoints of the step's own versions; of a command that may be one of checkpoints, also that of the version before.

    Log cleanup may also write an older one again, under a classic name.
    """
    known = {checkpoint.version for checkpoint in o.before.log.checkpoints}
    asked = any(isinstance(one, (commands.Checkpoint, commands.AsWritten)) for one in _commands(o))
    may_be_asked = isinstance(o, (CommandObservation, AtOnceObservation)) and o.before.version not in known
    first = o.before.version + (0 if asked or may_be_asked else 1)
    return [checkpoint for checkpoint in o.after.log.checkpoints if checkpoint.version >= first]


def _commands(o: Observation) -> list[commands.Command]:
    """The commands other than DELETE and VACUUM of the step."""
    steps = o.step.steps if isinstance(o.step, AtOnce) else (o.step,)
    return [step.command for step in steps if isinstance(step, OtherCommand)]


def check_rest_of_log(command: str, o: Observation, *, killed: bool = False) -> Violation | None:
    """Every file of the log must stay as it was, except what log cleanup may delete; only the commit's own may appear.

    If the command was ``killed``, also temporary files, sidecars without their checkpoint, and a pointer may be gone.
    """
    before, after = _in_log(o.before.listing), _in_log(o.after.listing)
    wrong = [
        path for path in after if path not in before and not (_may_appear(o, path) or (killed and _may_be_left(path)))
    ]
    for path, entry in before.items():
        if path not in after:
            allowed = _may_be_cleaned_up(o, path) or (killed and _may_change(o, path))
        else:
            allowed = after[path] == entry or entry.kind is EntryKind.DIRECTORY or _may_change(o, path)
        wrong += [] if allowed else [path]
    if not wrong:
        return None
    message = f"{command} must change nothing else in the log; it changed {evidence.named(wrong)}."
    return Violation(wrong[0], message, about(wrong[0], Unchanged(wrong[0])), cause=causes.changed(o, wrong))


def _in_log(listing: Mapping[str, Entry]) -> dict[str, Entry]:
    return {path: entry for path, entry in listing.items() if path.startswith(f"{LOG_DIRECTORY}/")}


def _name(path: str) -> LogFileName | None:
    """The parsed name of a file of the log, or of the file that it is the file system's checksum of."""
    for one in (path, checksum_of(path) or ""):
        found = parse_name(one.removeprefix(f"{LOG_DIRECTORY}/"))
        if found is not None:
            return found
    return None


def _may_change(o: Observation, path: str) -> bool:
    """The two pointers, each with the file system's checksum: one moves with a checkpoint, the other with a VACUUM. A checkpoint or
    a log compaction that is there may be written again.
    """
    if (name := _name(path)) is not None and _is_asked_for(o, name):
        return True
    pointer = (checksum_of(path) or path).removeprefix(f"{LOG_DIRECTORY}/")
    if pointer == LAST_CHECKPOINT:
        return bool(new_checkpoints(o))
    return pointer == LAST_VACUUM_INFO and any(one.ran for one in vacuums_of([o]))


def _may_appear(o: Observation, path: str) -> bool:
    """Commits, checkpoints and version checksums of the step's own versions; the file system's checksums of what is there.

    Log cleanup rewrites an older checkpoint of version 2 under a classic name, for readers that do not know the feature
    (Delta: MetadataCleanup.createSinglePartCheckpointForBackwardCompat).
    """
    of = checksum_of(path)
    if of is not None and of not in o.after.listing:
        return False
    if _may_change(o, path):
        return True
    if path.removeprefix(f"{LOG_DIRECTORY}/").split("/")[0] == SIDECARS:
        return bool(new_checkpoints(o))  # the parts of a checkpoint of version 2
    name = _name(path)
    if name is None:
        return False
    cleans_up = _asks_for_clean_up(o) or bool(new_checkpoints(o))
    rewritten = {checkpoint.version for checkpoint in o.before.log.checkpoints} if cleans_up else set()
    if name.kind is LogFileKind.COMPACTED:
        return False
    if isinstance(o, (CommandObservation, AtOnceObservation)) and name.version == o.before.version:
        return name.kind is LogFileKind.CHECKSUM
    return o.before.version < name.version <= o.after.version or (
        name.kind is LogFileKind.CHECKPOINT and name.version in rewritten
    )


def _may_be_left(path: str) -> bool:
    """Whether a command that is killed may leave a file: one that no reader takes for a part of the log.

    Files get their name when they are whole: before, their name begins with a dot and ends with .tmp.
    """
    parts = path.split("/")
    return parts[1] == SIDECARS or (parts[-1].startswith(".") and parts[-1].endswith((".tmp", ".crc")))


def _asks_for_clean_up(o: Observation) -> bool:
    return any(isinstance(one, (commands.CleanUpLog, commands.AsWritten)) for one in _commands(o))


def _is_asked_for(o: Observation, name: LogFileName) -> bool:
    """Whether it is a file that a command for checkpoints or log compactions writes."""
    checkpoints = (LogFileKind.CHECKPOINT, LogFileKind.CHECKPOINT_PART, LogFileKind.CHECKPOINT_UUID)
    for command in _commands(o):
        if isinstance(command, commands.CompactLog) and name.kind is LogFileKind.COMPACTED:
            return True
        # Beside another session, a checkpoint may be of what that has committed.
        if (
            isinstance(command, (commands.Checkpoint, commands.AsWritten))
            and name.version >= o.before.version
            and name.kind in checkpoints
        ):
            return True
    return False


def _may_be_cleaned_up(o: Observation, path: str) -> bool:
    """Whether log cleanup may have deleted a file (docs/delta.md 2.5).

    Only after a checkpoint, or with any commit by the engine's rules; only what a complete later checkpoint replaces; only
    what is older than delta.logRetentionDuration, by the commit of the version; sidecars only along with a checkpoint.
    """
    if not (_asks_for_clean_up(o) or new_checkpoints(o) or (o.rules.cleans_up_anytime and o.commits)):
        return False
    if path.startswith(f"{LOG_DIRECTORY}/{SIDECARS}/"):
        return any(checkpoint not in o.after.log.checkpoints for checkpoint in o.before.log.checkpoints)
    name = _name(path)
    if name is None or name.kind not in _CLEANED_UP:
        return False
    newest = max((checkpoint.version for checkpoint in o.after.log.checkpoints), default=-1)
    commit = o.before.listing.get(f"{LOG_DIRECTORY}/{commit_name(name.version)}")
    # A compaction file also goes where it begins with the version of the checkpoint.
    replaced = name.version < newest + (name.kind is LogFileKind.COMPACTED)
    if name.kind is LogFileKind.CHECKSUM and commit is None:
        return replaced  # another engine's clean-up left it: PROTOCOL.md, "Metadata Cleanup", deletes checksums by their version
    return replaced and (commit or o.before.listing[path]).modified <= log_cutoff(o)


def log_cutoff(o: Observation) -> int:
    """Log cleanup deletes files that are older, in ms since the epoch: by the retention of the log before the step or after it."""
    found = (state.snapshot.metadata.configuration.get("delta.logRetentionDuration") for state in (o.before, o.after))
    retention = min(DEFAULT_LOG_RETENTION if text is None else retention_of(text) for text in found)
    cutoff = (o.clock if o.rules.own_clock else o.outcome.ended) - retention
    return cutoff - cutoff % DAY if o.rules.rounds_log_retention else cutoff


# The pointer to the last checkpoint ---------------------------------------------------------------------------------


def check_pointer(o: Observation) -> Violation | None:
    """After a checkpoint, _last_checkpoint must name it, with what it contains."""
    found, newest = o.after.last_checkpoint, new_checkpoints(o)[-1]
    if found is None:
        return wrong_pointer("it is missing, or no JSON object")
    expected: dict[str, object] = {"version": newest.version}
    if len(newest.files) > 1:
        expected["parts"] = len(newest.files)
    try:
        parts = read_parts(newest)
    except DeltaLogError as unreadable:
        return wrong_pointer(f"the checkpoint of version {newest.version} cannot be read: {unreadable}")
    if "numOfAddFiles" in found:
        expected["numOfAddFiles"] = sum(isinstance(action, Add) for action in parts.actions)
    name = parse_name(newest.files[0].name)
    # A V2 checkpoint, whatever its name, may be counted with its sidecars or without.
    if name is not None and name.kind is not LogFileKind.CHECKPOINT_UUID and not parts.metadata:
        expected["size"] = len(parts.actions)
        if "sizeInBytes" in found:
            paths = (f"{LOG_DIRECTORY}/{file.name}" for file in newest.files)
            expected["sizeInBytes"] = sum(o.after.listing[path].size for path in paths)
    wrong = [
        f"{key} is {found.get(key)}, and must be {value}" for key, value in expected.items() if found.get(key) != value
    ]
    return wrong_pointer("; ".join(wrong)) if wrong else None


def check_pointer_checksum(o: Observation) -> Judgement:
    """After a checkpoint, the checksum in _last_checkpoint, if it has one, must be that of its JSON."""
    found = o.after.last_checkpoint if new_checkpoints(o) else None
    if found is None or "checksum" not in found:
        return NOT_EXERCISED
    due = json_checksum(found)
    wrong = wrong_pointer(f"checksum is {found['checksum']}, and must be {due}") if found["checksum"] != due else None
    return judgement(wrong)


def wrong_pointer(problem: str) -> Violation:
    """That _last_checkpoint says something that is not so."""
    reason = "_last_checkpoint must be compared with a checkpoint"
    return Violation(LAST_CHECKPOINT, f"{LAST_CHECKPOINT} is wrong: {problem}.", ByReplay(reason))


# Checkpoints --------------------------------------------------------------------------------------------------------


def check_checkpoint(o: Observation, checkpoint: LoggedCheckpoint) -> Violation | None:
    """A new checkpoint must hold the state of its version; of tombstones, those inside retention, and others if it likes."""
    commits = [(commit.version, commit.actions) for commit in o.commits if commit.version <= checkpoint.version]
    if [version for version, _ in commits] != list(range(o.before.version + 1, checkpoint.version + 1)):
        return None  # log cleanup has deleted a commit of the step
    expected = replay(commits, base=o.before.snapshot)
    try:
        actions = [relative_action(action, o.before.root) for action in read_checkpoint(checkpoint)]
        found = replay([(checkpoint.version, actions)])
    except (DeltaLogError, ValueError) as unreadable:
        return _wrong_checkpoint(checkpoint, f"it cannot be read: {unreadable}")
    structs_only = expected.metadata.configuration.get("delta.checkpoint.writeStatsAsJson") == "false"
    struct = ParsedColumns(expected.metadata) if structs_only else None
    problem = _repeated(actions) or _difference(expected, found, oldest=_oldest_tombstone(o), struct=struct)
    return _wrong_checkpoint(checkpoint, problem) if problem else None


def check_compaction(o: Observation, first: int, last: int) -> Violation | None:
    """Who reads a log compaction instead of its commits must find the same state; of tombstones, those inside retention."""
    file, what = compacted_name(first, last), f"The log compaction of the versions {first} to {last}"
    try:
        read = compaction(o.after.log, first, last)
    except (DeltaLogError, ValueError) as unreadable:
        return _wrong_state(file, f"{what} cannot be read: {unreadable}.")
    if read is None:
        return None
    oldest = _oldest_tombstone(o)
    repeated = _repeated(read.actions)
    problem = repeated or _difference(read.expected, read.found, oldest=oldest)
    if not problem:
        return None
    back, cause = read.brought_back, NO_CAUSE
    paths = sorted(remove.file for remove in back)
    left = {key: add for key, add in read.found.adds.items() if key not in read.expected.removes}
    others = (_without_nulls(read.expected), _without_nulls(replace(read.found, adds=left)))
    expired = all((remove.deletion_timestamp or 0) <= oldest for remove in back)
    if not repeated and expired and not _difference(*others, oldest=oldest):  # nothing else is wrong
        cause = (
            Cause("the expired remove of a file that was added before its commits is left out")
            if back
            else Cause("partition values that are NULL are left out", Severity.UNREADABLE)
        )
    message = f"{what} does not hold the state of its commits: {problem}."
    if not paths or any(map(is_named_by_engine, paths)):
        return _wrong_state(file, message, cause)
    return Violation(file, message, Removes(paths, compaction=True), cause=cause)


def _without_nulls(state: Snapshot) -> Snapshot:
    """The state with actions that do not name the partition columns in which their files are NULL."""

    def named(values: Mapping[str, str | None]) -> dict[str, str | None]:
        return {name: text for name, text in values.items() if text is not None}

    adds = {key: replace(add, partition_values=named(add.partition_values)) for key, add in state.adds.items()}
    removes = {
        key: replace(remove, partition_values=named(remove.partition_values)) if remove.partition_values else remove
        for key, remove in state.removes.items()
    }
    return replace(state, adds=adds, removes=removes)


def _oldest_tombstone(o: Observation) -> int:
    """Until when files were removed, in ms since the epoch, of which no tombstone must be kept, by the latest time at which the
    step may have written; of a command that changes the retention, by the shorter one."""
    written = o.clock if o.rules.own_clock else o.outcome.ended
    changed = o.defined if isinstance(o, (CommandObservation, AtOnceObservation)) else o.table
    return written - min(o.table.retention, changed.retention)


def _repeated(actions: Iterable[Action]) -> str:
    files = [(type(action).__name__.lower(), action.key) for action in actions if isinstance(action, (Add, Remove))]
    others = [type(action).__name__ for action in actions if isinstance(action, (Metadata, Protocol))]
    if len(files) == len(set(files)) and len(others) == len(set(others)):
        return ""
    return "it names a file, the metadata or the protocol twice"


def _difference(expected: Snapshot, found: Snapshot, *, oldest: int, struct: ParsedColumns | None = None) -> str:
    """The first difference between the state and a checkpoint of it; empty if there is none that matters."""
    if sorted_features(expected.protocol) != sorted_features(found.protocol):
        return "its protocol is another"
    for part in ("metadata", "txns", "domains"):
        if getattr(expected, part) != getattr(found, part):
            return f"its {part} are others"
    for key, add in expected.adds.items():
        if key not in found.adds:
            return f"it lacks the add of {key[0]}"
        if not is_kept(add, found.adds[key], struct):
            return f"its add of {key[0]} is {found.adds[key]}, and must be {add}"
    for key, remove in expected.removes.items():
        kept = found.removes.get(key)
        if kept is None and (remove.deletion_timestamp or 0) > oldest:
            return f"it lacks the remove of {key[0]}, which is inside retention"
        if kept is not None and _comparable(remove) != _comparable(_completed(kept, remove)):
            return f"its remove of {key[0]} is {kept}, and must be {remove}"
    if back := next((key[0] for key in found.adds if key in expected.removes), None):
        return f"by it the file {back} is live again, which is removed"
    known = {*expected.adds, *expected.removes}
    unknown = [key[0] for key in (*found.adds, *found.removes) if key not in known]
    return f"it names {unknown[0]}, which the log does not" if unknown else ""


#: What a remove in a checkpoint may leave out (PROTOCOL.md, "Checkpoint Schema"): it is there for VACUUM alone.
OPTIONAL_IN_REMOVES = {
    "extendedFileMetadata": "extended_file_metadata",
    "partitionValues": "partition_values",
    "size": "size",
    "baseRowId": "base_row_id",
    "defaultRowCommitVersion": "default_row_commit_version",
}


def _completed(kept: Remove, remove: Remove) -> Remove:
    """The remove of a checkpoint, with what it may leave out taken from that of the log."""
    absent = [name for name in OPTIONAL_IN_REMOVES.values() if getattr(kept, name) is None]
    return replace(kept, **{name: getattr(remove, name) for name in absent})


def is_kept(add: Add, found: Add, struct: ParsedColumns | None) -> bool:
    """Whether an add is as it was. ``struct``: its statistics may have been read from these columns of a checkpoint."""
    if _comparable(add) == _comparable(found):
        return True
    return struct is not None and _comparable(struct.given_back(add)) == _comparable(struct.given_back(found))


def _comparable(action: Add | Remove) -> object:
    """What a checkpoint must keep: not the spelling of a path or of JSON, and of a remove no statistics and no tags."""
    plain = replace(action, path=action.file, stats=None, extra={})
    return replace(plain, tags=None) if isinstance(plain, Remove) else (plain, _parsed(action.stats))


def _parsed(stats: str | None) -> object:
    """The statistics as JSON; as they are if they are none (DEL-ADD-1D judges that)."""
    try:
        return json.loads(stats) if stats else None
    except (ValueError, RecursionError):
        return stats


def _wrong_checkpoint(checkpoint: LoggedCheckpoint, problem: str) -> Violation:
    where = f"checkpoint of version {checkpoint.version}"
    return _wrong_state(
        f"checkpoint {checkpoint.version}", f"The {where} does not hold the state of that version: {problem}."
    )


def _wrong_state(file: str, message: str, cause: Cause = NO_CAUSE) -> Violation:
    return Violation(file, message, ByReplay("a checkpoint must be compared with the log"), cause=cause)
