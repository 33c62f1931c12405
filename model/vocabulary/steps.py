"""The steps of a case. The engine runs some; the harness does the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, TypeVar, Union

from model.vocabulary.commands import Command, Restore
from model.vocabulary.limits import AT_LEAST_ONE, Natural, PathBelow, Zone
from model.vocabulary.predicate import Predicate, Verbatim, verbatim_tests
from model.vocabulary.settings import Setting
from model.vocabulary.spellings import Spelling
from model.vocabulary.table import DataFile, StrayFile
from model.vocabulary.values import Row, Value

T = TypeVar("T")


class Form(str, Enum):
    """The form in which a DELETE is issued. All forms mean the same."""

    SQL_PATH = "sql by path"
    SQL_NAME = "sql by name"  # of an external table of the catalog
    SQL_MANAGED = "sql by the name of a managed table"
    API_PATH = "DeltaTable.forPath"  # the condition as a string
    API_PATH_COLUMN = "DeltaTable.forPath with a Column"  # the condition as a Column
    API_NAME = "DeltaTable.forName"  # the condition as a string
    TRUNCATE = "TRUNCATE TABLE"  # by name; without a condition only
    SQL_PATH_ALIAS = "sql by path with an alias"  # of the table, before each column of the condition
    SQL_NAME_ALIAS = "sql by name with an alias"
    VIEW = "sql through a temporary view"  # which is SELECT * of the table


#: The forms of the DeltaTable class.
API_DELETE_FORMS = (Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME)

#: The forms that name the table by its path.
DELETES_BY_PATH = (Form.SQL_PATH, Form.SQL_PATH_ALIAS, Form.API_PATH, Form.API_PATH_COLUMN)

#: The forms in which the table has an alias.
ALIASED = (Form.SQL_PATH_ALIAS, Form.SQL_NAME_ALIAS)


class Literals(str, Enum):
    """How the literals of a condition are written, where that means the same (``model.text.plain_literals``)."""

    EXACT = "with their types"
    PLAIN = "as users write them"  # without types and casts: 1.5, '2020-01-31'
    EXPONENTS = "as users write them, numbers with exponents"  # 1.5E+0


class CrashPoint(str, Enum):
    """An effect of a command on the table's storage. Files of the file system itself (.crc) do not count."""

    FILE_CREATED = "file created"  # a data file, change file, deletion vector
    FILE_CLOSED = "file closed"  # ... its content written
    COMMIT_WRITTEN = "commit written"  # under a temporary name
    COMMITTED = "committed"  # the commit has its name
    CHECKSUM = "checksum"  # a version checksum written, under its name
    CHECKPOINT = "checkpoint"  # a file of a checkpoint written, under its name
    POINTER_DELETED = "pointer deleted"  # _last_checkpoint is gone, the new one is not yet there
    DELETION = "deletion"  # a file or directory that VACUUM deletes
    START = "VACUUM START"  # the commit of VACUUM before its deletions
    END = "VACUUM END"  # the commit of VACUUM after its deletions


class Written(str, Enum):
    """How much of a file's content reached storage when it was closed."""

    WHOLE = "whole"
    HALF = "half"
    EMPTY = "empty"


@dataclass(frozen=True)
class Crash:
    """The engine is killed right after the ``nth`` effect of this kind (from 0): storage has none that come later.

    A step that has fewer of them is not interrupted.
    """

    point: CrashPoint
    nth: Natural = 0
    written: Written = Written.WHOLE  # of FILE_CLOSED: of this file


@dataclass(frozen=True)
class Given:
    """What a command gets in the engine's own words: on Spark a setting of the session, of delta-rs a parameter of the call, or
    ``DeltaTable.`` and one of the table's, with its value as Python."""

    name: str
    value: str


@dataclass(frozen=True)
class Delete:
    """``DELETE FROM t [WHERE where]``. With ``cached``, the session has cached the table, and reads it right after."""

    where: Predicate | None = None
    form: Form = Form.SQL_PATH
    zone: Zone = "UTC"  # the session's
    settings: tuple[Setting, ...] = ()  # of the session
    cached: bool = False
    spelling: Spelling = Spelling.PLAIN  # of the path, in the forms that have one
    crash: Crash | None = None
    by_earlier: bool = False  # whether the session of the latest OpenSession issues it, through what it opened then
    literals: Literals = Literals.EXACT  # in the forms that have a text
    given: tuple[Given, ...] = ()  # no strategy draws it

    @property
    def returns_rows(self) -> bool:
        """Whether it is issued in SQL, which returns the number of deleted rows."""
        return not self.by_earlier and self.form not in _WITHOUT_RESULT


#: The forms of a DELETE that return nothing.
_WITHOUT_RESULT = (*API_DELETE_FORMS, Form.TRUNCATE)


@dataclass(frozen=True)
class Ask:
    """Reads all rows of the table, and of each what the engine says of the verbatim tests of a DELETE (``verbatim_tests``), in
    their order: TRUE, FALSE or NULL. As a projection: no file and no row can be skipped.

    No case has this step: it is taken before such a DELETE.
    """

    delete: Delete

    @property
    def tests(self) -> tuple[Verbatim, ...]:
        return verbatim_tests(self.delete.where)

    def truths(self, rows: Sequence[Row]) -> list[tuple[Value, ...]]:
        """Of each test what it says of the rows, which are those of the answer: the last columns."""
        width = len(self.tests)
        return list(zip(*(row[len(row) - width :] for row in rows))) if rows else [()] * width


class DeleteMistake(str, Enum):
    """Why a DELETE must be refused."""

    IN_SUBQUERY = "IN subquery"
    SCALAR_SUBQUERY = "scalar subquery"
    EXISTS_SUBQUERY = "EXISTS subquery"
    NON_DETERMINISTIC = "non-deterministic condition"
    AGGREGATE = "aggregate function"
    WINDOW_FUNCTION = "window function"
    UNKNOWN_COLUMN = "unknown column"
    NOT_BOOLEAN = "condition that is no BOOLEAN"
    PARTITION_DIRECTORY = "partition directory as the target"
    NOT_A_TABLE = "directory that is no Delta table as the target"
    MISSING_PATH = "missing path as the target"
    VIEW = "view that is no plain scan as the target"


@dataclass(frozen=True)
class InvalidDelete:
    """A DELETE that every engine must refuse without changing anything."""

    mistake: DeleteMistake


class VacuumForm(str, Enum):
    """The form in which a VACUUM is issued. All forms mean the same; only SQL has modes and DRY RUN."""

    SQL_PATH = "sql by path"  # VACUUM delta.`/path`
    SQL_QUOTED_PATH = "sql by quoted path"  # VACUUM '/path'
    SQL_NAME = "sql by name"  # of an external table of the catalog
    SQL_MANAGED = "sql by the name of a managed table"
    API_PATH = "DeltaTable.forPath"
    API_NAME = "DeltaTable.forName"


#: The forms that use the API.
API_VACUUM_FORMS = (VacuumForm.API_PATH, VacuumForm.API_NAME)

#: The forms that name the table by its path.
VACUUMS_BY_PATH = (VacuumForm.SQL_PATH, VacuumForm.SQL_QUOTED_PATH, VacuumForm.API_PATH)

#: The forms in which that path may be relative: delta.`path` takes one for a table's name.
NAMED_RELATIVELY = (Form.API_PATH, Form.API_PATH_COLUMN, VacuumForm.SQL_QUOTED_PATH, VacuumForm.API_PATH)


class Mode(str, Enum):
    """What a VACUUM scans for files to delete."""

    DEFAULT = "default"  # no keyword: lists the directory
    FULL = "FULL"  # the same, with the keyword
    LITE = "LITE"  # the removes in the log
    LITE_SETTING = "LITE by setting"  # no keyword, spark.databricks.delta.vacuum.lite.enabled
    INVENTORY_TABLE = "USING INVENTORY table"  # a Delta table of paths
    INVENTORY_QUERY = "USING INVENTORY query"  # a query of paths

    @property
    def lite(self) -> bool:
        return self in (Mode.LITE, Mode.LITE_SETTING)

    @property
    def inventory(self) -> bool:
        return self in (Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY)


class Inventory(str, Enum):
    """What an inventory lists of the table's directory when VACUUM starts. It includes hidden files."""

    COMPLETE = "complete"  # every file and directory
    FILES = "files only"  # as from an object store


class Listing(str, Enum):
    """How an inventory that is a query says what it lists."""

    PLAIN = "as a table has it"
    NOT_NULL = "with a column that is never NULL"  # as isDir is where it is a literal
    REORDERED = "with its columns in another order"
    TWO_SLASHES = "with two slashes after the root"


class IOFault(str, Enum):
    """An I/O fault of one path while VACUUM runs, caused by the file system and not by the engine."""

    CANNOT_DELETE = "it cannot be deleted"  # an I/O error: the file is kept
    DELETE_CRASHES = "its deletion breaks"  # an unexpected error: VACUUM fails
    FILE_VANISHES = "it is deleted by another just before"
    DIRECTORY_VANISHES = "it is gone when it is listed"  # for the listing only; storage still has it
    CANNOT_LIST = "it cannot be listed"  # an I/O error: VACUUM fails

    @property
    def of_deletion(self) -> bool:
        """Whether the fault occurs when a path is deleted; the others occur when a directory is listed."""
        return self in (IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES, IOFault.FILE_VANISHES)


@dataclass(frozen=True)
class Vacuum:
    """``VACUUM t [LITE | FULL | USING INVENTORY …] [RETAIN retain_hours HOURS] [DRY RUN]``."""

    retain_hours: float | None = None
    dry_run: bool = False
    safety_check: bool = True  # spark.databricks.delta.retentionDurationCheck.enabled
    logging: bool | None = True  # spark.databricks.delta.vacuum.logging.enabled; None: not set
    mode: Mode = Mode.DEFAULT
    inventory: Inventory = Inventory.COMPLETE  # of the modes that use one
    listing: Listing = Listing.PLAIN  # of an inventory that is a query
    form: VacuumForm = VacuumForm.SQL_PATH
    parallel: bool = False  # spark.databricks.delta.vacuum.parallelDelete.enabled
    io_fault: IOFault | None = None
    faulty_path: PathBelow | None = None
    settings: tuple[Setting, ...] = ()  # of the session
    spelling: Spelling = Spelling.PLAIN  # of the path, in the forms that have one
    crash: Crash | None = None
    by_earlier: bool = False  # as of a Delete
    #: Versions whose files it is asked to keep: each so many before the current one, but at least 0.
    keep: tuple[Natural, ...] = ()
    given: tuple[Given, ...] = ()  # as of a Delete

    def kept_versions(self, current: int) -> tuple[int, ...]:
        """The versions to keep, in the order of ``keep``, where the table has the version ``current``."""
        return tuple(max(0, current - before) for before in self.keep)

    @property
    def returns_rows(self) -> bool:
        """Whether it is issued in SQL, which returns paths."""
        return not self.by_earlier and self.form not in API_VACUUM_FORMS


class VacuumMistake(str, Enum):
    """Why a VACUUM must be refused."""

    PARTITION_DIRECTORY = "partition directory as the target"
    NOT_A_TABLE = "directory that is no Delta table as the target"
    MISSING_PATH = "missing path as the target"
    TEMPORARY_VIEW = "temporary view as the target"
    INVENTORY_WITHOUT_COLUMN = "inventory without a column that it needs"
    INVENTORY_OF_OTHER_TYPE = "inventory with a column of another type"
    LITE_WITH_INVENTORY = "LITE together with an inventory"
    CLAUSE_TWICE = "clause that is said twice"


@dataclass(frozen=True)
class InvalidVacuum:
    """A VACUUM that every engine must refuse, DRY RUN or not, without changing anything."""

    mistake: VacuumMistake
    dry_run: bool = False


@dataclass(frozen=True)
class Read:
    """Reads all rows of the current version, or of the version before an earlier step."""

    before_step: Natural | None = None
    by_earlier: bool = False  # as of a Delete: what a query returns that was made then, or what a stream has delivered


@dataclass(frozen=True)
class ReadChanges:
    """Reads the change data feed of the versions that an earlier step committed: rows followed by ``_change_type``.

    With ``commits``, of each row ``_commit_version`` and ``_commit_timestamp`` instead, in a session of the time ``zone``.
    """

    of_step: Natural
    commits: bool = False
    zone: Zone = "UTC"


@dataclass(frozen=True)
class Insert:
    """The engine itself appends these rows, in schema order. It chooses the files."""

    rows: Annotated[tuple[Row, ...], AT_LEAST_ONE]


@dataclass(frozen=True)
class OpenSession:
    """Another session opens the table and reads it; it keeps what it has opened for later steps, which are ``by_earlier``.

    One that ``streams`` reads it as a stream (skipChangeCommits): a later Read returns all that the stream has delivered so far.
    """

    streams: bool = False


@dataclass(frozen=True)
class Moment:
    """``offset`` ms after the start of the case, or after the latest deletionTimestamp that the step ``removed_by_step`` wrote.

    A DELETE stamps its removes with the wall clock, which a case cannot contain; it refers to the step instead.
    A step that removed nothing counts as the start of the case.
    """

    offset: int
    removed_by_step: Natural | None = None


@dataclass(frozen=True)
class SetClock:
    """Sets the engine's clock, which stands still until the next SetClock. It starts at offset 0."""

    to: Moment


@dataclass(frozen=True)
class Append:
    """Another writer adds these files in one commit. Their ids are new in the case."""

    files: tuple[DataFile, ...]


@dataclass(frozen=True)
class AddStrayFiles:
    """Creates these stray files and directories."""

    stray_files: tuple[StrayFile, ...]


@dataclass(frozen=True)
class OtherCommand:
    """A command other than DELETE and VACUUM."""

    command: Command


#: What a session does beside another (model.codec.validation.steps says which commands may run there).
SessionStep = Union[Delete, Vacuum, Read, Insert, OtherCommand]
SESSION_STEPS = (Delete, Vacuum, Read, Insert, OtherCommand)


@dataclass(frozen=True)
class AtOnce:
    """Two sessions at once: ``first`` is held right before its first effect ``point`` until ``second`` has finished.

    A ``first`` without such an effect ends before ``second`` begins. A Read is held once it has chosen its version, before it
    opens a data file, and has no point of its own.
    """

    first: SessionStep
    second: SessionStep
    point: CrashPoint = CrashPoint.COMMITTED

    @property
    def steps(self) -> tuple[SessionStep, SessionStep]:
        return self.first, self.second


#: The points that a command can only reach when it has committed.
AFTER_COMMIT = (CrashPoint.CHECKSUM, CrashPoint.CHECKPOINT, CrashPoint.POINTER_DELETED)


#: The steps that the engine runs. Clauses judge them, except for an Insert.
EngineStep = Union[
    Delete, InvalidDelete, Vacuum, InvalidVacuum, Read, ReadChanges, Insert, OtherCommand, OpenSession, AtOnce
]
ENGINE_STEPS = (
    *(Delete, InvalidDelete, Vacuum, InvalidVacuum, Read, ReadChanges),
    *(Insert, OtherCommand, OpenSession, AtOnce),
)

Step = Union[EngineStep, SetClock, Append, AddStrayFiles]

#: What an engine is asked to run.
Request = Union[EngineStep, Ask]


def renumbered(step: T, place: Callable[[int], int]) -> T:
    """The step, where the steps that it names have other places."""
    if isinstance(step, Read):
        return replace(step, before_step=None if step.before_step is None else place(step.before_step))
    if isinstance(step, OtherCommand) and isinstance(step.command, Restore):
        before = step.command.before_step
        return replace(step, command=replace(step.command, before_step=place(before) if before >= 0 else before))
    if isinstance(step, ReadChanges):
        return replace(step, of_step=place(step.of_step))
    if isinstance(step, SetClock) and step.to.removed_by_step is not None:
        return replace(step, to=replace(step.to, removed_by_step=place(step.to.removed_by_step)))
    if isinstance(step, AtOnce):
        return replace(step, first=renumbered(step.first, place), second=renumbered(step.second, place))
    return step


def named_step(step: Step) -> int | None:
    """The step before which the version was current that a Read or a RESTORE names, also one beside another; None: none."""
    if isinstance(step, AtOnce):
        return next((found for one in step.steps if (found := named_step(one)) is not None), None)
    if isinstance(step, OtherCommand):
        return step.command.before_step if isinstance(step.command, Restore) else None
    return step.before_step if isinstance(step, Read) else None
