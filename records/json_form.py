"""The records of a run as JSON, and back, with cattrs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, cast, get_args

from cattrs import Converter, override
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from model.vocabulary import rules
from records import expectations, run
from records.expectations import Expectation, kind_of
from records.run import ClauseResult, Header, Observed, RecordedCase, RecordedStep, Verdict

T = TypeVar("T")

#: Fields that have another name as JSON.
RENAMED: Mapping[type, Mapping[str, str]] = {RecordedCase: {"document": "case"}}

#: Fields that are left out where they have their default; all others are always written.
LEFT_OUT: Mapping[type, Collection[str]] = {
    Header: (
        *("date", "option", "budget_share", "left_out", "known_faults", "shard", "machines", "rules", "rule_changes"),
        *("interpreter", "options", "suite", "like", "pair"),
    ),
    run.ShapeOfTables: ("has", "lacks", "faults", "spared"),
    run.ListedFault: ("link", "concerns", "tables"),
    Observed: tuple(one.name for one in fields(Observed) if one.name != "version"),
    run.RecordedOutcome: ("answer", "second"),
    RecordedStep: ("clock", "cutoff", "side", "pattern", "aside"),
    run.RecordedViolation: ("severity", "turn"),
    run.InTurn: ("inherited", "also_alone"),
    RecordedCase: ("left", "shape"),
}

#: Fields that are JSON already, and pass as they are.
_PLAIN: Mapping[type, Collection[str]] = {
    RecordedCase: ("document", "coverage"),
    run.RecordedOutcome: ("rows",),
    run.SecondAnswer: ("rows",),
    run.RecordedCommit: ("values",),
}

#: The steps that do not write: neither commits nor deletions are recorded.
_READING = ("read", "readchanges", "opensession")

#: The kinds of expectation by name.
KINDS: Mapping[str, type] = {kind_of(kind): kind for kind in get_args(Expectation)}

_CONVERTER = Converter(detailed_validation=False, unstruct_collection_overrides={Sequence: list})
_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def _as_it_is(value: Any, _: object = None) -> Any:
    return value


def _overrides(kind: type) -> dict[str, Any]:
    plain = _PLAIN.get(kind, ())
    return {
        one.name: override(
            rename=RENAMED.get(kind, {}).get(one.name),
            omit_if_default=one.name in LEFT_OUT.get(kind, ()),
            unstruct_hook=_as_it_is if one.name in plain else None,
            struct_hook=_as_it_is if one.name in plain else None,
        )
        for one in fields(kind)
    }


def expectation_to_json(expectation: Expectation | None) -> dict[str, Any] | None:
    """Its kind, and its fields by name: ``{"kind": "field-is", "expects": {"field": …}}``."""
    if expectation is None:
        return None
    return {"kind": kind_of(type(expectation)), "expects": _CONVERTER.unstructure(expectation)}


def expectation_from_json(document: Mapping[str, Any] | None, _: object = None) -> Expectation | None:
    """None too for one of another release, whose kind this one does not know, or not with these members."""
    if document is None or document["kind"] not in KINDS:
        return None
    try:
        return cast(Expectation, _CONVERTER.structure(document["expects"], KINDS[document["kind"]]))
    except (KeyError, TypeError, ValueError):
        return None


def _clause_result(document: Mapping[str, Any], _: object) -> ClauseResult:
    """By hand: they are most of what a stream has, and this takes a third of the time."""
    return ClauseResult(_VERDICTS[document["verdict"]], document["met"], document["subjects"], document["seconds"])


def _writer(kind: type) -> Callable[[Any], dict[str, Any]]:
    return make_dict_unstructure_fn(kind, _CONVERTER, **_overrides(kind))


def _reader(kind: type) -> Callable[[Mapping[str, Any], Any], Any]:
    return make_dict_structure_fn(kind, _CONVERTER, **_overrides(kind))


def _step_to_json(step: RecordedStep) -> dict[str, Any]:
    """Of a step that may write it says what is committed and deleted, even if it is nothing."""
    document = _whole_step(step)
    if step.kind not in _READING:
        written = {"version": list(step.observed.version), "operations": [], "vanished": []}
        document["observed"] = {**written, **document["observed"]}
    return document


for _kind in (*vars(run).values(), *vars(expectations).values(), *vars(rules).values()):
    if isinstance(_kind, type) and issubclass(_kind, Enum):
        _CONVERTER.register_unstructure_hook(_kind, lambda member: member.value)  # else, as a str, it stays what it is
_CONVERTER.register_unstructure_hook_factory(is_dataclass, _writer)
_CONVERTER.register_structure_hook_factory(is_dataclass, _reader)
_CONVERTER.register_unstructure_hook(Expectation | None, expectation_to_json)
_CONVERTER.register_structure_hook(Expectation | None, expectation_from_json)
_CONVERTER.register_structure_hook(float, _as_it_is)  # a number may be written without a fraction
_CONVERTER.register_unstructure_hook_func(lambda kind: kind == frozenset[str], sorted)
_CONVERTER.register_structure_hook(ClauseResult, _clause_result)
_whole_step = _writer(RecordedStep)
_CONVERTER.register_unstructure_hook(RecordedStep, _step_to_json)


def to_json(record: object) -> dict[str, Any]:
    """The record as a JSON object; of a line its type comes first."""
    document = cast("dict[str, Any]", _CONVERTER.unstructure(record))
    return {"type": document.pop("type"), **document} if "type" in document else document


def from_json(document: Mapping[str, Any], kind: type[T]) -> T:
    """The record of a document that the schema admits. Members that this release does not know are left out."""
    return _CONVERTER.structure(document, kind)
