"""Writes what a rehearsal found: a page, Markdown, JSON, and a list of files for each release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from records.json_form import to_json
from records.mistakes import UsageMistake
from rehearsal.document import document_of
from rehearsal.rehearsed import Rehearsal
from reports.document.html import html
from reports.document.markdown import markdown
from reports.text.ladder import Answer

#: The page that a user opens first.
PAGE = "rehearsal.html"


def write_report(
    out: Path,
    answer: Answer,
    rehearsal: Rehearsal,
    deleted: Sequence[Sequence[str]],
    removed: Sequence[Sequence[str]] = (),
) -> None:
    """``deleted``: the files that each release's VACUUM deletes by the model; ``removed``: those that its DELETE removes from
    the table. Raises UsageMistake."""
    document = document_of(answer, rehearsal, deleted, removed)
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "rehearsal.json").write_text(json.dumps(to_json(rehearsal), indent=1) + "\n", encoding="utf-8")
        (out / "rehearsal.md").write_text(markdown(document), encoding="utf-8")
        (out / PAGE).write_text(html(document), encoding="utf-8", newline="\n")
        for kind, lists in (("delete", deleted), ("remove", removed)):
            for name, paths in zip_longest("AB", lists):
                file = out / f"{kind}-{name}.txt"
                if paths is None:  # of an earlier rehearsal
                    file.unlink(missing_ok=True)
                else:
                    lines = "".join(f"{path}\n" for path in paths)
                    file.write_text(lines, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UsageMistake(f"--out {out} cannot be written ({error.strerror}): name another directory.") from None
