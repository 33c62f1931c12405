"""``python -m runner.explain ID [ENGINE]``: a clause (``VAC-SAFE-2``), a case (its id, its name in ``regressions/``, its file), a
known fault (``deltalake:12``) or a known-bad engine. ``ENGINE``: only its known faults of a clause. Exit 2: there is no such."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from engines.provider import ENGINES
from faults import FAULTS
from records.mistakes import UsageMistake
from reports.document import Document
from reports.document.terminal import show
from runner.command_line.commands import ended
from runner.explain.cases import REPORTS, case_of, is_id, names
from runner.explain.known import known_faults
from runner.explain.texts import case_text, clause_text, known_bad_text, known_text
from suites.catalogue import CATALOGUE
from tombstone.commands import EXPLAIN
from tombstone.near import meant
from tombstone.reading import asked_of


def explained(name: str, engine: str | None, reports: Path = REPORTS) -> Document:
    """``reports``: the user's reports. Raises UsageMistake for an unknown name, with similar ones."""
    if name.upper() in CATALOGUE:
        return clause_text(CATALOGUE[name.upper()], engine)
    if name in FAULTS:
        return known_bad_text(FAULTS[name])
    known = {one.name: one for one in known_faults()}
    if name in known:
        return known_text(known[name])
    if found := case_of(name, reports):
        return case_text(found)
    if is_id(name):
        raise UsageMistake(
            f"{name} is the id of no case of the corpus, of regressions/ or of a report in {reports}: name the case's file, "
            "such as counterexamples/…/case.json of a report."
        )
    near = [*CATALOGUE, *FAULTS, *known, *names()]
    remedy = meant(name, near, otherwise="`tombstone gate --clause list` names the clauses.")
    raise UsageMistake(f"{name} is no clause, case, known fault or known-bad engine: {remedy}")


def main(arguments: list[str]) -> int:
    asked = asked_of(EXPLAIN, arguments)
    name, engine = asked.words[0], next(iter(asked.words[1:]), None)
    if engine not in (None, *ENGINES):
        raise UsageMistake(f"{engine} is no engine: use one of {', '.join(ENGINES)}.")
    show(explained(name, engine, asked.reports or REPORTS), Console(), whole=True)
    return 0


if __name__ == "__main__":
    ended(main)
