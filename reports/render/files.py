"""The views of a run that are files."""

from __future__ import annotations

from pathlib import Path

from reports.counterexamples.checked import read_checked
from reports.document.html import html
from reports.document.markdown import markdown
from reports.findings.of_run import findings_of
from reports.render.junit import junit
from reports.render.run import run_document
from reports.stream.reading import Run


def write_views(run: Run, directory: Path, *, beside: Path | None = None) -> None:
    """Write the views of a run into ``directory``, which is made if need be: ``report.html``, ``summary.md`` and
    ``junit.xml``. The page has the scripts of the counterexamples in the directory ``beside``, by default the same.

    Raises StreamError, before anything is written.
    """
    findings_of(run)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "junit.xml").write_text(junit(run), encoding="utf-8", newline="\n")
    own = beside or directory
    checked = read_checked(own)
    document = run_document(run, directory=own, checked=checked)
    (directory / "report.html").write_text(html(document), encoding="utf-8", newline="\n")
    (directory / "summary.md").write_text(markdown(document), encoding="utf-8", newline="\n")
