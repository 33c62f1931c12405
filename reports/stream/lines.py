"""A line of the run stream: made of a record, checked by the schema, and decoded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NoReturn

from jsonschema_rs import Draft202012Validator, ValidationError

from records.json_form import from_json, to_json
from records.mistakes import StreamError
from records.run import Footer, Header, RecordedCase
from records.schema import line_schema

#: A line as JSON.
Json = Mapping[str, Any]


def line_of(record: Header | RecordedCase | Footer) -> bytes:
    """The line of a record, with its end. Raises StreamError if it violates the schema."""
    document = to_json(record)
    check(document, f"The {record.type} to be written")
    # ASCII keeps any text (also lone surrogates) in any locale; NaN is not JSON.
    return (json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n").encode("ascii")


def check(line: Json, where: str) -> None:
    """Raises StreamError, which names the line as ``where``, if it is not what the schema says of a line of its type."""
    error = _first_error(line)
    if error is not None:
        raise StreamError(f"{where} is not a valid {line['type']} at {_place(error)}: {_short(error.message)}.")


def decoded(raw: bytes) -> Any:
    """The JSON value of a line. Raises ValueError or RecursionError."""
    return _DECODER.decode(raw.decode("utf-8"))


def case_of(raw: bytes) -> RecordedCase:
    """The case of a line that was checked."""
    return from_json(decoded(raw), RecordedCase)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


@cache
def _validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(line_schema(kind))


def _first_error(line: Json) -> ValidationError | None:
    """The error nearest to the top of a line, by the schema; None if it has none."""
    validator = _validator(line["type"])
    try:
        errors = [] if validator.is_valid(line) else list(validator.iter_errors(line))
    except UnicodeEncodeError:
        # Half of a surrogate pair, as in the name of a file: valid JSON, which the validator cannot take.
        errors = list(
            validator.iter_errors(json.loads(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")))
        )
    return min(errors, key=lambda one: len(one.instance_path), default=None)


def _place(error: ValidationError) -> str:
    """``$.clauses[0].id``."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)


def _short(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else text[:limit] + " …"
