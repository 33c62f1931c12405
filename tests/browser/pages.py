"""The pages that the tests open, from made-up runs: the files that a run, a comparison and an index write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from model.codec import to_json
from model.vocabulary.case import Case
from model.vocabulary.steps import Read, Vacuum
from model.vocabulary.table import StrayFile, Table
from records.known_fault import KnownFault, Symptom
from records.run import RecordedCase, RecordedOutcome, Verdict
from reports.comparison.comparison import compare
from reports.counterexamples.checked import ScriptResult, write_checked
from reports.render.comparison.files import write_comparison
from reports.render.files import write_views
from reports.render.index import write_index
from reports.stream.reading import Run
from tests.builders.small_streams import READ, case, changed, footer, header, run, step, violation, written
from tests.handmade.vacuums import LISTED_TABLE
from tests.rehearsal.rehearsals import write_rehearsal
from tests.reports.test_failures import SPACE, failing
from tests.reports.test_page import HOSTILE

#: The pages by name, below the folder that ``write_pages`` is given. The number of failures is 0, 1 and 500.
PAGES = {
    "kept": "kept/report.html",
    "one": "one/report.html",
    "many": "many/report.html",
    "worse": "worse/compare.html",
    "upgrade": "upgrade/compare.html",
    "index": "index/index.html",
    "rehearsal": "rehearsal/rehearsal.html",
    "hostile": "hostile/report.html",
    "hostile-worse": "hostile-worse/compare.html",
    "hostile-index": "hostile-index/index.html",
    "hostile-rehearsal": "hostile-rehearsal/rehearsal.html",
}

#: Pages with the same content as the hostile ones, except for the texts.
PLAIN = {
    f"plain{name.removeprefix('hostile')}": f"plain{file[7:]}" for name, file in PAGES.items() if "hostile" in name
}

#: Texts that would do something if they were not text, that are long in one piece, or run from right to left.
TEXTS = (
    *HOSTILE,
    "</script><style>* { display: none }</style>",
    "x" * 3000,
    "\u05d0\u05d1\u05d2 \u0645\u0644\u0641 " * 20,
)

FEW = ("DEL-ROW-1", "DEL-ROW-2", "VAC-SAFE-1", "VAC-SAFE-2", "VAC-GONE-1")
#: As many as a run of the gate has.
ALL = tuple(
    f"{family}-{number}" for family in ("DEL-ROW", "DEL-REM", "VAC-SAFE", "VAC-GONE") for number in range(1, 51)
)

SCRIPT = "# What VACUUM deletes & what it leaves: a < b, 'é'\n\nprint('</pre><b>')\n" + "if True:\n    print(1)\n" * 60

_KEPT: dict[str, Any] = {"kind": "unchanged", "expects": {"path": "young.parquet"}}

KNOWN_FAULT = KnownFault("VAC-GONE-1", "A known fault.", "https://example.org/1", Symptom(("gone",)))


def write_pages(folder: Path) -> None:
    """Write every page of ``PAGES`` and of ``PLAIN``."""
    _report(folder / "kept", _run(FEW, [case(1, clauses=FEW[:4]), _known(2)]))
    _report(folder / "one", _run(FEW, [*_failing(1, FEW[2:3], FEW[:4]), _known(2), case(3, clauses=FEW[:4])]))
    _report(folder / "many", _run(ALL, [*_failing(500, ALL[:170], ALL), case(501, clauses=ALL)]))
    _comparison(folder / "worse", _before(_worse(), "4.0.1", 1), _worse())
    _comparison(folder / "upgrade", _before(_worse(), "4.0.1", 1), _before(_worse(), "4.4.0", 1))
    _index(folder / "index")
    write_rehearsal(folder / "rehearsal")
    for name, texts in (("hostile", TEXTS), ("plain", tuple(f"text {number}" for number in range(len(TEXTS))))):
        _report(folder / name, _of_texts(texts))
        _comparison(folder / f"{name}-worse", _before(_of_texts(texts), "4.0.1", texts[0]), _of_texts(texts))
        _index_of_texts(folder / f"{name}-index", texts)
        write_rehearsal(folder / f"{name}-rehearsal", texts)


def _run(clauses: Sequence[str], cases: Iterable[RecordedCase]) -> Run:
    """A run, with the known fault in force."""
    head = header(clauses=clauses)
    judged = tuple(changed(one, **_drawn(number)) for number, one in enumerate(cases))
    since, bad = "Delta 4.0 and newer", ("deletes-young-files", "keeps-all")
    head = replace(head, clauses=tuple(replace(clause, holds_for=since, proven_by=bad) for clause in head.clauses))
    return Run(head, judged, replace(footer(head, judged, known_faults=[KNOWN_FAULT]), digest="0" * 64))


def _pictured(steps: int, table: Table = LISTED_TABLE) -> dict[str, Any]:
    """What gives a failing case of so many steps a picture."""
    return {"case": to_json(Case(table, (*[Read()] * (steps - 1), Vacuum())))}


def _drawn(number: int) -> dict[str, Any]:
    """What a case says of how it was drawn."""
    return {
        "features": ("column mapping", "deletion vectors")[: number % 3],
        "coverage": {
            "paths": {"retained": {"keep": 3}, "live": {"keep": 1, "delete": 2}},
            "cutoff": {"tombstone": {"0": 1}},
        },
    }


def _failing(number: int, broken: Sequence[str], clauses: Sequence[str]) -> Iterable[RecordedCase]:
    """So many cases, each with a failure of its own, on these clauses by turns."""
    for one in range(1, number + 1):
        wrong = violation(
            broken[one % len(broken)], f"File {one} is gone.", cause=f"cause {one}", step=2, expectation=_KEPT
        )
        made = failing(one, wrong, steps=3, clauses=clauses, **_pictured(3))
        *earlier, last = made.steps
        seen = replace(last.observed, vanished=(_KEPT["expects"]["path"], "orphan.parquet"))
        yield replace(made, steps=(*earlier, replace(last, observed=seen)))


def _rows(*rows: list[str]) -> dict[str, Any]:
    return {"kind": "rows-are", "expects": {"of": "answer", "rows": list(rows)}}


def _known(number: int) -> RecordedCase:
    return failing(number, violation(KNOWN_FAULT.clause, excused=KNOWN_FAULT.reason), clauses=(KNOWN_FAULT.clause,))


def _report(folder: Path, made: Run) -> None:
    """The views of a run whose failures have scripts."""
    checked = []
    for line in made.cases:
        for one in line.violations[:1]:
            own = folder / f"counterexamples/{one.clause}-{line.id}"
            own.mkdir(parents=True)
            (own / "reproduce.py").write_text(SCRIPT, encoding="utf-8")
            where = str(own.relative_to(folder))
            checked.append(ScriptResult(where, one.clause, "VIOLATED", "VIOLATED: a - b", "VIOLATED"))
    folder.mkdir(parents=True, exist_ok=True)
    write_checked(checked[:3], folder)
    write_views(made, folder)


def _worse() -> Run:
    """Two ways in which it is worse, of which one has a picture, and a read that gives other rows."""
    lost = failing(1, violation("VAC-SAFE-1", "It is gone."), steps=2, **_pictured(2))
    stays = failing(2, violation("DEL-ROW-1", "It stays.", severity=SPACE, cause="stays"))
    return run(lost, stays, case(3, step(READ, rows=[[2]])))


def _before(now: Run, version: str, value: Any) -> Run:
    """The same cases without a failure, on an older version. Reads give rows with this value."""
    cases = []
    for line in now.cases:
        judged = {id: replace(result, verdict=Verdict.HOLDS) for id, result in line.clauses.items()}
        steps = tuple(replace(one, outcome=RecordedOutcome([[value]], None)) for one in line.steps)
        cases.append(replace(line, violations=(), clauses=judged, steps=steps, error=None))
    return run(*cases, first=replace(now.header, versions={"delta": version}))


def _comparison(folder: Path, base: Run, candidate: Run) -> None:
    write_comparison(compare(base, candidate), folder)


def _index(folder: Path) -> None:
    """Two runs of one version with pages, one without, one of another version, and one that cannot be read."""
    for version, date, lines in (
        ("3.3.2", "2026-11-01", [failing(1, violation("VAC-SAFE-1"))]),
        ("4.0.1", "2026-11-01", [case(1)]),
        ("4.4.0", "2026-11-01", [failing(1, violation("VAC-SAFE-1"))]),
        ("4.4.0", "2026-11-02", [case(1)]),
        ("cut", "2026-11-02", [case(1)]),
    ):
        own = folder / version / date
        own.mkdir(parents=True)
        made = run(*lines, first=header(version, date=date))
        whole = written([made.header, *made.cases, made.footer])
        parts = whole.splitlines(keepends=True)
        (own / "run.jsonl").write_bytes(b"".join(parts[:2]) if version == "cut" else whole)
        if version in ("3.3.2", "4.0.1"):
            write_views(made, own)
    write_index(folder, folder / "index.html")


def _named_by(texts: Sequence[str], version: str) -> Run:
    """A run in whose header each text stands wherever an engine, a machine or a user can put one."""
    head = header(version, clauses=[f"VAC-SAFE-{number}" for number in range(len(texts))])
    head = replace(
        head,
        clauses=tuple(
            replace(
                clause,
                sentence=text,
                sources=(text, "javascript:alert(1)"),
                chapter=text,
                holds_for=text,
                proven_by=(text,),
            )
            for clause, text in zip(head.clauses, texts)
        ),
        versions={**head.versions, **{f"x{number}": text for number, text in enumerate(texts)}},
        profile=texts[0],
        machine={**head.machine, "locale": texts[1]},
        platform=texts[5],
    )
    names = tuple(one.id for one in head.clauses)
    cases = [case(number, clauses=names, features=[text]) for number, text in enumerate(texts, start=1)]
    return run(*cases, first=head)


def _of_texts(texts: Sequence[str]) -> Run:
    """A run in which every text is a sentence, a cause, a message, a fact, a step, a path and a reason of a known fault."""
    named = _named_by(texts, "4.4.0")
    lines = []
    for number, (id, text) in enumerate(zip(named.clauses, texts), start=1):
        wrong = violation(id, text, cause=text, evidence=[text], expectation=_rows([text]))
        known = violation(id, text, cause=f"known {text}", excused=text)
        name = f"{number}{text[:60]}".replace("/", "_")
        table = replace(LISTED_TABLE, stray_files=(StrayFile(name),))
        made = failing(number, wrong, known, steps=2, clauses=named.clauses, features=[text], **_pictured(2, table))
        one, other = (replace(step, text=text, outcome=RecordedOutcome([["seen"]], None)) for step in made.steps)
        one = replace(one, observed=replace(one.observed, vanished=(name,)))
        lines.append(replace(made, steps=(one, other)))
    broken = case(len(texts) + 1, clauses=(), error={"kind": "engine", "message": texts[0], "log": texts[1]})
    return run(*lines, broken, first=named.header)


def _index_of_texts(folder: Path, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        own = folder / f"run {number} <b>&"
        own.mkdir(parents=True)
        made = _named_by(texts, "4.4.0")
        version = f"4.4.{number}" if text.startswith("text") else text
        made = Run(replace(made.header, versions={**made.header.versions, "delta": version}), made.cases, made.footer)
        (own / "run.jsonl").write_bytes(written([made.header, *made.cases, made.footer]))
        write_views(made, own)
    write_index(folder, folder / "index.html")
