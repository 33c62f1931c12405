"""The records of a run as JSON, and back, with cattrs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast, get_args

from cattrs import Converter, override
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from model.vocabulary.severity import Severity
from records import run
from records.expectations import Expectation, Measure, Of, Total, kind_of
from records.run import Footer, Header, JudgedCase, Step, Verdict

T = TypeVar("T")

#: Fields that have another name as JSON.
_RENAMED: Mapping[type, Mapping[str, str]] = {JudgedCase: {"document": "case"}}

#: Records of which a field is left out where it has its default; the others are written whole.
_SPARSE = (run.Observed, run.Outcome, run.Header)

#: The kinds of expectation by name.
KINDS: Mapping[str, type] = {kind_of(kind): kind for kind in get_args(Expectation)}

_CONVERTER = Converter(detailed_validation=False)
# cattrs leaves a member that is a text too as it is.
for _enum in (Measure, Of, Severity, Total, Verdict):
    _CONVERTER.register_unstructure_hook(_enum, lambda member: member.value)


def _overrides(kind: type) -> dict[str, Any]:
    renamed = _RENAMED.get(kind, {})
    sparse = kind in _SPARSE
    return {
        one.name: override(
            rename=renamed.get(one.name),
            omit_if_default=sparse and one.name not in ("type", "schema"),
        )
        for one in fields(kind)
    }


def expectation_to_json(expectation: Expectation | None) -> dict[str, Any] | None:
    """Its kind, and its fields by name: ``{"kind": "field-is", "expects": {"field": …}}``."""
    if expectation is None:
        return None
    return {"kind": kind_of(type(expectation)), "expects": _CONVERTER.unstructure(expectation)}


def _expectation(document: Mapping[str, Any] | None, _: object) -> Expectation | None:
    return (
        None
        if document is None
        else cast(Expectation, _CONVERTER.structure(document["expects"], KINDS[document["kind"]]))
    )


_CONVERTER.register_unstructure_hook(Expectation | None, expectation_to_json)
_CONVERTER.register_structure_hook(Expectation | None, _expectation)
for _kind in (
    *(run.ListedClause, run.ListedDeviation, run.PlannedCampaign, run.Header),
    *(run.EngineError, run.Outcome, run.Commit, run.Observed, run.Step, run.ClauseResult, run.Violation, run.CaseError),
    *(run.JudgedCase, run.ClauseVerdict, run.Footer),
):
    _CONVERTER.register_unstructure_hook(_kind, make_dict_unstructure_fn(_kind, _CONVERTER, **_overrides(_kind)))
    _CONVERTER.register_structure_hook(_kind, make_dict_structure_fn(_kind, _CONVERTER, **_overrides(_kind)))


def to_json(record: Header | JudgedCase | Footer | Step) -> dict[str, Any]:
    """The record as a JSON object."""
    return cast("dict[str, Any]", _CONVERTER.unstructure(record))


def from_json(document: Mapping[str, Any], kind: type[T]) -> T:
    """The record of a document that the schema admits. Members that this release does not know are left out."""
    return _CONVERTER.structure(document, kind)
