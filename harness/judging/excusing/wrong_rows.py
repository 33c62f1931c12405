"""Kinds of wrong rows that a known fault may be bound to (``symptom.of``): every row that the table lacks after the step,
or has too much, is of the kind, and every file that a step took away; so is every change too many.

So another fault with the same outcome in the same step is none: it loses or leaves other rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from deltalog.entries.actions import Add
from harness.judging.excusing.command_conditions import (
    commands,
    deletes,
    has_required_fields,
    is_plain_like,
    opened_by,
    places_tested,
    tests,
    untyped_decimals,
    zero_signs,
)
from harness.judging.excusing.declarations import wrong_rows
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.table.table_state import Rows, TableState
from model.prediction.delete import matches
from model.text.layout import physical_name
from model.vocabulary.commands import Overwrite, Update
from model.vocabulary.steps import Delete
from model.vocabulary.values import Type
from shapes import told
from shapes.told import only_if


def _rows_in(state: TableState, paths: Iterable[str]) -> Rows:
    """The visible rows of live files; none of those that cannot be read."""
    return Counter(row for path in paths for _, row in state.visible(path) or ())


@wrong_rows("rows committed since the session opened")
def _committed_since_opened(observation: Observation) -> bool:
    """Whether all is as it should be in the files of the version that the session opened: no row of them is left that must go,
    and none is lost, nor any of these files."""
    opened = opened_by(observation)
    if opened is None:
        return False
    since = [path for path in observation.before.live if path not in opened.before.live]
    lost = [path for path in observation.vanished if path in opened.before.live and path in observation.before.live]
    if observation.after.rows is None:
        return not lost
    left = _rows_in(observation.after, (path for path in since if path in observation.after.live))
    return not lost and not observation.missing_rows and observation.unexpected_rows <= left


def _wheres(observation: Observation) -> list[Delete]:
    """DELETEs with the conditions of the commands at hand."""
    others: list[Overwrite | Update] = [*commands(observation, Overwrite), *commands(observation, Update)]
    return [*deletes(observation), *(Delete(command.where) for command in others if command.where is not None)]


@wrong_rows("rows for which the condition is NULL")
def _null_condition(observation: Observation) -> bool:
    """Whether no row is left that must go, and the condition is NULL for every row that is lost."""
    steps, table = _wheres(observation), observation.table
    return not observation.unexpected_rows and all(
        any(matches(step, table, row) is None for step in steps) for row in observation.missing_rows
    )


def _wrong(observation: Observation) -> Rows:
    return observation.missing_rows + observation.unexpected_rows


def _each_has(rows: Rows, places: Iterable[int], holds: Callable[[Any], bool]) -> bool:
    """Whether each of the rows has such a value in one of these places."""
    return all(any(holds(row[place]) for place in places) for row in rows)


@wrong_rows("rows whose struct is NULL", only_if(told.has_type("struct")))
def _null_struct(observation: Observation) -> bool:
    places = places_tested(observation, has_required_fields)
    return _each_has(_wrong(observation), places, lambda value: value is None)


@wrong_rows("rows that a plain LIKE names")
def _named_by_plain_like(observation: Observation) -> bool:
    names = [column.name for column in observation.table.columns]
    tested = [(names.index(test.column), test.pattern) for test in tests(observation) if is_plain_like(test)]
    return all(any(row[place] == pattern for place, pattern in tested) for row in _wrong(observation))


@wrong_rows("rows with a zero", only_if(told.has_float))
def _has_zero(observation: Observation) -> bool:
    """Whether no row is lost, and every row that is left has a zero in a column that is tested."""
    places = places_tested(observation)
    return not observation.missing_rows and _each_has(
        observation.unexpected_rows, places, lambda value: any(True for _ in zero_signs(value))
    )


@wrong_rows("rows with a DECIMAL as users write it")
def _has_untyped_decimal(observation: Observation) -> bool:
    """Whether every wrong row has, in a column that is tested, a DECIMAL that the condition names without its type, or the one
    that becomes of it if it is made of a DOUBLE by a multiplication."""
    named = set(untyped_decimals(observation))
    named |= {_made_of_a_double(number) for number in named}
    return _each_has(_wrong(observation), places_tested(observation), named.__contains__)


def _made_of_a_double(number: Decimal) -> Decimal:
    """12345678901234567 hundredths are no DOUBLE: 123456789012345.67 becomes 123456789012345.68."""
    scale = -int(number.as_tuple().exponent)
    return Decimal(round(float(number) * 10.0**scale)).scaleb(-scale)


@wrong_rows("rows removed by another spelling")
def _removed_by_another_spelling(observation: Observation) -> bool:
    """Whether no row is lost, and every row that is left is in a file that was removed by another spelling of its path."""
    state = observation.before
    removed = {row for path in state.facts.spelled_otherwise for row in state.contents.get(path) or ()}
    return not observation.missing_rows and observation.unexpected_rows.keys() <= removed


@wrong_rows("rows of files left alone")
def _in_files_left_alone(observation: Observation) -> bool:
    """Whether every row that is left is in a file that the step did not touch, and none is lost, but those that an UPDATE would
    have made of them."""
    alone = (path for path in observation.before.live if path in observation.after.live)
    lost, left = observation.missing_rows.total(), observation.unexpected_rows
    updated = left.total() if commands(observation, Update) else 0
    return left <= _rows_in(observation.after, alone) and lost == updated


@wrong_rows("changes of rows that stay")
def _told_of_rows_that_stay(observation: Observation) -> bool:
    """Whether a DELETE leaves the right rows, and its change files have each deleted row, and beside them rows that stay, of
    the files that it rewrites."""
    if not isinstance(observation, DeleteObservation) or not observation.has_its_rows:
        return False
    files = (observation.after.changes.get(cdc.file) or () for cdc in observation.change_files)
    listed = Counter(row for rows in files for row, _ in rows)
    rewritten = observation.removed & observation.before.live.keys()
    return observation.prediction.deleted <= listed <= _rows_in(observation.before, rewritten)


def has_empty_text(observation: Observation, add: Add, *, of_strings: bool) -> bool:
    """Whether the log has "" as the file's value of a STRING partition column, or of one of another type: it is NULL, and some
    engines take it for ''."""
    table = observation.table
    columns = (column for column in table.partition_columns if (column.type is Type.STRING) is of_strings)
    return any(add.partition_values.get(physical_name(table, column.name)) == "" for column in columns)


@wrong_rows("rows of an empty text as a partition", only_if(told.partitions_by("string")))
def _of_an_empty_text(observation: Observation) -> bool:
    """Whether every wrong row is in a file whose value of a STRING partition column is "" in the log."""
    state = observation.before
    paths = [path for path, add in state.live.items() if has_empty_text(observation, add, of_strings=True)]
    return _wrong(observation).keys() <= _rows_in(state, paths).keys()
