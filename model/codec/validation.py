"""Checks that the parts of a case's table fit together. Each raises InvalidCase if not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import NoReturn

from model.codec.plain import InvalidCase
from model.semantics.evaluate import WouldFail, evaluate
from model.semantics.indexed_columns import may_be_listed
from model.text.layout import file_path
from model.vocabulary.predicate import (
    Between,
    CaseWhen,
    Compare,
    Expression,
    In,
    Like,
    Predicate,
    columns_of,
    verbatim_tests,
    wrappers_of,
)
from model.vocabulary.table import (
    EXCLUSIVE,
    Column,
    Commit,
    Damage,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    StrayFile,
    Table,
)
from model.vocabulary.values import AnyType, DecimalOf, Type, Value, is_nested, type_name


def invalid(path: str, problem: str) -> NoReturn:
    raise InvalidCase(path, problem)


#: Data files with their paths in the document.
Located = list[tuple[str, DataFile]]


def check_columns(table: Table) -> None:
    """Checks the columns, their rules and the partition columns."""
    columns, partition_by = table.columns, table.partition_by
    for index, column in enumerate(columns):
        if column.physical_name is not None:
            invalid(
                f"table.columns[{index}].physical_name", "is of tables that were observed: those of a case have none"
            )
    # Spark's names are case-insensitive.
    _check_unique([column.name.lower() for column in columns], "table.columns", "the column name")
    _check_unique(list(partition_by), "table.partition_by", "the column")
    by_name = {column.name: column for column in columns}
    for index, name in enumerate(partition_by):
        where = f"table.partition_by[{index}]"
        if name not in by_name:
            invalid(where, f"{name!r} is not a column of the table")
        type = by_name[name].type
        if is_nested(type) or type is Type.BINARY:
            invalid(where, f"{name!r} is of type {type_name(type)}, which cannot be a partition column")
    if len(partition_by) == len(columns):
        invalid("table.partition_by", "leaves no column for the data files")
    for index, column in enumerate(columns):
        _check_rules(column, by_name, column.name in partition_by, f"table.columns[{index}]")


def _check_rules(column: Column, by_name: Mapping[str, Column], is_partition: bool, path: str) -> None:
    """A column has at most one rule for writers, which Delta must accept."""
    if column.default + column.identity + (column.generated_from is not None) > 1:
        invalid(path, "has more than one of default, identity and generated_from")
    if column.identity and column.type is not Type.LONG:
        invalid(
            f"{path}.identity", f"an identity column must be a long, but this one is of type {type_name(column.type)}"
        )
    if column.identity and is_partition:
        invalid(f"{path}.identity", "a partition column cannot be an identity column")
    if column.declared is not None:
        declared = re.fullmatch(r"(?:var)?char\(([1-9][0-9]{0,3})\)", column.declared)
        if declared is None or column.type is not Type.STRING:
            invalid(f"{path}.declared", f"{column.declared!r} is not char(n) or varchar(n) of a string")
    if column.generated_from is None:
        return
    where, source = f"{path}.generated_from", by_name.get(column.generated_from)
    if source is None:
        invalid(where, f"{column.generated_from!r} is not a column of the table")
    if source is column:
        invalid(where, f"{column.name!r} cannot be generated from itself")
    if source.generated_from is not None:
        invalid(where, f"{source.name!r} is itself generated")
    if source.type != column.type:
        invalid(where, f"{source.name!r} is of type {type_name(source.type)}, not {type_name(column.type)}")


def check_table(table: Table) -> None:
    """Checks features, files, commits, CHECK constraints and stray files; columns must be valid."""
    files = [(f"table.files[{index}]", file) for index, file in enumerate(table.files)]
    _check_unique([str(file.id) for file in table.files], "table.files", "the file id")
    _check_features(table)
    _check_history(table)
    _check_damages(files)
    _check_indexed(table)
    _check_conditions(table)
    check_texts(table, files)
    check_rows(table, files)
    check_stray_files(
        table, [(f"table.stray_files[{index}]", stray) for index, stray in enumerate(table.stray_files)], table.files
    )


def _check_unique(names: list[str], path: str, what: str) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            invalid(f"{path}[{index}]", f"{what} {name} is already taken")
        seen.add(name)


def _check_features(table: Table) -> None:
    path = "table.features"
    _check_unique(list(table.features), path, "the feature")
    for features in EXCLUSIVE:
        both = [feature.value for feature in features if table.has(feature)]
        if len(both) > 1:
            invalid(path, f"{' and '.join(both)} exclude each other")
    if table.has(Feature.DROPPED_COLUMN) and not table.maps_columns:
        invalid(path, f"{Feature.DROPPED_COLUMN.value} needs column mapping")
    if table.has(Feature.ALTERED) and len(table.commits) < 2:
        invalid(path, f"{Feature.ALTERED.value} needs two commits")
    if table.has(Feature.WIDENED) and table.widened_column is None:
        numbers = "whole numbers" if table.widened_from is None else "values"
        invalid(path, f"{Feature.WIDENED.value} needs a column of {numbers} that fit the narrower type")
    if table.has(Feature.WIDENED) and len(table.commits) < 2:
        invalid(path, f"{Feature.WIDENED.value} needs two commits")
    if table.widened_from is not None and not table.has(Feature.WIDENED):
        invalid("table.widened_from", f"needs the feature {Feature.WIDENED.value}")
    half = next((one for one in (Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED) if table.has(one)), None)
    if half is not None and (table.checkpointed is None or table.pruned):
        invalid(path, f"{half.value} needs a checkpoint, and every commit")


# Commits -----------------------------------------------------------------------------------------------------------


def _check_history(table: Table) -> None:
    if not table.commits:
        invalid("table.commits", "must have at least one commit")
    rows = {file.id: len(file.rows) for file in table.files}
    added: set[int] = set()
    live: set[int] = set()
    hidden: dict[int, frozenset[int]] = {}
    for version, commit in enumerate(table.commits):
        where = f"table.commits[{version}]"
        if version and commit.at <= table.commits[version - 1].at:
            invalid(f"{where}.at", f"{commit.at} is not after the previous commit, at {table.commits[version - 1].at}")
        new = frozenset(commit.adds)
        for index, id in enumerate(commit.adds):
            if id not in rows:
                invalid(f"{where}.adds[{index}]", f"there is no file {id}")
            if id in live:
                invalid(f"{where}.adds[{index}]", f"file {id} is already live")
            live.add(id)
        for index, removal in enumerate(commit.removes):
            if removal.file not in rows:
                invalid(f"{where}.removes[{index}].file", f"there is no file {removal.file}")
            if removal.file in new or removal.file not in live:
                invalid(f"{where}.removes[{index}].file", f"file {removal.file} is not live, so it cannot be removed")
            live.discard(removal.file)
            hidden.pop(removal.file, None)
        _check_vectors(table, commit, live - new if commit.deletion_vectors else set(), rows, hidden, where)
        added.update(commit.adds)
        if commit.parts > 1 and (not commit.checkpoint or table.has(Feature.V2_CHECKPOINTS)):
            invalid(f"{where}.parts", f"is {commit.parts}, but this version has no classic checkpoint")
        if "/" in commit.vector_prefix:
            invalid(f"{where}.vector_prefix", f"must be one directory, but is {commit.vector_prefix!r}")
    if table.pruned and not (table.pruned < len(table.commits) and table.commits[table.pruned].checkpoint):
        invalid("table.pruned", f"is {table.pruned}, but that version has no checkpoint")
    for index, file in enumerate(table.files):
        if file.id not in added:
            invalid(f"table.files[{index}].id", f"no commit adds file {file.id}; it should be a stray file")


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
        invalid(f"{path}.deletion_vectors", f"the table needs one of the features {both}")
    seen: set[int] = set()
    for index, vector in enumerate(commit.deletion_vectors):
        where = f"{path}.deletion_vectors[{index}]"
        if vector.file not in rows:
            invalid(f"{where}.file", f"there is no file {vector.file}")
        if vector.file in seen:
            invalid(f"{where}.file", f"file {vector.file} already has a deletion vector in this commit")
        if vector.file not in allowed:
            invalid(f"{where}.file", f"file {vector.file} is not live before and after this commit")
        _check_hidden_rows(vector, rows[vector.file], hidden.get(vector.file, frozenset()), f"{where}.rows")
        seen.add(vector.file)
        hidden[vector.file] = frozenset(vector.rows)


def _check_hidden_rows(vector: DeletionVector, count: int, hidden: frozenset[int], path: str) -> None:
    """Checks the rows of a deletion vector of a file with ``count`` rows, of which ``hidden`` are hidden already."""
    if not vector.rows:
        invalid(path, "must have at least one row")
    for position in range(1, len(vector.rows)):
        if vector.rows[position] <= vector.rows[position - 1]:
            invalid(f"{path}[{position}]", f"{vector.rows[position]} does not come after {vector.rows[position - 1]}")
    if vector.rows[-1] >= count:
        invalid(path, f"there is no row {vector.rows[-1]} in file {vector.file}, which has {count} rows")
    if not frozenset(vector.rows) > hidden:
        invalid(path, f"must hide the already hidden rows of file {vector.file}, and more")


def _check_damages(files: Located) -> None:
    for path, file in files:
        groups = 1 if file.group_rows is None else -(-len(file.rows) // file.group_rows)
        if file.damage is Damage.LAST_GROUP and groups < 2:
            invalid(f"{path}.damage", "needs several row groups, so group_rows must be less than there are rows")


def _check_indexed(table: Table) -> None:
    """The properties of statistics: a number of leaves, and data columns of types that have bounds."""
    if table.indexed_leaves is not None and table.indexed_leaves < -1:
        invalid("table.indexed_leaves", "must be -1 or more")
    names = {column.name for column in table.data_columns if may_be_listed(column.type)}
    for index, name in enumerate(table.indexed_columns):
        if name not in names:
            invalid(f"table.indexed_columns[{index}]", f"{name!r} is no data column of a type that has bounds")
    _check_unique(list(table.indexed_columns), "table.indexed_columns", "the column")


# Rows ---------------------------------------------------------------------------------------------------------------


def check_texts(table: Table, files: Located) -> None:
    """Only DECIMAL partition values are trimmed, and only NULLs are empty."""
    has_decimals = any(isinstance(column.type, DecimalOf) for column in table.partition_columns)
    for path, file in files:
        if file.trimmed and not has_decimals:
            invalid(f"{path}.trimmed", "needs a DECIMAL partition column")
        if file.empty_nulls and None not in file.partition:
            invalid(f"{path}.empty_nulls", "needs a partition value that is NULL")


def check_rows(table: Table, files: Located) -> None:
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
                    invalid(where, f"{column.name!r} is generated from {source!r}, but has another value")
            for position, check in enumerate(table.checks):
                if not _satisfies(check, row, types, where, position):
                    invalid(where, f"violates the table's checks[{position}]")


def _satisfies(
    check: Predicate, row: Mapping[str, Value], types: Mapping[str, AnyType], path: str, position: int
) -> bool:
    try:
        return evaluate(check, row, types=types) is not False
    except (WouldFail, TypeError, ValueError) as error:
        invalid(path, f"the table's checks[{position}] cannot be evaluated ({error})")


# Conditions ---------------------------------------------------------------------------------------------------------


def _check_conditions(table: Table) -> None:
    """The table's checks use columns of the table, with their types."""
    types = {column.name: column.type for column in table.columns}
    for index, check in enumerate(table.checks):
        where = f"table.checks[{index}]"
        unknown = sorted(columns_of(check) - set(types))
        if unknown:
            invalid(where, f"{unknown[0]!r} is not a column of the table")
        if verbatim_tests(check):
            invalid(where, "has a verbatim test, of which the engine is asked only before a DELETE")
        check_types(check, types, where)
        if wrappers_of(check):
            invalid(where, "calls a function of the user, which a table's property cannot")


def check_types(predicate: Predicate, types: Mapping[str, AnyType], path: str) -> None:
    """The types in a predicate are those of the columns, and no function of the user is a part of an expression.

    Unknown columns are not checked.
    """
    for where, part in _parts(predicate, path):
        if isinstance(part, CaseWhen) and wrappers_of(part.condition):
            invalid(f"{where}.condition", "calls a function of the user, which no part of an expression may")
        if isinstance(part, (Compare, Between, In)):
            declared = types.get(part.column, part.type)
            if declared != part.type:
                stated = type_name(part.type)
                invalid(f"{where}.type", f"is {stated}, but {part.column!r} is of type {type_name(declared)}")
        elif isinstance(part, Like):
            declared = types.get(part.column, Type.STRING)
            if declared is not Type.STRING:
                invalid(f"{where}.column", f"LIKE needs a string, but {part.column!r} is of type {type_name(declared)}")


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


# Stray files --------------------------------------------------------------------------------------------------------


def check_stray_files(table: Table, stray_files: list[tuple[str, StrayFile]], files: Iterable[DataFile]) -> None:
    """Paths are unique, and nothing is below a file."""
    paths = [file_path(table, file) for file in files]
    taken = set(paths)
    for path, stray in stray_files:
        if stray.path in taken:
            invalid(f"{path}.path", f"{stray.path!r} is already taken")
        taken.add(stray.path)
        if (stray.kind is Kind.LINK) != (stray.target is not None):
            invalid(f"{path}.target", "must be present exactly for a link")
    as_files = {*paths, *(stray.path for _, stray in stray_files if stray.kind is not Kind.DIRECTORY)}
    for path, stray in stray_files:
        parts = stray.path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            if above in as_files:
                invalid(f"{path}.path", f"{stray.path!r} is below {above!r}, which is not a directory")
    # A stray file may be where a data file needs a directory.
    directories = {"/".join(path.split("/")[:depth]) for path in as_files for depth in range(1, path.count("/") + 1)}
    for path, stray in stray_files:
        if stray.kind is not Kind.DIRECTORY and stray.path in directories:
            invalid(f"{path}.path", f"{stray.path!r} must be a directory, as other files are below it")
