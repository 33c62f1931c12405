"""Reads a user's table: its log, which is copied into a directory of the run, and the names below its root.

The storage is read through a ``Store``, which can only list and read. Each directory is listed once, and the log
first: files that another writer adds meanwhile look like young files without an action.
"""

from __future__ import annotations

import json
import os
import posixpath
import shutil
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from deltalog.checkpoints.reading import LoggedCheckpoint, sidecars_of
from deltalog.entries.actions import Protocol
from deltalog.errors import DeltaLogError, NotATable, StoreError, UnreadableCheckpoint
from deltalog.log import Log, read_log
from deltalog.log_files import LogListing, list_log
from deltalog.snapshot import Snapshot
from deltalog.storage.listing import Entry, EntryKind
from deltalog.storage.names import LAST_CHECKPOINT, LAST_VACUUM_INFO, LOG_DIRECTORY
from deltalog.storage.store import LocalFiles, Store, walk
from deltalog.storage.times import milliseconds, set_modified
from harness.observing.table.not_read import UnreadByKey
from harness.observing.table.root_paths import named_by_uri, relative_log, relative_snapshot
from harness.observing.table.table_state import TableState
from harness.observing.table.vacuum_inputs import files_of, is_below
from model.vocabulary.table import Table
from records.mistakes import UsageMistake
from rehearsal.definition import definition_of
from reports.text.quantities import counted
from shapes.features import protocol_of, unknown_features
from shapes.store import LocalStore, Root

LOG = Path(LOG_DIRECTORY)

#: How many files of the log are copied at once: a request takes longer than what it brings.
_AT_ONCE = 8

#: The features of tables whose log is not all that says what they have.
_ELSEWHERE = frozenset(
    {
        *("catalogManaged", "catalogOwned-preview", "coordinatedCommits-preview"),
        *("redirectReaderWriter-preview", "redirectWriterOnly-preview", "adaptiveMetadata-preview"),
    }
)


@dataclass(frozen=True)
class ReadTable:
    """A table as it was read. The listing of ``state`` is without the log."""

    root: Root
    state: TableState
    table: Table
    iceberg: bool  # whether Delta also keeps the metadata of an Iceberg table in the directory
    names: LogListing
    copy: Path  # a directory with the copied log
    stored: Log  # with its paths as they are written


def read_table(root: Root, copy: Path) -> ReadTable:
    """Raises UsageMistake, in one sentence, for a table that cannot be judged. ``copy`` is an empty directory."""
    try:
        return _read(root, copy)
    except StoreError as error:
        raise UsageMistake(
            f"{root.path} cannot be read: {_on_one_line(error)}. Check the path and your rights."
        ) from None
    except NotATable:
        if root.is_missing:
            raise UsageMistake(f"{root.path} does not exist: name the directory of a table.") from None
        raise UsageMistake(
            f"{root.path} is no Delta table: {LOG_DIRECTORY} is not there, or has neither a commit nor a checkpoint. Name "
            "the directory that has it."
        ) from None
    except DeltaLogError as error:
        raise UsageMistake(
            f"The log of {root.path} cannot be replayed, so its files are unknown: {_on_one_line(error)}."
        ) from None


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")


def _read(root: Root, copy: Path) -> ReadTable:
    names = list_log(root.store)
    (copy / LOG).mkdir(parents=True)
    _copy(root.store, (LOG / one.name for one in names.commits.values()), copy, names)
    _copy(root.store, (LOG / name for name in (LAST_VACUUM_INFO,) if name in names.files), copy, names)
    log, stored = _replayed(root, copy, names)
    _require_known(stored.protocol)
    snapshot = relative_snapshot(stored, root.path)
    outside = sorted(
        path
        for path in files_of([*snapshot.adds.values(), *snapshot.removes.values()], root.path)
        if not is_below(path)
    )
    if outside:
        named = f"{counted(len(outside), 'file')} outside of {root.path}, such as {outside[0]}"
        raise UsageMistake(
            f"The log names {named}, as a shallow clone does: a VACUUM of such a table cannot be rehearsed."
        )
    listing = dict(sorted(listed(root.store)))
    _require_links_inside(listing, root.path)
    state = TableState(
        listing,
        relative_log(log),
        snapshot,
        contents=(unread := UnreadByKey()),
        unreferenced=unread,
        vectors=unread,
        row_ids=unread,
        changes=unread,
        columns=unread,
        by_uri=named_by_uri(stored.adds.values(), root.path),
        last_vacuum=_document(copy / LOG / LAST_VACUUM_INFO),
    )
    properties = stored.metadata.configuration
    formats = properties.get("delta.universalFormat.enabledFormats", "").split(",")
    return ReadTable(
        root, state, definition_of(snapshot), "iceberg" in [one.strip() for one in formats], names, copy, log
    )


def _require_known(protocol: Protocol) -> None:
    """Raises UsageMistake and UnknownForm."""
    protocol_of(protocol)
    features = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    if unknown := sorted(unknown_features(protocol)):
        raise UsageMistake(
            f"The table has features that this release does not know: {', '.join(unknown)}. Ask the engine with DRY RUN."
        )
    if elsewhere := sorted(features & _ELSEWHERE):
        raise UsageMistake(
            f"The table has the feature {elsewhere[0]}: its log alone does not say what belongs to it, so that a VACUUM of it "
            "cannot be rehearsed."
        )


# The log --------------------------------------------------------------------------------------------------------------


def copy_newest_checkpoint(read: ReadTable) -> None:
    """Copy the newest checkpoint and the file that names it: the part of the log that engines read besides the commits. Raises
    UsageMistake.
    """
    store, names = read.root.store, read.names
    try:
        _copy(store, (LOG / name for name in (LAST_CHECKPOINT,) if name in names.files), read.copy, names)
        for checkpoint in names.checkpoints[-1:]:
            _copy_checkpoint(store, checkpoint, read.copy, names)
    except (StoreError, UnreadableCheckpoint) as error:
        raise UsageMistake(
            f"The newest checkpoint of {read.root.path} cannot be read ({_on_one_line(error)}), so that no engine is run "
            "on a copy: add --model-only."
        ) from None


def _replayed(root: Root, copy: Path, names: LogListing) -> tuple[Log, Snapshot]:
    """The log, and its latest version as stored.

    A checkpoint is copied only if commits are missing: the oldest that suffices, as it has most tombstones and leads to most
    versions. Raises DeltaLogError and StoreError.
    """
    failed: UnreadableCheckpoint | None = None
    for base in reversed(names.bases()):
        try:
            if base is not None:
                _copy_checkpoint(root.store, base, copy, names)
            log = replace(read_log(copy), root=Path(root.path))
            return log, log.snapshot()
        except UnreadableCheckpoint as error:
            failed = failed or error
        for file in () if base is None else base.files:
            (copy / file).unlink()
    assert failed is not None, "there is a base"
    raise failed


def _copy_checkpoint(store: Store, checkpoint: LoggedCheckpoint, copy: Path, names: LogListing) -> None:
    """With its sidecars. Raises UnreadableCheckpoint and StoreError."""
    _copy(store, checkpoint.files, copy, names)
    try:
        _copy(store, sidecars_of(checkpoint, LocalFiles(str(copy))), copy, names)
    except StoreError as error:
        if not error.missing:
            raise
        raise UnreadableCheckpoint("a sidecar of the checkpoint is not there") from None


def _copy(store: Store, files: Iterable[Path], copy: Path, names: LogListing) -> None:
    """Copy files of the log that are not in ``copy`` yet, with their times. Raises StoreError."""

    def one(path: Path) -> None:
        place = copy / path
        if place.exists():
            return
        place.parent.mkdir(exist_ok=True)
        with store.read(path.as_posix()) as source, open(place, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 16)
        if path.parent == LOG:
            set_modified(place, milliseconds(names.files[path.name].modified_ns))

    # In local files there is no answer to wait for.
    with ThreadPoolExecutor(1 if isinstance(store, LocalStore) else _AT_ONCE) as pool:
        for _ in pool.map(one, files):
            pass


def _document(path: Path) -> Mapping[str, object] | None:
    """The JSON object in a file; None if the file is absent or has none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# The names below the root ---------------------------------------------------------------------------------------------


def listed(store: Store) -> Iterator[tuple[str, Entry]]:
    """Everything below the root except the log, by path; links are not followed. Raises StoreError."""
    for path, found in walk(store, without=LOG_DIRECTORY):
        if found.target is not None:
            yield path, Entry(EntryKind.LINK, 0, found.modified_ns, None, found.target)
        elif found.is_directory:
            yield path, Entry(EntryKind.DIRECTORY, 0, found.modified_ns, None)
        else:
            yield path, Entry(EntryKind.FILE, found.size, found.modified_ns, None)


def _require_links_inside(listing: Mapping[str, Entry], root: str) -> None:
    """Raises UsageMistake for a link that leads out of the table, where a VACUUM may follow it."""
    for path, entry in listing.items():
        if entry.target is None:
            continue
        to = posixpath.normpath(posixpath.join(root, posixpath.dirname(path), os.fspath(entry.target)))
        if to != root and not to.startswith(f"{root}/"):
            raise UsageMistake(
                f"The link {path} leads out of the table, to {entry.target}: what a VACUUM does there cannot be rehearsed."
            )
