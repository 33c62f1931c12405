"""The JSON schema of a line of the run stream, made of the records and what their types ask for.

``python -m records.schema`` writes it to ``reports/schema/``, for others to read a stream by; a test says when that is due.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from inspect import cleandoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from records.json_form import FORM, KINDS, left_out
from records.run import SCHEMA_VERSION, Footer, Header, RecordedCase

#: Where the schema is published.
FILE = Path(__file__).parent.parent / "reports" / "schema" / f"run-{SCHEMA_VERSION}.json"

#: The lines of a stream, by their type.
LINES: Mapping[str, type[Header] | type[RecordedCase] | type[Footer]] = {
    "header": Header,
    "case": RecordedCase,
    "footer": Footer,
}

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: The types of JSON by name; a number may be written without a fraction.
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}


def run_schema() -> dict[str, Any]:
    """The schema of any line."""
    made = _Definitions()
    return {
        "$schema": _DIALECT,
        "$id": f"urn:tombstone:run-{SCHEMA_VERSION}",
        "title": f"One line of a run stream, schema version {SCHEMA_VERSION}",
        "description": "A stream is a header line, then one line for each judged case, then a footer line. Seconds are "
        "durations; of absolute times there is only the header's day.",
        "oneOf": [made.of(kind) for kind in LINES.values()],
        "$defs": made.found,
    }


def line_schema(type: str) -> dict[str, Any]:
    """The schema of a line of this type alone: its errors say more than those of one that may be any."""
    made = _Definitions()
    return {"$schema": _DIALECT, **made.of(LINES[type]), "$defs": made.found}


def record_schema(kind: type) -> dict[str, Any]:
    """The schema of a document that is one record of this kind."""
    made = _Definitions()
    return {"$schema": _DIALECT, **made.of(kind), "$defs": made.found}


class _Definitions:
    """Schemas of types; those of records are definitions by the name of their class."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        origin, arguments = get_origin(kind), get_args(kind)
        if kind is Any:
            return {}
        if kind in _NAMES:
            return {"type": _NAMES[kind]}
        if origin is Annotated:
            return {**self.of(arguments[0]), **{one.keyword: one.value for one in arguments[1:]}}
        if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return self._union(arguments)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"enum": [member.value for member in kind]}
        if is_dataclass(kind):
            return self._reference(kind)
        if origin is tuple and arguments[-1] is not Ellipsis:
            items = [self.of(one) for one in arguments]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if origin in (tuple, Sequence, frozenset):
            return _without_empty({"type": "array", "items": self.of(arguments[0])})
        if origin is Mapping:
            names, values = map(self.of, arguments)
            names = {keyword: value for keyword, value in names.items() if keyword != "type"}
            return _without_empty({"type": "object", "propertyNames": names, "additionalProperties": values})
        raise TypeError(f"a record has the type {kind}, of which there is no schema")

    def _union(self, arguments: Sequence[Any]) -> dict[str, Any]:
        if set(arguments) == {*KINDS.values(), NoneType}:
            return _EXPECTATION
        *parts, last = [self.of(one) for one in sorted(arguments, key=lambda one: one is NoneType)]
        if last == {"type": "null"} and len(parts) == 1 and "type" in parts[0]:
            return {**parts[0], "type": [parts[0]["type"], "null"]}
        return {"anyOf": [*parts, last]}

    def _reference(self, kind: Any) -> dict[str, Any]:
        if kind.__name__ not in self.found:
            self.found[kind.__name__] = {}  # while it is made
            self.found[kind.__name__] = self._object(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def _object(self, kind: Any) -> dict[str, Any]:
        types, renamed = get_type_hints(kind, include_extras=True), FORM.renamed.get(kind, {})
        properties, required = {}, []
        for one in fields(kind):
            name, own = renamed.get(one.name, one.name), types[one.name]
            if left_out(kind, one.name) and not _is_required(one, own):
                own = _present(own)
            properties[name] = {**self.of(own), **one.metadata}
            if _is_required(one, own):
                required.append(name)
        return {
            "description": cleandoc(kind.__doc__),
            "type": "object",
            "additionalProperties": False,
            "required": required,
            "properties": properties,
        }


#: An expectation of any release: its kind, and its members.
_EXPECTATION = {
    "type": ["object", "null"],
    "additionalProperties": False,
    "required": ["kind", "expects"],
    "properties": {"kind": {"type": "string"}, "expects": {"type": "object"}},
}


def _present(kind: Any) -> Any:
    """The type of a value that is not left out."""
    if get_origin(kind) in (Union, UnionType):
        return Union[tuple(one for one in get_args(kind) if one is not NoneType)]
    return kind


def _is_required(one: Field[Any], kind: Any) -> bool:
    """Whether a line must have it: without a default, or as it says what the line is."""
    return one.default is one.default_factory is MISSING or get_origin(kind) is Literal


def _without_empty(schema: dict[str, Any]) -> dict[str, Any]:
    return {keyword: value for keyword, value in schema.items() if value != {}}


if __name__ == "__main__":
    FILE.write_text(json.dumps(run_schema(), indent=1) + "\n", encoding="utf-8")
    sys.exit(0)
