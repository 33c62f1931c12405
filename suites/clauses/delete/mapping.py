"""DEL-MAP: column mapping, where files and actions name columns by their physical names.

Source: [P] PROTOCOL.md, "Column Mapping".
"""

from __future__ import annotations

from deltalog.actions import Add, Cdc, Remove
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, each, one
from harness.expectations import ByReplay, ColumnsStored, Expectation, KeysAre, Readable
from harness.observation import DeleteObservation
from model.layout import physical_name
from model.table import Feature
from suites.clauses.reading import left_wrong


@clause(
    "DEL-MAP-1A",
    "With column mapping, partition values of adds, removes and change files are keyed by physical names.",
    of=DeleteObservation,
    sources=("P Column Mapping",),
    needs=(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
)
def physical_partitions(d: DeleteObservation) -> Judgement:
    if not d.table.maps_columns or not d.table.partition_by:
        return NOT_EXERCISED
    names = {physical_name(d.table, name) for name in d.table.partition_by}

    def problem(action: Add | Remove | Cdc) -> Violation | None:
        keys, path = set(action.partition_values or {}), action.file
        # Which of the NULL ones a remove leaves out is DEL-REM-1C's to judge.
        if keys <= names:
            return None
        return Violation(
            path,
            f"{path} has partition values for {sorted(keys)}; the physical names are {sorted(names)}.",
            KeysAre(type(action).__name__.lower(), "partitionValues", sorted(names), all=False),
        )

    subjects: list[Add | Remove | Cdc] = [*d.adds, *d.removes, *d.change_files]
    return each(subjects, problem)


@clause(
    "DEL-MAP-1B",
    "With column mapping, the data files that a DELETE writes name their columns by physical names, and in id mode carry the field ids.",
    of=DeleteObservation,
    sources=("P Column Mapping",),
    needs=(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
)
def physical_columns(d: DeleteObservation) -> Judgement:
    if not d.table.maps_columns:
        return NOT_EXERCISED
    stored = {
        physical_name(d.table, column.name): index
        for index, column in enumerate(d.table.columns, start=1)
        if column.name not in d.table.partition_by
    }
    by_id = d.table.has(Feature.COLUMN_MAPPING_ID)

    def problem(add: Add) -> Violation | None:
        expectation: Expectation
        found = d.after.columns.get(add.file)
        if found is None:
            return Violation(add.file, f"{add.file} cannot be read.", Readable())
        # Files may hold more: Delta stores partition columns and columns of its own along with the data.
        logical = sorted({column.name for column in d.table.columns} & set(found))
        missing = sorted(set(stored) - set(found))
        if logical or missing:
            wrong = f"stores {', '.join(logical)}" if logical else f"lacks {', '.join(missing)}"
            expectation = ColumnsStored(sorted(stored), sorted(column.name for column in d.table.columns))
            return Violation(add.file, f"{add.file} {wrong}: it must use physical names.", expectation)
        others = sorted(name for name, id in stored.items() if (by_id or found[name] is not None) and found[name] != id)
        if others:
            expectation = ByReplay("field ids are in the footers of Parquet files")
            return Violation(add.file, f"{add.file} stores {', '.join(others)} under another field id.", expectation)
        return None

    return each(d.written, problem)


@clause(
    "DEL-MAP-1C",
    "With column mapping, the rows after a DELETE are those before it minus the matching ones, through renamed and dropped columns.",
    of=DeleteObservation,
    sources=("P Column Mapping",),
    needs=(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
)
def mapped_rows(d: DeleteObservation) -> Judgement:
    if not d.table.maps_columns or not d.prediction.commits:
        return NOT_EXERCISED
    return one(left_wrong(d))
