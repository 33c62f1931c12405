"""DEL-GEN and DEL-NAME: whatever the columns are, and however the DELETE is said, it does the same.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import Succeeds
from harness.observation import DeleteObservation
from model.delete import DeleteMethod
from model.steps import Form
from model.values import AnyType, Type, Value, is_nested
from suites.clauses.delete.files import removed_exactly
from suites.clauses.reading import left_wrong

#: More columns than statistics are kept of, and than any test by hand has.
MANY_COLUMNS = 100


@clause(
    "DEL-GEN-1A",
    "Generated, identity, defaulted, NOT NULL and check-constrained columns do not change what a DELETE deletes, nor the values that stay.",
    of=DeleteObservation,
    sources=("P Generated Columns", "P Identity Columns", "P Default Columns", "P CHECK Constraints", "C 3"),
    needs=("column_rules",),
)
def rules_of_columns(d: DeleteObservation) -> Judgement:
    ruled = d.table.checks or any(
        column.generated_from or column.identity or column.default or not column.nullable for column in d.table.columns
    )
    return one(left_wrong(d)) if ruled and d.prediction.commits else NOT_EXERCISED


@clause(
    "DEL-GEN-1B",
    "Values of every type survive a DELETE that rewrites their file: nested ones, NaN, infinities, decimals, times, bytes, empty strings.",
    of=DeleteObservation,
    sources=("P Delta Data Type to Parquet Type Mappings", "C 3"),
)
def values_of_every_type(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.REWRITE:
        return NOT_EXERCISED
    types = [column.type for column in d.table.columns]
    told = any(_is_special(value, type) for _, row in d.prediction.survivors for value, type in zip(row, types))
    return one(left_wrong(d)) if told else NOT_EXERCISED


def _is_special(value: Value, type: AnyType) -> bool:
    """Whether a value is of a kind that rewriting could spoil: all but short strings, whole numbers, booleans, recent dates."""
    if value is None:
        return False
    if is_nested(type) or type not in (
        Type.STRING,
        Type.BYTE,
        Type.SHORT,
        Type.INTEGER,
        Type.LONG,
        Type.BOOLEAN,
        Type.DATE,
    ):
        return True
    return value == "" or (isinstance(value, str) and len(value) > 32)


@clause(
    "DEL-GEN-1C",
    "Columns named like an engine's own, or with spaces, dots, quotes or other letters, are columns like any others.",
    of=DeleteObservation,
    sources=("C 3",),
)
def names_of_columns(d: DeleteObservation) -> Judgement:
    odd = any(
        not column.name.isascii() or not column.name.isalnum() or column.name in _INTERNAL for column in d.table.columns
    )
    return one(left_wrong(d)) if odd and d.prediction.commits else NOT_EXERCISED


#: Fields of Delta's own actions, and names that engines give to columns of their own.
_INTERNAL = ("path", "size", "stats", "add", "remove", "input_file_name", "rowIndexCol", "filePath", "dataChange")


@clause(
    "DEL-GEN-1D",
    "A table of a hundred columns and more is deleted from like any other.",
    of=DeleteObservation,
    sources=("C 3",),
)
def wide_tables(d: DeleteObservation) -> Judgement:
    wide = len(d.table.columns) >= MANY_COLUMNS
    return one(left_wrong(d)) if wide and d.prediction.commits else NOT_EXERCISED


@clause(
    "DEL-NAME-1",
    "By path or by name, through SQL or DeltaTable, as a string or a Column: the same DELETE commits the same.",
    of=DeleteObservation,
    sources=("S0", "S1"),
    needs=(Form.SQL_NAME, Form.SQL_MANAGED, Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME),
)
def said_otherwise(d: DeleteObservation) -> Judgement:
    """What is the same: the files that it touches, and the rows that it leaves. TRUNCATE TABLE is DELETE without a condition."""
    if d.step.form is Form.SQL_PATH:
        return NOT_EXERCISED
    touched = {remove.file for remove in d.removes}
    if d.refused or touched != d.prediction.touched:
        message = (
            f"{d.step.form.value}: the DELETE must touch {sorted(d.prediction.touched)}; it touched {sorted(touched)}."
        )
        return one(Violation("step", message, Succeeds() if d.refused else removed_exactly(d)))
    return one(left_wrong(d))
