"""Checks that the parts of a case fit together. Each raises InvalidCase if not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from typing import NoReturn

from model.semantics.definitions import definitions
from model.semantics.evaluate import WouldFail, evaluate
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.predicate import Between, Compare, Expression, In, Like, Predicate, columns_of
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    DELETES_BY_PATH,
    NAMED_RELATIVELY,
    VACUUMS_BY_PATH,
    AddStrayFiles,
    Append,
    Crash,
    CrashPoint,
    Delete,
    Form,
    Insert,
    Mode,
    OpenSession,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Together,
    Vacuum,
    Written,
)
from model.vocabulary.table import EXCLUSIVE, Column, Commit, DataFile, DeletionVector, Feature, Kind, StrayFile, Table
from model.vocabulary.values import AnyType, Type, Value, is_nested, type_name


class InvalidCase(ValueError):
    """A document is not a valid case. ``path`` is the place of the problem (``steps[2].where.op``)."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path or 'the document'}: {self.problem}"

    def within(self, name: str) -> InvalidCase:
        """The same problem, with its path relative to the parent, which has this part under ``name``."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        return InvalidCase(f"{name}{dot}{self.path}", self.problem)


def _invalid(path: str, problem: str) -> NoReturn:
    raise InvalidCase(path, problem)


#: Data files with their paths in the document.
Located = list[tuple[str, DataFile]]


def check_columns(table: Table) -> None:
    """Checks the columns, their rules and the partition columns."""
    columns, partition_by = table.columns, table.partition_by
    for index, column in enumerate(columns):
        if column.physical_name is not None:
            _invalid(
                f"table.columns[{index}].physical_name", "is of tables that were observed: those of a case have none"
            )
    # Spark's names are case-insensitive.
    _check_unique([column.name.lower() for column in columns], "table.columns", "the column name")
    _check_unique(list(partition_by), "table.partition_by", "the column")
    by_name = {column.name: column for column in columns}
    for index, name in enumerate(partition_by):
        where = f"table.partition_by[{index}]"
        if name not in by_name:
            _invalid(where, f"{name!r} is not a column of the table")
        type = by_name[name].type
        if is_nested(type) or type is Type.BINARY:
            _invalid(where, f"{name!r} is of type {type_name(type)}, which cannot be a partition column")
    if len(partition_by) == len(columns):
        _invalid("table.partition_by", "leaves no column for the data files")
    for index, column in enumerate(columns):
        _check_rules(column, by_name, column.name in partition_by, f"table.columns[{index}]")


def _check_rules(column: Column, by_name: Mapping[str, Column], is_partition: bool, path: str) -> None:
    """A column has at most one rule for writers, which Delta must accept."""
    if column.default + column.identity + (column.generated_from is not None) > 1:
        _invalid(path, "has more than one of default, identity and generated_from")
    if column.identity and column.type is not Type.LONG:
        _invalid(
            f"{path}.identity", f"an identity column must be a long, but this one is of type {type_name(column.type)}"
        )
    if column.identity and is_partition:
        _invalid(f"{path}.identity", "a partition column cannot be an identity column")
    if column.generated_from is None:
        return
    where, source = f"{path}.generated_from", by_name.get(column.generated_from)
    if source is None:
        _invalid(where, f"{column.generated_from!r} is not a column of the table")
    if source is column:
        _invalid(where, f"{column.name!r} cannot be generated from itself")
    if source.generated_from is not None:
        _invalid(where, f"{source.name!r} is itself generated")
    if source.type != column.type:
        _invalid(where, f"{source.name!r} is of type {type_name(source.type)}, not {type_name(column.type)}")


def check_table(table: Table) -> None:
    """Checks features, files, commits, CHECK constraints and stray files; columns must be valid."""
    files = [(f"table.files[{index}]", file) for index, file in enumerate(table.files)]
    _check_unique([str(file.id) for file in table.files], "table.files", "the file id")
    _check_features(table)
    _check_history(table)
    _check_conditions(table)
    _check_rows(table, files)
    _check_stray_files(
        table, [(f"table.stray_files[{index}]", stray) for index, stray in enumerate(table.stray_files)], table.files
    )


def check_steps(case: Case) -> None:
    """Checks each step against the table and the steps before it; the table and commands must be valid."""
    table = case.table
    ids = {file.id for file in table.files}
    appended: Located = []
    stray_files = [(f"table.stray_files[{index}]", stray) for index, stray in enumerate(table.stray_files)]
    tables = definitions(table, case.steps)
    for index, (path, step) in _numbered(case.steps):
        check_step(step, path)
        if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
            _check_opened(step, case.steps[:index], tables[: index + 1], f"{path}.by_earlier")
        if isinstance(step, Delete) and step.where is not None:
            _check_known(step.where, tables[index], tables, f"{path}.where")
            types = {column.name: column.type for column in tables[index].columns}
            check_types(step.where, types, f"{path}.where")
        elif isinstance(step, Read):
            _check_earlier(step.before_step, index, f"{path}.before_step")
        elif isinstance(step, ReadChanges):
            _check_changes(step, index, case.steps, tables, path)
        elif isinstance(step, Insert) and not step.rows:
            _invalid(f"{path}.rows", "must have at least one row")
        elif isinstance(step, SetClock):
            _check_earlier(step.to.removed_by_step, index, f"{path}.to.removed_by_step")
        elif isinstance(step, Append):
            _check_append(tables[: index + 1], path)
            for position, file in enumerate(step.files):
                where = f"{path}.files[{position}]"
                if file.id in ids:
                    _invalid(f"{where}.id", f"the file id {file.id} is already taken")
                ids.add(file.id)
                appended.append((where, file))
        elif isinstance(step, AddStrayFiles):
            stray_files.extend(
                (f"{path}.stray_files[{position}]", stray) for position, stray in enumerate(step.stray_files)
            )
    _check_rows(table, appended)
    _check_stray_files(table, stray_files, (*table.files, *(file for _, file in appended)))


def _numbered(steps: Sequence[Step]) -> Iterator[tuple[int, tuple[str, Step]]]:
    """The steps with their places and paths, and the two of which a Together consists."""
    for index, step in enumerate(steps):
        path = f"steps[{index}]"
        yield index, (path, step)
        if isinstance(step, Together):
            yield from ((index, (f"{path}.{name}", getattr(step, name))) for name in ("first", "second"))


def _check_unique(names: list[str], path: str, what: str) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            _invalid(f"{path}[{index}]", f"{what} {name} is already taken")
        seen.add(name)


def _check_features(table: Table) -> None:
    path = "table.features"
    _check_unique(list(table.features), path, "the feature")
    for features in EXCLUSIVE:
        both = [feature.value for feature in features if table.has(feature)]
        if len(both) > 1:
            _invalid(path, f"{' and '.join(both)} exclude each other")
    if table.has(Feature.DROPPED_COLUMN) and not table.maps_columns:
        _invalid(path, f"{Feature.DROPPED_COLUMN.value} needs column mapping")
    if table.has(Feature.ALTERED) and len(table.commits) < 2:
        _invalid(path, f"{Feature.ALTERED.value} needs two commits")
    if table.has(Feature.WIDENED) and table.widened_column is None:
        _invalid(path, f"{Feature.WIDENED.value} needs a column of whole numbers that fit the narrower type")
    if table.has(Feature.WIDENED) and len(table.commits) < 2:
        _invalid(path, f"{Feature.WIDENED.value} needs two commits")
    half = next((one for one in (Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED) if table.has(one)), None)
    if half is not None and (table.checkpointed is None or table.pruned):
        _invalid(path, f"{half.value} needs a checkpoint, and every commit")


# Commits -----------------------------------------------------------------------------------------------------------


def _check_history(table: Table) -> None:
    if not table.commits:
        _invalid("table.commits", "must have at least one commit")
    rows = {file.id: len(file.rows) for file in table.files}
    added: set[int] = set()
    live: set[int] = set()
    hidden: dict[int, frozenset[int]] = {}
    for version, commit in enumerate(table.commits):
        where = f"table.commits[{version}]"
        if version and commit.at <= table.commits[version - 1].at:
            _invalid(f"{where}.at", f"{commit.at} is not after the previous commit, at {table.commits[version - 1].at}")
        new = frozenset(commit.adds)
        for index, id in enumerate(commit.adds):
            if id not in rows:
                _invalid(f"{where}.adds[{index}]", f"there is no file {id}")
            if id in live:
                _invalid(f"{where}.adds[{index}]", f"file {id} is already live")
            live.add(id)
        for index, removal in enumerate(commit.removes):
            if removal.file not in rows:
                _invalid(f"{where}.removes[{index}].file", f"there is no file {removal.file}")
            if removal.file in new or removal.file not in live:
                _invalid(f"{where}.removes[{index}].file", f"file {removal.file} is not live, so it cannot be removed")
            live.discard(removal.file)
            hidden.pop(removal.file, None)
        _check_vectors(table, commit, live - new if commit.deletion_vectors else set(), rows, hidden, where)
        added.update(commit.adds)
        if commit.parts > 1 and (not commit.checkpoint or table.has(Feature.V2_CHECKPOINTS)):
            _invalid(f"{where}.parts", f"is {commit.parts}, but this version has no classic checkpoint")
        if "/" in commit.vector_prefix:
            _invalid(f"{where}.vector_prefix", f"must be one directory, but is {commit.vector_prefix!r}")
    if table.pruned and not (table.pruned < len(table.commits) and table.commits[table.pruned].checkpoint):
        _invalid("table.pruned", f"is {table.pruned}, but that version has no checkpoint")
    for index, file in enumerate(table.files):
        if file.id not in added:
            _invalid(f"table.files[{index}].id", f"no commit adds file {file.id}; it should be a stray file")


def _check_vectors(
    table: Table,
    commit: Commit,
    allowed: Set[int],
    rows: Mapping[int, int],
    hidden: dict[int, frozenset[int]],
    path: str,
) -> None:
    """The commit's deletion vectors are of ``allowed`` files. Adds their rows to ``hidden``."""
    if commit.deletion_vectors and not table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF):
        both = f"{Feature.DELETION_VECTORS.value} or {Feature.DELETION_VECTORS_OFF.value}"
        _invalid(f"{path}.deletion_vectors", f"the table needs one of the features {both}")
    seen: set[int] = set()
    for index, vector in enumerate(commit.deletion_vectors):
        where = f"{path}.deletion_vectors[{index}]"
        if vector.file not in rows:
            _invalid(f"{where}.file", f"there is no file {vector.file}")
        if vector.file in seen:
            _invalid(f"{where}.file", f"file {vector.file} already has a deletion vector in this commit")
        if vector.file not in allowed:
            _invalid(f"{where}.file", f"file {vector.file} is not live before and after this commit")
        _check_hidden_rows(vector, rows[vector.file], hidden.get(vector.file, frozenset()), f"{where}.rows")
        seen.add(vector.file)
        hidden[vector.file] = frozenset(vector.rows)


def _check_hidden_rows(vector: DeletionVector, count: int, hidden: frozenset[int], path: str) -> None:
    """Checks the rows of a deletion vector of a file with ``count`` rows, of which ``hidden`` are hidden already."""
    if not vector.rows:
        _invalid(path, "must have at least one row")
    for position in range(1, len(vector.rows)):
        if vector.rows[position] <= vector.rows[position - 1]:
            _invalid(f"{path}[{position}]", f"{vector.rows[position]} does not come after {vector.rows[position - 1]}")
    if vector.rows[-1] >= count:
        _invalid(path, f"there is no row {vector.rows[-1]} in file {vector.file}, which has {count} rows")
    if not frozenset(vector.rows) > hidden:
        _invalid(path, f"must hide the already hidden rows of file {vector.file}, and more")


# Rows ---------------------------------------------------------------------------------------------------------------


def _check_rows(table: Table, files: Located) -> None:
    """All rows satisfy generated columns and CHECK constraints. NULLs are checked when rows are read."""
    generated = [column for column in table.columns if column.generated_from is not None]
    if not generated and not table.checks:
        return
    types = {column.name: column.type for column in table.columns}
    for path, file in files:
        for index, stored in enumerate(file.rows):
            where = f"{path}.rows[{index}]"
            row = dict(zip(types, table.row(file.partition, stored)))
            for column in generated:
                source = column.generated_from
                if source is not None and row[column.name] != row[source]:
                    _invalid(where, f"{column.name!r} is generated from {source!r}, but has another value")
            for position, check in enumerate(table.checks):
                if not _satisfies(check, row, types, where, position):
                    _invalid(where, f"violates the table's checks[{position}]")


def _satisfies(
    check: Predicate, row: Mapping[str, Value], types: Mapping[str, AnyType], path: str, position: int
) -> bool:
    try:
        return evaluate(check, row, types=types) is not False
    except (WouldFail, TypeError, ValueError) as error:
        _invalid(path, f"the table's checks[{position}] cannot be evaluated ({error})")


# Conditions ---------------------------------------------------------------------------------------------------------


def _check_conditions(table: Table) -> None:
    """The table's checks use columns of the table, with their types."""
    types = {column.name: column.type for column in table.columns}
    for index, check in enumerate(table.checks):
        where = f"table.checks[{index}]"
        unknown = sorted(columns_of(check) - set(types))
        if unknown:
            _invalid(where, f"{unknown[0]!r} is not a column of the table")
        check_types(check, types, where)


def check_types(predicate: Predicate, types: Mapping[str, AnyType], path: str) -> None:
    """The types in a predicate are those of the columns. Unknown columns are not checked."""
    for where, part in _parts(predicate, path):
        if isinstance(part, (Compare, Between, In)):
            declared = types.get(part.column, part.type)
            if declared != part.type:
                stated = type_name(part.type)
                _invalid(f"{where}.type", f"is {stated}, but {part.column!r} is of type {type_name(declared)}")
        elif isinstance(part, Like):
            declared = types.get(part.column, Type.STRING)
            if declared is not Type.STRING:
                _invalid(
                    f"{where}.column", f"LIKE needs a string, but {part.column!r} is of type {type_name(declared)}"
                )


def _check_known(predicate: Predicate, table: Table, tables: Iterable[Table], path: str) -> None:
    """The condition uses no column that the case's table has at another time, but not now: a command of the case changes it."""
    now = {column.name for column in table.columns}
    other = {column.name for table in tables for column in table.columns} - now
    for name in sorted(columns_of(predicate) & other):
        _invalid(path, f"{name!r} is not a column that the table has then")


def _parts(condition: Predicate | Expression, path: str) -> Iterator[tuple[str, Predicate | Expression]]:
    """A condition and all its parts, with their paths."""
    yield path, condition
    for field in fields(condition):
        part = getattr(condition, field.name)
        name = "of" if field.name == "expression" else field.name
        if field.name == "arguments":
            for index, argument in enumerate(part):
                yield from _parts(argument, f"{path}.{name}[{index}]")
        elif field.name != "type" and is_dataclass(part):
            yield from _parts(part, f"{path}.{name}")  # type: ignore[arg-type]


# Steps and stray files ----------------------------------------------------------------------------------------------


def _check_earlier(step: int | None, index: int, path: str) -> None:
    if step is not None and step >= index:
        _invalid(path, f"is {step}, but must be an earlier step than this one ({index})")


def _check_append(tables: Sequence[Table], path: str) -> None:
    """Another writer writes by the initial table, the first of ``tables``, and reads no log: the last is the table now."""
    first = tables[0]
    if tables[-1].columns != first.columns:
        _invalid(path, "another writer's files have the columns that the table had at first, and these have changed")
    for feature in (Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS):
        if not first.has(feature) and any(table.has(feature) for table in tables):
            _invalid(path, f"another writer's commits lack what {feature.value} needs, which a command switched on")


def _check_changes(step: ReadChanges, index: int, steps: tuple[Step, ...], tables: Sequence[Table], path: str) -> None:
    _check_earlier(step.of_step, index, f"{path}.of_step")
    if not isinstance(steps[step.of_step], Delete):
        _invalid(f"{path}.of_step", f"is {step.of_step}, which is not a DELETE")
    then, now = tables[step.of_step], tables[index]
    if then.columns != now.columns:
        _invalid(f"{path}.of_step", f"is {step.of_step}, and the table has other columns now")
    if not (then.has(Feature.CHANGE_DATA_FEED) and now.has(Feature.CHANGE_DATA_FEED)):
        _invalid(path, f"the table needs the feature {Feature.CHANGE_DATA_FEED.value}")


def _check_opened(step: Delete | Vacuum | Read, before: tuple[Step, ...], tables: list[Table], path: str) -> None:
    """``tables`` are those before each of the steps, and now."""
    opened = [place for place, earlier in enumerate(before) if isinstance(earlier, OpenSession)]
    if not opened:
        _invalid(path, "needs a step open_session before it")
    if isinstance(step, Delete) and tables[-1].columns != tables[opened[-1]].columns:
        _invalid(path, "the columns have changed since the session opened the table")


def check_step(step: Step, path: str) -> None:
    """Checks one step: its form supports its options, an I/O fault has a path, and a crash is one that it can have."""
    if isinstance(step, Delete) and step.form is Form.TRUNCATE and step.where is not None:
        _invalid(f"{path}.where", f"{step.form.value} cannot have a condition")
    if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier and not _is_plain(step):
        _invalid(f"{path}.by_earlier", "the session issues it through what it has opened, without a form or an option")
    if isinstance(step, (Delete, Vacuum)) and step.spelling is not Spelling.PLAIN:
        _check_spelling(step, f"{path}.spelling")
    if isinstance(step, (Delete, Vacuum)) and step.crash is not None:
        _check_crash(step, step.crash, f"{path}.crash")
    if not isinstance(step, Vacuum):
        return
    if step.form in API_VACUUM_FORMS and (step.dry_run or step.mode not in (Mode.DEFAULT, Mode.LITE_SETTING)):
        _invalid(f"{path}.form", f"{step.form.value} supports neither modes nor a dry run")
    if (step.io_fault is None) != (step.faulty_path is None):
        _invalid(f"{path}.faulty_path", "must be present exactly if there is an io_fault")


def _check_crash(step: Delete | Vacuum, crash: Crash, path: str) -> None:
    """The step has effects of this kind, always in the same order, and nothing else in it goes wrong or needs the session."""
    of_vacuums = crash.point in (CrashPoint.DELETION, CrashPoint.START, CrashPoint.END)
    of_files = crash.point in (CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED)
    if of_vacuums if isinstance(step, Delete) else of_files:
        _invalid(f"{path}.point", f"a {type(step).__name__.upper()} has no effect {crash.point.value!r}")
    if crash.written is not Written.WHOLE and crash.point is not CrashPoint.FILE_CLOSED:
        _invalid(f"{path}.written", f"is of {CrashPoint.FILE_CLOSED.value!r} only")
    if isinstance(step, Delete):
        if step.cached:
            _invalid(path, "no session is left to read the table that it has cached")
        return
    if step.dry_run:
        _invalid(path, "a dry run has no effects")
    if step.io_fault is not None:
        _invalid(path, "must not be there beside an io_fault")
    if step.parallel:
        _invalid(path, "parallel deletions have no order")
    if step.logging is False and crash.point is not CrashPoint.DELETION:
        _invalid(f"{path}.point", "a VACUUM without logging has deletions only")


def _is_plain(step: Delete | Vacuum | Read) -> bool:
    """Whether it has nothing but what the API of a table takes."""
    if isinstance(step, Delete):
        return step == Delete(step.where, zone=step.zone, by_earlier=True)
    if isinstance(step, Vacuum):
        plain = Vacuum(step.retain_hours, safety_check=step.safety_check, logging=step.logging, by_earlier=True)
        return replace(step, mode=Mode.DEFAULT) == plain and step.mode in (Mode.DEFAULT, Mode.FULL)
    return step.before_step is None


def _check_spelling(step: Delete | Vacuum, path: str) -> None:
    """The form has a path that can be spelled so, and nothing else in the step has the plain path."""
    if step.form not in (*DELETES_BY_PATH, *VACUUMS_BY_PATH):
        _invalid(path, f"{step.form.value} has no path")
    if step.spelling is Spelling.RELATIVE and step.form not in NAMED_RELATIVELY:
        _invalid(path, f"{step.form.value} cannot have a {step.spelling.value}")
    if isinstance(step, Vacuum) and (step.mode.inventory or step.io_fault is not None):
        _invalid(path, "an inventory and an io_fault have plain paths only")


def _check_stray_files(table: Table, stray_files: list[tuple[str, StrayFile]], files: Iterable[DataFile]) -> None:
    """Paths are unique, and nothing is below a file."""
    paths = [file_path(table, file) for file in files]
    taken = set(paths)
    for path, stray in stray_files:
        if stray.path in taken:
            _invalid(f"{path}.path", f"{stray.path!r} is already taken")
        taken.add(stray.path)
        if (stray.kind is Kind.LINK) != (stray.target is not None):
            _invalid(f"{path}.target", "must be present exactly for a link")
    as_files = {*paths, *(stray.path for _, stray in stray_files if stray.kind is not Kind.DIRECTORY)}
    for path, stray in stray_files:
        parts = stray.path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            if above in as_files:
                _invalid(f"{path}.path", f"{stray.path!r} is below {above!r}, which is not a directory")
    # A stray file may be where a data file needs a directory.
    directories = {"/".join(path.split("/")[:depth]) for path in as_files for depth in range(1, path.count("/") + 1)}
    for path, stray in stray_files:
        if stray.kind is not Kind.DIRECTORY and stray.path in directories:
            _invalid(f"{path}.path", f"{stray.path!r} must be a directory, as other files are below it")
