"""Ways to tamper with the answer of a step: its rows, each of its columns, its error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from engines.port import Answer, EngineError, Outcome
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import Delete, ReadChanges, Vacuum
from selfcheck.tampering.way import Way

_Row = tuple[Any, ...]


def ways(t: Tampering) -> Iterator[Way]:
    """The ways for the rows, or for the error."""
    error = t.outcome.error
    if error is not None:
        yield from _of_error(error)
        return
    failed = EngineError("NullPointerException", None, None, "made up")
    yield _way("an error instead of rows", replace(t.outcome, rows=(), error=failed))
    memory = EngineError("OutOfMemoryError", None, None, "made up")
    yield _way("another error instead of rows", replace(t.outcome, rows=(), error=memory))
    cached = t.outcome.cached_rows
    if cached:
        yield _way("a cached row dropped", replace(t.outcome, cached_rows=cached[1:]))
        yield _way("a cached row doubled", replace(t.outcome, cached_rows=(*cached, cached[0])))
    for way, answer in t.outcome.answers.items():
        yield _way(f"an error of {way}", _answering(t, way, replace(answer, rows=(), error=failed)))
        if answer.rows and answer.rows != ((),):
            yield _way(f"a row of {way} dropped", _answering(t, way, replace(answer, rows=answer.rows[1:])))
            yield _way(
                f"a row of {way} doubled", _answering(t, way, replace(answer, rows=(*answer.rows, answer.rows[0])))
            )
    rows = t.outcome.rows
    if not rows:
        yield _way("a row made up", replace(t.outcome, rows=((1,),)))
        return
    yield _way("a row dropped", replace(t.outcome, rows=rows[1:]))
    yield _way("all rows dropped", replace(t.outcome, rows=()))
    yield _way("a row doubled", replace(t.outcome, rows=(*rows, rows[0])))
    if len(set(rows)) > 1:
        yield _way("order of rows reversed", replace(t.outcome, rows=rows[::-1]))
    for name, place in _columns(t, rows[0]):
        if rows[0][place] is None:
            continue  # NULL is what the other ways set
        yield _way(f"{name} changed", _first(t.outcome, lambda row, at=place: _put(row, at, _other(row[at]))))  # type: ignore[misc]
        yield _way(f"{name} set to NULL", _first(t.outcome, lambda row, at=place: _put(row, at, None)))  # type: ignore[misc]
        yield _way(f"{name} dropped", _all(t.outcome, lambda row, at=place: (*row[:at], *row[at + 1 :])))  # type: ignore[misc]
        yield _way(f"{name} doubled", _all(t.outcome, lambda row, at=place: (*row, row[at])))  # type: ignore[misc]


def _columns(t: Tampering, row: _Row) -> list[tuple[str, int]]:
    """The columns by name, with their places; of a table's own columns, the first."""
    if isinstance(t.step, (Delete, Vacuum)):
        names = ["num_affected_rows"] if isinstance(t.step, Delete) else ["path"]
        return [(names[place] if place < len(names) else f"column {place}", place) for place in range(len(row))]
    if isinstance(t.step, ReadChanges) and t.step.commits:
        return [("_commit_version", 0), ("_commit_timestamp", 1)]
    found = [("a column of the table", 0)]
    return [*found, ("_change_type", len(row) - 1)] if isinstance(t.step, ReadChanges) else found


def _of_error(error: EngineError) -> Iterator[Way]:
    yield Way("answer: no error", lambda t: replace(t.outcome, error=None), on_disk=False)
    others = {
        "exception changed": replace(error, exception="NullPointerException"),
        "exception changed, without class and SQLSTATE": EngineError("NullPointerException", None, None, error.message),
        "error class changed": replace(error, condition="INTERNAL_ERROR"),
        "error class dropped": replace(error, condition=None),
        "SQLSTATE changed": replace(error, sqlstate="XX000"),
        "SQLSTATE dropped": replace(error, sqlstate=None),
        "message changed": replace(error, message="made up"),
    }
    for name, other in others.items():
        if other != error:
            yield Way(f"answer: {name}", lambda t, other=other: replace(t.outcome, error=other), on_disk=False)  # type: ignore[misc]


def _way(name: str, outcome: Outcome) -> Way:
    return Way(f"answer: {name}", lambda t: outcome, on_disk=False)


def _answering(t: Tampering, way: str, answer: Answer) -> Outcome:
    return replace(t.outcome, answers={**t.outcome.answers, way: answer})


def _put(row: _Row, place: int, value: Any) -> _Row:
    return (*row[:place], value, *row[place + 1 :])


def _other(value: Any) -> Any:
    """Another value, of the same type where that is easy."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "x"


def _first(outcome: Outcome, change: Callable[[_Row], _Row]) -> Outcome:
    return replace(outcome, rows=(change(outcome.rows[0]), *outcome.rows[1:]))


def _all(outcome: Outcome, change: Callable[[_Row], _Row]) -> Outcome:
    return replace(outcome, rows=tuple(map(change, outcome.rows)))
