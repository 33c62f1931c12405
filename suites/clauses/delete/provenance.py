"""DEL-INFO-2 to DEL-INFO-4: what the commit of a DELETE records of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation
from model.semantics.domains import difference
from model.text.sql import sql
from model.vocabulary.predicate import Compare, columns_of, verbatim_tests
from model.vocabulary.steps import Form, Literals
from model.vocabulary.values import Type
from records.expectations import ByReplay
from suites.clauses.delete.recorded_predicate import is_simple, readings
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.provenance import check_names, fields

RECORDS = clauses_of("DEL-INFO-2", "DEL-INFO-3")


@clause(
    "DEL-INFO-4",
    "The predicate in operationParameters is the condition of the DELETE: it names the columns of the condition and no others, and a whole number that a column is compared with; operationParameters have no other entry.",
    sources=("S0", "C 2.4"),
    harm=harms.WRONG_OPERATION,
    implementation="spark",
)
def predicate_is_the_condition(d: DeleteObservation) -> Judgement:
    """An optimizer may simplify a condition that is the same for all rows that a table can have, so its text is not judged."""
    if not d.commits:
        return NOT_EXERCISED
    truncates = d.step.form is Form.TRUNCATE
    wrong_names = check_names(d.commits[0], "operationParameters", () if truncates else ("predicate",))
    if wrong_names is not None or truncates:
        return judgement(wrong_names)
    text = _recorded(d)
    if text is None:
        return judgement(_wrong(d, f"it is not a JSON array of one text: {_parameter(d)!r}"))
    where = d.step.where
    if where is None:
        return judgement(None if text == "true" else _wrong(d, f"there is no condition, and it is {text!r}"))
    if (
        verbatim_tests(where)
        or "#" in sql(where)
        or any("#" in column.name for column in d.table.columns)
        or "more fields" in text
    ):
        return NOT_EXERCISED  # an id is written behind a #, of a function's own variables too; long lists are cut
    expected, rest, named = sorted(columns_of(where), key=len, reverse=True), text, 0
    for name in expected:
        rest, count = re.subn(rf"(?<!\w){re.escape(name)}#\d+L?", " ", rest)
        named += count
    rest = re.sub(r"\)#\d+", ")", rest)  # the id of a function's call; the name of a column may end so too
    foreign = re.findall(r"(?<!\S)\S*#\d+L?", rest)
    if foreign:
        return judgement(_wrong(d, f"it names {foreign[0]}, which the condition does not"))
    if not d.is_constant and expected and not named:
        return judgement(_wrong(d, f"it names none of the columns {', '.join(expected)}: {text!r}"))
    whole = isinstance(where, Compare) and where.type in _WHOLE and d.step.literals is not Literals.EXPONENTS
    number = str(where.value) if isinstance(where, Compare) and whole and named else None
    lacks = number is not None and not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", rest)
    return judgement(_wrong(d, f"it lacks the number {number}: {text!r}") if lacks else None)


_WHOLE = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG)


@clause(
    "DEL-INFO-2D",
    "The predicate in operationParameters means the same as the condition of the DELETE: both are TRUE for the same values, tried with the values of the table, the constants in both, and values next to these.",
    sources=("S0", "C 2.4"),
    harm=harms.WRONG_OPERATION,
    implementation="spark",
)
def predicate_means_the_condition(d: DeleteObservation) -> Judgement:
    """Judged are conditions without functions, and texts that can be read; of several readings one must mean the same."""
    where, text = d.step.where, _recorded(d)
    if where is None or text is None or not is_simple(where) or any("#" in column.name for column in d.table.columns):
        return NOT_EXERCISED
    found = readings(text, {column.name: column.type for column in d.table.columns}, where, d.step.zone)
    if not found:
        return NOT_EXERCISED
    rows = [row for file in d.live_files for row in file.visible]
    differing = [difference(where, reading, d.table.columns, rows, d.step.zone) for reading in found]
    if None in differing:
        return judgement(None)
    values = ", ".join(f"{name} = {value!r}" for name, value in (differing[0] or {}).items())
    return judgement(_wrong(d, f"{text!r} and {sql(where, d.step.zone, d.step.literals)} differ for {values}"))


def _parameter(d: DeleteObservation) -> object:
    """The predicate among the operationParameters."""
    parameters = fields(d.commits[0]).get("operationParameters") if d.commits else None
    return parameters.get("predicate") if isinstance(parameters, Mapping) else None


def _recorded(d: DeleteObservation) -> str | None:
    """The text of the predicate; None unless it is a JSON array of one text."""
    try:
        (text,) = json.loads(str(_parameter(d)))
    except (ValueError, TypeError, RecursionError):
        return None
    return text if isinstance(text, str) else None


def _wrong(d: DeleteObservation, problem: str) -> Violation:
    message = f"The predicate in commitInfo must be the condition of the DELETE; {problem}."
    reason = "the text of a predicate has ids that differ in each run"
    return Violation("commitInfo", message, ByReplay(reason), evidence.of_delete(d))
