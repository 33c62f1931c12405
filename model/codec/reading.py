"""From a document to a case. What one part of a case demands of another is in ``model.codec.checks``."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from model.case import Case
from model.codec import checks
from model.codec.conditions import read_predicate
from model.codec.fields import (
    CorruptCase,
    Fields,
    Reader,
    anything,
    corrupt,
    flag,
    integer,
    list_of,
    listed,
    member,
    natural,
    nullable,
    positive,
    shown,
    tag_of,
    text,
)
from model.codec.json_values import read_type, value_of
from model.codec.writing import FORMAT
from model.steps import (
    Append,
    InvalidDelete,
    InvalidVacuum,
    DeleteMistake,
    Delete,
    Form,
    Inventory,
    AddStrayFiles,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Step,
    IOFault,
    Vacuum,
    VacuumMistake,
    VacuumForm,
)
from model.table import (
    FEATURES,
    Column,
    Commit,
    DataFile,
    Kind,
    DeletionVector,
    Reference,
    Removal,
    Statistics,
    StrayFile,
    Table,
    VectorStorage,
)
from model.values import Row, Value


def loads(text: str) -> Case:
    """The case of a JSON text. Raises CorruptCase."""
    try:
        document = json.loads(text, object_pairs_hook=_without_duplicates)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CorruptCase(f"the document: is no JSON ({error})") from error
    return from_json(document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        corrupt("", f"an object in it has the field {twice!r} twice")
    return fields


def from_json(document: object) -> Case:
    """The case of a document. Raises CorruptCase, also where one part of a case contradicts another.

    Checked are the types of all values against their columns, and that rows keep to the columns' rules and to the
    table's CHECK constraints; that file ids are unique and every commit adds and removes files that exist, adding what
    is not live and removing what is; that deletion vectors hide rows of live files, and ever more of them; that
    features do not exclude each other; that the times of commits rise; that strays and data files do not share paths;
    that a step refers to earlier steps only. A predicate may name a column that the table has not, and a LIKE pattern
    may be malformed: the engine must refuse those.
    """
    fields = Fields(document, "", {"format", "table", "steps"})
    if (found := fields.required("format", anything)) != FORMAT or isinstance(found, bool):
        corrupt("format", f"is {found!r}, only {FORMAT} is known here")
    table = fields.required("table", _table)
    case = Case(table=table, steps=fields.required("steps", list_of(_step_of(table))))
    checks.check_steps(case)
    return case


def table_from_json(document: object) -> Table:
    """The table of a document. Raises CorruptCase."""
    return _table(document, "table")


def step_from_json(document: object, table: Table) -> Step:
    """The step of a document, for a case on ``table``; references to other steps are not checked. Raises CorruptCase."""
    return _step_of(table)(document, "step")


# Tables -------------------------------------------------------------------------------------------------------------


def _table(value: object, path: str) -> Table:
    names = {"columns", "partition_by", "files", "commits", "strays", "retention_hours", "features", "checks", "pruned"}
    fields = Fields(value, path, names)
    columns = fields.required("columns", list_of(_column))
    partition_by = fields.required("partition_by", list_of(text))
    checks.check_columns(columns, partition_by, path)
    # The columns are needed to read the files, so a table without files stands in until these are known.
    schema = Table(columns=columns, partition_by=partition_by, files=(), commits=())
    table = Table(
        columns=columns,
        partition_by=partition_by,
        files=fields.required("files", list_of(_file_of(schema))),
        commits=fields.required("commits", list_of(_commit)),
        stray_files=fields.optional("strays", list_of(_stray), ()),
        retention_hours=fields.optional("retention_hours", nullable(natural), None),
        features=fields.optional("features", list_of(_feature), ()),
        checks=fields.optional("checks", list_of(read_predicate), ()),
        pruned=fields.optional("pruned", natural, 0),
    )
    checks.check_table(table, path)
    return table


def _column(value: object, path: str) -> Column:
    fields = Fields(value, path, {"name", "type", "nullable", "default", "identity", "generated_from"})
    return Column(
        name=fields.required("name", text),
        type=fields.required("type", read_type),
        nullable=fields.optional("nullable", flag, True),
        default=fields.optional("default", flag, False),
        identity=fields.optional("identity", flag, False),
        generated_from=fields.optional("generated_from", nullable(text), None),
    )


def _feature(value: object, path: str) -> str:
    if value not in FEATURES:
        corrupt(path, f"must be one of {', '.join(FEATURES)}, but is {shown(value)}")
    return str(value)


def _row_of(columns: tuple[Column, ...]) -> Reader[Row]:
    readers = [_value_in(column) for column in columns]

    def read(value: object, path: str) -> Row:
        values = listed(value, path, anything)
        if len(values) != len(columns):
            names = ", ".join(column.name for column in columns) or "none"
            corrupt(path, f"has {len(values)} values for {len(columns)} columns ({names})")
        return tuple(read(item, f"{path}[{index}]") for index, (read, item) in enumerate(zip(readers, values)))

    return read


def _value_in(column: Column) -> Reader[Value]:
    read_value = value_of(column.type)
    if column.nullable:
        return read_value

    def read(value: object, path: str) -> Value:
        if value is None:
            corrupt(path, f"is NULL, but the column {column.name} is not nullable")
        return read_value(value, path)

    return read


def _partition_of(columns: tuple[Column, ...]) -> Reader[Row]:
    read_row = _row_of(columns)

    def read(value: object, path: str) -> Row:
        row = read_row(value, path)
        if "" in row:
            corrupt(
                f"{path}[{row.index('')}]", "is the empty string, which no partition value may be: the log has NULL so"
            )
        return row

    return read


def _file_of(table: Table) -> Reader[DataFile]:
    read_partition, read_row = _partition_of(table.partition_columns), _row_of(table.data_columns)

    def read(value: object, path: str) -> DataFile:
        fields = Fields(value, path, {"id", "partition", "rows", "modified", "statistics", "group_rows", "reference"})
        return DataFile(
            id=fields.required("id", natural),
            partition=fields.required("partition", read_partition),
            rows=fields.required("rows", list_of(read_row)),
            modified=fields.required("modified", integer),
            statistics=fields.optional("statistics", member(Statistics), Statistics.FULL),
            group_rows=fields.optional("group_rows", nullable(positive), None),
            reference=fields.optional("reference", member(Reference), Reference.RELATIVE),
        )

    return read


def _commit(value: object, path: str) -> Commit:
    fields = Fields(value, path, {"at", "adds", "removes", "masks", "checkpoint", "parts", "vector_prefix"})
    return Commit(
        at=fields.required("at", integer),
        adds=fields.optional("adds", list_of(natural), ()),
        removes=fields.optional("removes", list_of(_removal), ()),
        deletion_vectors=fields.optional("masks", list_of(_mask), ()),
        checkpoint=fields.optional("checkpoint", flag, False),
        parts=fields.optional("parts", positive, 1),
        vector_prefix=fields.optional("vector_prefix", text, ""),
    )


def _removal(value: object, path: str) -> Removal:
    fields = Fields(value, path, {"file", "deleted", "bare"})
    return Removal(
        file=fields.required("file", natural),
        deleted=fields.required("deleted", nullable(integer)),
        bare=fields.optional("bare", flag, False),
    )


def _mask(value: object, path: str) -> DeletionVector:
    fields = Fields(value, path, {"file", "rows", "deleted", "storage"})
    return DeletionVector(
        file=fields.required("file", natural),
        rows=fields.required("rows", _row_indexes),
        deleted=fields.required("deleted", integer),
        storage=fields.optional("storage", member(VectorStorage), VectorStorage.RELATIVE),
    )


def _row_indexes(value: object, path: str) -> tuple[int, ...]:
    indexes = listed(value, path, natural)
    if not indexes:
        corrupt(path, "must hold at least one row")
    for position in range(1, len(indexes)):
        if indexes[position] <= indexes[position - 1]:
            corrupt(f"{path}[{position}]", f"{indexes[position]} does not come after {indexes[position - 1]}")
    return indexes


def _stray(value: object, path: str) -> StrayFile:
    fields = Fields(value, path, {"path", "kind", "modified", "size", "target"})
    return StrayFile(
        path=fields.required("path", _path_or_beside),
        kind=fields.optional("kind", member(Kind), Kind.FILE),
        modified=fields.optional("modified", integer, 0),
        size=fields.optional("size", natural, 1),
        target=fields.optional("target", nullable(_path_or_beside), None),
    )


def _path_or_beside(value: object, path: str) -> str:
    """A path below the root, or below a directory beside it."""
    found = text(value, path)
    return "../" + _relative_path(found[3:], path) if found.startswith("../") else _relative_path(found, path)


def _relative_path(value: object, path: str) -> str:
    found = text(value, path)
    if any(part in ("", ".", "..") for part in found.split("/")) or "\0" in found:
        corrupt(path, f"must be a path below the table's root, but is {found!r}")
    return found


# Steps --------------------------------------------------------------------------------------------------------------


def _step_of(table: Table) -> Reader[Step]:
    readers: dict[str, Reader[Step]] = {
        "delete": _delete,
        "bad_delete": _bad_delete,
        "vacuum": _vacuum,
        "bad_vacuum": _bad_vacuum,
        "read": _read,
        "read_changes": _read_changes,
        "set_clock": _set_clock,
        "append": _append_to(table),
        "litter": _litter,
    }

    def read(value: object, path: str) -> Step:
        tag = tag_of(value, path, "step")
        if not isinstance(tag, str) or tag not in readers:
            corrupt(f"{path}.step", f"must be one of {', '.join(readers)}, but is {shown(tag)}")
        return readers[tag](value, path)

    return read


def _delete(value: object, path: str) -> Step:
    fields = Fields(value, path, {"step", "where", "form", "zone"})
    step = Delete(
        where=fields.optional("where", nullable(read_predicate), None),
        form=fields.optional("form", member(Form), Form.SQL_PATH),
        zone=fields.optional("zone", _zone, "UTC"),
    )
    if step.form is Form.TRUNCATE and step.where is not None:
        corrupt(f"{path}.where", f"{step.form.value} takes no condition")
    return step


def _zone(value: object, path: str) -> str:
    name = text(value, path)
    # Not by opening it: files that the time zone database holds for other ends, as "right/UTC", are no IANA names.
    if name not in _zones():
        corrupt(path, f"must be the IANA name of a time zone, but is {name!r}")
    return name


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones()) | {"UTC"}


def _bad_delete(value: object, path: str) -> Step:
    return InvalidDelete(mistake=Fields(value, path, {"step", "blunder"}).required("blunder", member(DeleteMistake)))


def _vacuum(value: object, path: str) -> Step:
    names = {"retain_hours", "dry_run", "safety_check", "logging", "mode", "inventory", "form", "parallel"}
    fields = Fields(value, path, {"step", *names, "trouble", "troubled"})
    default: bool | None = True
    step = Vacuum(
        retain_hours=fields.optional("retain_hours", nullable(_hours), None),
        dry_run=fields.optional("dry_run", flag, False),
        safety_check=fields.optional("safety_check", flag, True),
        logging=fields.optional("logging", nullable(flag), default),
        mode=fields.optional("mode", member(Mode), Mode.DEFAULT),
        inventory=fields.optional("inventory", member(Inventory), Inventory.COMPLETE),
        form=fields.optional("form", member(VacuumForm), VacuumForm.SQL_PATH),
        parallel=fields.optional("parallel", flag, False),
        io_fault=fields.optional("trouble", nullable(member(IOFault)), None),
        faulty_path=fields.optional("troubled", nullable(_relative_path), None),
    )
    checks.check_vacuum(step, path)
    return step


def _bad_vacuum(value: object, path: str) -> Step:
    fields = Fields(value, path, {"step", "blunder", "dry_run"})
    return InvalidVacuum(
        mistake=fields.required("blunder", member(VacuumMistake)), dry_run=fields.optional("dry_run", flag, False)
    )


def _hours(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        corrupt(path, f"must be a number of hours, but is {shown(value)}")
    return float(value)


def _read(value: object, path: str) -> Step:
    fields = Fields(value, path, {"step", "before_step"})
    return Read(before_step=fields.optional("before_step", nullable(natural), None))


def _read_changes(value: object, path: str) -> Step:
    return ReadChanges(of_step=Fields(value, path, {"step", "of_step"}).required("of_step", natural))


def _set_clock(value: object, path: str) -> Step:
    return SetClock(to=Fields(value, path, {"step", "to"}).required("to", _moment))


def _moment(value: object, path: str) -> Moment:
    fields = Fields(value, path, {"offset", "removed_by_step"})
    return Moment(
        offset=fields.required("offset", integer),
        removed_by_step=fields.optional("removed_by_step", nullable(natural), None),
    )


def _append_to(table: Table) -> Reader[Step]:
    read_file = _file_of(table)

    def read(value: object, path: str) -> Step:
        return Append(files=Fields(value, path, {"step", "files"}).required("files", list_of(read_file)))

    return read


def _litter(value: object, path: str) -> Step:
    return AddStrayFiles(stray_files=Fields(value, path, {"step", "strays"}).required("strays", list_of(_stray)))
