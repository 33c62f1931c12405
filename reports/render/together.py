"""The files of a run of two engines in turn: ``together.json``, ``summary.md`` and ``report.html``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from model.codec import to_json
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reports.render.marks import VIEWS, clear_cases, clear_files, require_own
from reports.render.page.html import html_of
from reports.render.page.together import ran, turn_page
from reports.text.markdown import row, text
from reports.text.quantities import counted
from reports.together.answer import TurnReport, answer_of, directions, sentence
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
    (directory / SUMMARY).write_text(markdown(run), encoding="utf-8")
    (directory / PAGE).write_text(html_of(turn_page(run)), encoding="utf-8", newline="\n")


def markdown(run: TurnReport, *, linked: bool = True) -> str:
    """The answer, a sentence for each engine, and a table of the ways, the new ones first, and then the gravest.

    ``linked``: whether the files of the cases lie beside it.
    """
    answer = answer_of(run)
    lines = [f"# {answer.mark} {answer}", "", *(f"- {one}" for one in directions(run)), ""]
    lines += [f"{ran(run)}.", ""]
    if run.ways:
        lines += ["| engine | clauses | what goes wrong | case | script |", "| --- | --- | --- | --- | --- |"]
        for way in run.in_order:
            first = f"[{way.cases[0]}](cases/{way.cases[0]}.json)" if linked else way.cases[0]
            case = f"{first}, {way.pattern}, step {way.step}"
            more = f", and {counted(len(way.cases) - 1, 'case')} more" if len(way.cases) > 1 else ""
            script = f"[{PurePosixPath(way.script).name}]({way.script})" if way.script else ""
            lines.append(row(way.side, ", ".join(way.clauses), text(sentence(way)), f"{case}{more}", script))
        lines.append("")
    lines += ["- Not judged: " + text(one).replace("|", "\\|") for one in run.errors]
    return "\n".join(lines) + "\n"
