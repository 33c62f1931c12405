"""Cases as JSON."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from model.codec.converter import FORM, FORMAT, Document, Large
from model.codec.plain import InvalidCase, refuse
from model.codec.validation import validate
from model.vocabulary.case import Case
from model.vocabulary.large_tables import large_table, size_of

Json = dict[str, Any]


# Writing ------------------------------------------------------------------------------------------------------------


def dumps(case: Case) -> str:
    """The canonical text of a case: keys sorted, no spaces, ASCII only.

    Equal cases have equal texts, except that -0.0 and 0.0 are written differently.
    """
    return _text(to_json(case))


def _text(document: Json) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def case_id(case: Case) -> str:
    """The id of a case: 12 hexadecimal digits, the BLAKE2b digest of its canonical text, with the first names of its parts."""
    return hashlib.blake2b(_text(_first_named(to_json(case))).encode("ascii"), digest_size=6).hexdigest()


#: Fields and tags that had another name when ids were first made: ids stay what they are.
_FIRST_NAMES = {
    "stray_files": "strays",
    "deletion_vectors": "masks",
    "mistake": "blunder",
    "io_fault": "trouble",
    "faulty_path": "troubled",
}
_FIRST_TAGS = {"invalid_delete": "bad_delete", "invalid_vacuum": "bad_vacuum", "add_stray_files": "litter"}


def _first_named(document: Any) -> Any:
    if isinstance(document, dict):
        named = {_FIRST_NAMES.get(name, name): _first_named(part) for name, part in document.items()}
        return {**named, "step": _FIRST_TAGS.get(named["step"], named["step"])} if "step" in named else named
    return [_first_named(part) for part in document] if isinstance(document, list) else document


def to_json(case: Case) -> Json:
    """The document of a case: ``{"format": 1, "table": {...}, "steps": [...]}``; of a large table, its size."""
    size = size_of(case.table)
    document: Json = FORM.write(Document(FORMAT, case.table if size is None else Large(size), case.steps))
    return document


# Reading ------------------------------------------------------------------------------------------------------------


def loads(text: str) -> Case:
    """The case of a JSON text. Raises InvalidCase."""
    try:
        document = json.loads(text, object_pairs_hook=_without_duplicates)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidCase("", f"is not JSON ({error})") from error
    return from_json(document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> Json:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        refuse(f"an object in it has the field {twice!r} twice")
    return fields


def from_json(document: object) -> Case:
    """The case of a document. Raises InvalidCase, also if its parts contradict each other (``model.codec.validation``).

    A predicate may use an unknown column, and a LIKE pattern may be malformed: the engine must refuse those.
    """
    found: Document = FORM.read(document, Document)
    if isinstance(found.table, Large):
        return validate(Case(large_table(found.table.large), found.steps), has_rows=True)
    return validate(Case(found.table, found.steps))
