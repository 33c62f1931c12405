"""What the reference engine does to the files of the log alone: checkpoints, log compaction, log clean-up."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from deltalog.checkpoints.reading import LoggedCheckpoint, read_parts
from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.compaction import write_compaction
from deltalog.errors import AlreadyWritten
from deltalog.storage.names import LOG_DIRECTORY, LogFileKind, compacted_name, parse_name
from model.vocabulary.commands import CompactLog
from model.vocabulary.rules import Rules
from model.vocabulary.table import DAY
from reference_engine.storage import TableStorage
from reference_engine.view import View


def checkpoint(view: View, storage: TableStorage, version: int, clock: int) -> None:
    """Write the checkpoint of a version, without expired tombstones, unless there is one."""
    if version in {checkpoint.version for checkpoint in view.log.checkpoints}:
        return
    snapshot = view.log.snapshot(version)
    expired = clock - view.retention
    kept = [remove for remove in snapshot.removes.values() if (remove.deletion_timestamp or 0) > expired]
    v2 = view.metadata.configuration.get("delta.checkpointPolicy") == "v2"
    write = partial(write_checkpoint, view.root, snapshot, tombstones=kept, v2=v2, embeds=True, modified=storage.at)
    with suppress(AlreadyWritten):  # another session has written it meanwhile
        storage.checkpoint(write)


def compact(view: View, command: CompactLog, at: int) -> None:
    """Write a compaction file of a range of the commits, unless there is one or they are fewer than two."""
    last = view.snapshot.version - command.but_newest
    versions = sorted(view.log.commits)[-(command.commits or 0) :]
    commits = [view.log.commits[version] for version in versions if version <= last]
    if len(commits) > 1 and compacted_name(commits[0].version, commits[-1].version) not in view.log.others:
        write_compaction(view.root, commits, modified=at)


def clean_up(view: View, clock: int, rules: Rules) -> None:
    """Delete what is older than the retention, except for what the versions need that are not: the newest checkpoint that is
    no later than the newest expired version, and all after it (PROTOCOL.md, "Metadata Cleanup")."""
    cutoff = clock - view.log_retention
    cutoff -= cutoff % DAY if rules.rounds_log_retention else 0
    newest_expired = max((version for version, time in view.commit_times.items() if time <= cutoff), default=-1)
    base = max((one.version for one in view.log.checkpoints if one.version <= newest_expired), default=-1)
    old, kept = ([one for one in view.log.checkpoints if (one.version < base) is so] for so in (True, False))
    unused = _sidecars(old) - _sidecars(kept)
    for path in sorted((view.root / LOG_DIRECTORY).iterdir()):
        name = parse_name(path.name)
        if name is not None and (name.version < base or (name.kind is LogFileKind.COMPACTED and name.version <= base)):
            path.unlink()
    for path in unused:
        path.unlink(missing_ok=True)


def _sidecars(checkpoints: Iterable[LoggedCheckpoint]) -> set[Path]:
    return {sidecar.file for one in checkpoints for sidecar in read_parts(one).sidecars}
