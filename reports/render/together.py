"""Two engines in turn as blocks of a run's document, and as one of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from reports.document import Block, Content, Document, Facts, Items, Link, Section, Strong, Text, line, lines, table
from reports.text.harms import does
from reports.text.quantities import counted
from reports.together.answer import TurnReport, TurnWay, directions, sentence

_TOLD = (
    "AB: A runs the first step of the case, B the second, and so on; BA: the other way round. A script needs only the two "
    "engines, each in a Python of its own."
)


def turn_document(report: TurnReport) -> Document:
    """The answer, a sentence for each engine, and a table of the ways: a page without the files of a report."""
    a, b = report.sides
    ran = (
        f"{counted(report.cases, 'case')}, each in both orders; {counted(report.steps, 'step')}; {report.seconds:.0f} s"
    )
    facts = Facts((("A", a), ("B", b), ("Run", ran), ("Catalogue", report.catalogue)))
    return Document(str(report.answer), turn_blocks(report, linked=False), mark=report.answer.mark, facts=facts)


def turn_blocks(report: TurnReport, *, linked: bool = True) -> tuple[Block, ...]:
    """A sentence for each engine, and a table of the ways, the new ones first, and then the gravest.

    ``linked``: whether the files of the cases lie beside it.
    """
    heads = ("Harm", "Who", "On tables of", "What goes wrong, and whom it concerns", "Clauses", "Case", "Script")
    rows = [_row(way, linked=linked) for way in report.in_order]
    ways = Section("On the same tables", (table(heads, rows, brief=4), Text(_TOLD if rows else "")))
    return (Items(tuple(directions(report)), whole=True), ways, Section("Not judged", (Items(report.errors),)))


def _row(way: TurnWay, *, linked: bool) -> Iterator[Content]:
    known, files = way.known is not None, linked and way.folder
    harm = f"{'known' if known else 'new'}: {does(way.severity)}"
    yield harm if known else Strong(harm)
    yield way.side
    yield way.other
    fault = "Concerns" if known else "That fault concerns"
    yield lines(sentence(way), f"{fault} you only if {way.concerns}." if way.concerns else "")
    yield ", ".join(way.clauses)
    more = f", and {counted(way.cases - 1, 'case')} more" if way.cases > 1 else ""
    yield line(
        Link(way.case, f"{way.folder}/case.json") if files else way.case, f", {way.pattern}, step {way.step}{more}"
    )
    script = PurePosixPath(way.folder, "reproduce.py")
    yield Link(script.name, script.as_posix()) if files else ""
