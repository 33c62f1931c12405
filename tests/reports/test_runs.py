"""The run stream and its views: property tests over drawn runs, and examples of what must be refused."""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from harness.campaigns.costs import seconds_by_pace
from harness.running.coverage import Cell, nested
from model.vocabulary.operations import DRAWN
from records import run as run_records
from records.known_fault import KnownFault, Symptom
from records.mistakes import StreamError
from records.run import Footer, Header, RecordedCase, Verdict
from reports.document.html import html
from reports.document.markdown import code, heads, markdown, row, text
from reports.findings.coverage import Covered
from reports.findings.drawn import Drawing
from reports.findings.of_run import findings_of
from reports.findings.verdicts import CaseFold, counts, verdicts
from reports.render.junit import junit
from reports.render.junit import text as xml_text
from reports.render.run import run_document
from reports.render.terminal import Progress, show_run
from reports.stream.checks import sort_key
from reports.stream.lines import line_of
from reports.stream.reading import Run, read_run
from reports.stream.writing import RunWriter
from reports.text.engines import header_words
from tests.builders.small_streams import (
    DELETE,
    READ,
    VACUUM,
    Json,
    case,
    error,
    footer,
    header,
    plain,
    run,
    step,
    taken,
    written,
)

#: The first case pays for imports and the schema: no deadline.
unhurried = settings(deadline=None)

#: Any text at all: control characters, quotes, pipes, lone surrogates.
texts = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["a|b", "</td>", "`", "]]>", "\x1b[31m", "\ud800", ":x:"]
)
CLAUSES = ("DEL-META-1", "DEL-ROW-1", "VAC-SAFE-1", "VAC-LOG-1")
FEATURES = ("change feed", "column mapping", "partitions", "a|b")
COVERED = (
    Cell("paths", "live add", "keep"),
    Cell("vacuums", "RETAIN zero, check off", "FULL"),
    Cell("cutoff", "tombstone", "-1"),
)
KNOWN_FAULT = KnownFault("VAC-LOG-1", "known", "https://example.org/1", Symptom(("c",)))


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """With some of CLAUSES, mostly active."""
    names = ("processors", "time_zone", "locale", "file_system")
    first = header(
        clauses=draw(st.lists(st.sampled_from(CLAUSES), unique=True)),
        engine=draw(st.sampled_from(["spark", "deltalake"])),
        versions=draw(st.dictionaries(texts, texts, max_size=2)),
        profile=draw(st.sampled_from(["smoke", "gate"])),
        seed=draw(st.none() | st.integers()),
        known_bad=draw(st.none() | texts),
        machine=draw(st.fixed_dictionaries({**dict.fromkeys(names, texts), "processors": st.integers(1, 99).map(str)})),
        campaigns=[{"name": "row-deletes", "planned": 3}, {"name": "strays", "planned": 2}],
    )
    statuses = st.sampled_from(["active", "active", "active", "not applicable", "disabled"])
    listed = (
        replace(one, sentence=draw(texts), sources=(draw(texts),), status=draw(statuses), reason=draw(texts))
        for one in first.clauses
    )
    return replace(first, clauses=tuple(listed))


steps = st.builds(
    step,
    st.sampled_from([DELETE, VACUUM, READ]),
    st.integers(0, 9),
    rows=st.none() | st.just([[1, "x"]]),
    error=st.none() | st.builds(error, st.none() | texts, texts, texts, st.none() | texts),
)


@st.composite
def cases(draw: st.DrawFn, names: list[str], index: int) -> RecordedCase:
    """A case. Its clauses are some of ``names``; each that fails has a violation."""
    judged = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    failed = st.fixed_dictionaries(
        {"kind": st.sampled_from(["engine-died", "harness"]), "message": texts, "log": texts}
    )
    features = st.lists(st.sampled_from(FEATURES), unique=True).map(sorted)
    covered = st.dictionaries(st.sampled_from(COVERED), st.integers(0, 9)).map(nested)
    shown: st.SearchStrategy[Json] = st.fixed_dictionaries({}, optional={"features": features, "coverage": covered})
    made = case(
        draw(st.integers(0, 3)),
        *draw(st.lists(steps, max_size=2)),
        clauses=judged,
        failing=tuple(name for name in judged if draw(st.integers(0, 2)) == 0),
        campaign=draw(st.sampled_from(["row-deletes", "stray_files"])),
        batch=draw(st.integers(0, 1)),
        index=index,
        origin=draw(st.sampled_from(["generated", "explicit", "replayed", "shrunk"])),
        error=draw(st.none() | st.none() | failed),
        **draw(shown),
    )
    results = {name: replace(one, met=draw(st.integers(0, 3))) for name, one in made.clauses.items()}
    violations = (
        replace(one, subject=draw(st.none() | texts), message=draw(texts), evidence=(draw(texts),))
        for one in made.violations
    )
    return replace(made, clauses=results, violations=tuple(violations))


Stream = tuple[Header, list[RecordedCase], Footer]


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """A valid stream: a header, up to four cases in any order, a footer that agrees with them."""
    first = draw(headers())
    names = [clause.id for clause in first.clauses]
    drawn = [draw(cases(names, index)) for index in range(draw(st.integers(0, 4)))]
    judged = draw(st.permutations(drawn))
    known_faults = draw(st.sampled_from([(), (KNOWN_FAULT,)]))
    return first, list(judged), footer(first, judged, known_faults=known_faults, seconds=draw(st.floats(0, 10)))


def whole(found: Stream) -> bytes:
    """The stream as it is written."""
    first, judged, last = found
    return written([first, *judged, last])


def runs() -> st.SearchStrategy[Run]:
    return streams().map(lambda found: Run(found[0], sorted(found[1], key=sort_key), found[2]))


def joined(lines: list[Json]) -> bytes:
    """A stream of these lines, with a footer whose digest is wrong."""
    if lines and lines[-1].get("type") == "footer":
        lines = [*lines[:-1], {**lines[-1], "digest": "0" * 64}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def read(data: bytes) -> Run:
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "run.jsonl").write_bytes(data)
        return read_run(directory)


# ---- the stream


@pytest.mark.long
@unhurried
@given(streams())
def test_a_written_stream_is_read_back_sorted(drawn: Stream) -> None:
    first, judged, last = drawn
    run = read(whole(drawn))
    assert run.header == first
    assert list(run.cases) == sorted(judged, key=sort_key)
    assert run.footer.digest and replace(run.footer, digest="") == last
    assert read(written([run.header, *run.cases, run.footer])).footer.digest


def edited(line: bytes) -> bytes:
    """The line with a member changed."""
    found = json.loads(line)
    if found["type"] == "case":
        found["case"]["format"] = 2
    else:
        found |= {"platform": "x" * 30} if found["type"] == "header" else {"seconds": found["seconds"] + 1}
    return json.dumps(found, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    ("delta", "pyspark", "words"),
    [
        ("4.4.0", "4.2.0", "Delta 4.4.0"),
        ("4.4.0", "4.2.1", "Delta 4.4.0 on PySpark 4.2.1"),
        ("9.0.0", "4.2.1", "Delta 9.0.0"),
    ],
)
def test_an_engine_is_named_with_its_pyspark_where_that_is_not_the_usual(delta: str, pyspark: str, words: str) -> None:
    assert header_words(header(versions={"delta": delta, "pyspark": pyspark})) == words


@pytest.mark.long
@unhurried
@given(streams(), st.data())
def test_a_damaged_stream_is_refused(drawn: Stream, data: st.DataObject) -> None:
    """Cut anywhere, without a line, with one twice or edited."""
    lines = whole(drawn)
    parts = lines.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(parts) - 1))
    before, line, after = parts[:place], parts[place], parts[place + 1 :]
    cut = lines[: data.draw(st.integers(0, len(lines) - 1))]
    others = (b"".join([*before, *middle, *after]) for middle in ((), (line, line), (edited(line),)))
    with pytest.raises(StreamError):
        read(data.draw(st.sampled_from([cut, *others])))


def example() -> tuple[Header, RecordedCase, RecordedCase, Footer]:
    """A small valid stream in which VAC-SAFE-1 fails once and DEL-ROW-1 passes."""
    names = ("DEL-ROW-1", "VAC-SAFE-1")
    first = header(clauses=names)
    passing, failing = case(1, clauses=names), case(2, clauses=names, failing=("VAC-SAFE-1",))
    return first, passing, failing, footer(first, [passing, failing])


def change(place: int, key: str, value: Any) -> Callable[[list[Any]], None]:
    def edit(lines: list[Any]) -> None:
        lines[place][key] = value

    return edit


EDITS: list[tuple[str, Callable[[list[Any]], None]]] = [
    ("comes before a header", lambda lines: lines.pop(0)),
    ("is empty", lambda lines: lines.clear()),
    ("has no footer", lambda lines: lines.pop()),
    ("has schema version 1", change(0, "schema", 1)),
    (r"is not a valid case at \$\.id", change(1, "id", "not hex")),
    (r"is not a valid case at \$: .*surprise", change(1, "surprise", 1)),
    (r"is not a valid case at \$\.features", change(1, "features", ["vectors", "vectors"])),
    (r"is not a valid case at \$\.features\[0\]", change(1, "features", [""])),
    (r"has the type 'remark'", change(1, "type", "remark")),
    ("is a second header", lambda lines: lines.insert(1, lines[0])),
    ("lists the clause DEL-ROW-1 twice", lambda lines: lines[0]["clauses"].append(lines[0]["clauses"][0])),
    ("repeats case", lambda lines: lines.insert(1, lines[1])),
    ("which the header does not list", lambda lines: lines[0]["clauses"].pop()),
    ("counts 2 cases, but the stream has 1", lambda lines: lines.pop(1)),
    ("counts 7 steps, but the stream has 2", change(3, "steps", 7)),
    ("counts that differ from its verdicts", change(3, "counts", {"holds": 2})),
    (
        "verdict holds, but case .* fails it",
        lambda lines: (
            lines[3]["verdicts"].update({"VAC-SAFE-1": lines[3]["verdicts"]["DEL-ROW-1"]})
            or lines[3].update(counts={"holds": 2})
        ),
    ),
    ("has no verdict for DEL-ROW-1", lambda lines: lines[3]["verdicts"].pop("DEL-ROW-1")),
    ("a digest that does not match", change(1, "case", {"format": 2})),
    (r"is not a valid case at \$\.steps\[0\]", lambda lines: lines[1]["steps"][0].update(observed={"surprise": 1})),
    (
        r"is not a valid case at \$\.violations\[0\]\.expectation",
        lambda lines: lines[2]["violations"][0].update(expectation={"kind": "gone"}),
    ),
]


@pytest.mark.parametrize(("message", "edit"), EDITS)
def test_each_defect_is_named(message: str, edit: Callable[[list[Any]], None]) -> None:
    lines = [plain(one) for one in example()]
    edit(lines)
    with pytest.raises(StreamError, match=message) as caught:
        read(joined(lines))
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("line", [b"[]", b"{", b"\xff", b'{"type": NaN}', b""])
def test_a_line_that_is_not_a_json_object_is_refused(line: bytes) -> None:
    with pytest.raises(StreamError, match="Line 1 of"):
        read(line + b"\n")


def test_the_writer_flushes_each_line_and_leaves_no_footer_when_the_run_dies(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first, passing, *_ = example()
    with pytest.raises(KeyboardInterrupt), RunWriter(path) as writer:  # noqa: PT012 - the run is cut off in the middle
        writer.header(first)
        writer.case(line_of(passing))
        assert len(path.read_bytes().splitlines()) == 2
        raise KeyboardInterrupt
    with pytest.raises(StreamError, match="died"):
        read_run(path)


def test_the_writer_refuses_invalid_records(tmp_path: Path) -> None:
    first, passing, failing, last = example()
    with RunWriter(tmp_path / "run.jsonl") as writer:
        with pytest.raises(StreamError, match="before a header"):
            writer.case(line_of(passing))
        writer.header(first)
        with pytest.raises(StreamError, match=r"The case to be written is not a valid case at \$\.batch"):
            line_of(replace(passing, batch=-1))
        writer.case(line_of(passing))
        with pytest.raises(StreamError, match="repeats case"):
            writer.case(line_of(passing))
        writer.case(line_of(failing))
        with pytest.raises(StreamError, match="counts 9 cases"):
            writer.footer(replace(last, cases=9))
        writer.footer(last)
        with pytest.raises(StreamError, match="after the footer"):
            writer.case(line_of(replace(passing, index=9)))
    with pytest.raises(StreamError, match="not open"):
        writer.case(line_of(passing))


# ---- verdicts


SAFE = "VAC-SAFE-1"
PASSING, FAILING = case(1, clauses=("DEL-ROW-1", SAFE)), case(2, clauses=("DEL-ROW-1", SAFE), failing=(SAFE,))
#: The harness has compared the symptoms when it judged the case.
EXCUSED = replace(FAILING, clauses={SAFE: replace(FAILING.clauses[SAFE], verdict=Verdict.KNOWN_FAULT)})
UNEXERCISED = replace(PASSING, clauses={SAFE: run_records.ClauseResult(Verdict.HOLDS, 0, 0, 0)})
ERRED = replace(UNEXERCISED, clauses={}, error=run_records.CaseError("engine-died", "gone", ""))
#: Another clause of the entry fails.
ELSEWHERE = replace(PASSING, clauses={**PASSING.clauses, "VAC-SAFE-2": EXCUSED.clauses[SAFE]})

LISTED = KnownFault(SAFE, "known", "https://example.org/2", Symptom(("c",)))
BOUND = replace(LISTED, when="rain")

#: The cases of a run. One in error may be the one that fails; those made by shrinking exercise no clause, but can fail one.
JUDGED: dict[str, list[RecordedCase]] = {
    "none": [],
    "holds": [PASSING],
    "fails": [PASSING, FAILING],
    "fails, excused": [PASSING, EXCUSED],
    "fails, one excused": [EXCUSED, FAILING],
    "unexercised": [UNEXERCISED],
    "error": [ERRED],
    "error, holds": [ERRED, PASSING],
    "shrunk holds": [replace(PASSING, origin="shrunk")],
    "shrunk fails": [PASSING, replace(FAILING, origin="shrunk")],
    "another clause of the entry fails": [ELSEWHERE],
}

#: What is known: always, under a condition, and of another clause, too.
KNOWN: dict[str, list[KnownFault]] = {
    "nothing": [],
    "listed": [LISTED],
    "bound": [BOUND],
    "bound, of two clauses": [BOUND, replace(BOUND, clause="VAC-SAFE-2")],
}

#: Members of the header, and options of the verdicts. A part of a profile may lack the cases in which a clause fails, and so may
#: a run of what another version can be asked for too, one whose files are as old as a bucket says, or whose clock is a
#: server's. Smoke was chosen on the built-in engines: of another one it leaves open what it cannot ask. A run that stopped
#: decides what failed. Past its end an entry fails the run.
RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "whole": ({}, {}),
    "budget": ({"left_out": 12}, {}),
    "shared cases": ({"shared_with": "spark==3.3.2"}, {}),
    "bucket": ({"machine": {"storage": "bucket"}}, {}),
    "server": ({"machine": {"master": "sc://host:15002"}}, {}),
    "own storage": ({"machine": {"storage": "s3"}}, {}),
    "own server": ({"machine": {"master": "sc://local"}}, {}),
    "own cluster": ({"machine": {"master": "standalone[2]"}}, {}),
    "smoke, outside": ({"profile": "smoke", "option": "package:ENGINE"}, {}),
    "smoke, built in": ({"profile": "smoke", "option": "spark"}, {}),
    "gate, outside": ({"profile": "gate", "option": "package:ENGINE"}, {}),
    "stopped": ({}, {"stopped": True}),
    "ended": ({"left_out": 12}, {"ended": [replace(LISTED, until="4.3")]}),
}

#: The status of the clause, and of another one of the entry.
STATUSES = {"active": (), "not applicable": (), "disabled": (), "active, other disabled": ("VAC-SAFE-2",)}


def every_verdict() -> str:
    """The verdict on a clause in each situation, with its reason."""
    lines = []
    for name, status, known, judged in product(RUNS, STATUSES, KNOWN, JUDGED):
        if name not in ("whole", "ended") and status != "active":
            continue
        members, options = RUNS[name]
        safe, *others = header(clauses=[SAFE, *STATUSES[status]]).clauses
        asked = (replace(safe, status=status.split(",")[0]), *(replace(one, status="disabled") for one in others))
        head = replace(header(), clauses=asked, **members)
        found = verdicts(taken(CaseFold(), JUDGED[judged]), head, known_faults=KNOWN[known], **options)[SAFE]
        link = f" ({found.link})" if found.link else ""
        lines.append(f"{name} | {status} | {known} | {judged}: {found.verdict.value}: {found.reason}{link}")
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.long
@settings(unhurried, max_examples=40)
@given(runs())
def test_all_views_of_any_run_have_its_verdicts(run: Run) -> None:
    document = run_document(run)
    page, written, shown = html(document), markdown(document), on_terminal(run)
    assert written.encode() and page.encode() and "\x1b" not in shown
    suite = ET.fromstring(junit(run).encode())[0]
    elements = {element.get("name"): [child.tag for child in element] for element in suite.iter("testcase")}
    found = Counter(child.tag for element in suite.iter("testcase") for child in element)
    results = findings_of(run).results
    assert [result.clause for result in results] == list(run.clauses)
    assert counts(results) == run.footer.counts
    for result in results:
        verdict = result.verdict
        assert verdict is run.footer.verdicts[result.clause].verdict
        assert (result.example is not None) == (result.failures > 0) == (verdict.value in ("fails", "known fault"))
        assert result.clause in written and result.clause in shown and result.clause in page
        assert verdict is not Verdict.FAILS or f"`{result.example}`" in written
        kind = {"holds": "", "fails": "failure", "listed but gone": "failure", "not tested": "error", "error": "error"}
        expected = kind.get(verdict.value, "skipped")
        assert {"failure", "error", "skipped"} & {*elements[result.clause]} == {expected} - {""}
    for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(attribute) == str(found[tag])


# ---- JUnit


@unhurried
@given(texts)
def test_any_text_survives_xml(value: str) -> None:
    element = ET.Element("a", message=xml_text(value))
    element.text = xml_text(value)
    parsed = ET.fromstring(ET.tostring(element, encoding="utf-8"))
    # XML itself reads a carriage return as a line feed in text (XML 1.0, "End-of-Line Handling").
    assert (parsed.text or "").replace("\r", "\n") == xml_text(value).replace("\r\n", "\n").replace("\r", "\n")
    assert xml_text(xml_text(value)) == xml_text(value)


# ---- Markdown


def shown(source: str) -> str:
    """The visible text, by an independent Markdown parser."""
    markdown_it = pytest.importorskip("markdown_it", reason="rich brings it")
    tokens = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").parse(source)
    parts = []
    for token in tokens:
        for child in token.children or []:
            assert child.type in ("text", "code_inline", "text_special"), (child.type, source)
            parts.append(child.content)
    return "".join(parts)


def visible(value: str) -> str:
    return "".join(char if char.isprintable() or char.isspace() else ascii(char)[1:-1] for char in value)


@unhurried
@given(texts)
def test_any_text_survives_markdown(value: str) -> None:
    assert shown(text(value)) == " ".join(visible(value).split())


@unhurried
@given(texts, texts)
def test_any_text_survives_a_table(first: str, second: str) -> None:
    source = "\n".join([heads(("a", "b", "c")), row(("x", first, second))])
    assert shown(source) == "abcx" + " ".join(visible(first).split()) + " ".join(visible(second).split())


@unhurried
@given(st.text(st.sampled_from("ab `|\\*_<\n\u00a0"), max_size=8))
def test_any_code_survives_markdown(value: str) -> None:
    expected = "".join(char if char == " " or not char.isspace() else ascii(char)[1:-1] for char in value)
    # Markdown reads a span of spaces at the start of a block as an indent.
    assert shown("x" + code(value)) == "x" + expected


# ---- features


def with_features(*sets: list[str] | None, **other: Any) -> list[RecordedCase]:
    """Cases with these features; no such field for None."""
    return [case(n, **(other if found is None else {**other, "features": found})) for n, found in enumerate(sets)]


LINES = with_features(["feed", "mapping", "vectors"], ["mapping"], ["feed", "vectors"], [], None)


def test_the_cases_of_a_clause_and_their_features() -> None:
    """Of those that exercise it, and were not made by shrinking."""

    def exercising(number: int, features: list[str], *met: str, **other: Any) -> RecordedCase:
        made = case(number, features=features, clauses=("A", "B", "C"), **other)
        return replace(made, clauses={id: replace(one, met=int(id in met)) for id, one in made.clauses.items()})

    lines = [
        exercising(1, ["partitions"], "A"),
        exercising(2, ["partitions", "checkpoint"], "A", "B"),
        exercising(3, [], "A"),
        exercising(4, ["partitions"], "C", origin="shrunk"),
    ]
    found = {id: (one.cases, one.features) for id, one in taken(Drawing(), lines).of_clauses().items()}
    assert found == {"A": (3, ("checkpoint", "partitions")), "B": (1, ("checkpoint", "partitions"))}


@unhurried
@given(st.lists(st.lists(st.sampled_from(FEATURES), unique=True).map(sorted), max_size=6))
def test_each_pair_is_drawn_or_listed_as_never_drawn(sets: list[list[str]]) -> None:
    pairs = taken(Covered(), [*with_features(*sets), *with_features(["ids"], origin="shrunk")]).features()
    for one in pairs.names:
        for other in pairs.names:
            assert pairs.count(one, other) == sum({one, other} <= set(names) for names in sets)
            assert ((min(one, other), max(one, other)) in pairs.never) == (pairs.count(one, other) == 0)


def on_terminal(run: Run) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=False, color_system=None)
    show_run(run, console, directory=Path("build/report"), verbose=True)
    output: str = console.file.getvalue()  # type: ignore[attr-defined]
    return output


EVERY_OPERATION = {"operations": {one.value: {"steps": 1} for one in DRAWN}}


@pytest.mark.parametrize(
    ("cases", "sentence", "shown"),
    [
        (LINES, "every pair was drawn", True),
        (with_features(None, []), "Features drawn", False),
        ([case(1, coverage={}), case(2)], "What the VACUUMs covered", False),
        ([case(1, campaign="exploration", coverage=EVERY_OPERATION)], "every operation ran", True),
        ([case(1, campaign="row-deletes", coverage=EVERY_OPERATION)], "Operations of programs", False),
    ],
)
def test_what_no_case_has_is_not_shown(cases: list[RecordedCase], sentence: str, shown: bool) -> None:
    assert (sentence in markdown(run_document(run(*cases)))) == shown


# ---- the terminal


@pytest.mark.parametrize(
    ("estimated", "judged", "elapsed", "whole"),
    [
        (240, 0.0, 0, 240),
        (240, 0.01, 60, 763.6),  # its pace alone would say 100 minutes
        (240, 0.1, 24, 240),
        (240, 0.1, 48, 360),
        (240, 0.5, 240, 440),  # its pace says 8 minutes
        (240, 0.9, 432, 456),
    ],
)
def test_the_pace_of_a_run_counts_more_and_more(estimated: float, judged: float, elapsed: float, whole: float) -> None:
    assert seconds_by_pace(estimated, judged, elapsed) == pytest.approx(whole, abs=0.1)


@pytest.mark.parametrize(
    ("terminal", "planned", "moments", "lines", "said"),
    [
        (False, 100, [0.0, 63.0], [PASSING], "1 of 100 cases, 1 step, 1 min 3 s, about 3 min 58 s left\n"),
        # A plain line at intervals.
        (
            False,
            8,
            [0.0, 10.0, 40.0, 45.0],
            [PASSING, FAILING, PASSING],
            "2 of 8 cases, 2 steps, 40 s, about 3 min left, 1 failing\n",
        ),
        (True, 2, [0.0] * 9, [PASSING], "1 of 2 cases"),
    ],
)
def test_how_far_a_run_is(
    terminal: bool, planned: int, moments: list[float], lines: list[RecordedCase], said: str
) -> None:
    """At first by the costs."""
    console, clock = Console(file=io.StringIO(), width=100, force_terminal=terminal), iter(moments)
    progress = Progress(console, every=30, now=lambda: next(clock))
    progress.start(header(campaigns=[{"name": "strays", "planned": planned}]), 240)
    for line in lines:
        progress.case(line)
    progress.stop()
    progress.stop()
    output = console.file.getvalue()  # type: ignore[attr-defined]
    assert f"Delta 4.4.0: {said}" in output and (terminal or output.count("\n") == 1)
