"""The files of a run of two engines in turn: ``together.json`` and ``summary.md``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from reports.text.quantities import counted
from reports.together.answer import Together, answer_of, directions, sentence

#: What a run writes. An earlier one of the same name goes first.
FILES = ("together.json", "summary.md")


def write_files(run: Together, directory: Path) -> None:
    """Write both files into the directory, which exists."""
    answer = answer_of(run)
    content = {"answer": answer.word.value, "reason": answer.reason, "exit": answer.exit, **asdict(run)}
    (directory / FILES[0]).write_text(
        json.dumps(content, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
    )
    (directory / FILES[1]).write_text(markdown(run), encoding="utf-8")


def markdown(run: Together) -> str:
    """The answer, a sentence for each engine, and a table of the ways, the new ones first, and then the gravest."""
    answer = answer_of(run)
    lines = [f"# {answer.mark} {answer}", "", *(f"- {one}" for one in directions(run)), ""]
    lines += [
        f"{counted(run.cases, 'case')}, each in both orders; {counted(run.steps, 'step')}; {run.seconds:.0f} s.",
        "",
    ]
    if run.ways:
        lines += ["| engine | clauses | what goes wrong | case |", "| --- | --- | --- | --- |"]
        for way in sorted(run.ways, key=lambda one: (one.known is not None, one.severity.rank)):
            case = f"[{way.cases[0]}](cases/{way.cases[0]}.json), {way.pattern}, step {way.step}"
            more = f", and {counted(len(way.cases) - 1, 'case')} more" if len(way.cases) > 1 else ""
            lines.append(f"| {way.side} | {', '.join(way.clauses)} | {_cell(sentence(way))} | {case}{more} |")
        lines.append("")
    lines += [f"- Not judged: {_cell(one)}" for one in run.errors]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
