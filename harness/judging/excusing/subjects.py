"""Kinds of subjects that a known fault may be bound to (``symptom.of`` in ``known_faults/*.toml``).

A subject is what a violation is about (``Violation.subject``). The kinds here are of paths, from the table's root: another
subject, such as ``rows`` or ``log``, is of none of them. Kinds of wrong rows (harness.judging.excusing.wrong_rows) are those of
the step, whatever the subject is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from urllib.parse import unquote

from deltalog.entries.actions import Add, Remove
from deltalog.storage.listing import EntryKind
from deltalog.storage.paths import encode
from harness.judging.excusing.command_conditions import opened_by
from harness.judging.excusing.wrong_rows import WRONG_ROWS
from harness.observing.steps.observation import Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.not_read import NotRead
from harness.observing.table.table_state import TableState
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.fates import Reason
from model.vocabulary.table import Kind


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


def _is_named_by_uri(observation: Observation, path: str) -> bool:
    """Whether the log names this data file by a URI. delta-rs reports some such paths as the URI has them: encoded,
    and not below the root if the root's own name is encoded too."""
    decoded = unquote(path)
    spellings = {path, decoded, decoded.removeprefix(f"{observation.root}/")}
    return bool(spellings & observation.before.facts.named_by_uri)


def _resembles_a_partition(observation: Observation, path: str) -> bool:
    """Whether a directory or file name only begins with the name of a partition column that begins with a dot or underscore."""
    columns = [name for name in observation.before.snapshot.metadata.partition_columns if name.startswith((".", "_"))]
    names = path.split("/")
    return any(name.startswith(column) and not name.startswith(f"{column}=") for column in columns for name in names)


def _undated(state: TableState) -> Iterator[str]:
    return (remove.file for remove in state.facts.tombstones if remove.deletion_timestamp is None)


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


def _is_retained(observation: Observation, path: str) -> bool:
    fate = observation.fates.get(path) if isinstance(observation, VacuumObservation) else None
    return fate is not None and fate.reason is Reason.RETAINED


def _committed_since(observation: Observation, path: str) -> bool:
    """Whether the file is live, and no file of the version that the session of the step opened."""
    opened = opened_by(observation)
    return opened is not None and path in observation.before.live and path not in opened.before.live


def _removed_since(observation: Observation, path: str) -> bool:
    """Whether the file is removed, and was live in the version that the session of the step opened."""
    opened = opened_by(observation)
    return opened is not None and path in opened.before.live and path not in observation.before.live


def _of_wrong_rows(holds: Callable[[Observation], bool]) -> Callable[[Observation], Callable[[str], bool]]:
    def of(observation: Observation) -> Callable[[str], bool]:
        found = holds(observation)
        return lambda subject: found

    return of


#: By the name that a known fault gives as ``symptom.of``: what tells of a step's paths whether they are of the kind. What is the
#: same for all paths is computed once.
SUBJECTS: dict[str, Callable[[Observation], Callable[[str], bool]]] = {
    "file of a deletion vector": lambda o: vector_files(o.before).__contains__,
    "data file with several actions": lambda o: o.before.facts.several.__contains__,
    "encoded path": lambda o: lambda path: encode(path) != path or not path.isascii(),
    "file named by URI": lambda o: partial(_is_named_by_uri, o),
    "name that resembles a partition": lambda o: partial(_resembles_a_partition, o),
    "path behind a link to a directory": lambda o: partial(_behind_a_link, links_to_directories(o.before)),
    "path that begins with a dot": lambda o: lambda path: path.startswith("."),
    "file of a tombstone without a time": lambda o: frozenset(_undated(o.before)).__contains__,
    "file of a young tombstone": lambda o: partial(_is_retained, o),
    "file removed by another spelling": lambda o: o.before.facts.spelled_otherwise.__contains__,
    "file committed since the session opened": lambda o: partial(_committed_since, o),
    "file removed since the session opened": lambda o: partial(_removed_since, o),
    "young orphan": lambda o: young_orphans(o).__contains__,
    **{name: _of_wrong_rows(holds) for name, holds in WRONG_ROWS.items()},
}


class Kinds:
    """The kinds that subjects of a step are of, by the names that a known fault may give."""

    def __init__(self, observation: Observation) -> None:
        self._observation = observation
        self._known: dict[str, Callable[[str], bool]] = {}

    def are(self, subject: str, kind: str) -> bool:
        """Whether a subject is of this kind; not if that needs data that was not read."""
        try:
            if kind not in self._known:
                self._known[kind] = SUBJECTS[kind](self._observation)
            return self._known[kind](subject)
        except NotRead:
            return False

    def of(self, subject: str) -> frozenset[str]:
        return frozenset(name for name in SUBJECTS if self.are(subject, name))
