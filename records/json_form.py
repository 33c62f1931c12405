"""The records of a run as JSON, and back, by their types."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar, cast, get_args

from model.codec.by_types import TRUSTING, ByTypes, as_it_is
from records import run
from records.expectations import Expectation, kind_of
from records.run import ClauseResult, Header, Observed, RecordedCase, RecordedStep, Verdict

T = TypeVar("T")

#: The classes whose fields are left out where they have their default; of some only these fields. All others are always written.
_LEFT_OUT: Mapping[type, Collection[str] | None] = {
    **dict.fromkeys(
        (Header, run.ShapeOfTables, run.ListedFault, Observed, run.RecordedOutcome, RecordedStep, run.Asked, run.InTurn)
    ),
    run.RecordedViolation: ("severity", "turn"),
    RecordedCase: ("left", "shape"),
}


def left_out(kind: type, name: str) -> bool:
    """Whether a field is left out where it has its default. What says which line it is never is."""
    names = _LEFT_OUT.get(kind, ())
    return name not in ("type", "schema") if names is None else name in names


#: The steps that do not write: neither commits nor deletions are recorded.
_READING = ("read", "readchanges", "opensession")

#: The kinds of expectation by name.
KINDS: Mapping[str, type] = {kind_of(kind): kind for kind in get_args(Expectation)}

_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def expectation_to_json(expectation: Expectation | None) -> dict[str, Any] | None:
    """Its kind, and its fields by name: ``{"kind": "field-is", "expects": {"field": …}}``."""
    if expectation is None:
        return None
    return {"kind": kind_of(type(expectation)), "expects": FORM.write(expectation)}


def expectation_from_json(document: Mapping[str, Any] | None) -> Expectation | None:
    """None too for one of another release, whose kind this one does not know, or not with these members."""
    if document is None or document["kind"] not in KINDS:
        return None
    try:
        return cast(Expectation, FORM.read(document["expects"], KINDS[document["kind"]]))
    except (KeyError, TypeError, ValueError):
        return None


# By hand: they are most of what a stream has, and this takes half of the time.
def _read_result(document: Mapping[str, Any]) -> ClauseResult:
    return ClauseResult(_VERDICTS[document["verdict"]], document["met"], document["subjects"], document["seconds"])


def _write_result(one: ClauseResult) -> dict[str, Any]:
    return {"verdict": one.verdict.value, "met": one.met, "subjects": one.subjects, "seconds": one.seconds}


FORM = ByTypes(
    readers={
        **TRUSTING,
        Expectation | None: expectation_from_json,
        ClauseResult: _read_result,
        Sequence[Any] | None: as_it_is,
    },
    writers={Expectation | None: expectation_to_json, ClauseResult: _write_result},
    renamed={RecordedCase: {"document": "case"}},
    left_out=left_out,
    strict=False,
)
_write_step = FORM.writer(RecordedStep)


def _step_to_json(step: RecordedStep) -> dict[str, Any]:
    """Of a step that may write it says what is committed and deleted, even if it is nothing."""
    document: dict[str, Any] = _write_step(step)
    if step.kind not in _READING:
        written = {"version": list(step.observed.version), "operations": [], "vanished": []}
        document["observed"] = {**written, **document["observed"]}
    return document


FORM.writers[RecordedStep] = _step_to_json


def to_json(record: object) -> dict[str, Any]:
    """The record as a JSON object; of a line its type comes first."""
    document = cast("dict[str, Any]", FORM.write(record))
    return {"type": document.pop("type"), **document} if "type" in document else document


def from_json(document: Mapping[str, Any], kind: type[T]) -> T:
    """The record of a document that the schema admits. Members that this release does not know are left out."""
    return cast(T, FORM.read(document, kind))
