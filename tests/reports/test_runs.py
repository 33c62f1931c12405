"""The run stream and its views: property tests over drawn runs, and examples of what must be refused."""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rich.console import Console

from harness.campaigns.costs import seconds_by_pace
from harness.running.coverage import Cell, nested
from records import run as run_records
from records.json_form import from_json
from records.known_fault import KnownFault, Symptom
from records.mistakes import StreamError
from records.run import ClauseVerdict, Footer, Header, RecordedCase, Verdict
from reports.command import main
from reports.document.markdown import code, heads, markdown, row, text
from reports.findings.coverage import Covered
from reports.findings.of_run import findings_of
from reports.findings.verdicts import CaseFold, counts, exit_code, verdicts
from reports.render.junit import junit
from reports.render.junit import text as xml_text
from reports.render.run import run_document
from reports.render.terminal import Progress, show_run
from reports.stream.checks import sort_key
from reports.stream.lines import line_of
from reports.stream.reading import Run, read_run
from reports.stream.writing import RunWriter
from tests.builders.small_streams import Json, case, changed, footer, header, plain, run, taken, written

#: The first case pays for imports and the schema: no deadline.
unhurried = settings(deadline=None)

#: Any text at all: control characters, quotes, pipes, lone surrogates.
texts = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["a|b", "</td>", "`", "]]>", "\x1b[31m", "\ud800", ":x:"]
)
seconds = st.integers(0, 10_000).map(lambda ms: ms / 1000)
CLAUSES = ("DEL-META-1", "DEL-ROW-1", "VAC-SAFE-1", "VAC-LOG-1")
FEATURES = ("change feed", "column mapping", "partitions", "a|b")
COVERED = (
    Cell("paths", "live add", "keep"),
    Cell("vacuums", "RETAIN zero, check off", "FULL"),
    Cell("cutoff", "tombstone", "-1"),
)
KNOWN_FAULT = KnownFault("VAC-LOG-1", "known", "https://example.org/1", Symptom(("c",)))


def clauses() -> st.SearchStrategy[list[dict[str, Any]]]:
    """The header's clauses: some of CLAUSES, mostly active."""

    def entry(name: str) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries(
            {
                "id": st.just(name),
                "chapter": st.sampled_from(["DELETE", "VACUUM"]),
                "sentence": texts,
                "sources": st.lists(texts, max_size=2),
                "severity": st.sampled_from(["data loss", "wrong words"]),
                "holds_for": st.just(""),
                "proven_by": st.just([]),
                "status": st.sampled_from(["active", "active", "active", "not applicable", "disabled"]),
                "reason": texts,
            }
        )

    return st.lists(st.sampled_from(CLAUSES), unique=True).flatmap(
        lambda names: st.tuples(*map(entry, names)).map(list)
    )


def headers() -> st.SearchStrategy[Header]:
    return st.fixed_dictionaries(
        {
            "engine": st.sampled_from(["spark", "deltalake"]),
            "versions": st.dictionaries(texts, texts, max_size=2),
            "profile": st.sampled_from(["smoke", "gate"]),
            "seed": st.none() | st.integers(),
            "known_bad": st.none() | texts,
            "platform": texts,
            "machine": st.fixed_dictionaries(
                {"processors": st.integers(1, 99).map(str), "time_zone": texts, "locale": texts, "file_system": texts}
            ),
            "clauses": clauses(),
            "campaigns": st.just([{"name": "row-deletes", "planned": 3}, {"name": "strays", "planned": 2}]),
        }
    ).map(lambda document: from_json(document, Header))


def steps() -> st.SearchStrategy[dict[str, Any]]:
    error = st.fixed_dictionaries(
        {"exception": texts, "condition": st.none() | texts, "sqlstate": st.none() | texts, "message": texts}
    )
    return st.fixed_dictionaries(
        {
            "index": st.integers(0, 9),
            "text": texts,
            "kind": st.sampled_from(["delete", "vacuum", "read"]),
            "seconds": seconds,
            "outcome": st.fixed_dictionaries({"rows": st.none() | st.just([[1, "x"]]), "error": st.none() | error}),
            "observed": st.just({"version": [1, 2]}),
        }
    )


@st.composite
def cases(draw: st.DrawFn, names: list[str], index: int) -> RecordedCase:
    """A case. Its clauses are some of ``names``; each that fails has a violation."""
    judged = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    results = {
        name: {
            "verdict": draw(st.sampled_from(["holds", "holds", "fails"])),
            "met": draw(st.integers(0, 3)),
            "subjects": draw(st.integers(0, 9)),
            "seconds": draw(seconds),
        }
        for name in judged
    }
    violations = [
        {
            "clause": name,
            "step": 0,
            "subject": draw(st.none() | texts),
            "cause": draw(st.sampled_from(["gone", "field-is"])),
            "excused": None,
            "message": draw(texts),
            "evidence": draw(st.lists(texts, max_size=2)),
            "expectation": {"kind": "gone", "expects": {"path": "p=1/f"}},
        }
        for name, result in results.items()
        if result["verdict"] == "fails"
    ]
    error = st.fixed_dictionaries({"kind": st.sampled_from(["engine-died", "harness"]), "message": texts, "log": texts})
    features = draw(st.none() | st.lists(st.sampled_from(FEATURES), unique=True).map(sorted))
    covered = draw(st.none() | st.dictionaries(st.sampled_from(COVERED), st.integers(0, 9)))
    document = {
        **({} if features is None else {"features": features}),
        **({} if covered is None else {"coverage": nested(covered)}),
        "id": draw(st.integers(0, 3).map(lambda number: f"{number:012x}")),
        "campaign": draw(st.sampled_from(["row-deletes", "stray_files"])),
        "batch": draw(st.integers(0, 1)),
        "index": index,
        "origin": draw(st.sampled_from(["generated", "explicit", "replayed", "shrunk"])),
        "case": {"format": 1},
        "steps": draw(st.lists(steps(), max_size=2)),
        "clauses": results,
        "violations": violations,
        "error": draw(st.none() | st.none() | error),
    }
    return from_json(document, RecordedCase)


Stream = tuple[Header, list[RecordedCase], Footer]


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """A valid stream: a header, up to four cases in any order, a footer that agrees with them."""
    first = draw(headers())
    names = [clause.id for clause in first.clauses]
    drawn = [draw(cases(names, index)) for index in range(draw(st.integers(0, 4)))]
    judged = draw(st.permutations(drawn))
    known_faults = draw(st.sampled_from([(), (KNOWN_FAULT,)]))
    return first, list(judged), footer(first, judged, known_faults=known_faults, seconds=draw(seconds))


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


@pytest.mark.long
@unhurried
@given(streams(), st.data())
def test_a_cut_stream_is_refused(drawn: Stream, data: st.DataObject) -> None:
    lines = whole(drawn)
    cut = data.draw(st.integers(0, len(lines) - 1))
    with pytest.raises(StreamError):
        read(lines[:cut])


@pytest.mark.long
@unhurried
@given(streams(), st.data())
def test_a_stream_without_one_of_its_lines_is_refused(drawn: Stream, data: st.DataObject) -> None:
    parts = whole(drawn).splitlines(keepends=True)
    del parts[data.draw(st.integers(0, len(parts) - 1))]
    with pytest.raises(StreamError):
        read(b"".join(parts))


@pytest.mark.long
@unhurried
@given(streams(), st.data())
def test_a_stream_with_one_of_its_lines_twice_is_refused(drawn: Stream, data: st.DataObject) -> None:
    parts = whole(drawn).splitlines(keepends=True)
    place = data.draw(st.integers(0, len(parts) - 1))
    with pytest.raises(StreamError):
        read(b"".join([*parts[: place + 1], *parts[place:]]))


@pytest.mark.long
@settings(unhurried, max_examples=30)  # most streams fail nothing, and are drawn in vain
@given(streams(), st.data())
def test_an_edited_verdict_is_refused(drawn: Stream, data: st.DataObject) -> None:
    first, judged, last = drawn
    failed = [name for name, result in last.verdicts.items() if result.verdict is Verdict.FAILS]
    assume(failed)
    name = data.draw(st.sampled_from(failed))
    stated = {**last.verdicts, name: replace(last.verdicts[name], verdict=Verdict.HOLDS)}
    edited = replace(last, verdicts=stated, counts=Counter(one.verdict for one in stated.values()))
    with pytest.raises(StreamError, match=f"verdict holds, but case .* fails it|has {name} as failed") as refusal:
        read(joined([plain(first), *map(plain, judged), plain(edited)]))
    assert name in str(refusal.value)


@pytest.mark.long
@unhurried
@given(streams(), st.data())
def test_any_edited_line_is_refused(drawn: Stream, data: st.DataObject) -> None:
    parts = [json.loads(line) for line in whole(drawn).splitlines()]
    line = parts[data.draw(st.integers(0, len(parts) - 1))]
    if line["type"] == "header":
        line["platform"] += "x"
    elif line["type"] == "case":
        line["case"]["format"] = 2
    else:
        line["seconds"] += 1
    with pytest.raises(StreamError, match="edited"):
        read(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in parts))


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


def test_nothing_may_follow_the_footer() -> None:
    lines = written(example())
    with pytest.raises(StreamError, match="after the footer"):
        read(lines + lines.splitlines(keepends=True)[1])


@pytest.mark.parametrize("line", [b"[]", b"{", b"\xff", b'{"type": NaN}', b""])
def test_a_line_that_is_not_a_json_object_is_refused(line: bytes) -> None:
    with pytest.raises(StreamError, match="Line 1 of"):
        read(line + b"\n")


def test_a_missing_stream_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="There is no run stream"):
        read_run(tmp_path)


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


@pytest.mark.parametrize(
    ("found", "errors", "code"),
    [
        (["holds", "known fault", "not applicable", "disabled"], 0, 0),
        (["known fault"], 0, 0),
        (["not applicable", "disabled"], 0, 2),
        ([], 0, 2),
        (["holds", "fails"], 0, 1),
        (["listed but gone"], 0, 1),
        (["fails", "not tested"], 1, 1),
        (["holds", "not tested"], 0, 2),
        (["holds", "error"], 0, 2),
        (["holds"], 1, 2),
    ],
)
def test_exit_codes(found: list[str], errors: int, code: int) -> None:
    results = [ClauseVerdict(Verdict(verdict), met=0, seconds=0.0) for verdict in found]
    assert exit_code(results, errors) == code


def decided(first: Header, cases: Iterable[RecordedCase], **options: Any) -> Iterable[ClauseVerdict]:
    """The verdict on each clause of the header, by these cases."""
    return verdicts(taken(CaseFold(), cases), first, **options).values()


def test_the_verdict_of_each_situation() -> None:
    first, passing, failing, _ = example()
    safe = first.clauses[1]
    known_fault = KnownFault("VAC-SAFE-1", "known", "https://example.org/2", Symptom(("c",)))

    def verdict(cases: list[RecordedCase], *known_faults: KnownFault, status: str = "active") -> Verdict:
        listing = replace(first, clauses=(replace(safe, status=status),))
        (result,) = decided(listing, cases, known_faults=known_faults)
        return result.verdict

    unexercised = replace(passing, clauses={safe.id: run_records.ClauseResult(Verdict.HOLDS, 0, 0, 0)})
    erred = replace(unexercised, clauses={}, error=run_records.CaseError("engine-died", "gone", ""))
    assert verdict([passing]) is Verdict.HOLDS
    assert verdict([passing, failing]) is Verdict.FAILS
    # The harness has compared the symptoms when it judged the case.
    excused = replace(failing, clauses={safe.id: replace(failing.clauses[safe.id], verdict=Verdict.KNOWN_FAULT)})
    assert verdict([passing, failing], known_fault) is Verdict.FAILS
    assert verdict([passing, excused], known_fault) is Verdict.KNOWN_FAULT
    assert verdict([excused, failing], known_fault) is Verdict.FAILS
    assert verdict([passing], known_fault) is Verdict.LISTED_BUT_GONE
    assert verdict([unexercised]) is verdict([]) is verdict([unexercised], known_fault) is Verdict.NOT_TESTED
    assert verdict([erred]) is Verdict.ERROR
    assert verdict([erred, passing]) is Verdict.HOLDS
    assert verdict([erred, passing], known_fault) is Verdict.ERROR, "the case in error may be the one that fails"
    assert verdict([], status="disabled") is Verdict.DISABLED
    assert verdict([], status="not applicable") is Verdict.NOT_APPLICABLE
    bound = KnownFault("VAC-SAFE-1", "known", "https://example.org/2", Symptom(("c",)), when="rain")
    assert verdict([passing, failing], bound) is Verdict.FAILS
    assert verdict([passing, excused], bound) is Verdict.KNOWN_FAULT
    assert verdict([excused, failing], bound) is Verdict.FAILS
    assert verdict([passing], bound) is Verdict.LISTED_BUT_GONE
    # A part of a profile may lack the cases in which it fails.
    few = replace(first, left_out=12, clauses=(safe,))
    for listed in (known_fault, bound):
        (result,) = decided(few, [passing], known_faults=[listed])
        assert result.verdict is Verdict.HOLDS and result.reason.endswith("none of the judged cases fails it.")
    (result,) = decided(few, [passing, failing], known_faults=[bound])
    assert result.verdict is Verdict.FAILS
    (result,) = decided(few, [], known_faults=[])
    assert result.verdict is Verdict.DISABLED and "budget" in result.reason
    # So may one whose files are as old as a bucket says, or whose clock is a server's.
    for machine in ({"storage": "bucket"}, {"master": "sc://host:15002"}):
        there = replace(few, left_out=0, machine=machine)
        (result,) = decided(there, [passing], known_faults=[known_fault])
        assert result.verdict is Verdict.HOLDS and result.reason.endswith("none of the judged cases fails it.")
        (result,) = decided(there, [], known_faults=[])
        assert result.verdict is Verdict.DISABLED and "the times of files" in result.reason
        (result,) = decided(there, [failing], known_faults=[])
        assert result.verdict is Verdict.FAILS
    for machine in ({"storage": "s3"}, {"master": "sc://local"}, {"master": "standalone[2]"}):
        (result,) = decided(replace(few, left_out=0, machine=machine), [passing], known_faults=[known_fault])
        assert result.verdict is Verdict.LISTED_BUT_GONE
    # Smoke was chosen on the built-in engines: of another one it leaves open what it cannot ask, and excuses no entry.
    outside = replace(few, left_out=0, profile="smoke", option="package:ENGINE")
    (result,) = decided(outside, [], known_faults=[])
    assert result.verdict is Verdict.DISABLED and "the gate has more" in result.reason
    (result,) = decided(outside, [passing], known_faults=[known_fault])
    assert result.verdict is Verdict.LISTED_BUT_GONE
    for asked in (replace(outside, profile="gate"), replace(outside, option="spark")):
        (result,) = decided(asked, [], known_faults=[])
        assert result.verdict is Verdict.NOT_TESTED
    # A run that stopped at a failure decides what failed, and nothing else.
    for lines, expected in (
        ([failing], Verdict.FAILS),
        ([excused], Verdict.KNOWN_FAULT),
        ([passing], Verdict.DISABLED),
        ([], Verdict.DISABLED),
    ):
        listed_there = [bound] if lines == [excused] else []
        (result,) = decided(replace(few, left_out=0), lines, known_faults=listed_there, stopped=True)
        assert result.verdict is expected
        assert (result.reason == "Undecided: the run stopped at its first failure.") == (expected is Verdict.DISABLED)
    elsewhere = KnownFault("VAC-SAFE-2", "known", "https://example.org/2", Symptom(("c",)), when="rain")
    other = replace(passing, clauses={**passing.clauses, "VAC-SAFE-2": excused.clauses[safe.id]})
    assert verdict([other], bound, elsewhere) is Verdict.HOLDS, "another clause of the entry failed"
    unasked = replace(safe, id="VAC-SAFE-2", status="disabled")
    selected = replace(first, clauses=(safe, unasked))
    (result, _) = decided(selected, [passing], known_faults=[bound, elsewhere])
    assert result.verdict is Verdict.HOLDS, "--clause does not select another clause of the entry, which may fail"
    # Past its end an entry fails the run, whatever the clause did.
    over = KnownFault("VAC-SAFE-1", "known", "https://example.org/2", Symptom(("c",)), until="4.3")
    for lines, status, expected in (
        ([passing], "active", Verdict.LISTED_BUT_GONE),
        ([], "active", Verdict.LISTED_BUT_GONE),
        ([], "not applicable", Verdict.LISTED_BUT_GONE),
        ([], "disabled", Verdict.DISABLED),
        ([failing], "active", Verdict.FAILS),
        ([excused], "active", Verdict.FAILS),
    ):
        listing = replace(few, clauses=(replace(safe, status=status),))
        (result,) = decided(listing, lines, known_faults=[bound], ended=[over])
        assert result.verdict is expected
        if expected is not Verdict.DISABLED:
            assert result.reason == (
                "Its known fault (known) was accepted until 4.3, which is past: remove the entry, or decide on a new end."
            )
            assert result.link == "https://example.org/2"
    # Shrunk cases can fail a clause, but do not count as exercising it.
    assert verdict([replace(passing, origin="shrunk")]) is Verdict.NOT_TESTED
    assert verdict([passing, replace(failing, origin="shrunk")]) is Verdict.FAILS


@pytest.mark.long
@unhurried
@given(runs())
def test_the_results_of_a_run_are_those_of_its_footer(run: Run) -> None:
    results = findings_of(run).results
    assert [result.clause for result in results] == list(run.clauses)
    assert counts(results) == run.footer.counts
    for result in results:
        assert result.verdict is run.footer.verdicts[result.clause].verdict
        assert (
            (result.example is not None) == (result.failures > 0) == (result.verdict.value in ("fails", "known fault"))
        )


def test_the_example_is_the_shrunk_case() -> None:
    first, passing, failing, _ = example()
    shrunk = replace(failing, id="f" * 12, index=5, origin="shrunk")
    assert findings_of(run(failing, passing, shrunk, first=first)).results[1].example == "f" * 12


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


@pytest.mark.long
@unhurried
@given(runs())
def test_junit_has_a_testcase_for_each_clause(run: Run) -> None:
    suite = ET.fromstring(junit(run).encode())[0]
    by_name = {element.get("name"): element for element in suite.iter("testcase")}
    found = {"failure": 0, "error": 0, "skipped": 0}
    for result in findings_of(run).results:
        kinds = [child.tag for child in by_name[result.clause] if child.tag in found]
        expected = {
            "holds": [],
            "fails": ["failure"],
            "listed but gone": ["failure"],
            "not tested": ["error"],
            "error": ["error"],
        }.get(result.verdict.value, ["skipped"])
        assert kinds == expected
    for element in suite.iter("testcase"):
        for child in element:
            if child.tag in found:
                found[child.tag] += 1
    for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(attribute) == str(found[tag])


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


@pytest.mark.long
@unhurried
@given(runs())
def test_the_summary_has_the_verdicts_and_each_failure(run: Run) -> None:
    written = markdown(run_document(run))
    assert written.encode("utf-8")
    for result in findings_of(run).results:
        assert result.clause in written
        if result.verdict is Verdict.FAILS:
            assert f"`{result.example}`" in written


def test_a_long_summary_is_cut_with_a_note() -> None:
    first = header(clauses=[f"DEL-ROW-{n}" for n in range(500)])
    first = replace(first, clauses=tuple(replace(clause, sentence="ü" * 500) for clause in first.clauses))
    written = markdown(run_document(run(*(case(n, clauses=()) for n in range(20)), first=first)), limit=50_000)
    assert len(written.encode()) <= 50_000
    assert "left out for size" in written


# ---- features


def with_features(*sets: list[str] | None, **other: Any) -> list[RecordedCase]:
    """Cases with these features; no such field for None."""
    return [case(n, **(other if found is None else {**other, "features": found})) for n, found in enumerate(sets)]


LINES = with_features(["feed", "mapping", "vectors"], ["mapping"], ["feed", "vectors"], [], None)


def test_features_are_counted_alone_and_in_pairs() -> None:
    pairs = taken(Covered(), [*LINES, *with_features(["ids", "mapping"], origin="shrunk")]).features()
    assert pairs.names == ("feed", "mapping", "vectors")
    assert [pairs.count(name, name) for name in pairs.names] == [2, 2, 2]
    assert pairs.count("vectors", "feed") == pairs.count("feed", "vectors") == 2
    assert pairs.count("mapping", "feed") == 1
    assert pairs.never == ()
    assert taken(Covered(), with_features(["a", "b"], ["c"])).features().never == (("a", "c"), ("b", "c"))


@unhurried
@given(st.lists(st.lists(st.sampled_from(FEATURES), unique=True).map(sorted), max_size=6))
def test_each_pair_is_drawn_or_listed_as_never_drawn(sets: list[list[str]]) -> None:
    pairs = taken(Covered(), with_features(*sets)).features()
    for one in pairs.names:
        for other in pairs.names:
            assert pairs.count(one, other) == sum({one, other} <= set(names) for names in sets)
            assert ((min(one, other), max(one, other)) in pairs.never) == (pairs.count(one, other) == 0)


def on_terminal(
    run: Run, *, width: int = 100, terminal: bool = False, directory: Path | None = None, verbose: bool = False
) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)
    show_run(run, console, directory=directory, verbose=verbose)
    output: str = console.file.getvalue()  # type: ignore[attr-defined]
    return output


def test_what_no_case_has_is_not_shown() -> None:
    assert "every pair was drawn" in markdown(run_document(run(*LINES)))
    assert "Features drawn" not in markdown(run_document(run(*with_features(None, []))))
    assert "Coverage" not in markdown(run_document(run(*COVERAGE[2:])))
    assert "Features" not in on_terminal(run(*with_features(["a", "b"], ["c"])))


# ---- coverage


COVERAGE = [
    case(
        1,
        coverage={
            "paths": {"live add": {"keep": 2}, "orphaned file": {"delete": 1}},
            "vacuums": {"RETAIN whole, check on": {"FULL": 1}},
            "cutoff": {"tombstone": {"-1": 3}},
        },
    ),
    case(
        2,
        coverage={
            "paths": {"live add": {"keep": 1, "unspecified": 4}},
            "vacuums": {"table's days": {"LITE": 1}},
            "cutoff": {"file": {"+1": 1}},
        },
    ),
    case(3, coverage={}),
    case(4),
    case(5, origin="shrunk", coverage={"paths": {"orphaned file": {"delete": 9}}}),
]


def test_coverage_is_added_up_into_three_tables() -> None:
    paths, vacuums, cutoff = taken(Covered(), COVERAGE).tables()
    assert (paths.rows, paths.columns) == (("live add", "orphaned file"), ("keep", "delete", "unspecified"))
    assert paths.cells == {
        ("live add", "keep"): 3,
        ("live add", "unspecified"): 4,
        ("orphaned file", "delete"): 1,
    }
    assert (vacuums.rows, vacuums.columns) == (("RETAIN whole, check on", "table's days"), ("FULL", "LITE"))
    assert (cutoff.rows, cutoff.columns) == (("file", "tombstone"), ("-1", "0", "+1"))
    assert taken(Covered(), []).tables() == ()


# ---- the terminal


@pytest.mark.long
@unhurried
@given(runs())
def test_any_run_can_be_shown(run: Run) -> None:
    output = on_terminal(run, directory=Path("build/report"), verbose=True)
    assert "\x1b" not in output
    for result in findings_of(run).results:
        assert result.clause in output
    for failure in findings_of(run).failures[:10]:
        folder = f"build/report/counterexamples/{failure.lead.clause}-{failure.lead.judged.id}"
        assert f"--replay={folder}/case.json" in output


def with_sentence(sentence: str) -> Run:
    first, _, failing, _ = example()
    one, *others = first.clauses
    return run(failing, first=replace(first, clauses=(replace(one, sentence=sentence), *others)))


def test_ids_and_numbers_are_whole_on_a_narrow_terminal() -> None:
    lines = on_terminal(with_sentence("long " * 100), width=80, terminal=True, verbose=True).splitlines()
    table = lines[next(place for place, line in enumerate(lines) if line.startswith("clause")) :][:3]
    assert table[0].split() == ["clause", "verdict", "exercised", "subjects", "engine", "s", "expected"]
    assert table[1].split()[:6] == ["DEL-ROW-1", "holds", "1", "1", "0.5", "long"]
    assert all(len(line) <= 80 for line in table)


def test_sentences_are_whole_in_a_narrow_log() -> None:
    sentence = "Rows are kept, " * 20 + "all."
    lines = on_terminal(with_sentence(sentence), width=80, verbose=True).splitlines()
    first, *lines = lines[next(place for place, line in enumerate(lines) if line.startswith("clause")) + 1 :]
    rest = lines[: next(place for place, line in enumerate(lines) if line.startswith("VAC-SAFE-1"))]
    assert 80 < len(first.rstrip()) <= 140
    assert " ".join(first[first.index("Rows") :].split() + [word for line in rest for word in line.split()]) == sentence


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


def test_the_first_progress_line_is_by_the_costs() -> None:
    first, passing, _, _ = example()
    moments = iter([0.0, 63.0])
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    progress = Progress(console, every=30, now=lambda: next(moments))
    progress.start(changed(first, campaigns=[{"name": "strays", "planned": 100}]), 240)
    progress.case(passing)
    output = console.file.getvalue()  # type: ignore[attr-defined]
    assert output == "Delta 4.4.0: 1 of 100 cases, 1 step, 1 min 3 s, about 3 min 58 s left\n"


def test_without_a_terminal_progress_is_a_plain_line_at_intervals() -> None:
    first, passing, failing, _ = example()
    moments = iter([0.0, 10.0, 40.0, 45.0])
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    progress = Progress(console, every=30, now=lambda: next(moments))
    progress.start(changed(first, campaigns=[{"name": "strays", "planned": 8}]), 240)
    for line in (passing, failing, passing):
        progress.case(line)
    progress.stop()
    output = console.file.getvalue()  # type: ignore[attr-defined]
    assert output == "Delta 4.4.0: 2 of 8 cases, 2 steps, 40 s, about 3 min left, 1 failing\n"


def test_progress_is_one_line_on_a_terminal() -> None:
    first, passing, _, _ = example()
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    progress = Progress(console, now=lambda: 0.0)
    progress.start(first, 3600)
    progress.case(passing)
    progress.stop()
    progress.stop()
    assert "Delta 4.4.0: 1 of 2 cases" in console.file.getvalue()  # type: ignore[attr-defined]


# ---- the command line


def test_render_makes_the_views_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.jsonl").write_bytes(written(example()))
    assert main(["render", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "junit.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert "VAC-SAFE-1" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("FAIL: Delta 4.4.0 loses data in 1 way\n")
    assert main(["render", str(tmp_path / "run.jsonl")]) == 0
    assert (tmp_path / "summary.md").exists()


def test_render_refuses_bad_input_with_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "There is no run stream" in captured.err
