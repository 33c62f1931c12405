"""The JSON form of a case: written to be read by people, read back with every fault named.

A field that has its default is left out, so documents stay short. Unions carry a tag: a step its ``"step"``, a
predicate its ``"op"``. A DATE is ``{"date": "2020-01-31"}``, every other SQL value the JSON value of its kind.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from datetime import date
from enum import Enum
from typing import Any, NoReturn, TypeVar

from model.case import Case
from model.layout import file_path
from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or, Predicate
from model.steps import Append, Delete, Litter, Moment, Read, SetClock, Step, Vacuum
from model.table import FEATURES, Column, Commit, DataFile, Kind, Removal, Statistics, Stray, Table
from model.values import Row, Type, Value

#: The version of the form that this module writes and reads; it stands in the document as "format".
FORMAT = 1

_RANGES = {Type.INTEGER: (-(2**31), 2**31 - 1), Type.LONG: (-(2**63), 2**63 - 1)}

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
Json = dict[str, Any]


class CorruptCase(ValueError):
    """A document that is no case. The text is one sentence: where it is wrong (``steps[2].where.op``), and what is."""


def _corrupt(path: str, problem: str) -> NoReturn:
    raise CorruptCase(f"{path or 'the document'}: {problem}")


# Writing ------------------------------------------------------------------------------------------------------------


def dumps(case: Case) -> str:
    """The canonical text of a case: keys sorted, no spaces, ASCII only. Equal cases have equal texts."""
    return json.dumps(to_json(case), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def case_id(case: Case) -> str:
    """The id of a case: 12 hexadecimal digits, the BLAKE2b digest of its canonical text."""
    return hashlib.blake2b(dumps(case).encode("ascii"), digest_size=6).hexdigest()


def to_json(case: Case) -> Json:
    """The document of a case: ``{"format": 1, "table": {...}, "steps": [...]}``."""
    return {
        "format": FORMAT,
        "table": table_to_json(case.table),
        "steps": [step_to_json(step) for step in case.steps],
    }


def table_to_json(table: Table) -> Json:
    """The document of a table."""
    return {
        "columns": [{"name": column.name, "type": column.type.value} for column in table.columns],
        "partition_by": list(table.partition_by),
        "files": [_file_to_json(file) for file in table.files],
        "commits": [_commit_to_json(commit) for commit in table.commits],
        **_unless((), strays=[_stray_to_json(stray) for stray in table.strays]),
        **_unless(None, retention_hours=table.retention_hours),
        **_unless((), features=list(table.features)),
    }


def _unless(default: object, **field: object) -> Json:
    """The one field given, or nothing where it has its default."""
    ((name, value),) = field.items()
    return {} if value == (list(default) if isinstance(default, tuple) else default) else {name: value}


def _file_to_json(file: DataFile) -> Json:
    return {
        "id": file.id,
        "partition": _row_to_json(file.partition),
        "rows": [_row_to_json(row) for row in file.rows],
        "modified": file.modified,
        **_unless(Statistics.FULL.value, statistics=file.statistics.value),
    }


def _commit_to_json(commit: Commit) -> Json:
    return {
        "at": commit.at,
        **_unless((), adds=list(commit.adds)),
        **_unless((), removes=[{"file": removal.file, "deleted": removal.deleted} for removal in commit.removes]),
        **_unless(False, checkpoint=commit.checkpoint),
    }


def _stray_to_json(stray: Stray) -> Json:
    return {
        "path": stray.path,
        **_unless(Kind.FILE.value, kind=stray.kind.value),
        **_unless(0, modified=stray.modified),
        **_unless(1, size=stray.size),
    }


def _row_to_json(row: Row) -> list[object]:
    return [_value_to_json(value) for value in row]


def _value_to_json(value: Value) -> object:
    return {"date": value.isoformat()} if isinstance(value, date) else value


def step_to_json(step: Step) -> Json:
    """The document of a step, tagged by ``"step"``."""
    if isinstance(step, Delete):
        where = None if step.where is None else predicate_to_json(step.where)
        return {"step": "delete", **_unless(None, where=where)}
    if isinstance(step, Vacuum):
        return {
            "step": "vacuum",
            **_unless(None, retain_hours=_hours_to_json(step.retain_hours)),
            **_unless(False, dry_run=step.dry_run),
            **_unless(True, safety_check=step.safety_check),
            **_unless(True, logging=step.logging),
        }
    if isinstance(step, Read):
        return {"step": "read", **_unless(None, before_step=step.before_step)}
    if isinstance(step, SetClock):
        by = step.to.removed_by_step
        return {"step": "set_clock", "to": {"offset": step.to.offset, **_unless(None, removed_by_step=by)}}
    if isinstance(step, Append):
        return {"step": "append", "files": [_file_to_json(file) for file in step.files]}
    return {"step": "litter", "strays": [_stray_to_json(stray) for stray in step.strays]}


def _hours_to_json(hours: float | None) -> float | int | None:
    # 0 and 0.0 are the same retention: equal cases must have one text.
    return int(hours) if hours is not None and float(hours).is_integer() else hours


def predicate_to_json(predicate: Predicate) -> Json:
    """The document of a predicate, tagged by ``"op"``."""
    if isinstance(predicate, Constant):
        return {"op": "CONSTANT", "value": predicate.value}
    if isinstance(predicate, Compare):
        value = _value_to_json(predicate.value)
        return {"op": predicate.op.value, "column": predicate.column, "value": value, "type": predicate.type.value}
    if isinstance(predicate, Between):
        low, high = _value_to_json(predicate.low), _value_to_json(predicate.high)
        return {"op": "BETWEEN", "column": predicate.column, "low": low, "high": high, "type": predicate.type.value}
    if isinstance(predicate, In):
        values = _row_to_json(predicate.values)
        return {"op": "IN", "column": predicate.column, "values": values, "type": predicate.type.value}
    if isinstance(predicate, IsNull):
        return {"op": "IS NULL", "column": predicate.column}
    if isinstance(predicate, Like):
        return {"op": "LIKE", "column": predicate.column, "pattern": predicate.pattern}
    if isinstance(predicate, Not):
        return {"op": "NOT", "operand": predicate_to_json(predicate.operand)}
    tag = "AND" if isinstance(predicate, And) else "OR"
    return {"op": tag, "left": predicate_to_json(predicate.left), "right": predicate_to_json(predicate.right)}


# Reading ------------------------------------------------------------------------------------------------------------


def loads(text: str) -> Case:
    """The case of a JSON text. Raises CorruptCase."""
    try:
        document = json.loads(text, object_pairs_hook=_without_duplicates)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CorruptCase(f"the document: is no JSON ({error})") from error
    return from_json(document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> Json:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _corrupt("", f"an object in it has the field {twice!r} twice")
    return fields


def from_json(document: object) -> Case:
    """The case of a document. Raises CorruptCase, also where one part of a case contradicts another.

    Checked are the types of all values against their columns; that file ids are unique and every commit adds and
    removes files that exist, adding what is not live and removing what is; that the times of commits rise; that strays and data
    files do not share paths; that a step refers to earlier steps only. A predicate may name a column that the table has
    not, and a LIKE pattern may be malformed: the engine must refuse those.
    """
    fields = _Fields(document, "", {"format", "table", "steps"})
    if (found := fields.required("format", _any)) != FORMAT or isinstance(found, bool):
        _corrupt("format", f"is {found!r}, only {FORMAT} is known here")
    table = fields.required("table", _table)
    steps = fields.required("steps", lambda value, path: _list(value, path, _step_of(table)))
    case = Case(table=table, steps=steps)
    _check_references(case)
    return case


def table_from_json(document: object) -> Table:
    """The table of a document. Raises CorruptCase."""
    return _table(document, "table")


def step_from_json(document: object, table: Table) -> Step:
    """The step of a document, for a case on ``table``; references to other steps are not checked. Raises CorruptCase."""
    return _step_of(table)(document, "step")


def predicate_from_json(document: object) -> Predicate:
    """The predicate of a document. Raises CorruptCase."""
    return _predicate(document, "predicate")


class _Fields:
    """A JSON object under reading: knows its path and refuses fields that nobody asked for."""

    def __init__(self, document: object, path: str, known: set[str]) -> None:
        if not isinstance(document, Mapping):
            _corrupt(path, f"must be an object, but is {_shown(document)}")
        self._fields = document
        self._path = path
        for name in document:
            if name not in known:
                _corrupt(self.path(name), f"is no known field, those are {', '.join(sorted(known))}")

    def path(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def required(self, name: str, read: Callable[[Any, str], T]) -> T:
        if name not in self._fields:
            _corrupt(self.path(name), "is missing")
        return read(self._fields[name], self.path(name))

    def optional(self, name: str, read: Callable[[Any, str], T], default: T) -> T:
        return read(self._fields[name], self.path(name)) if name in self._fields else default


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _any(value: object, path: str) -> object:
    return value


def _list(value: object, path: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    if not isinstance(value, (list, tuple)):
        _corrupt(path, f"must be an array, but is {_shown(value)}")
    return tuple(read(item, f"{path}[{index}]") for index, item in enumerate(value))


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        _corrupt(path, f"must be a string, but is {_shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        _corrupt(path, f"holds half of a surrogate pair: {_shown(value)}")
    return value


def _integer(value: object, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        _corrupt(path, f"must be a whole number, but is {_shown(value)}")
    return value


def _natural(value: object, path: str) -> int:
    if (number := _integer(value, path)) < 0:
        _corrupt(path, f"must not be negative, but is {number}")
    return number


def _flag(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        _corrupt(path, f"must be true or false, but is {_shown(value)}")
    return value


def _member(kind: type[E]) -> Callable[[object, str], E]:
    def read(value: object, path: str) -> E:
        for member in kind:
            if value == member.value:
                return member
        _corrupt(path, f"must be one of {', '.join(str(member.value) for member in kind)}, but is {_shown(value)}")

    return read


def _nullable(read: Callable[[Any, str], T]) -> Callable[[Any, str], T | None]:
    return lambda value, path: None if value is None else read(value, path)


def _value_of(type: Type) -> Callable[[object, str], Value]:
    def read(value: object, path: str) -> Value:
        if value is None:
            return None
        if type is Type.STRING:
            return _text(value, path)
        if type is Type.BOOLEAN:
            return _flag(value, path)
        if type is Type.DATE:
            return _Fields(value, path, {"date"}).required("date", _date)
        number = _integer(value, path)
        low, high = _RANGES[type]
        if not low <= number <= high:
            _corrupt(path, f"{number} does not fit the type {type.value}")
        return number

    return read


def _date(value: object, path: str) -> date:
    text = _text(value, path)
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        _corrupt(path, f"must be a date like 2020-01-31, but is {text!r}")
    # Python 3.11 reads other spellings too; one date must have one text.
    if parsed.isoformat() != text:
        _corrupt(path, f"must be a date like 2020-01-31, but is {text!r}")
    return parsed


def _row_of(columns: tuple[Column, ...]) -> Callable[[object, str], Row]:
    def read(value: object, path: str) -> Row:
        values = _list(value, path, _any)
        if len(values) != len(columns):
            names = ", ".join(column.name for column in columns) or "none"
            _corrupt(path, f"has {len(values)} values for {len(columns)} columns ({names})")
        return tuple(
            _value_of(column.type)(item, f"{path}[{index}]")
            for index, (column, item) in enumerate(zip(columns, values))
        )

    return read


def _table(value: object, path: str) -> Table:
    names = {"columns", "partition_by", "files", "commits", "strays", "retention_hours", "features"}
    fields = _Fields(value, path, names)
    columns = fields.required("columns", lambda value, path: _list(value, path, _column))
    partition_by = fields.required("partition_by", lambda value, path: _list(value, path, _text))
    _check_columns(columns, partition_by, path)
    # The columns are needed to read the files, so a table without files stands in until these are known.
    schema = Table(columns=columns, partition_by=partition_by, files=(), commits=())
    table = Table(
        columns=columns,
        partition_by=partition_by,
        files=fields.required("files", lambda value, path: _list(value, path, _file_of(schema))),
        commits=fields.required("commits", lambda value, path: _list(value, path, _commit)),
        strays=fields.optional("strays", lambda value, path: _list(value, path, _stray), ()),
        retention_hours=fields.optional("retention_hours", _nullable(_natural), None),
        features=fields.optional("features", lambda value, path: _list(value, path, _feature), ()),
    )
    _check_unique([str(file.id) for file in table.files], f"{path}.files", "the file id")
    _check_unique(list(table.features), f"{path}.features", "the feature")
    _check_history(table, path)
    _check_strays(table, [(f"{path}.strays[{index}]", stray) for index, stray in enumerate(table.strays)], table.files)
    return table


def _column(value: object, path: str) -> Column:
    fields = _Fields(value, path, {"name", "type"})
    return Column(name=fields.required("name", _text), type=fields.required("type", _member(Type)))


def _feature(value: object, path: str) -> str:
    if value not in FEATURES:
        _corrupt(path, f"must be one of {', '.join(FEATURES)}, but is {_shown(value)}")
    return str(value)


def _file_of(table: Table) -> Callable[[object, str], DataFile]:
    read_partition, read_row = _row_of(table.partition_columns), _row_of(table.data_columns)

    def read(value: object, path: str) -> DataFile:
        fields = _Fields(value, path, {"id", "partition", "rows", "modified", "statistics"})
        return DataFile(
            id=fields.required("id", _natural),
            partition=fields.required("partition", read_partition),
            rows=fields.required("rows", lambda value, path: _list(value, path, read_row)),
            modified=fields.required("modified", _integer),
            statistics=fields.optional("statistics", _member(Statistics), Statistics.FULL),
        )

    return read


def _commit(value: object, path: str) -> Commit:
    fields = _Fields(value, path, {"at", "adds", "removes", "checkpoint"})
    return Commit(
        at=fields.required("at", _integer),
        adds=fields.optional("adds", lambda value, path: _list(value, path, _natural), ()),
        removes=fields.optional("removes", lambda value, path: _list(value, path, _removal), ()),
        checkpoint=fields.optional("checkpoint", _flag, False),
    )


def _removal(value: object, path: str) -> Removal:
    fields = _Fields(value, path, {"file", "deleted"})
    return Removal(file=fields.required("file", _natural), deleted=fields.required("deleted", _integer))


def _stray(value: object, path: str) -> Stray:
    fields = _Fields(value, path, {"path", "kind", "modified", "size"})
    return Stray(
        path=fields.required("path", _relative_path),
        kind=fields.optional("kind", _member(Kind), Kind.FILE),
        modified=fields.optional("modified", _integer, 0),
        size=fields.optional("size", _natural, 1),
    )


def _relative_path(value: object, path: str) -> str:
    text = _text(value, path)
    if any(part in ("", ".", "..") for part in text.split("/")) or "\0" in text:
        _corrupt(path, f"must be a path below the table's root, but is {text!r}")
    return text


def _step_of(table: Table) -> Callable[[object, str], Step]:
    def read(value: object, path: str) -> Step:
        if not isinstance(value, Mapping):
            _corrupt(path, f"must be an object, but is {_shown(value)}")
        tag = value.get("step")
        if tag == "delete":
            fields = _Fields(value, path, {"step", "where"})
            return Delete(where=fields.optional("where", _nullable(_predicate), None))
        if tag == "vacuum":
            fields = _Fields(value, path, {"step", "retain_hours", "dry_run", "safety_check", "logging"})
            return Vacuum(
                retain_hours=fields.optional("retain_hours", _nullable(_hours), None),
                dry_run=fields.optional("dry_run", _flag, False),
                safety_check=fields.optional("safety_check", _flag, True),
                logging=fields.optional("logging", _flag, True),
            )
        if tag == "read":
            fields = _Fields(value, path, {"step", "before_step"})
            return Read(before_step=fields.optional("before_step", _nullable(_natural), None))
        if tag == "set_clock":
            return SetClock(to=_Fields(value, path, {"step", "to"}).required("to", _moment))
        if tag == "append":
            fields = _Fields(value, path, {"step", "files"})
            return Append(files=fields.required("files", lambda value, path: _list(value, path, _file_of(table))))
        if tag == "litter":
            fields = _Fields(value, path, {"step", "strays"})
            return Litter(strays=fields.required("strays", lambda value, path: _list(value, path, _stray)))
        known = "delete, vacuum, read, set_clock, append, litter"
        _corrupt(f"{path}.step", f"must be one of {known}, but is {_shown(tag)}")

    return read


def _hours(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        _corrupt(path, f"must be a number of hours, but is {_shown(value)}")
    return float(value)


def _moment(value: object, path: str) -> Moment:
    fields = _Fields(value, path, {"offset", "removed_by_step"})
    return Moment(
        offset=fields.required("offset", _integer),
        removed_by_step=fields.optional("removed_by_step", _nullable(_natural), None),
    )


def _predicate(value: object, path: str) -> Predicate:
    if not isinstance(value, Mapping):
        _corrupt(path, f"must be an object, but is {_shown(value)}")
    tag = value.get("op")
    if tag == "CONSTANT":
        return Constant(value=_Fields(value, path, {"op", "value"}).required("value", _nullable(_flag)))
    if tag in tuple(op.value for op in Op):
        fields = _Fields(value, path, {"op", "column", "value", "type"})
        type = fields.required("type", _member(Type))
        column = fields.required("column", _text)
        return Compare(column=column, op=Op(tag), value=fields.required("value", _value_of(type)), type=type)
    if tag == "BETWEEN":
        fields = _Fields(value, path, {"op", "column", "low", "high", "type"})
        type = fields.required("type", _member(Type))
        low, high = fields.required("low", _value_of(type)), fields.required("high", _value_of(type))
        return Between(column=fields.required("column", _text), low=low, high=high, type=type)
    if tag == "IN":
        fields = _Fields(value, path, {"op", "column", "values", "type"})
        type = fields.required("type", _member(Type))
        values = fields.required("values", lambda value, path: _list(value, path, _value_of(type)))
        if not values:
            _corrupt(f"{path}.values", "must hold at least one value")
        return In(column=fields.required("column", _text), values=values, type=type)
    if tag == "IS NULL":
        return IsNull(column=_Fields(value, path, {"op", "column"}).required("column", _text))
    if tag == "LIKE":
        fields = _Fields(value, path, {"op", "column", "pattern"})
        return Like(column=fields.required("column", _text), pattern=fields.required("pattern", _text))
    if tag == "NOT":
        return Not(operand=_Fields(value, path, {"op", "operand"}).required("operand", _predicate))
    if tag in ("AND", "OR"):
        fields = _Fields(value, path, {"op", "left", "right"})
        left, right = fields.required("left", _predicate), fields.required("right", _predicate)
        return And(left=left, right=right) if tag == "AND" else Or(left=left, right=right)
    known = ", ".join([*(op.value for op in Op), "BETWEEN, IN, IS NULL, LIKE, NOT, AND, OR, CONSTANT"])
    _corrupt(f"{path}.op", f"must be one of {known}, but is {_shown(tag)}")


# What one part of a case demands of another -------------------------------------------------------------------------


def _check_unique(names: list[str], path: str, what: str) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            _corrupt(f"{path}[{index}]", f"{what} {name} is already taken")
        seen.add(name)


def _check_columns(columns: tuple[Column, ...], partition_by: tuple[str, ...], path: str) -> None:
    # Spark does not tell names apart by case.
    _check_unique([column.name.lower() for column in columns], f"{path}.columns", "the column name")
    _check_unique(list(partition_by), f"{path}.partition_by", "the column")
    names = [column.name for column in columns]
    for index, name in enumerate(partition_by):
        if name not in names:
            _corrupt(f"{path}.partition_by[{index}]", f"{name!r} is no column of the table")
    if len(partition_by) == len(columns):
        _corrupt(f"{path}.partition_by", "leaves no column to be stored in the data files")


def _check_history(table: Table, path: str) -> None:
    if not table.commits:
        _corrupt(f"{path}.commits", "must hold at least one commit")
    known = {file.id for file in table.files}
    added: set[int] = set()
    live: set[int] = set()
    for version, commit in enumerate(table.commits):
        where = f"{path}.commits[{version}]"
        if version and commit.at <= table.commits[version - 1].at:
            _corrupt(f"{where}.at", f"{commit.at} is not after the commit before, at {table.commits[version - 1].at}")
        before = frozenset(live)
        for index, id in enumerate(commit.adds):
            if id not in known:
                _corrupt(f"{where}.adds[{index}]", f"there is no file {id}")
            if id in live:
                _corrupt(f"{where}.adds[{index}]", f"file {id} is live already")
            live.add(id)
        for index, removal in enumerate(commit.removes):
            if removal.file not in known:
                _corrupt(f"{where}.removes[{index}].file", f"there is no file {removal.file}")
            if removal.file not in before or removal.file not in live:
                _corrupt(f"{where}.removes[{index}].file", f"file {removal.file} is not live, so it cannot be removed")
            live.discard(removal.file)
        added.update(commit.adds)
    for index, file in enumerate(table.files):
        if file.id not in added:
            _corrupt(f"{path}.files[{index}].id", f"no commit adds file {file.id}; what no action names is a stray")


def _check_strays(table: Table, strays: list[tuple[str, Stray]], files: tuple[DataFile, ...]) -> None:
    """No two things share a path, and nothing lies below a file."""
    taken = {file_path(table, file) for file in files}
    for path, stray in strays:
        if stray.path in taken:
            _corrupt(f"{path}.path", f"{stray.path!r} is already taken")
        taken.add(stray.path)
    as_files = {file_path(table, file) for file in files}
    as_files |= {stray.path for _, stray in strays if stray.kind is Kind.FILE}
    for path, stray in strays:
        parts = stray.path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            if above in as_files:
                _corrupt(f"{path}.path", f"{stray.path!r} lies below {above!r}, which is a file")
    # A stray file may also stand where a data file needs a directory.
    directories = {"/".join(path.split("/")[:depth]) for path in as_files for depth in range(1, path.count("/") + 1)}
    for path, stray in strays:
        if stray.kind is Kind.FILE and stray.path in directories:
            _corrupt(f"{path}.path", f"{stray.path!r} must be a directory, other files lie below it")


def _check_references(case: Case) -> None:
    files = list(case.table.files)
    strays = [(f"table.strays[{index}]", stray) for index, stray in enumerate(case.table.strays)]
    types = {column.name: column.type for column in case.table.columns}
    for index, step in enumerate(case.steps):
        path = f"steps[{index}]"
        if isinstance(step, Delete) and step.where is not None:
            _check_types(step.where, types, f"{path}.where")
        elif isinstance(step, Read):
            _check_earlier(step.before_step, index, f"{path}.before_step")
        elif isinstance(step, SetClock):
            _check_earlier(step.to.removed_by_step, index, f"{path}.to.removed_by_step")
        elif isinstance(step, Append):
            for position, file in enumerate(step.files):
                if any(file.id == other.id for other in files):
                    _corrupt(f"{path}.files[{position}].id", f"the file id {file.id} is already taken")
                files.append(file)
        elif isinstance(step, Litter):
            strays.extend((f"{path}.strays[{position}]", stray) for position, stray in enumerate(step.strays))
    _check_strays(case.table, strays, tuple(files))


def _check_earlier(step: int | None, index: int, path: str) -> None:
    if step is not None and step >= index:
        _corrupt(path, f"is {step}, but only a step before this one ({index}) can be meant")


def _check_types(predicate: Predicate, types: Mapping[str, Type], path: str) -> None:
    """The type that a predicate states for a column is the column's own."""
    if isinstance(predicate, (And, Or)):
        _check_types(predicate.left, types, f"{path}.left")
        _check_types(predicate.right, types, f"{path}.right")
    elif isinstance(predicate, Not):
        _check_types(predicate.operand, types, f"{path}.operand")
    elif isinstance(predicate, (Compare, Between, In)):
        declared = types.get(predicate.column, predicate.type)
        if declared is not predicate.type:
            _corrupt(f"{path}.type", f"is {predicate.type.value}, but {predicate.column!r} is of type {declared.value}")
    elif isinstance(predicate, Like):
        declared = types.get(predicate.column, Type.STRING)
        if declared is not Type.STRING:
            _corrupt(f"{path}.column", f"LIKE needs a string, but {predicate.column!r} is of type {declared.value}")
