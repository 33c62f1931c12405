"""``python -m runner.finding [NAME] [--issue]``: prints the script of a finding, or a text for the tracker of the engine's own
project; without a name, lists the findings. ``--release``: with the packages of another release than the newest that has the
fault. ``--take REPORT``: makes a finding of a run's failure. ``--write``: writes the pages ``docs/findings*.md``.
Exit 2: there is no such finding."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from records.mistakes import UsageMistake
from reports.document.terminal import show
from runner.command_line.commands import ended
from runner.finding.entries import Finding, findings
from runner.finding.script import script_of
from runner.finding.taking import take
from runner.finding.texts import issue, listing, write_pages
from tombstone.commands import FINDING
from tombstone.near import meant
from tombstone.reading import asked_of


def _named(name: str) -> Finding:
    """Raises UsageMistake."""
    found = findings()
    if name not in found:
        raise UsageMistake(f"{name} is no finding: {meant(name, found, otherwise='`tombstone finding` lists them.')}")
    return found[name]


def main(arguments: list[str]) -> int:
    asked = asked_of(FINDING, arguments)
    if asked.write:
        write_pages(list(findings().values()))
    elif asked.take:
        print(take(Path(asked.take), *asked.words))
    elif asked.words:
        finding = _named(asked.words[0])
        release = asked.release or finding.with_fault[-1]
        print(issue(finding) if asked.issue else script_of(finding, release), end="")
    else:
        show(listing(findings().values()), Console(), whole=True)
    return 0


if __name__ == "__main__":
    ended(main)
