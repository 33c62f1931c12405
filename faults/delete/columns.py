"""Faults of DELETE on tables with unusual columns, and of its forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from deltalog.values.schemas import Field, parse_schema, widened_columns
from deltalog.values.statistics import bounds_of, is_single
from engines.port import Outcome
from faults.delete.deletes import first_untouched
from faults.machinery import actions
from faults.machinery.fault import Tamper, delete_fault, when
from faults.machinery.members import raised
from faults.machinery.rows import lose_values
from faults.machinery.tampering import Tampering
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Form
from model.vocabulary.table import Feature
from reference_engine.view import View

#: Every other type counts as unusual.
_USUAL = ("string", "byte", "short", "integer", "long", "boolean", "date")

#: Every spelling of a path but the plain one.
_SPELLINGS = tuple(spelling for spelling in Spelling if spelling is not Spelling.PLAIN)

_MAPPING = {"delta.columnMapping.id", "delta.columnMapping.physicalName"}


def _lose_column(affected: Callable[[Field], bool]) -> Tamper:
    """Make NULL the first column that is affected and has values."""
    return lose_values(lambda t: [field.stored_name for field in t.log.fields if affected(field)])


def _lose_constrained(t: Tampering) -> None:
    has_checks = any(key.startswith("delta.constraints.") for key in t.log.configuration)
    _lose_column(lambda field: has_checks or bool(field.metadata.keys() - _MAPPING) or not field.nullable)(t)


def _added_columns(t: Tampering) -> list[str]:
    """The columns that the first version of the table does not have."""
    first = t.log.first_definition
    names = {field.name for field in parse_schema(first.schema_string)} if first else set()
    return [field.stored_name for field in t.log.fields if names and field.name not in names]


def _widened_columns(t: Tampering) -> list[str]:
    """The columns that had another type in the first version of the table."""
    first = t.log.first_definition
    types = {field.name: field.type for field in parse_schema(first.schema_string)} if first else {}
    return [field.stored_name for field in t.log.fields if types.get(field.name, field.type) != field.type]


def _has_narrow_bounds(t: Tampering) -> bool:
    """Whether a removed file has bounds that were FLOATs, and are other numbers than the DOUBLEs of its rows."""
    names = widened_columns(t.log.fields, "float", "double")
    return any(
        not is_single(bound) for add in t.log.removed_adds.values() for bound in bounds_of(add.get("stats"), names)
    )


def _has_empty_nulls(t: Tampering) -> bool:
    """Whether a removed file has a partition value that is NULL, written as the empty string."""
    return any("" in add["partitionValues"].values() for add in t.log.removed_adds.values())


def _lacks_bounds(t: Tampering) -> bool:
    """Whether the statistics of a removed file have bounds of some columns only, and there is more than one data column."""
    names = {field.stored_name for field in t.log.fields if field.type in _USUAL} - set(t.log.partition_by)
    texts = [text for add in t.log.removed_adds.values() if (text := add.get("stats"))]
    found = [json.loads(text).get("minValues", {}).keys() & names for text in texts]
    return any(0 < len(bounded) < len(names) for bounded in found)


def _read_before(t: Tampering) -> Outcome:
    """The session reads the rows before the DELETE."""
    view = View(t.before)
    rows = tuple(row for add in view.live.values() for row in view.visible(add))
    return replace(t.outcome, cached_rows=rows)


# fmt: off
FAULTS = (
    delete_fault("forgets-a-ruled-column", "DEL-GEN-1A", _lose_constrained,
        "A generated, identity or constrained column, or one with a default, is NULL after a rewrite."),
    delete_fault("forgets-a-rare-type", "DEL-GEN-1B", _lose_column(lambda field: field.type not in _USUAL),
        "A column of an unusual type is NULL after a rewrite."),
    delete_fault("forgets-an-added-column", "DEL-ROW-3", lose_values(_added_columns),
        "A column that the table did not have at first is NULL after a rewrite."),
    delete_fault("forgets-a-widened-column", "DEL-ROW-3", lose_values(_widened_columns),
        "A column that had a narrower type at first is NULL after a rewrite.", needs=[Feature.WIDENED]),
    delete_fault("skips-by-bounds-of-the-narrower-type", "DEL-ROW-1 DEL-ROW-5B",
        when(_has_narrow_bounds, actions.drop_last_remove),
        "A file is skipped whose bounds were FLOATs before the column became a DOUBLE.", needs=[Feature.WIDENED]),
    delete_fault("skips-files-with-bounds-of-some-columns", "DEL-ROW-1 DEL-ROW-5B",
        when(_lacks_bounds, actions.drop_last_remove),
        "A file is skipped whose statistics have bounds of some columns only."),
    delete_fault("leaves-files-with-an-empty-partition-value", "DEL-ALL-1 DEL-ROW-5B",
        when(_has_empty_nulls, actions.drop_last_remove),
        "A file stays whose partition value is NULL, written as the empty string.", needs=["empty_nulls"]),
    delete_fault("forgets-an-odd-name", "DEL-GEN-1C",
        _lose_column(lambda field: not field.name.isascii() or not field.name.isalnum()),
        "A column with an unusual name is NULL after a rewrite."),
    delete_fault("forgets-columns-of-wide-tables", "DEL-GEN-1D",
        lose_values(lambda t: [field.stored_name for field in t.log.fields[50:] if len(t.log.fields) >= 100]),
        "A table of more than a hundred columns loses the values of one beyond the fiftieth."),
    delete_fault("deletes-more-by-name", "DEL-NAME-1",
        when(lambda t: t.delete.form is not Form.SQL_PATH, actions.remove(first_untouched)),
        "A DELETE in another form than SQL by path removes one file too many."),
    delete_fault("counts-otherwise-by-name", "DEL-NAME-1",
        when(lambda t: t.delete.form is not Form.SQL_PATH, actions.metrics("DELETE", raised("numCopiedRows"))),
        "A DELETE in another form than SQL by path counts one more copied row."),
    delete_fault("deletes-more-by-a-spelled-path", "DEL-NAME-2",
        when(lambda t: t.delete.spelling is not Spelling.PLAIN, actions.remove(first_untouched)),
        "A DELETE by another spelling of the table's path removes one file too many.", needs=_SPELLINGS),
    delete_fault("keeps-cached-rows", "DEL-CACHE-1", when(lambda t: t.outcome.cached_rows is not None, _read_before),
        "After a DELETE a session that has cached the table still reads the deleted rows.", needs=["caches"]),
)
# fmt: on
