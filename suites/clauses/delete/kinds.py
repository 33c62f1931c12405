"""DEL-GEN and DEL-NAME: a DELETE does the same whatever the columns are and in whichever form it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause
from harness.observing.steps.observation import DeleteObservation
from harness.observing.table.table_state import Rows
from model.prediction.delete import DeleteMethod
from model.vocabulary.predicate import columns_of
from model.vocabulary.rules import SPARK
from model.vocabulary.severity import Severity
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Form
from model.vocabulary.table import Column
from model.vocabulary.values import AnyType, Row, Type, Value, is_nested
from records.expectations import ByReplay, Succeeds
from suites.clauses.delete.files import removed_exactly
from suites.clauses.delete.metrics import expected_metrics
from suites.clauses.shared import harms
from suites.clauses.shared.causes import NEEDLESS_REWRITE, rows_left
from suites.clauses.shared.checks import check_rows_left

#: More columns than statistics are collected for.
MANY_COLUMNS = 100


@clause(
    "DEL-GEN-1A",
    "Generated, identity, defaulted, NOT NULL and check-constrained columns do not change which rows a DELETE deletes, nor the values that remain.",
    sources=("P Generated Columns", "P Identity Columns", "P Default Columns", "P CHECK Constraints", "C 3"),
    harm=harms.ROWS_LOST_OR_CHANGED,
    needs=("column_rules",),
)
def rules_of_columns(d: DeleteObservation) -> Judgement:
    checked = frozenset().union(*(columns_of(check) for check in d.table.checks))

    def is_ruled(column: Column) -> bool:
        rules = column.generated_from, column.identity, column.default, not column.nullable
        return any(rules) or column.name in checked

    return _values_left(d, [column.name for column in d.table.columns if is_ruled(column)])


def _values_left(d: DeleteObservation, names: Sequence[str]) -> Judgement:
    """The values of these columns must be those of the rows that are left; not exercised without any."""
    if not names or not d.prediction.commits:
        return NOT_EXERCISED
    wrong = check_rows_left(d)
    places = [place for place, column in enumerate(d.table.columns) if column.name in names]

    def values(rows: Rows) -> Counter[Row]:
        found: Counter[Row] = Counter()
        for row, count in rows.items():
            found[tuple(row[place] for place in places)] += count
        return found

    if wrong is None or (d.after.rows is not None and values(d.after.rows) == values(d.expected_rows)):
        return judgement(None)
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    return judgement(replace(wrong, message=f"{wrong.message} The values of {shown} differ."))


#: So many columns are named in a message.
_SHOWN = 3


@clause(
    "DEL-GEN-1B",
    "Values of every type survive a DELETE that rewrites their file: nested ones, NaN, infinities, decimals, times, bytes, empty strings.",
    sources=("P Delta Data Type to Parquet Type Mappings", "C 3"),
    harm=harms.ROWS_LOST_OR_CHANGED,
)
def values_of_every_type(d: DeleteObservation) -> Judgement:
    if d.prediction.method is not DeleteMethod.REWRITE:
        return NOT_EXERCISED
    rows = [row for _, row in d.prediction.survivors]
    special = [
        column.name
        for place, column in enumerate(d.table.columns)
        if any(_is_special(row[place], column.type) for row in rows)
    ]
    return _values_left(d, special)


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
    harm=harms.ROWS_LOST_OR_CHANGED,
)
def names_of_columns(d: DeleteObservation) -> Judgement:
    names = [column.name for column in d.table.columns]
    return _values_left(d, [one for one in names if not one.isascii() or not one.isalnum() or one in _INTERNAL])


#: Fields of Delta's actions, and names that engines give to internal columns.
_INTERNAL = ("path", "size", "stats", "add", "remove", "input_file_name", "rowIndexCol", "filePath", "dataChange")


@clause(
    "DEL-GEN-1D",
    "A DELETE from a table with a hundred columns or more works as on any other table.",
    sources=("C 3",),
    harm=harms.ROWS_LOST_OR_CHANGED,
)
def wide_tables(d: DeleteObservation) -> Judgement:
    wide = len(d.table.columns) >= MANY_COLUMNS
    return _values_left(d, [column.name for column in d.table.columns[_WITH_STATISTICS:]] if wide else [])


#: The first columns, as many as have statistics (delta.dataSkippingNumIndexedCols).
_WITH_STATISTICS = 32


@clause(
    "DEL-NAME-1",
    "The same DELETE commits the same in every form: by path, by name or through a view, with an alias or without, through SQL or DeltaTable, with its condition as a string or a Column.",
    sources=("S0", "S1"),
    harm=harms.WRITTEN_DIFFERENTLY,
    needs=tuple(form for form in Form if form not in (Form.SQL_PATH, Form.TRUNCATE)),
)
def forms(d: DeleteObservation) -> Judgement:
    """The same as by path in SQL: files, hidden rows, change files, operation, metrics and rows. TRUNCATE TABLE is DELETE
    without a condition, with an operation and metrics of its own.
    """
    return _as_in_sql(d, d.step.form.value) if d.step.form is not Form.SQL_PATH else NOT_EXERCISED


@clause(
    "DEL-NAME-2",
    "A DELETE commits the same for every spelling of its table's path: relative, with a scheme, with parts or slashes that change nothing, through a symbolic link.",
    sources=("S0", "S1"),
    harm=harms.WRITTEN_DIFFERENTLY,
    needs=tuple(spelling for spelling in Spelling if spelling is not Spelling.PLAIN),
)
def spellings(d: DeleteObservation) -> Judgement:
    spelling = d.step.spelling
    return _as_in_sql(d, f"a {spelling.value}") if spelling is not Spelling.PLAIN else NOT_EXERCISED


def _as_in_sql(d: DeleteObservation, how: str) -> Judgement:
    """It must do what a DELETE in SQL by the plain path does."""
    touched = d.removed
    if d.refused or touched != d.prediction.touched:
        message = f"The DELETE by {how} must touch {sorted(d.prediction.touched)}; it touched {sorted(touched)}."
        expectation = Succeeds() if d.refused else removed_exactly(d)
        return judgement(Violation("step", message, expectation, cause=rows_left(d, NEEDLESS_REWRITE)))
    wrong = check_rows_left(d)
    return judgement(wrong or (_other_commit(d, how) if d.prediction.commits else None))


def _other_commit(d: DeleteObservation, how: str) -> Violation | None:
    """What the commit says besides its removes: it must not depend on the form."""
    prediction, info = d.prediction, dict(d.info.fields) if d.info else {}
    metrics = info.get("operationMetrics")
    names = set(expected_metrics(d)) - {"numAddedBytes"}  # of files that differ from run to run
    due: dict[str, tuple[object, object]] = {
        "operation": ("TRUNCATE" if d.step.form is Form.TRUNCATE else "DELETE", info.get("operation")),
        "hidden rows": (prediction.hidden_rows, {add.file: d.after.hidden(add) for add in d.hidden_rows}),
    }
    if d.rules.implementation == SPARK.implementation:  # others have other names
        due["operationMetrics"] = (
            {name: str(value) for name, value in expected_metrics(d).items() if name in names},
            {name: metrics[name] for name in names & set(metrics)} if isinstance(metrics, Mapping) else None,
        )
    for what, (expected, found) in due.items():
        if expected != found:
            message = f"The DELETE by {how} must commit the {what} {expected}; it committed {found}."
            expectation = ByReplay("the DELETE is compared with one in SQL by the plain path")
            return Violation(
                "commit", message, expectation, cause=Cause(f"another commit: {what}", Severity.WRONG_NUMBERS)
            )
    return None
