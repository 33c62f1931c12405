"""``python -m tests.reports.views``: writes the views of what is made up here to ``tests/approved/*.txt``.

A run, a comparison, a run in turn, explanations, the tables of power: each has everything once that a view can show. After an
intended change of a view, write them again and read the diff.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from rich.console import Console

from model.codec import to_json
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Vacuum
from records.expectations import Removes
from records.known_fault import KnownFault, Symptom
from records.run import Header, RecordedCase
from reports.comparison.acceptance import Acceptance
from reports.comparison.commands import command_of
from reports.comparison.comparison import Comparison, compare
from reports.counterexamples.checked import ScriptResult
from reports.document.html import html
from reports.document.markdown import markdown
from reports.document.terminal import show
from reports.render.comparison.document import brief_document, comparison_document
from reports.render.github import of_comparison, of_run
from reports.render.index import index_document, runs_below
from reports.render.run import run_document
from reports.render.terminal import show_run
from reports.render.together import turn_document
from reports.stream.reading import Run
from reports.together.reading import report_of
from tests.builders.small_streams import DELETE, READ, case, error, footer, header, kept, run, step, violation
from tests.builders.turn_ways import WAY, run_in_turn
from tests.handmade.vacuums import LISTED_TABLE
from tests.reports import answers
from tests.reports.test_comparison import (
    COMPARED,
    IGNORED,
    RETAIN,
    Foretold,
    breaking,
    broken,
    every_change,
    every_difference,
)
from tests.reports.test_counterexamples import CASE, every_result, every_table, every_vacuum, explained, told, worst
from tests.reports.test_failures import SPACE, failing
from tests.reports.test_own_tables import FEEDS, LIKE, VECTORS
from tests.reports.test_page import Parsed
from tests.reports.test_runs import every_verdict
from tests.selfcheck.test_power import every_table as power_tables

APPROVED = Path(__file__).parents[1] / "approved"

CLAUSES = ("DEL-ROW-1", "VAC-KEEP-2C", "VAC-SAFE-1", "VAC-SAFE-2")


def _header(version: str, *, lacks: str = "", **other: object) -> Header:
    first = header(version, clauses=CLAUSES, like=LIKE, **other)
    reason = "It holds before 4.1 only."
    listed = [replace(one, status="not applicable", reason=reason) if one.id == lacks else one for one in first.clauses]
    listed[-1] = replace(listed[-1], sentence="Rows are kept, " * 12 + "all.")
    listed[0] = replace(listed[0], holds_for="Delta on Spark from 3.1", proven_by=("loses-a-row", "<b>"))
    return replace(first, clauses=tuple(listed))


def made_run() -> Run:
    """With a grave failure, one that only keeps space, known faults, and a clause that nothing exercised."""
    grave = failing(
        1,
        violation("VAC-SAFE-1", "It is gone: a|b.", circumstances=["deletion vectors"]),
        violation("DEL-ROW-1", severity=SPACE),
        case=to_json(Case(LISTED_TABLE, (Vacuum(),))),
        features=["feed", "mapping"],
        coverage={
            "paths": {"live add": {"keep": 2, "unspecified": 4}, "orphaned file": {"delete": 1}},
            "vacuums": {"RETAIN whole, check on": {"FULL": 1}, "table's days": {"LITE": 1}},
            "cutoff": {"tombstone": {"-1": 3}, "file": {"+1": 1}},
            "operations": {"DELETE": {"steps": 2}, "clock": {"steps": 1}},
        },
        campaign="programs",
    )
    wrong = replace(grave.violations[0], expectation=Removes(["a"]))
    grave = replace(grave, violations=(wrong, *grave.violations[1:]))
    other = failing(
        2,
        violation("DEL-ROW-1", "An empty file stays.", cause="stays", severity=SPACE),
        features=["ids"],
        coverage={"paths": {"live add": {"keep": 1}}, "operations": {"DELETE": {"steps": 1}, "clock": {"steps": 3}}},
        campaign="exploration",
    )
    known = [
        failing(3, violation("VAC-SAFE-2", excused="Vectors lose rows.")),
        failing(4, violation("VAC-SAFE-2", excused="Feeds lose rows.")),
    ]
    first, cases = _header("4.4.0", known_faults=[FEEDS, VECTORS]), (grave, other, *known)
    listed = [
        KnownFault("VAC-SAFE-2", str(one["reason"]), "https://example.org/1", Symptom(("gone",)))
        for one in (FEEDS, VECTORS)
    ]
    return Run(first, cases, footer(first, cases, known_faults=listed))


def made_comparison() -> Comparison:
    """With all that can change for a clause, explained and unexplained differences, and both versions in turn."""
    crash = step(error=error(None, "Aborted", "the process was aborted"))
    names_refused = broken("x", excused="Names are refused.")
    sides: list[tuple[RecordedCase, RecordedCase]] = [
        (case(1, step(RETAIN, vanished=["a"])), case(1, step(RETAIN))),
        (case(2, step(DELETE, rows=[[1]])), case(2, step(DELETE, rows=[[2]]))),
        (case(3), breaking(3, broken("gone") | {"circumstances": ["deletion vectors"]}, vanished=["p=1/f"])),
        (case(4), breaking(4, broken("x", excused="Vectors lose rows."))),
        (case(5), breaking(5, broken("x", excused="Feeds lose rows."))),
        (breaking(6, names_refused, broken("y", clause="DEL-ROW-1", excused="Names are refused.")), case(6)),
        (case(7), breaking(7, broken("late", clause="DEL-ROW-1"))),
        (case(8, step(READ, error=error(None, message="m"))), case(8, step(READ, error=error(None, message="n")))),
        (case(9), replace(breaking(9, broken("ended <b>") | {"by_error": True}), steps=case(9, crash).steps)),
        (replace(breaking(10, broken("no more") | {"by_error": True}), steps=case(10, crash).steps), case(10)),
        (breaking(11, broken("kept")), breaking(11, broken("lost"))),
        (breaking(12, names_refused), breaking(12, broken("names"))),
        (breaking(13, broken("x", excused="Both do.")), breaking(13, broken("x", excused="Both do."))),
    ]
    held = {"VAC-KEEP-2C": sides[0][0].clauses["VAC-SAFE-1"]}
    base = [replace(one, clauses={**one.clauses, **held}) for one, _ in sides]
    both = {"reason": "Both do.", "clauses": ["VAC-SAFE-1"]}
    names = [{"reason": "Names are refused.", "clauses": ["VAC-SAFE-1", "DEL-ROW-1"]}, both]
    accepted = KnownFault("DEL-ROW-1", "We can live with it.", "https://example.org/1", Symptom(("late",)))
    over = KnownFault("VAC-SAFE-1", "Only for a while.", "https://example.org/2", Symptom(("gone",)), until="4.3")
    unneeded = KnownFault("VAC-SAFE-2", "We see nothing.", "https://example.org/3", Symptom(("never",)))
    four = {"processors": "4", "time_zone": "UTC", "locale": "de_DE.UTF-8", "file_system": "tmpfs"}
    told = {"concerns": "a table has <b>vectors</b>", "link": "https://example.org/issues/7"}
    after = _header("4.4.0", lacks="VAC-KEEP-2C", known_faults=[FEEDS, VECTORS | told, both], machine=four)
    foretold = Foretold(1, {(): step(RETAIN, vanished=["a"]), (IGNORED,): step(RETAIN)})
    return compare(
        run(*base, first=_header("4.0.1", known_faults=names, left_out=12)),
        run(*(one for _, one in sides), first=after),
        lambda older, newer: foretold,
        acceptance=Acceptance(Path("ours.toml"), (accepted, over, unneeded), date(2027, 6, 30)),
        together=report_of(made_turns()),
    )


def made_turns() -> Run:
    """A new way, one that follows a known fault of the other, one that is known, one that the other does alone too."""
    old, new = "Delta 4.0.1", "Delta 4.4.0"
    ways = (
        replace(WAY, side=new, other=old, message="<b>3 rows</b>\x1b are read: a|b."),
        replace(
            WAY,
            side=old,
            other=new,
            severity=Severity.UNREADABLE,
            inherited="Removes are spelled otherwise.",
            concerns="a path has a space",
        ),
        replace(WAY, side=old, other=new, known="It is listed.", concerns="a table has a MAP column"),
        replace(WAY, side=new, other=old, severity=Severity.WRONG_WORDS, also_alone=True, cause="wrong: words"),
    )
    return run_in_turn((old, new), *ways[::-1], errors=["case | <one>\nended"])


class _Text(Parsed):
    """The texts of a page, one a line."""

    def handle_data(self, data: str) -> None:
        if "style" not in self.elements[-1:] and "script" not in self.elements[-1:] and data.strip():
            self.text += " ".join(data.split()) + "\n"


def _shown(width: int, *, terminal: bool) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)


def _texts() -> Iterator[tuple[str, str]]:
    """The name and the text of each view."""
    found, comparison, turns = made_run(), made_comparison(), made_turns()
    contradicted = [ScriptResult(f"counterexamples/VAC-SAFE-1-{1:012x}", "VAC-SAFE-1", "HOLDS", "HOLDS: a", "VIOLATED")]
    for name, console, verbose in (
        ("screen", _shown(80, terminal=True), False),
        ("log", _shown(80, terminal=False), True),
    ):
        show_run(found, console, directory=Path("report"), verbose=verbose)
        yield f"run-{name}", console.file.getvalue()  # type: ignore[attr-defined]
    for name, console in (("screen", _shown(80, terminal=True)), ("log", _shown(80, terminal=False))):
        show(comparison_document(comparison, directory=Path("report")), console, whole=name == "log")
        yield f"comparison-{name}", console.file.getvalue()  # type: ignore[attr-defined]
    yield "run-github", "".join(f"{one}\n" for one in of_run(found))
    yield "comparison-github", "".join(f"{one}\n" for one in of_comparison(comparison))
    yield "run-summary", markdown(run_document(found, checked=contradicted))
    yield "run-page", _Text(html(run_document(found, directory=Path("report"), checked=contradicted))).text
    yield "comparison-summary", markdown(comparison_document(comparison))
    yield "comparison-brief", markdown(brief_document(comparison, again="the command"))
    yield "comparison-page", _Text(html(comparison_document(comparison))).text
    yield "together-summary", markdown(turn_document(report_of(turns)))
    yield "power", power_tables()
    yield "answers", "".join(answers.told())
    yield "differences", every_difference()
    yield "commands", "".join(f"{command_of(one).text}\n" for one in COMPARED)
    yield "changes", every_change()
    yield "verdicts", every_verdict()
    for name, text in (
        ("cut", told()),
        ("results", every_result()),
        ("worst", worst()),
        ("case", explained(CASE)),
        ("table", every_table()),
        ("vacuum", every_vacuum()),
    ):
        yield f"explanation-{name}", text
    with tempfile.TemporaryDirectory() as directory:
        for version, date, one in (
            ("3.3.2", "2026-11-02", failing(1, violation("VAC-SAFE-1"))),
            ("4.4.0", "2026-11-02", failing(1, violation("VAC-SAFE-1"))),
            ("4.4.0", "2026-11-03", case(1)),
        ):
            kept(Path(directory) / version / date, one, first=_header(version, date=date))
        index = index_document(runs_below(Path(directory)), beside=Path(directory))
        yield "index-page", _Text(html(index)).text
        yield "together-page", _Text(html(run_document(turns))).text


def views() -> dict[str, list[str]]:
    """The lines of each view by the name of its file, without blanks at their ends."""
    return {
        f"{name}.txt": [line.rstrip() for line in text.replace("\x1b", "<ESC>").splitlines()] for name, text in _texts()
    }


def main() -> int:
    for name, lines in views().items():
        (APPROVED / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
