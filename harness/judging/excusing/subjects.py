"""Kinds of subjects that a known fault may be bound to (``symptom.of`` in ``known_faults/*.toml``).

A subject is what a violation is about (``Violation.subject``). The kinds here are of paths, from the table's root: another
subject, such as ``rows`` or ``log``, is of none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from urllib.parse import unquote

from deltalog.entries.actions import Add, Remove
from deltalog.storage.listing import EntryKind
from deltalog.storage.paths import encode
from harness.judging.excusing.command_conditions import opened_by
from harness.judging.excusing.declarations import Subject, paths
from harness.observing.steps.observation import Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.table_state import TableState
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.fates import Reason
from model.vocabulary.table import Kind
from shapes import told
from shapes.told import only_if


def actions_of(state: TableState) -> list[Add | Remove]:
    """The live adds and all tombstones."""
    return [*state.snapshot.adds.values(), *state.snapshot.removes.values()]


def vector_files(state: TableState) -> frozenset[str]:
    """The paths of the files of deletion vectors that live adds or tombstones name."""
    return frozenset(path for action in actions_of(state) if (path := vector_path(action, state.root)) is not None)


def links_to_directories(state: TableState) -> dict[str, str]:
    """The links below the root that lead to a directory, each with its target: ``.`` is the root itself."""
    return {
        path: target
        for path, thing in state.things.items()
        if thing.kind is Kind.LINK and (target := thing.target) is not None and _is_directory(state, target)
    }


def _is_directory(state: TableState, path: str) -> bool:
    entry = state.entry(path)
    return path in (".", "..") or (entry is not None and entry.kind is EntryKind.DIRECTORY)


def _behind_a_link(found: Mapping[str, str], path: str) -> bool:
    return any(directory == "." or path.startswith(f"{directory}/") for pair in found.items() for directory in pair)


@paths("file named by URI", told.names_by_uri)
def _is_named_by_uri(observation: Observation, path: str) -> bool:
    """Whether the log names this data file by a URI. delta-rs reports some such paths as the URI has them: encoded,
    and not below the root if the root's own name is encoded too."""
    decoded = unquote(path)
    spellings = {path, decoded, decoded.removeprefix(f"{observation.root}/")}
    return bool(spellings & observation.before.facts.named_by_uri)


@paths("name that resembles a partition", only_if(told.has_partition_name("begins-with-dot", "begins-with-underscore")))
def _resembles_a_partition(observation: Observation, path: str) -> bool:
    """Whether a directory or file name only begins with the name of a partition column that begins with a dot or underscore."""
    columns = [name for name in observation.before.snapshot.metadata.partition_columns if name.startswith((".", "_"))]
    names = path.split("/")
    return any(name.startswith(column) and not name.startswith(f"{column}=") for column in columns for name in names)


def _undated(state: TableState) -> frozenset[str]:
    return frozenset(remove.file for remove in state.facts.tombstones if remove.deletion_timestamp is None)


def young_orphans(observation: Observation) -> frozenset[str]:
    """The files inside retention, hidden ones too, that no action names; none unless the step is a VACUUM."""
    if not isinstance(observation, VacuumObservation):
        return frozenset()
    named = {*observation.before.live, *observation.before.tombstones}
    return frozenset(
        path
        for path, entry in observation.before.data.items()
        if path not in named and entry.kind is EntryKind.FILE and entry.modified >= observation.cutoff.earliest
    )


@paths("file of a young tombstone")
def _is_retained(observation: Observation, path: str) -> bool:
    fate = observation.fates.get(path) if isinstance(observation, VacuumObservation) else None
    return fate is not None and fate.reason is Reason.RETAINED


@paths("file committed since the session opened")
def _committed_since(observation: Observation, path: str) -> bool:
    """Whether the file is live, and no file of the version that the session of the step opened."""
    opened = opened_by(observation)
    return opened is not None and path in observation.before.live and path not in opened.before.live


@paths("file removed since the session opened")
def _removed_since(observation: Observation, path: str) -> bool:
    """Whether the file is removed, and was live in the version that the session of the step opened."""
    opened = opened_by(observation)
    return opened is not None and path in opened.before.live and path not in observation.before.live


OF_PATHS = (
    Subject("file of a deletion vector", lambda o: vector_files(o.before).__contains__, told.has_vector_files),
    Subject(
        "data file with several actions",
        lambda o: o.before.facts.several.__contains__,
        only_if(told.may_remove_several_times),
    ),
    Subject("encoded path", lambda o: lambda path: encode(path) != path or not path.isascii(), told.encodes_paths),
    Subject("path that begins with a dot", lambda o: lambda path: path.startswith(".")),
    Subject("path behind a link to a directory", lambda o: partial(_behind_a_link, links_to_directories(o.before))),
    Subject("file of a tombstone without a time", lambda o: _undated(o.before).__contains__),
    Subject("file removed by another spelling", lambda o: o.before.facts.spelled_otherwise.__contains__),
    Subject("young orphan", lambda o: young_orphans(o).__contains__),
)
