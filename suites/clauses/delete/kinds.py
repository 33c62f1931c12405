"""DEL-GEN and DEL-NAME: a DELETE does the same whatever the columns are and in whichever form it is given."""

from __future__ import annotations

from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.expectations import Succeeds
from harness.observation import DeleteObservation
from model.delete import DeleteMethod
from model.steps import Form
from model.values import AnyType, Type, Value, is_nested
from suites.clauses.causes import NEEDLESS_REWRITE, rows_left
from suites.clauses.checks import check_rows_left
from suites.clauses.delete.files import removed_exactly

#: More columns than statistics are collected for.
MANY_COLUMNS = 100


@clause(
    "DEL-GEN-1A",
    "Generated, identity, defaulted, NOT NULL and check-constrained columns do not change which rows a DELETE deletes, nor the values that remain.",
    sources=("P Generated Columns", "P Identity Columns", "P Default Columns", "P CHECK Constraints", "C 3"),
    needs=("column_rules",),
)
def rules_of_columns(d: DeleteObservation) -> Judgement:
    ruled = d.table.checks or any(
        column.generated_from or column.identity or column.default or not column.nullable for column in d.table.columns
    )
    return judgement(check_rows_left(d)) if ruled and d.prediction.commits else NOT_EXERCISED


@clause(
    "DEL-GEN-1B",
    "Values of every type survive a DELETE that rewrites their file: nested ones, NaN, infinities, decimals, times, bytes, empty strings.",
    sources=("P Delta Data Type to Parquet Type Mappings", "C 3"),
)
def values_of_every_type(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.REWRITE:
        return NOT_EXERCISED
    types = [column.type for column in d.table.columns]
    special = any(_is_special(value, type) for _, row in d.prediction.survivors for value, type in zip(row, types))
    return judgement(check_rows_left(d)) if special else NOT_EXERCISED


def _is_special(value: Value, type: AnyType) -> bool:
    """Whether rewriting could corrupt a value: any but short strings, whole numbers, booleans and dates."""
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
    "Columns with names that an engine uses internally, or with spaces, dots, quotes or non-ASCII letters, are columns like any others.",
    sources=("C 3",),
)
def names_of_columns(d: DeleteObservation) -> Judgement:
    odd = any(
        not column.name.isascii() or not column.name.isalnum() or column.name in _INTERNAL for column in d.table.columns
    )
    return judgement(check_rows_left(d)) if odd and d.prediction.commits else NOT_EXERCISED


#: Fields of Delta's actions, and names that engines give to internal columns.
_INTERNAL = ("path", "size", "stats", "add", "remove", "input_file_name", "rowIndexCol", "filePath", "dataChange")


@clause(
    "DEL-GEN-1D",
    "A DELETE from a table with a hundred columns or more works as on any other table.",
    sources=("C 3",),
)
def wide_tables(d: DeleteObservation) -> Judgement:
    wide = len(d.table.columns) >= MANY_COLUMNS
    return judgement(check_rows_left(d)) if wide and d.prediction.commits else NOT_EXERCISED


@clause(
    "DEL-NAME-1",
    "By path or by name, through SQL or DeltaTable, with a condition as a string or a Column: the same DELETE commits the same.",
    sources=("S0", "S1"),
    needs=(Form.SQL_NAME, Form.SQL_MANAGED, Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME),
)
def forms(d: DeleteObservation) -> Judgement:
    """The same files are touched, and the same rows are left. TRUNCATE TABLE is DELETE without a condition."""
    if d.step.form is Form.SQL_PATH:
        return NOT_EXERCISED
    touched = {remove.file for remove in d.removes}
    if d.refused or touched != d.prediction.touched:
        message = f"The DELETE by {d.step.form.value} must touch {sorted(d.prediction.touched)}; it touched {sorted(touched)}."
        expectation = Succeeds() if d.refused else removed_exactly(d)
        return judgement(Violation("step", message, expectation, cause=rows_left(d, NEEDLESS_REWRITE)))
    return judgement(check_rows_left(d))
