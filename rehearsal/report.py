"""Writes what a rehearsal found: a page, Markdown, JSON, and a list of files for each release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from records.json_form import to_json
from records.mistakes import UsageMistake
from rehearsal.html_page import html_of
from rehearsal.markdown import markdown_of
from rehearsal.rehearsed import Rehearsal
from reports.findings.answers import Answer

#: The page that a user opens first.
PAGE = "rehearsal.html"


def write_report(out: Path, answer: Answer, rehearsal: Rehearsal, deleted: Sequence[Sequence[str]]) -> None:
    """``deleted``: the files that each release deletes by the model. Raises UsageMistake."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "rehearsal.json").write_text(json.dumps(to_json(rehearsal), indent=1) + "\n", encoding="utf-8")
        (out / "rehearsal.md").write_text(markdown_of(rehearsal), encoding="utf-8", errors="replace")
        (out / PAGE).write_text(html_of(answer, rehearsal, deleted), encoding="utf-8", newline="\n")
        (out / "delete-B.txt").unlink(missing_ok=True)  # of an earlier rehearsal
        for name, paths in zip("AB", deleted):
            lines = "".join(f"{path}\n" for path in paths)
            (out / f"delete-{name}.txt").write_text(lines, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UsageMistake(f"--out {out} cannot be written ({error.strerror}): name another directory.") from None
