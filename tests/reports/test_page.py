"""The page of a run: one file that needs no network, with every text of the run as text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from harness.running.judge import Judge
from model.codec import to_json
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, SPARK, Retain, Rules
from model.vocabulary.steps import Delete, Moment, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, HOUR, WEEK, Table
from records.expectations import (
    ByReplay,
    Expectation,
    Gone,
    InfoIs,
    Operations,
    Readable,
    Removes,
    RowsAre,
    RowsOf,
    Unchanged,
)
from records.json_form import from_json
from records.run import RecordedViolation, Verdict
from reference_engine import ReferenceEngine
from reports.command import main
from reports.comparison.comparison import compare
from reports.counterexamples.checked import ScriptResult
from reports.document import Details, Document, Facts, Files, Finding, Picture, Several, Text
from reports.document.html import IN_FULL, SIGNS, html
from reports.render.comparison.document import comparison_document
from reports.render.picture import picture_of
from reports.render.run import run_document
from reports.render.sides import difference_of, files_of
from reports.stream.reading import Run
from tests.builders.blocks import blocks_of
from tests.builders.small_streams import DELETE, READ, case, commit, header, kept, run, step, violation, written
from tests.handmade.vacuums import LISTED_TABLE
from tests.reports.test_failures import failing

#: Texts that would do something if they were not escaped, or would spoil a line.
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\x1b[31m red",
    "\u202egpj.exe",
    "long " * 500,
)


class Parsed(HTMLParser):
    """What a browser would do with a page: its elements, its addresses, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        given = dict(attrs)
        self.addresses += [str(given[name]) for name in ("src", "href") if name in given]
        self.ids += [str(given["id"])] if "id" in given else []

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(found: Run, **options: object) -> Parsed:
    return Parsed(html(run_document(found, **options)))  # type: ignore[arg-type]


def compared() -> str:
    base = run(case(1), case(2, step(READ, rows=[[1]])), first=header("4.0.1"))
    return html(comparison_document(compare(base, run(BROKEN, case(2, step(READ, rows=[[2]]))))))


BROKEN = failing(1, violation("VAC-SAFE-1", "It is gone.", cause="<b>"))


@pytest.mark.parametrize("page", [html(run_document(run(BROKEN))), compared()])
def test_a_page_needs_nothing_from_elsewhere(page: str) -> None:
    found = Parsed(page)
    assert not {"link", "img", "iframe", "object", "b"} & set(found.elements)
    assert all(address.startswith(("#", "https://")) for address in found.addresses)
    assert "default-src 'none'" in page and not re.search(r"@import|url\(", page)
    inside = {address[1:] for address in found.addresses if address.startswith("#")}
    assert inside <= set(found.ids), "links inside the page lead somewhere"
    assert len(found.ids) == len(set(found.ids)), "ids are unique"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str) -> None:
    first = header()
    one, *others = first.clauses
    one = replace(one, sentence=text, sources=(text, "javascript:alert(1)"))
    first = replace(first, clauses=(one, *others), versions={"delta": "4.4.0", "x": text})
    hostile = run(failing(1, violation("VAC-SAFE-1", text, cause=text)), first=first)
    plain = run(failing(1, violation("VAC-SAFE-1", "text", cause="text")), first=header())
    found = parsed(hostile)
    assert found.elements.count("script") == parsed(plain).elements.count("script") == 1
    assert "img" not in found.elements and not any("javascript" in address for address in found.addresses)
    assert "\x1b" not in found.text and "\u202e" not in found.text


@pytest.mark.parametrize("number", [0, 1, 500])
def test_any_number_of_failures(number: int) -> None:
    lines = [failing(one, violation("VAC-SAFE-1", cause=f"cause {one}")) for one in range(1, number + 1)]
    page = html(run_document(run(*lines, case(number + 1))))
    assert len(page.encode()) < 3_000_000
    assert ('class="failure"' in page) == (number > 0)


def test_blocks_beyond_the_first_fifty_are_named_alone() -> None:
    details = tuple(Details(f"difference <{number}>", (Text("told"),)) for number in range(IN_FULL + 2))
    found = tuple(
        Finding(f"finding {number}", Facts(()), (Text("told"),), f"f{number}") for number in range(IN_FULL + 1)
    )
    page = html(
        Document("PASS: it.", (Several(details, "difference", "all.json"), Several(found, "finding", "all.json")))
    )
    assert page.count(">told<") == 2 * IN_FULL and f"<li>difference &lt;{IN_FULL + 1}&gt;</li>" in page
    assert f"<li>finding {IN_FULL}</li>" in page


def test_the_script_of_a_counterexample_is_on_the_page(tmp_path: Path) -> None:
    broken = failing(7, violation("VAC-SAFE-1"))
    folder = tmp_path / "counterexamples" / f"VAC-SAFE-1-{broken.id}"
    folder.mkdir(parents=True)
    (folder / "reproduce.py").write_text("print('</pre><b>')\n", encoding="utf-8")
    checked = [ScriptResult(f"counterexamples/{folder.name}", "VAC-SAFE-1", "VIOLATED", "VIOLATED: a - b", "VIOLATED")]
    page = parsed(run(broken), directory=tmp_path, checked=checked)
    assert "print('</pre><b>')" in page.text and "b" not in page.elements
    assert "its script says VIOLATED" in page.text
    assert f"replay {folder}/case.json" in page.text


def pictured(*steps: Step, table: Table = LISTED_TABLE, **recorded: Any) -> Picture | None:
    """The picture of the last of the steps. ``recorded``: what its record has besides; a stream of before has neither."""
    of_case, last = Case(table, steps), len(steps) - 1
    return picture_of(of_case, case(1, step(index=last, **recorded), case=to_json(of_case)), last)


RETAINS, LATER = Vacuum(retain_hours=1, safety_check=False), SetClock(Moment(DAY, removed_by_step=0))


@pytest.mark.parametrize(
    ("steps", "recorded", "told"),
    [
        ((SetClock(Moment(DAY)), Vacuum()), {}, {"clock": "start + 1 d", "cutoff": "start - 6 d"}),
        ((RETAINS,), {"clock": 0, "cutoff": -HOUR}, {"clock": "start", "cutoff": "start - 1 h"}),
        ((RETAINS,), {"clock": 0, "cutoff": -WEEK}, {"clock": "start", "cutoff": "start - 7 d"}),
        (
            (Delete(), LATER, Vacuum()),
            {"clock": 9 * DAY, "cutoff": 2 * DAY},
            {"clock": "start + 9 d", "cutoff": "start + 2 d"},
        ),
        ((RETAINS,), {"clock": 0, "cutoff": None}, {"clock": "start"}),  # it is refused
        # Of a stream that records no instants only what the case decides is shown.
        ((RETAINS,), {}, {"clock": "start"}),
        ((Delete(), LATER, Vacuum()), {}, {}),
    ],
)
def test_the_picture_has_every_file_the_clock_and_the_cutoff(
    steps: tuple[Step, ...], recorded: dict[str, Any], told: dict[str, str]
) -> None:
    picture = pictured(*steps, **recorded)
    assert picture is not None
    assert len(picture.rows) == len(LISTED_TABLE.files) + len(LISTED_TABLE.stray_files)
    assert {row.state for row in picture.rows} == {"live", "removed", "stray"}
    assert [tick.x for tick in picture.ticks] == sorted({tick.x for tick in picture.ticks})
    found = {tick.kind: tick.label for tick in picture.ticks if tick.kind}
    assert found == told and all(label in picture.description for label in told.values())
    assert told or "the clock is not recorded, no cutoff is known" in picture.description


def test_of_a_table_without_files_there_is_no_picture() -> None:
    assert pictured(Vacuum(), table=replace(LISTED_TABLE, files=(), commits=(), stray_files=())) is None


@pytest.mark.parametrize("rules", [SPARK, replace(SPARK, retain=Retain.ANY), DELTA_RS])
def test_the_record_of_a_step_has_its_clock_and_its_cutoff(rules: Rules, tmp_path: Path) -> None:
    steps = (
        Delete(),
        SetClock(Moment(DAY, removed_by_step=0)),
        Vacuum(),
        Vacuum(retain_hours=240),
        Vacuum(retain_hours=0, safety_check=False),
        Vacuum(retain_hours=1),
    )
    made = Judge(ReferenceEngine(rules=rules), [], tmp_path).judge(Case(LISTED_TABLE, steps)).steps
    week, long, none, short = ([one.clock, one.cutoff] for one in made[1:])
    now, obeys = week[0], rules.retain is Retain.ANY
    assert now is not None and DAY <= now < DAY + HOUR, "a day after the DELETE, which runs at the start"
    start = 0 if rules.own_clock else now
    assert week == [now, now - WEEK]
    assert long == [now, start - 240 * HOUR if obeys else now - WEEK]
    assert none == [now, start]
    assert short == [now, None if obeys else now - WEEK]


def test_no_two_verdicts_have_one_sign() -> None:
    assert len(set(SIGNS.values())) == len(Verdict) and SIGNS.keys() == {one.value for one in Verdict}


def test_an_index_is_of_the_runs_below(tmp_path: Path) -> None:
    """The last run of each version decides."""
    for date, line in (("2026-11-02", failing(1, violation("VAC-SAFE-1"))), ("2026-11-10", case(1))):
        kept(tmp_path / date, line, first=header(date=date))
    assert main(["index", str(tmp_path)]) == 0
    kept(tmp_path / "old", failing(1, violation("VAC-SAFE-1")), first=header("3.3.2"))
    assert main(["index", str(tmp_path)]) == 1
    (tmp_path / "old" / "run.jsonl").write_bytes(written([header(), case(1)]))
    assert main(["index", str(tmp_path), "--out", str(tmp_path / "site" / "all.html")]) == 2
    assert str(tmp_path / "old") in (tmp_path / "site" / "all.html").read_text(encoding="utf-8"), "it cannot be read"


# What was expected against what was seen, and the files that a step left ------------------------------------------------

TABLE = Case(LISTED_TABLE, (Vacuum(),))
VIOLATION = from_json(violation("VAC-SAFE-1"), RecordedViolation)
PATHS = [file_path(LISTED_TABLE, file) for file in LISTED_TABLE.files]


def expecting(expectation: Expectation | None) -> RecordedViolation:
    return replace(VIOLATION, expectation=expectation)


REMOVES, READS = step(DELETE, removed=["b", "c"]), step(READ, rows=[[1], [3]])
DONE = step(DELETE, operations=["DELETE"], commits=[commit("DELETE", metrics={"numRemovedFiles": "1"})])
STAMPED = step(DELETE, commits=[commit("DELETE", keys=["operation", "inCommitTimestamp"])])
INFO = '{"commitInfo": {"operation": "DELETE", "operationMetrics.numRemovedFiles": '


@pytest.mark.parametrize(
    ("seen", "expectation", "lines"),
    [
        (
            REMOVES,
            Removes(["b", "a"]),
            ['- {"remove": {"path": "a"}}', '  {"remove": {"path": "b"}}', '+ {"remove": {"path": "c"}}'],
        ),
        (REMOVES, Removes(["b"], checkpoint=True), []),  # what a checkpoint removes is not what the step removes
        (DONE, Operations([]), ['+ {"commitInfo": {"operation": "DELETE"}}']),
        (DONE, InfoIs("operationMetrics.numRemovedFiles", "2"), [f'- {INFO}"2"}}}}', f'+ {INFO}"1"}}}}']),
        (DONE, InfoIs("operationMetrics", None, "VACUUM END"), []),  # the step has no such commit
        (STAMPED, InfoIs("inCommitTimestamp", None), []),
        (READS, RowsAre(RowsOf.ANSWER, [[1], [2]]), ["  [1]", "- [2]", "+ [3]"]),
        (READS, RowsAre(RowsOf.TABLE, [[1], [2]]), []),
        # There are no two sides.
        *((step(), one, []) for one in (None, ByReplay("x"), Readable())),
    ],
)
def test_what_was_expected_against_what_was_seen(
    seen: dict[str, Any], expectation: Expectation | None, lines: list[str]
) -> None:
    found = difference_of(case(1, seen), expecting(expectation))
    assert [f"{one.sign} {one.text}" for one in found.lines] == lines


def test_the_files_that_a_vacuum_left() -> None:
    gone, kept = PATHS[0], PATHS[1]
    wrongs = expecting(Unchanged(gone, times=False)), expecting(Gone(kept))
    line = replace(case(1, step(vanished=[gone])), violations=wrongs)
    tree = files_of(TABLE, line, 0)
    wrong = {one.name: (one.after, one.wrong) for one in tree if one.wrong}
    assert wrong == {
        gone.rpartition("/")[2]: ("deleted", "must be kept"),
        kept.rpartition("/")[2]: ("kept", "must be deleted"),
    }
    names = [one.name for one in tree]
    for path in (*PATHS, *(stray.path for stray in LISTED_TABLE.stray_files)):
        *directories, name = path.split("/")
        assert name in names and {f"{directory}/" for directory in directories} <= set(names)
    assert files_of(TABLE, case(1, step()), 0) == (), "a step that deleted nothing"


def test_a_file_that_must_be_kept_and_is_there_was_changed() -> None:
    line = replace(case(1, step()), violations=(expecting(Unchanged(PATHS[0], times=True)),))
    assert [(one.after, one.wrong) for one in files_of(TABLE, line, 0) if one.wrong] == [
        ("not as it was", "must be kept")
    ]


def test_a_comparison_has_the_files_of_both_sides() -> None:
    document = to_json(TABLE)
    before = case(1, step(), case=document)
    now = case(1, step(vanished=[PATHS[0]]), failing=("VAC-SAFE-1",), case=document)
    now = replace(now, violations=(expecting(Unchanged(PATHS[0], times=False)),))
    compared = comparison_document(compare(run(before, first=header("4.0.1")), run(now)))
    (files,) = blocks_of(compared, Files)
    name = PATHS[0].rpartition("/")[2]
    sides = [{one.name: (one.after, one.wrong) for one in tree} for _, tree in files.sides]
    assert [side[name] for side in sides] == [("kept", ""), ("deleted", "must be kept")]
