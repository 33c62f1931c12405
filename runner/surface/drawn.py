"""Whether the suite draws what the lists say: the corpus has it, or the strategies declare it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache

from engines.deltalake import commands as of_delta_rs
from engines.deltalake.operations import DeleteCall, call_of
from engines.spark.commands.calls import Do, Let, Place, written
from engines.spark.commands.translation import calls_of, settings_of
from harness.campaigns.corpus import corpus_cases
from harness.tables.table_metadata import definition, features_used
from model.vocabulary.case import Case
from model.vocabulary.predicate import Function, Language
from model.vocabulary.steps import ENGINE_STEPS, AtOnce, EngineStep, Insert, OtherCommand
from model.vocabulary.table import Feature, Table
from runner.gate_version import ROOT
from runner.surface.judgements import ItemVerdict, SurfaceEntry
from strategies.conditions.signatures import signatures_of
from strategies.conditions.verbatim_forms import FORMS

#: Without a table, in the calls of Spark's dialect.
_PLACE = Place("/table", "/table", "t", "m", "/i", list, lambda: "p=a")


def undrawn(entries: Iterable[SurfaceEntry]) -> Iterator[str]:
    """What the lists say of what is drawn, or of tests, and is not so; one sentence each."""
    for entry in entries:
        if entry.word is ItemVerdict.DRAWN and entry.by not in _used():
            yield f"No case of the corpus has {entry.by}, which is said to draw {entry.kind} {', '.join(entry.items)}."
        elif entry.word is ItemVerdict.DRAWN:
            yield from (
                f"{entry.by} is said to draw {entry.kind} {one}, and nothing has it." for one in _missing(entry)
            )
        path, _, test = entry.experiment.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
        if path and not (text and (not test or f"def {test}(" in text)):
            yield f"There is no {entry.experiment}."


def _missing(entry: SurfaceEntry) -> Iterator[str]:
    """The items of an entry that neither the corpus nor a declaration of the strategies names."""
    have = _names().get(entry.kind)
    for item in entry.items:
        name = item
        if entry.kind == "function" and entry.by not in ("Verbatim", "Function"):
            continue  # an operator, or a mistake, by its class alone
        if entry.kind == "condition":
            name = item.partition("(")[2].removesuffix(")")
            if entry.by != "Verbatim" or not name.isupper() or _SIGNS.fullmatch(name):
                continue
        elif entry.kind == "api":
            name = item.partition("(")[0].rpartition(".")[2]
            if name[0].isupper() or name == "__init__" or entry.by.startswith("Read"):
                continue  # code may reach a class without its name; a read is no command
        if have is not None and name.casefold() not in have:
            yield item


#: What the grammar calls signs.
_SIGNS = re.compile(
    "AMPERSAND|ARROW|ASTERISK|BANG|COLON|CONCAT_PIPE|DOUBLE_COLON|HAT|LEFT_BRACKET|MINUS|PERCENT|PIPE|PLUS|QUESTION|RIGHT_BRACKET"
    "|SLASH|TILDE"
)


@cache
def _names() -> dict[str, frozenset[str]]:
    """Engines' own names by the kind of item, in small letters."""
    tables = [case.table for case in _corpus()]
    calls = frozenset(_words(text for step in _steps() for text in _calls(step)))
    declared = frozenset(_words(form for forms in FORMS[Language.SPARK].values() for form in forms))
    signatures = {one.name for language in Language for one in signatures_of(language)}
    found = {
        "setting": {name for step in _steps() for name in settings_of(step)} | calls,
        "property": {name for table in tables for name in _properties(table)} | calls,
        "feature": {name for table in tables for name in features_used(table)},
        "function": signatures | {member.value for member in Function},
        "condition": declared,
        "api": calls,
    }
    return {kind: frozenset(name.casefold() for name in names) for kind, names in found.items()}


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from re.findall(r"\w+(?:\.\w+)*", text)
        yield from re.findall(r"\w+", text)


def _properties(table: Table) -> Iterator[str]:
    for version in (0, len(table.commits) - 1):
        for action in definition(table, version, 0):
            yield from getattr(action, "configuration", ())


@cache
def _corpus() -> tuple[Case, ...]:
    return tuple(case for name in ("smoke", "gate", "functions", "together") for case in corpus_cases(name))


@cache
def _steps() -> tuple[EngineStep, ...]:
    """The engine's steps, of two at once each."""
    steps = (step for case in _corpus() for step in case.steps if isinstance(step, ENGINE_STEPS))
    return tuple(one for step in steps for one in (step.steps if isinstance(step, AtOnce) else (step,)))


def _calls(step: EngineStep) -> Iterator[str]:
    """The calls of both engines for a step, as their scripts have them, where they have any."""
    with suppress(TypeError, ValueError, KeyError):
        calls = calls_of(step, _PLACE)
        needed = (one.value if isinstance(one, Let) else one.call for one in calls.needed if isinstance(one, (Let, Do)))
        yield from (written(one, {}, "") for one in (*needed, calls.command))
    with suppress(TypeError, ValueError):
        if isinstance(step, OtherCommand):
            found = of_delta_rs.calls_of(step.command, getattr(step.command, "keys", ()))
            yield from (f"{one.name} {' '.join(one.arguments)} {one.arguments}" for one in found)
        elif isinstance(step, Insert):
            yield of_delta_rs.WRITE
        elif isinstance(call := call_of(step), DeleteCall):
            yield "delete predicate"
        else:
            yield f"vacuum {' '.join(call.arguments)}"


@cache
def _used() -> frozenset[str]:
    """The classes, the fields with another value than their default, and the members of enumerations that the corpus has."""
    found: set[str] = set()
    for case in _corpus():
        _use(case, found)
        found.update(f"Feature.{Feature(name).name}" for name in case.table.features)
    return frozenset(found)


def _use(part: object, found: set[str]) -> None:
    if isinstance(part, Enum):
        found |= {type(part).__name__, f"{type(part).__name__}.{part.name}"}
    elif isinstance(part, tuple):
        for one in part:
            if not (one is None or isinstance(one, (str, int, float))) or isinstance(one, Enum):
                _use(one, found)
    elif is_dataclass(part):
        found.add(type(part).__name__)
        for field in fields(part):
            value = getattr(part, field.name)
            if value != field.default:
                found.add(f"{type(part).__name__}.{field.name}")
            _use(value, found)
