"""Checks that the parts of a table fit together. Each raises InvalidCase, with a path from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial

from model.codec.plain import every, refuse
from model.codec.validation.conditions import check_types, satisfies
from model.semantics.indexed_columns import may_be_listed
from model.vocabulary.predicate import Predicate, columns_of, verbatim_tests, wrappers_of
from model.vocabulary.table import EXCLUSIVE, Column, Damage, DataFile, DeletionVector, Feature, Table
from model.vocabulary.values import DecimalOf, Type, is_nested, type_name


def check_columns(table: Table) -> None:
    """Checks the columns, their rules and the partition columns."""
    by_name = {column.name: column for column in table.columns}
    # Spark's names are case-insensitive.
    _check_unique([column.name.lower() for column in table.columns], "columns", "the column name")
    every("partition_by", partial(_check_partition, by_name), table.partition_by)
    if len(table.partition_by) == len(table.columns):
        refuse("leaves no column for the data files", "partition_by")
    every("columns", partial(_check_rules, by_name, table.partition_by), table.columns)


def _check_partition(by_name: Mapping[str, Column], name: str) -> None:
    if name not in by_name:
        refuse(f"{name!r} is not a column of the table")
    type = by_name[name].type
    if is_nested(type) or type is Type.BINARY:
        refuse(f"{name!r} is of type {type_name(type)}, which cannot be a partition column")


def _check_rules(by_name: Mapping[str, Column], partition_by: Sequence[str], column: Column) -> None:
    """A column has at most one rule for writers, which Delta must accept."""
    kind = type_name(column.type)
    if column.physical_name is not None:
        refuse("is of tables that were observed: those of a case have none", "physical_name")
    if column.default + column.identity + (column.generated_from is not None) > 1:
        refuse("has more than one of default, identity and generated_from")
    if column.identity and column.type is not Type.LONG:
        refuse(f"an identity column must be a long, but this one is of type {kind}", "identity")
    if column.identity and column.name in partition_by:
        refuse("a partition column cannot be an identity column", "identity")
    if column.declared is not None and column.type is not Type.STRING:
        refuse(f"is of a string, but this column is of type {kind}", "declared")
    if column.generated_from is None:
        return
    source = by_name.get(column.generated_from)
    if source is None:
        refuse(f"{column.generated_from!r} is not a column of the table", "generated_from")
    if source is column:
        refuse(f"{column.name!r} cannot be generated from itself", "generated_from")
    if source.generated_from is not None:
        refuse(f"{source.name!r} is itself generated", "generated_from")
    if source.type != column.type:
        refuse(f"{source.name!r} is of type {type_name(source.type)}, not {kind}", "generated_from")


def check_table(table: Table) -> None:
    """Checks features, files, commits and CHECK constraints; columns must be valid, and stray files are checked with those of
    the steps."""
    _check_unique([str(file.id) for file in table.files], "files", "the file id")
    _check_features(table)
    _check_history(table)
    _check_indexed(table)
    every("checks", partial(_check_condition, table), table.checks)
    every("files", partial(_check_file, table), table.files)
    every("files", row_check(table), table.files)


def _check_unique(names: Sequence[str], path: str, what: str) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            refuse(f"{what} {name} is already taken", f"{path}[{index}]")
        seen.add(name)


def _check_features(table: Table) -> None:
    for features in EXCLUSIVE:
        both = [feature.value for feature in features if table.has(feature)]
        if len(both) > 1:
            refuse(f"{' and '.join(both)} exclude each other", "features")
    if table.widened_from is not None and not table.has(Feature.WIDENED):
        refuse(f"needs the feature {Feature.WIDENED.value}", "widened_from")
    numbers = "whole numbers" if table.widened_from is None else "values"
    half = table.checkpointed is None or table.pruned
    for feature, lacks, needed in (
        (Feature.DROPPED_COLUMN, not table.maps_columns, "column mapping"),
        (Feature.ALTERED, len(table.commits) < 2, "two commits"),
        (Feature.WIDENED, table.widened_column is None, f"a column of {numbers} that fit the narrower type"),
        (Feature.WIDENED, len(table.commits) < 2, "two commits"),
        (Feature.HALF_CHECKPOINT, half, "a checkpoint, and every commit"),
        (Feature.HALF_CHECKPOINT_NAMED, half, "a checkpoint, and every commit"),
    ):
        if table.has(feature) and lacks:
            refuse(f"{feature.value} needs {needed}", "features")


# Commits -----------------------------------------------------------------------------------------------------------


def _check_history(table: Table) -> None:
    rows = {file.id: len(file.rows) for file in table.files}
    added: set[int] = set()
    live: set[int] = set()
    hidden: dict[int, frozenset[int]] = {}
    for version, commit in enumerate(table.commits):
        where = f"commits[{version}]"
        if version and commit.at <= table.commits[version - 1].at:
            refuse(f"{commit.at} is not after the previous commit, at {table.commits[version - 1].at}", f"{where}.at")
        for index, id in enumerate(commit.adds):
            if id not in rows:
                refuse(f"there is no file {id}", f"{where}.adds[{index}]")
            if id in live:
                refuse(f"file {id} is already live", f"{where}.adds[{index}]")
            live.add(id)
        kept = live - {*commit.adds}
        for index, removal in enumerate(commit.removes):
            if removal.file not in rows:
                refuse(f"there is no file {removal.file}", f"{where}.removes[{index}].file")
            if removal.file not in kept:
                refuse(f"file {removal.file} is not live, so it cannot be removed", f"{where}.removes[{index}].file")
            kept.discard(removal.file)
            live.discard(removal.file)
            hidden.pop(removal.file, None)
        if commit.deletion_vectors and not table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF):
            both = f"{Feature.DELETION_VECTORS.value} or {Feature.DELETION_VECTORS_OFF.value}"
            refuse(f"the table needs one of the features {both}", f"{where}.deletion_vectors")
        seen: set[int] = set()
        every(f"{where}.deletion_vectors", partial(_check_vector, kept, rows, hidden, seen), commit.deletion_vectors)
        added.update(commit.adds)
        if commit.parts > 1 and (not commit.checkpoint or table.has(Feature.V2_CHECKPOINTS)):
            refuse(f"is {commit.parts}, but this version has no classic checkpoint", f"{where}.parts")
    if table.pruned and not (table.pruned < len(table.commits) and table.commits[table.pruned].checkpoint):
        refuse(f"is {table.pruned}, but that version has no checkpoint", "pruned")
    for index, file in enumerate(table.files):
        if file.id not in added:
            refuse(f"no commit adds file {file.id}; it should be a stray file", f"files[{index}].id")


def _check_vector(
    allowed: Set[int],
    rows: Mapping[int, int],
    hidden: dict[int, frozenset[int]],
    seen: set[int],
    vector: DeletionVector,
) -> None:
    """A vector is of an ``allowed`` file, whose other vector of this commit is ``seen``. Adds its rows to ``hidden``."""
    id = vector.file
    if id not in rows:
        refuse(f"there is no file {id}", "file")
    if id in seen:
        refuse(f"file {id} already has a deletion vector in this commit", "file")
    if id not in allowed:
        refuse(f"file {id} is not live before and after this commit", "file")
    for position in range(1, len(vector.rows)):
        if vector.rows[position] <= vector.rows[position - 1]:
            refuse(f"{vector.rows[position]} does not come after {vector.rows[position - 1]}", f"rows[{position}]")
    if vector.rows[-1] >= rows[id]:
        refuse(f"there is no row {vector.rows[-1]} in file {id}, which has {rows[id]} rows", "rows")
    if not frozenset(vector.rows) > hidden.get(id, frozenset()):
        refuse(f"must hide the already hidden rows of file {id}, and more", "rows")
    seen.add(id)
    hidden[id] = frozenset(vector.rows)


def _check_indexed(table: Table) -> None:
    """The property of statistics names data columns of types that have bounds."""
    names = {column.name for column in table.data_columns if may_be_listed(column.type)}
    for index, name in enumerate(table.indexed_columns):
        if name not in names:
            refuse(f"{name!r} is no data column of a type that has bounds", f"indexed_columns[{index}]")


# Files and rows -----------------------------------------------------------------------------------------------------


def _check_file(table: Table, file: DataFile) -> None:
    """Only the last of several row groups is damaged, only DECIMAL partition values are trimmed, and only NULLs are empty."""
    if file.damage is Damage.LAST_GROUP and (file.group_rows is None or len(file.rows) <= file.group_rows):
        refuse("needs several row groups, so group_rows must be less than there are rows", "damage")
    if file.trimmed and not any(isinstance(column.type, DecimalOf) for column in table.partition_columns):
        refuse("needs a DECIMAL partition column", "trimmed")
    if file.empty_nulls and None not in file.partition:
        refuse("needs a partition value that is NULL", "empty_nulls")


def row_check(table: Table) -> Callable[[DataFile], None]:
    """Checks that all rows of a file satisfy generated columns and CHECK constraints. NULLs are checked when rows are read."""
    generated = [column for column in table.columns if column.generated_from is not None]
    types = {column.name: column.type for column in table.columns}

    def check(file: DataFile) -> None:
        for index, stored in enumerate(file.rows if generated or table.checks else ()):
            row = dict(zip(types, table.row(file.partition, stored)))
            for column in generated:
                source = str(column.generated_from)
                if row[column.name] != row[source]:
                    refuse(f"{column.name!r} is generated from {source!r}, but has another value", f"rows[{index}]")
            for position, constraint in enumerate(table.checks):
                name = f"the table's checks[{position}]"
                if satisfies(constraint, row, types, name, f"rows[{index}]") is False:
                    refuse(f"violates {name}", f"rows[{index}]")

    return check


def _check_condition(table: Table, check: Predicate) -> None:
    """A CHECK constraint uses columns of the table, with their types."""
    types = {column.name: column.type for column in table.columns}
    if unknown := sorted(columns_of(check) - set(types)):
        refuse(f"{unknown[0]!r} is not a column of the table")
    if verbatim_tests(check):
        refuse("has a verbatim test, of which the engine is asked only before a DELETE")
    check_types(check, types)
    if wrappers_of(check):
        refuse("calls a function of the user, which a table's property cannot")
