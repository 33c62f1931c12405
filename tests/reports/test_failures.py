"""Which cases are shown of the clauses that fail, in which order, and which clauses are one failure."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from rich.console import Console

from records.run import RecordedCase
from reports.document.markdown import markdown
from reports.findings.failures import examples
from reports.findings.of_run import findings_of
from reports.render.junit import junit
from reports.render.run import run_document
from reports.render.terminal import show_run
from reports.stream.reading import Run
from tests.builders.small_streams import CLAUSES, READ, VACUUM, case, failures_in, header, run, step, violation

SPACE = "space kept"


def failing(number: int, *violations: dict[str, Any], steps: int = 1, **other: Any) -> RecordedCase:
    taken = [step(READ, index) for index in range(steps - 1)] + [step(VACUUM, steps - 1)]
    return case(number, *taken, violations=violations, **other)


def shown(*cases: RecordedCase) -> dict[str, list[tuple[str, str]]]:
    """By clause the cases and messages of its examples."""
    found = examples(failures_in(header(), cases))
    return {id: [(one.judged.id, one.violation.message) for one in own] for id, own in found.items()}


def test_an_excused_violation_is_never_the_example() -> None:
    """Neither a smaller case, nor the first violation of the same case."""
    excused = failing(1, violation("VAC-SAFE-1", "excused", excused="known"))
    mixed = failing(2, violation("VAC-SAFE-1", "excused", excused="known"), violation("VAC-SAFE-1", "real"), steps=4)
    assert shown(excused, mixed) == {"VAC-SAFE-1": [(mixed.id, "real")]}
    first = run(excused, mixed)
    (result,) = [result for result in findings_of(first).results if result.clause == "VAC-SAFE-1"]
    assert result.example == mixed.id
    element = next(one for one in ET.fromstring(junit(first)).iter("failure"))
    assert element.get("message") == "data loss: real" and mixed.id in str(element.text)
    assert "excused" not in str(element.text)
    assert "real" in markdown(run_document(first)) and "excused" not in markdown(run_document(first))


def test_each_cause_has_its_example_the_gravest_first() -> None:
    small = failing(1, violation("VAC-SAFE-1", "an empty file stays", cause="stays", severity=SPACE))
    large = failing(2, violation("VAC-SAFE-1", "rows are lost", cause="lost"), steps=5)
    assert shown(small, large) == {"VAC-SAFE-1": [(large.id, "rows are lost"), (small.id, "an empty file stays")]}


def test_a_clause_has_three_examples_at_most() -> None:
    cases = [failing(n, violation("VAC-SAFE-1", cause=f"cause {n}")) for n in range(6)]
    assert len(shown(*cases)["VAC-SAFE-1"]) == 3


def test_a_shrunk_example_does_not_explain_a_case_without_its_circumstances() -> None:
    zero = failing(1, violation("VAC-SAFE-1", circumstances=["zeros of both signs"]), origin="shrunk")
    same = failing(2, violation("VAC-SAFE-1", circumstances=["column mapping", "zeros of both signs"]))
    other = failing(3, violation("VAC-SAFE-1", circumstances=["column mapping"]), steps=3)
    assert [id for id, _ in shown(zero, same)["VAC-SAFE-1"]] == [zero.id]
    assert [id for id, _ in shown(zero, same, other)["VAC-SAFE-1"]] == [zero.id, other.id]


def test_clauses_that_fail_for_the_same_cause_are_one_failure_where_the_circumstances_of_the_example_are() -> None:
    lead, *more = (failing(n, violation("VAC-SAFE-1", circumstances=["links"]), origin="shrunk") for n in (1, 8, 9))
    alike = failing(2, violation("VAC-SAFE-2", circumstances=["links", "vectors"]))
    elsewhere = failing(3, violation("VAC-SAFE-2", circumstances=["vectors"]))
    lighter = failing(4, violation("DEL-ROW-1", severity=SPACE, circumstances=["links"]))
    found = failures_in(header(), [lead, *more, alike, elsewhere, lighter])
    assert [[(one.clause, one.judged.id) for one in failure.examples] for failure in found] == [
        [("VAC-SAFE-1", lead.id), ("VAC-SAFE-2", alike.id)],
        [("VAC-SAFE-2", elsewhere.id)],
        [("DEL-ROW-1", lighter.id)],
    ]


def test_clauses_that_fail_in_the_same_step_are_one_failure_under_the_gravest() -> None:
    both = failing(1, violation("DEL-ROW-1", severity=SPACE), violation("VAC-SAFE-1"))
    other_step = failing(2, violation("VAC-SAFE-2", step=1, cause="another"), steps=2)
    found = failures_in(header(), [both, other_step])
    assert [[one.clause for one in failure.examples] for failure in found] == [
        ["VAC-SAFE-1", "DEL-ROW-1"],
        ["VAC-SAFE-2"],
    ]
    assert found[0].lead.severity == "data loss"


def test_a_clause_that_fails_only_where_a_graver_one_does_is_one_failure_with_it() -> None:
    """Also for another cause, and where the smallest case shows the graver one alone."""
    alone = failing(1, violation("VAC-SAFE-1", cause="young"))
    both = [failing(n, violation("VAC-SAFE-1", cause="young"), violation("VAC-SAFE-2", cause="kept")) for n in (2, 3)]
    beyond = failing(4, violation("VAC-SAFE-2", cause="kept"))
    assert [one.clauses for one in failures_in(header(), [alone, *both])] == [("VAC-SAFE-2",)]
    assert [one.clauses for one in failures_in(header(), [alone, *both, beyond])] == [(), ()]


def test_a_run_that_kept_everything_fits_on_a_screen() -> None:
    long = "A known fault. " + "It is long. " * 20
    found = run(*(failing(one, violation("VAC-SAFE-1", excused=f"{long}{one}")) for one in range(1, 31)))
    found = Run(found.header, found.cases, replace(found.footer, exit=0))
    for terminal in (True, False):
        console = Console(file=io.StringIO(), width=80, force_terminal=terminal, color_system=None)
        show_run(found, console, directory=Path("build/report"))
        lines = str(console.file.getvalue()).splitlines()  # type: ignore[attr-defined]
        assert lines[0].startswith("PASS: no new fault in Delta 4.4.0. 30 known faults, 30 of them lose data")
        assert (len(lines) <= 24 and max(map(len, lines)) <= 80) == terminal
        assert (f"  loses data: {long}1" in lines) != terminal, "a log has all of it"


def test_only_clauses_of_the_header_are_failures() -> None:
    assert set(shown(failing(1, *map(violation, CLAUSES)))) == set(CLAUSES)
    assert failures_in(header(), [failing(1, violation("VAC-SAFE-1"))], of=["DEL-ROW-1"]) == ()
