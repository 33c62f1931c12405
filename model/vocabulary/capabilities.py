"""What an engine supports: cases for it are restricted to this (``strategies/restriction/capabilities.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Union

from model.vocabulary.commands import SWITCHED, CommandKind
from model.vocabulary.predicate import Function, Language, Wrapper
from model.vocabulary.settings import Setting
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import DeleteMistake, Form, IOFault, Literals, Mode, VacuumForm, VacuumMistake
from model.vocabulary.table import ColumnRule, Feature, Reference, VectorStorage
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import Type


@dataclass(frozen=True)
class Capabilities:
    """What cases for an engine may contain. By default, everything."""

    features: frozenset[Feature] = frozenset(Feature)
    types: frozenset[Type] = frozenset(Type)
    decimals: bool = True
    nested: bool = True  # structs, arrays, maps
    trimmed_decimals: bool = True  # partition values without trailing zeros
    empty_nulls: bool = True  # NULL partition values that are "" in the log
    column_rules: frozenset[ColumnRule] = frozenset(ColumnRule)
    references: frozenset[Reference] = frozenset(Reference)
    directories: bool = True  # directories, which may be empty
    links: bool = True  # symbolic links in a table's directory and beside it
    noncharacters: bool = True  # U+FFFE and U+FFFF, which XML does not have, and so some servers of objects
    roots: frozenset[TableRoot] = frozenset(TableRoot)  # names of a table's directory
    spellings: frozenset[Spelling] = frozenset(Spelling)  # of a table's path
    vectors: frozenset[VectorStorage] = frozenset(VectorStorage)  # in tables with deletion vectors
    writes_vectors: bool = True  # whether a DELETE writes new ones
    functions: frozenset[Function] = frozenset(Function)  # in conditions
    languages: frozenset[Language] = frozenset(Language)  # of tests that are texts
    casts: bool = True  # ... and CASE
    column_comparisons: bool = True  # ... of a column with another one
    members: bool = True  # fields of structs in conditions
    literals: frozenset[Literals] = frozenset(Literals)  # ... and how their literals are written
    wrappers: frozenset[Wrapper] = frozenset(Wrapper)  # users' functions around conditions
    delete_forms: frozenset[Form] = frozenset(Form)
    delete_mistakes: frozenset[DeleteMistake] = frozenset(DeleteMistake)
    vacuum: bool = True  # whether it has one; if not, the fields about it below have no effect
    vacuum_forms: frozenset[VacuumForm] = frozenset(VacuumForm)
    vacuum_mistakes: frozenset[VacuumMistake] = frozenset(VacuumMistake)
    modes: frozenset[Mode] = frozenset(Mode)
    io_faults: frozenset[IOFault] = frozenset(IOFault)
    fractional_hours: bool = True  # RETAIN of hours that are not whole, or negative, or too many to count in ms
    commits_vacuums: bool = True  # whether VACUUM writes commits: START and END
    logging: bool = True  # ... and can run without writing them
    parallel: bool = True
    dry_run: bool = True  # whether VACUUM has a DRY RUN
    default_retention: bool = True  # VACUUM without a RETAIN; if not, each gets the table's retention as its RETAIN
    safety_check: bool = True  # whether a RETAIN below the table's retention is refused while the check is on
    vacuums_vectors: bool = True  # VACUUM of tables that have the feature deletionVectors
    keeps_versions: bool = True  # whether a VACUUM can be asked to keep the files of some versions
    settings: frozenset[Setting] = frozenset(Setting)  # of the session
    zones: bool = True  # sessions in time zones other than UTC
    change_feed: bool = True  # reading it
    mapped_change_feed: bool = True  # ... of tables with column mapping
    inserts: bool = True  # appending rows itself
    commands: frozenset[CommandKind] = frozenset(CommandKind)  # other than DELETE and VACUUM
    dynamic_overwrites: bool = True  # overwrites of the partitions of the new rows
    switchable: frozenset[Feature] = frozenset(SWITCHED)  # what a property is asked to switch on in a table that exists
    droppable: frozenset[Feature] = frozenset(SWITCHED)  # what DROP FEATURE is asked to drop
    earlier_sessions: bool = True  # whether what a session has opened can be used later
    streams: bool = True  # ... and whether it can read a table as a stream
    crashes: bool = True  # whether it can be stopped at a point of a command
    sessions: bool = True  # whether a session can be held at a point of a command while another works
    caches: bool = True  # whether a session can cache a table
    sets_clock: bool = True  # whether its clock can be set; else no time of a case lies near a cutoff
    ages_files: bool = True  # ... or else whether files can be made older than they are
    version_checksums: bool = True  # whether it writes them beside its commits
    checksum_details: bool = True  # whether these list files and count deletion vectors
    pointer_checksums: bool = True  # whether the _last_checkpoint that it writes has a checksum of its own
    pruned_logs: bool = True  # tables with pruned logs, v2 and multi-part checkpoints
    indexed_columns: bool = True  # whether it knows delta.dataSkippingStatsColumns
    counts_accesses: bool = True  # whether it tells what a step asks of storage (engines.port.Outcome.accesses)

    @property
    def keeps_vectors_of_versions(self) -> bool:
        """Whether that can be asked about versions with deletion vectors."""
        return self.keeps_versions and has(self, VectorStorage.RELATIVE)

    @property
    def checkpoints_of_vacuums(self) -> bool:
        """Whether a commit of a VACUUM may write a checkpoint."""
        return self.commits_vacuums and Feature.FREQUENT_CHECKPOINTS in self.features

    @property
    def v2_checkpoints(self) -> bool:
        """Whether a commit may write a V2 checkpoint."""
        return self.features >= {Feature.FREQUENT_CHECKPOINTS, Feature.V2_CHECKPOINTS}

    @property
    def vacuums_inline_vectors(self) -> bool:
        """Whether it has a VACUUM of tables with inline deletion vectors."""
        return self.vacuums_vectors and has(self, VectorStorage.INLINE)

    @property
    def vacuums_relative_vectors(self) -> bool:
        """... with deletion vectors in files that are named relatively."""
        return self.vacuums_vectors and has(self, VectorStorage.RELATIVE)

    @property
    def vacuums_absolute_vectors(self) -> bool:
        """... with deletion vectors in files that are named by a URI."""
        return self.vacuums_vectors and has(self, VectorStorage.ABSOLUTE)

    def shared(self, other: Capabilities) -> Capabilities:
        """What both engines support.

        A VACUUM that lists the table is DEFAULT to one and FULL to another: where they have no mode in common, it is DEFAULT.
        """
        both: dict[str, Any] = {}
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            both[field.name] = (mine and theirs) if isinstance(mine, bool) else mine & theirs
        if self.modes and other.modes and not both["modes"]:
            both["modes"] = frozenset({Mode.DEFAULT})
        return Capabilities(**both)


EVERYTHING = Capabilities()


def mistake_in(capabilities: object) -> str | None:
    """What is wrong with what an engine calls its capabilities, as a part of a sentence; None: nothing."""
    if not isinstance(capabilities, Capabilities):
        return f"they are {capabilities!r}, and no model.vocabulary.capabilities.Capabilities"
    for field in fields(Capabilities):
        claimed, known = getattr(capabilities, field.name), getattr(EVERYTHING, field.name)
        if isinstance(known, bool):
            if not isinstance(claimed, bool):
                return f"{field.name} is {claimed!r}, and must be True or False"
        elif not isinstance(claimed, frozenset) or not claimed <= known:
            words = type(next(iter(known))).__name__
            return f"{field.name} is {_shown(claimed)}, and must be a frozenset of members of {words}"
    if not (capabilities.delete_forms and capabilities.types):
        return "delete_forms and types must not be empty"
    return None


def _shown(claimed: object) -> str:
    return ", ".join(sorted(map(repr, claimed))) if isinstance(claimed, frozenset) else repr(claimed)


#: What a clause requires of an engine: a member of one of the sets above, or the name of a boolean member.
Need = Union[
    Feature,
    Setting,
    Mode,
    IOFault,
    Reference,
    TableRoot,
    Spelling,
    VectorStorage,
    DeleteMistake,
    VacuumMistake,
    Form,
    Literals,
    VacuumForm,
    CommandKind,
    Wrapper,
    str,
]


def has(capabilities: Capabilities, need: Need) -> bool:
    """Whether an engine supports what a clause needs. Raises KeyError for a need that is not a capability."""
    if isinstance(need, VectorStorage) and Feature.DELETION_VECTORS not in capabilities.features:
        return False
    if need in _WITH and not has(capabilities, _WITH[need]):
        return False
    if isinstance(need, Enum):
        return need in getattr(capabilities, _FIELDS[type(need)])
    return bool(getattr(capabilities, need))


#: Capabilities that are nothing without another.
_WITH: Mapping[Need, Need] = {"streams": "earlier_sessions", "checksum_details": "version_checksums"}

_FIELDS: dict[type, str] = {
    Feature: "features",
    Setting: "settings",
    Mode: "modes",
    IOFault: "io_faults",
    Reference: "references",
    TableRoot: "roots",
    Spelling: "spellings",
    VectorStorage: "vectors",
    DeleteMistake: "delete_mistakes",
    VacuumMistake: "vacuum_mistakes",
    Form: "delete_forms",
    Literals: "literals",
    VacuumForm: "vacuum_forms",
    CommandKind: "commands",
    Wrapper: "wrappers",
}
