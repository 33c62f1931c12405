"""DEL-MAP: column mapping, with which files and actions use the physical names of columns."""

from __future__ import annotations

from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.values.schemas import parse_schema
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause
from harness.observing.steps.observation import DeleteObservation
from model.text.layout import physical_name
from model.vocabulary.table import Feature
from records.expectations import ByReplay, ColumnsStored, Expectation, KeysAre, Readable
from suites.clauses.shared import harms
from suites.clauses.shared.causes import UNREADABLE
from suites.clauses.shared.checks import check_rows_left


@clause(
    "DEL-MAP-1A",
    "With column mapping, partition values of adds, removes and change files are keyed by physical names.",
    sources=("P Column Mapping",),
    harm=harms.WRONG_COLUMN_NAMES,
    needs=(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
)
def physical_partitions(d: DeleteObservation) -> Judgement:
    if not d.table.maps_columns or not d.table.partition_by:
        return NOT_EXERCISED
    names = {physical_name(d.table, name) for name in d.table.partition_by}

    def problem(action: Add | Remove | Cdc) -> Violation | None:
        keys, path = set(action.partition_values or {}), action.file
        # A NULL value that a remove leaves out is DEL-REM-1C's.
        if keys <= names:
            return None
        return Violation(
            path,
            f"{path} has partition values for {sorted(keys)}; the physical names are {sorted(names)}.",
            KeysAre(type(action).__name__.lower(), "partitionValues", sorted(names), all=False),
            cause=Cause("keys that are no physical names"),
        )

    subjects: list[Add | Remove | Cdc] = [*d.adds, *d.removes, *d.change_files]
    return each(subjects, problem)


@clause(
    "DEL-MAP-1B",
    "With column mapping, the data files that a DELETE writes use the physical names of columns, and in id mode have their field ids.",
    sources=("P Column Mapping",),
    harm=harms.WRONG_COLUMN_NAMES,
    needs=(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
)
def physical_columns(d: DeleteObservation) -> Judgement:
    if not d.table.maps_columns:
        return NOT_EXERCISED
    fields = parse_schema(d.before.snapshot.metadata.schema_string)
    stored = {field.stored_name: field.id for field in fields if field.name not in d.table.partition_by}
    by_id = d.table.has(Feature.COLUMN_MAPPING_ID)

    def problem(add: Add) -> Violation | None:
        expectation: Expectation
        found = d.after.columns.get(add.file)
        if found is None:
            return Violation(add.file, f"{add.file} must be readable; it cannot be read.", Readable(), cause=UNREADABLE)
        # Files may contain more: Delta stores partition columns and internal columns along with the data.
        logical = sorted({column.name for column in d.table.columns} & set(found))
        missing = sorted(set(stored) - set(found))
        if logical or missing:
            wrong = f"stores {', '.join(logical)}" if logical else f"lacks {', '.join(missing)}"
            expectation = ColumnsStored(sorted(stored), sorted(column.name for column in d.table.columns))
            return Violation(
                add.file,
                f"{add.file} must store the physical names {', '.join(sorted(stored))}; it {wrong}.",
                expectation,
                cause=Cause("other columns than the physical ones"),
            )
        others = sorted(name for name, id in stored.items() if (by_id or found[name] is not None) and found[name] != id)
        if others:
            expectation = ByReplay("field ids are in the footers of Parquet files")
            return Violation(
                add.file,
                f"{add.file} stores {', '.join(others)} with field ids other than those in the table's schema.",
                expectation,
                cause=Cause("other field ids"),
            )
        return None

    return each(d.written, problem)


@clause(
    "DEL-MAP-1C",
    "With column mapping, the rows after a DELETE are those before it minus the matching ones, also with renamed and dropped columns.",
    sources=("P Column Mapping",),
    harm=harms.ROWS_LOST_OR_CHANGED,
    needs=(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
)
def mapped_rows(d: DeleteObservation) -> Judgement:
    if not d.table.maps_columns or not d.prediction.commits:
        return NOT_EXERCISED
    return judgement(check_rows_left(d))
