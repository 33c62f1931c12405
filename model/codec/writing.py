"""From a case to its document. A field that has its default is left out, so documents stay short."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from model.case import Case
from model.codec.conditions import predicate_to_json
from model.codec.json_values import type_to_json, value_to_json
from model.predicate import Predicate
from model.steps import (
    Append,
    InvalidDelete,
    InvalidVacuum,
    Delete,
    Form,
    Inventory,
    Mode,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
)
from model.table import (
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
from model.values import Row

#: The version of the form that this package writes and reads; it stands in the document as "format".
FORMAT = 1

Json = dict[str, Any]


def dumps(case: Case) -> str:
    """The canonical text of a case: keys sorted, no spaces, ASCII only. Equal cases have equal texts.

    One value only is equal to another and has a text of its own: -0.0, which keeps its sign.
    """
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
        "columns": [_column_to_json(column) for column in table.columns],
        "partition_by": list(table.partition_by),
        "files": [_file_to_json(file) for file in table.files],
        "commits": [_commit_to_json(commit) for commit in table.commits],
        **_unless((), stray_files=[_stray_to_json(stray) for stray in table.stray_files]),
        **_unless(None, retention_hours=table.retention_hours),
        **_unless((), features=list(table.features)),
        **_unless((), checks=[predicate_to_json(check) for check in table.checks]),
        **_unless(0, pruned=table.pruned),
    }


def _unless(default: object, /, **field: object) -> Json:
    """The one field given, or nothing where it has its default."""
    ((name, value),) = field.items()
    return {} if value == (list(default) if isinstance(default, tuple) else default) else {name: value}


def _column_to_json(column: Column) -> Json:
    return {
        "name": column.name,
        "type": type_to_json(column.type),
        **_unless(True, nullable=column.nullable),
        **_unless(False, default=column.default),
        **_unless(False, identity=column.identity),
        **_unless(None, generated_from=column.generated_from),
    }


def _file_to_json(file: DataFile) -> Json:
    return {
        "id": file.id,
        "partition": _row_to_json(file.partition),
        "rows": [_row_to_json(row) for row in file.rows],
        "modified": file.modified,
        **_unless(Statistics.FULL.value, statistics=file.statistics.value),
        **_unless(None, group_rows=file.group_rows),
        **_unless(Reference.RELATIVE.value, reference=file.reference.value),
    }


def _commit_to_json(commit: Commit) -> Json:
    return {
        "at": commit.at,
        **_unless((), adds=list(commit.adds)),
        **_unless((), removes=[_removal_to_json(removal) for removal in commit.removes]),
        **_unless((), deletion_vectors=[_mask_to_json(vector) for vector in commit.deletion_vectors]),
        **_unless(False, checkpoint=commit.checkpoint),
        **_unless(1, parts=commit.parts),
        **_unless("", vector_prefix=commit.vector_prefix),
    }


def _removal_to_json(removal: Removal) -> Json:
    return {"file": removal.file, "deleted": removal.deleted, **_unless(False, bare=removal.bare)}


def _mask_to_json(vector: DeletionVector) -> Json:
    return {
        "file": vector.file,
        "rows": list(vector.rows),
        "deleted": vector.deleted,
        **_unless(VectorStorage.RELATIVE.value, storage=vector.storage.value),
    }


def _stray_to_json(stray: StrayFile) -> Json:
    return {
        "path": stray.path,
        **_unless(Kind.FILE.value, kind=stray.kind.value),
        **_unless(0, modified=stray.modified),
        **_unless(1, size=stray.size),
        **_unless(None, target=stray.target),
    }


def _row_to_json(row: Row) -> list[object]:
    return [value_to_json(value) for value in row]


def step_to_json(step: Step) -> Json:
    """The document of a step, tagged by ``"step"``."""
    if isinstance(step, Delete):
        return {
            "step": "delete",
            **_unless(None, where=_condition_to_json(step.where)),
            **_unless(Form.SQL_PATH.value, form=step.form.value),
            **_unless("UTC", zone=step.zone),
        }
    if isinstance(step, InvalidDelete):
        return {"step": "bad_delete", "blunder": step.mistake.value}
    if isinstance(step, Vacuum):
        return {
            "step": "vacuum",
            **_unless(None, retain_hours=_hours_to_json(step.retain_hours)),
            **_unless(False, dry_run=step.dry_run),
            **_unless(True, safety_check=step.safety_check),
            **_unless(True, logging=step.logging),
            **_unless(Mode.DEFAULT.value, mode=step.mode.value),
            **_unless(Inventory.COMPLETE.value, inventory=step.inventory.value),
            **_unless(VacuumForm.SQL_PATH.value, form=step.form.value),
            **_unless(False, parallel=step.parallel),
            **_unless(None, io_fault=None if step.io_fault is None else step.io_fault.value),
            **_unless(None, faulty_path=step.faulty_path),
        }
    if isinstance(step, InvalidVacuum):
        return {"step": "bad_vacuum", "blunder": step.mistake.value, **_unless(False, dry_run=step.dry_run)}
    if isinstance(step, Read):
        return {"step": "read", **_unless(None, before_step=step.before_step)}
    if isinstance(step, ReadChanges):
        return {"step": "read_changes", "of_step": step.of_step}
    if isinstance(step, SetClock):
        by = step.to.removed_by_step
        return {"step": "set_clock", "to": {"offset": step.to.offset, **_unless(None, removed_by_step=by)}}
    if isinstance(step, Append):
        return {"step": "append", "files": [_file_to_json(file) for file in step.files]}
    return {"step": "litter", "strays": [_stray_to_json(stray) for stray in step.stray_files]}


def _condition_to_json(where: Predicate | None) -> Json | None:
    return None if where is None else predicate_to_json(where)


def _hours_to_json(hours: float | None) -> float | int | None:
    # 0 and 0.0 are the same retention: equal cases must have one text.
    return int(hours) if hours is not None and float(hours).is_integer() else hours
