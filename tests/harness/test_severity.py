"""How severe each violation is: by its clause, and by its cause where a clause can be violated in several ways."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faults import FAULTS, KnownBadEngine
from harness.judging.severity import Cause, Harm
from harness.running.judge import Judge, severity_of
from model.vocabulary.severity import Severity
from records.run import SCHEMA_VERSION, RecordedViolation
from reference_engine import ReferenceEngine
from reports import schema as schemas
from reports.render.comparison import files as compared
from reports.text.harms import does
from suites.catalogue import CATALOGUE
from suites.clauses.shared import harms
from tests.find_witnesses import witness
from tests.recorded import recorded

SCHEMAS = Path(str(schemas.__file__)).parent


def test_every_clause_says_what_its_violation_costs() -> None:
    assert all(clause.harm.reason.endswith(".") for clause in CATALOGUE.values())


def test_a_harm_that_several_clauses_have_is_said_once() -> None:
    shared = {value for value in vars(harms).values() if isinstance(value, Harm)}
    found = Counter(clause.harm for clause in CATALOGUE.values())
    assert {harm for harm, clauses in found.items() if clauses > 1} == shared


def test_the_schemas_have_the_severities_in_their_order_and_reports_have_words_for_each() -> None:
    for name in (f"run-{SCHEMA_VERSION}", f"comparison-{compared.SCHEMA_VERSION}"):
        schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
        listed = [one for one in _enums(schema) if "data loss" in one]
        assert listed and all(one == [severity.value for severity in Severity] for one in listed)
    assert len({does(severity) for severity in Severity}) == len(Severity)


def _enums(schema: Any) -> Iterator[list[Any]]:
    """Every list of allowed values in a schema."""
    if isinstance(schema, dict):
        if "enum" in schema:
            yield schema["enum"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _enums(part)


def test_a_cause_has_its_own_severity_or_that_of_the_clause() -> None:
    clause = CATALOGUE["VAC-KEEP-1A"]
    assert clause.severity_of(Cause("deleted")) is clause.harm.severity is Severity.DATA_LOSS
    assert clause.severity_of(Cause("not deleted", Severity.SPACE_KEPT)) is Severity.SPACE_KEPT
    assert CATALOGUE["DEL-NOOP-1"].harm.severity is Severity.SPACE_KEPT, "a needless write"


#: Faults that violate one clause in opposite ways, and others: the severity and the cause.
CAUSES = [
    ("loses-a-survivor", "DEL-ROW-5B", Severity.DATA_LOSS, "rows that must stay are missing"),
    ("keeps-a-match", "DEL-ROW-5B", Severity.WRONG_ANSWERS, "rows that must go are there"),
    ("vacuums-inside-retention", "VAC-KEEP-1A", Severity.DATA_LOSS, "deleted: its tombstone is inside the retention"),
    ("keeps-orphans", "VAC-KEEP-1A", Severity.SPACE_KEPT, "not deleted: nothing refers to it, and it is old"),
    ("forgets-a-partition", "DEL-META-1", Severity.SPACE_KEPT, "not removed: a file without rows"),
    ("deletes-old-bytes", "DEL-PHYS-1", Severity.DATA_LOSS, "a file is deleted"),
    ("touches-a-file", "DEL-PHYS-1", Severity.SPACE_KEPT, "a modification time is changed"),
    ("commits-nothing", "DEL-NOOP-1", Severity.SPACE_KEPT, "a version is written"),
    ("removes-without-time", "DEL-REM-1A", Severity.DATA_LOSS, "no deletionTimestamp"),
    ("removes-with-wrong-size", "DEL-REM-1B", Severity.UNREADABLE, "another value: size"),
    ("corrupts-a-live-file", "VAC-SAFE-10B", Severity.DATA_LOSS, "a live file can no longer be read"),
    ("refuses-with-another-class", "DEL-REF-2A", Severity.WRONG_WORDS, "refused with another error"),
    ("crash-tears-the-commit", "CRASH-1A", Severity.UNREADABLE, "the log cannot be replayed"),
    ("crash-commits-before-it-writes", "CRASH-1A", Severity.UNREADABLE, "a live file cannot be read"),
    ("crash-removes-before-it-adds", "CRASH-1A", Severity.DATA_LOSS, "rows that must stay are missing"),
    ("crash-overwrites-in-place", "CRASH-1B", Severity.DATA_LOSS, "a file is changed"),
    ("crash-hides-what-it-leaves", "CRASH-1F", Severity.SPACE_KEPT, "a file is written that nobody needs"),
    ("crash-of-vacuum-loses-a-live-file", "CRASH-2A", Severity.DATA_LOSS, "a live file can no longer be read"),
    ("crash-of-vacuum-commits-another-version", "CRASH-2D", Severity.WRONG_WORDS, "other versions are written"),
    ("metrics-count-a-file-too-many", "DEL-MET-1A", Severity.WRONG_NUMBERS, "another value: numRemovedFiles"),
]


@pytest.mark.parametrize(("fault", "clause", "severity", "cause"), CAUSES)
def test_the_cause_decides_how_severe_a_violation_is(
    fault: str, clause: str, severity: Severity, cause: str, tmp_path: Path
) -> None:
    found = wrong(fault, clause, tmp_path)
    assert (found.severity, found.cause) == (severity, cause)


def wrong(fault: str, clause: str, directory: Path) -> RecordedViolation:
    judge = Judge(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), list(CATALOGUE.values()), directory)
    found = judge.judge(witness(fault)).wrong
    assert [severity_of(one).rank for one in found] == sorted(severity_of(one).rank for one in found)
    return next(one for one in found if one.clause == clause)


def test_every_fault_of_the_self_check_has_a_cause_without_names_and_numbers() -> None:
    """The same words for each case: no path, no number, no digest."""
    violated = [clauses for one in recorded("faulty").values() for clauses in one["violated"].values()]
    causes = {cause for found in violated for cause in found}
    assert violated and all(violated)
    assert [one for one in causes if "/" in one or any(word.isdecimal() for word in one.split())] == []
