"""The files of a run of two engines in turn: ``together.json``, ``summary.md`` and ``report.html``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from model.codec import to_json
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reports.document import (
    Code,
    Content,
    Document,
    Facts,
    Items,
    Link,
    Section,
    Strong,
    Text,
    line,
    lines,
    table,
)
from reports.document.html import html
from reports.document.markdown import markdown
from reports.render.marks import VIEWS, clear_cases, clear_files, require_own
from reports.text.harms import does
from reports.text.quantities import counted
from reports.together.answer import TurnReport, TurnWay, answer_of, directions, sentence
from reports.together.reading import FILE

#: What a run writes beside its cases, and how each begins: an earlier run's go first, and none of the user's.
MARKS: Mapping[str, bytes] = {
    FILE: rb'\A\{\n "answer": "',
    "summary.md": VIEWS["summary.md"],
    "report.html": VIEWS["report.html"],
}
JSON, SUMMARY, PAGE = MARKS
CASES = "cases"


def prepare(directory: Path, *, option: str) -> None:
    """Make the directory, and remove an earlier run's files. ``option`` is the one that names it.

    Raises UsageMistake if it cannot be written, or a file of the user's would be replaced.
    """
    try:
        (directory / CASES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageMistake(f"{option} {directory} cannot be written ({error.strerror}): name another.") from error
    if not os.access(directory, os.W_OK):
        raise UsageMistake(f"{option} {directory} cannot be written: name another.")
    require_own(directory, MARKS, option=option)
    clear_files(directory, MARKS)
    clear_cases(directory / CASES)


def write_case(case: Case, id: str, directory: Path) -> None:
    """Write the case into the directory, unless it has a file of the user's of that name."""
    file = directory / CASES / f"{id}.json"
    if not file.exists():
        file.write_text(json.dumps(to_json(case), indent=1) + "\n", encoding="utf-8")


def write_script(text: str, id: str, directory: Path) -> str:
    """Write a script that reproduces a way beside its case, as ``cases/ID/reproduce.py``; return its path from the directory.

    Where there is one already, of another way or of the user, it gets a number: ``reproduce-2.py``.
    """
    folder = directory / CASES / id
    folder.mkdir(exist_ok=True)
    names = ("reproduce.py", *(f"reproduce-{number}.py" for number in range(2, len(list(folder.iterdir())) + 3)))
    file = next(folder / name for name in names if not (folder / name).exists())
    file.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return file.relative_to(directory).as_posix()


def write_files(run: TurnReport, directory: Path) -> None:
    """Write the files into the directory, which exists."""
    answer = answer_of(run)
    content = {"answer": answer.word.value, "reason": answer.reason, "exit": answer.exit, **asdict(run)}
    (directory / JSON).write_text(
        json.dumps(content, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
    )
    document = turn_document(run)
    (directory / SUMMARY).write_text(markdown(document), encoding="utf-8")
    (directory / PAGE).write_text(html(document), encoding="utf-8", newline="\n")


def turn_document(run: TurnReport, *, linked: bool = True) -> Document:
    """The answer, a sentence for each engine, and a table of the ways, the new ones first, and then the gravest.

    ``linked``: whether the files of the cases lie beside it.
    """
    answer = answer_of(run)
    heads = ("Harm", "Who", "On tables of", "What goes wrong, and whom it concerns", "Clauses", "Case", "Script")
    rows = [_row(way, linked=linked) for way in run.in_order]
    told = "AB: A runs the first step of the case, B the second, and so on; BA: the other way round. A script needs only the "
    told += "two engines, each in a Python of its own."
    return Document(
        str(answer),
        (
            Items(tuple(directions(run))),
            Section("What goes wrong", (table(heads, rows, whole=JSON), Text(told if rows else ""))),
            Section("Not judged", (Items(run.errors),)),
        ),
        mark=answer.mark,
        name=f"{answer.word.value}: {run.sides[0]} and {run.sides[1]} on the same tables",
        facts=Facts((("A", run.sides[0]), ("B", run.sides[1]), ("Run", ran(run)))),
        made=line("Made by Tombstone: ", Code("tox -e together"), ". The same for programs: ", Link(JSON, JSON), "."),
    )


def _row(way: TurnWay, *, linked: bool) -> Iterator[Content]:
    known, first = way.known is not None, way.cases[0]
    harm = f"{'known' if known else 'new'}: {does(way.severity)}"
    yield harm if known else Strong(harm)
    yield way.side
    yield way.other
    yield lines(sentence(way), f"Concerns you only if {way.concerns}." if way.concerns else "")
    yield ", ".join(way.clauses)
    more = f", and {counted(len(way.cases) - 1, 'case')} more" if len(way.cases) > 1 else ""
    yield line(Link(first, f"cases/{first}.json") if linked else first, f", {way.pattern}, step {way.step}{more}")
    yield Link(PurePosixPath(way.script).name, way.script) if way.script else ""


def ran(run: TurnReport) -> str:
    """What was run: ``60 cases, each in both orders; 700 steps; 61 s``."""
    cases = counted(run.cases, "case")
    if run.interrupted is not None:
        cases = f"{run.cases} of {counted(run.interrupted, 'case')}"
    return f"{cases}, each in both orders; {counted(run.steps, 'step')}; {run.seconds:.0f} s"
