"""Whether the lists still say what the code does: what draws an item, and what an experiment tried."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from enum import Enum
from functools import cache

import model.vocabulary
from engines.spark.commands.other_commands import EVOLUTION, FILE_SIZE
from engines.spark.commands.statements import settings_of_vacuum
from model.text.session_conf import spark_conf
from model.vocabulary.predicate import Language, Verbatim
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Vacuum
from runner.gate_version import ROOT
from runner.surface.judgements import ItemVerdict, SurfaceEntry
from strategies.conditions.signatures import signatures_of
from strategies.conditions.verbatim_forms import FORMS

#: Where the code writes an engine's own names of what it draws.
_PLACES = {"property": ("harness/tables", "model/text", "engines"), "feature": ("harness/tables",), "api": ("engines",)}


def unbacked(entries: Iterable[SurfaceEntry]) -> Iterator[str]:
    """What is wrong with the lists, one sentence each."""
    for entry in entries:
        if entry.word is ItemVerdict.DRAWN:
            yield from _undrawn(entry)
        elif entry.word is ItemVerdict.LEFT_OUT:
            yield from _untried(entry)


def _undrawn(entry: SurfaceEntry) -> Iterator[str]:
    found = _of_the_model(entry.by)
    if found is None:
        yield f"{entry.by} is no name of the model, and is said to draw {entry.kind} {', '.join(entry.items)}."
        return
    for name in entry.items:
        if entry.kind == "setting":
            if name not in (spark_conf([found]) if isinstance(found, Setting) else _set_by_steps()):
                yield f"{entry.by} does not set {name}, and is said to draw it."
        elif found is Verbatim and entry.kind == "condition":
            if (word := _keyword(name)) and not re.search(rf"\b{word}\b", _forms()):
                yield f"No form of a condition has {word}, and {entry.by} is said to draw {name}."
        elif found is Verbatim:
            if not any(name == one.name for language in Language for one in signatures_of(language)):
                yield f"No signature is of {name}, and {entry.by} is said to draw it."
        elif entry.kind in ("function", "type") and isinstance(found, type) and issubclass(found, Enum):
            if name not in {str(member.value) for member in found}:
                yield f"{entry.by} has no {name}, and is said to draw that {entry.kind}."
        elif (
            entry.kind in _PLACES
            and not _is_class(entry.kind, name)
            and not re.search(_written(entry.kind, name), _texts(_PLACES[entry.kind]))
        ):
            yield f"The code does not name {name} any more, and {entry.by} is said to draw it."


def _keyword(name: str) -> str:
    """The SQL keyword of an item of the grammar; empty if it has none, or is a sign, which the grammar calls by a name."""
    word = name.partition("(")[2].removesuffix(")")
    return word if word.isupper() and word not in _SIGNS else ""


#: What the grammar calls signs, and groups of keywords.
_SIGNS = [
    "AMPERSAND",
    "ARROW",
    "ASTERISK",
    "BANG",
    "COLON",
    "CONCAT_PIPE",
    "DOUBLE_COLON",
    "HAT",
    "LEFT_BRACKET",
    "MINUS",
    "PERCENT",
    "PIPE",
    "PLUS",
    "QUESTION",
    "RIGHT_BRACKET",
    "SLASH",
    "TILDE",
]


@cache
def _forms() -> str:
    return "\n".join(form for forms in FORMS[Language.SPARK].values() for form in forms)


def _is_class(kind: str, name: str) -> bool:
    """Whether this is a class of an API, or its constructor: code may reach it without its name."""
    return kind == "api" and name[0].isupper() and "." not in name


def _written(kind: str, name: str) -> str:
    """How the code writes an item, as a pattern: a method by its name, another name as a text."""
    if kind == "api":
        return rf"\b{re.escape(name.partition('(')[0].rpartition('.')[2])}\b"
    return rf'"(?i:{re.escape(name)})"'


def _set_by_steps() -> frozenset[str]:
    """The settings that steps set with a value of their own."""
    return frozenset({"spark.sql.session.timeZone", FILE_SIZE, EVOLUTION, *settings_of_vacuum(Vacuum(parallel=True))})


def _untried(entry: SurfaceEntry) -> Iterator[str]:
    path, _, test = entry.experiment.partition("::")
    if not (ROOT / path).is_file():
        yield f"There is no {path}, and it is said to back {entry.kind} {', '.join((*entry.items, *entry.families))}."
        return
    text = (ROOT / path).read_text(encoding="utf-8")
    if test and not re.search(rf"def {re.escape(test)}\b", text):
        yield f"{path} has no {test}."
    yield from (f"{path} does not name {name}." for name in entry.items if name not in text)
    for family in entry.families:
        pattern = r"[\w.]+".join(map(re.escape, family.split("*")))
        if family not in text and not re.search(pattern, text):
            yield f"{path} names nothing of {family}."


def _of_the_model(name: str) -> object | None:
    """The class, member or field with this name in the vocabulary of a case."""
    first, _, second = name.partition(".")
    kind = _classes().get(first)
    if kind is None or not second:
        return kind
    if is_dataclass(kind):
        return second if second in kind.__dataclass_fields__ else None
    return getattr(kind, second, None)


@cache
def _classes() -> dict[str, type]:
    found: dict[str, type] = {}
    for module in pkgutil.iter_modules(model.vocabulary.__path__):
        names = vars(importlib.import_module(f"model.vocabulary.{module.name}"))
        found |= {name: value for name, value in names.items() if isinstance(value, type)}
    return found


@cache
def _texts(places: tuple[str, ...]) -> str:
    """The code of these rooms."""
    files = (path for place in places for path in sorted((ROOT / place).rglob("*.py")) if path.name != "surface.py")
    return "\n".join(path.read_text(encoding="utf-8") for path in files)
