"""docs/coverage.md lists what is drawn: compared with the model and the strategies, so that it stays up to date."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

from engines.deltalake.capabilities import NEWEST
from model.semantics.casts import CASTS, CASTS_OF_DECIMAL
from model.text.invalid_sql import invalid_delete_sql
from model.vocabulary.operations import DRAWN
from model.vocabulary.predicate import Expression, Function, Op, Predicate
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.settings import Setting
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import CrashPoint, DeleteMistake, Form, IOFault, Mode, VacuumForm, VacuumMistake
from model.vocabulary.table import FEATURES, Column, Damage
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from strategies.cases.at_once import PARTS
from strategies.cases.deletes import ZONES
from strategies.tables.types import DECIMALS, PARTITIONABLE, PRIMITIVES
from suites.catalogue import CATALOGUE, unsupported

DOCUMENT = Path(__file__).parents[2] / "docs" / "coverage.md"
SECTIONS = {
    part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in DOCUMENT.read_text(encoding="utf-8").split("\n## ")[1:]
}

#: What the first column of each section's table must name, and nothing else.
LISTS: dict[str, set[str]] = {
    "Types": {type.value for type in Type} | {"decimal", "array", "map", "struct"},
    "Columns": {field.name for field in fields(Column)} - {"name", "type", "physical_name"},
    "Predicates": {kind.__name__ for kind in get_args(Predicate)},
    "Expressions": {kind.__name__ for kind in get_args(Expression)},
    "Casts": {type.value for type in CASTS} | {"decimal"},
    "Functions": {function.value for function in Function},
    "Forms": {form.value for form in Form},
    "Refusals": {mistake.value for mistake in DeleteMistake},
    "Features": set(FEATURES),
    "Damaged files": {damage.value for damage in Damage},
    "Tables for VACUUM": {
        "ages",
        "retention",
        "tombstones",
        "vectors",
        "references",
        "histories",
        "strays",
        "hidden things",
        "names",
        "links",
        "neighbours",
    },
    "Session settings": {setting.value for setting in Setting},
    "Vacuums": {mode.value for mode in Mode},
    "Forms of VACUUM": {form.value for form in VacuumForm},
    "I/O faults": {io_fault.value for io_fault in IOFault},
    "Refusals of VACUUM": {mistake.value for mistake in VacuumMistake},
    "The table's directory": {root.name.lower() for root in TableRoot},
    "The table's path": {spelling.value for spelling in Spelling if spelling is not Spelling.PLAIN},
    "Programs": {operation.value for operation in DRAWN},
    "Commands that are killed": {point.value for point in CrashPoint},
    "Two sessions at once": set(PARTS),
    "Storage": {"local"},
}

NOT_PROMISED = "Clauses that delta-rs does not promise"


def cells(section: str, place: int) -> list[str]:
    """The cells of the section's table in one of its columns."""
    rows = [line for line in SECTIONS[section].splitlines() if line.startswith("| ")][2:]
    return [row.strip("|").split(" | ")[place].strip() for row in rows]


def named(cell: str) -> list[str]:
    """The names between backticks."""
    return re.findall("`([^`]+)`", cell)


def row_of(section: str, name: str) -> str:
    """The second cell of the row that has this name."""
    (text,) = (text for names, text in zip(cells(section, 0), cells(section, 1)) if name in named(names))
    return text


def test_each_section_has_its_list() -> None:
    assert SECTIONS.keys() == LISTS.keys() | {NOT_PROMISED, "What nobody promises", "What would show"}


def test_the_clauses_that_delta_rs_does_not_promise_are_listed() -> None:
    """A pattern such as ``CONC-*`` stands for all clauses that it matches."""
    patterns = [pattern for cell in cells(NOT_PROMISED, 0) for pattern in cell.split(", ")]
    listed = [id for pattern in patterns for id in fnmatch.filter(CATALOGUE, pattern)]
    assert sorted(listed) == sorted(unsupported(ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST)))


def test_a_table_is_complete() -> None:
    for section, listed in LISTS.items():
        assert sorted(name for cell in cells(section, 0) for name in named(cell)) == sorted(listed), section


def test_a_section_names_what_is_not_drawn() -> None:
    assert [one for one in LISTS if not re.search(r"^Not drawn[:, ]", SECTIONS[one], re.MULTILINE)] == []


def test_every_type_of_the_model_is_drawn() -> None:
    assert set(Type) <= set(PRIMITIVES)
    assert [type for type in PRIMITIVES if type not in PARTITIONABLE] == [Type.BINARY]


def test_the_decimals_are_those_that_are_drawn() -> None:
    assert re.findall(r"\((\d+),(\d+)\)", row_of("Types", "decimal")) == [
        (str(type.precision), str(type.scale)) for type in DECIMALS
    ]


def test_the_casts_are_some_that_the_model_evaluates() -> None:
    targets = {**{type.value: targets - {type} for type, targets in CASTS.items()}, "decimal": CASTS_OF_DECIMAL}
    for source, drawn in zip(cells("Casts", 0), cells("Casts", 1)):
        assert set(named(drawn)) <= {type.value for type in targets[source.strip("`")]}, source


def test_the_operators_are_those_of_the_model() -> None:
    assert re.findall("`([<=>]+)`", row_of("Predicates", "Compare")) == [op.value for op in Op]


def test_the_zones_are_those_that_are_drawn() -> None:
    (line,) = [line for line in SECTIONS["Forms"].splitlines() if line.startswith("The session's time zone is ")]
    assert re.findall("`(.*?)`", line) == list(ZONES)


def test_an_invalid_delete_has_its_condition() -> None:
    conditions = {mistake: invalid_delete_sql(mistake, "t").partition(" WHERE ")[2] for mistake in DeleteMistake}
    del conditions[DeleteMistake.UNKNOWN_COLUMN]
    assert [one for one, sql in conditions.items() if sql and row_of("Refusals", one.value) != f"`{sql}`"] == []
