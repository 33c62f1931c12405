"""The comparison of two run streams, on made-up ones: what is refused, what becomes of clauses, what differs, and its views."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from rich.console import Console

from reports.__main__ import main
from reports.comparison import Change, Comparison, Group, Incomparable, compare
from reports.comparison_files import write_comparison
from reports.comparison_json import as_json
from reports.comparison_markdown import comparison_markdown
from reports.comparison_terminal import show_comparison
from reports.comparison_words import explained, side_by_side
from reports.differences import Difference, differences, subject_of
from reports.known_changes import BY_ENGINE, KnownChange, knowledge
from reports.stream import SCHEMA_VERSION, Run, sort_key
from reports.verdicts import Verdict, footer_of, verdicts
from tests.model_streams import written

CLAUSES = ("DEL-ROW-1", "VAC-SAFE-1", "VAC-SAFE-2")
SCHEMA = json.loads(
    (Path(__file__).parent.parent / "reports" / "schema" / "comparison-1.json").read_text(encoding="utf-8")
)


def header(version: str = "4.4.0", **other: Any) -> dict[str, Any]:
    return {
        "type": "header",
        "schema": SCHEMA_VERSION,
        "engine": "spark",
        "versions": {"delta": version, "hypothesis": "6.170.15"},
        "profile": "gate",
        "seed": 4,
        "known_bad": None,
        "platform": "Linux",
        "clauses": [
            {
                "id": name,
                "chapter": "VACUUM",
                "sentence": f"It is promised that {name}.",
                "sources": [],
                "status": "active",
                "reason": "",
            }
            for name in CLAUSES
        ],
        "campaigns": [],
        **other,
    }


def commit(operation: str, **other: Any) -> dict[str, Any]:
    return {"operation": operation, "keys": ["operation"], "values": {}, "parameters": {}, "metrics": {}, **other}


def step(text: str = "VACUUM t", kind: str = "vacuum", index: int = 0, **observed: Any) -> dict[str, Any]:
    error = observed.pop("error", None)
    rows = observed.pop("rows", None if error else [])
    return {
        "index": index,
        "text": text,
        "kind": kind,
        "seconds": 0.5,
        "outcome": {"rows": rows, "error": error},
        "observed": observed,
    }


def error(
    condition: str | None, exception: str = "X", message: str = "m", sqlstate: str | None = None
) -> dict[str, Any]:
    return {"exception": exception, "condition": condition, "sqlstate": sqlstate, "message": message}


def case(number: int = 1, *steps: dict[str, Any], failing: tuple[str, ...] = (), **other: Any) -> dict[str, Any]:
    return {
        "type": "case",
        "id": f"{number:012x}",
        "campaign": "strays",
        "shard": 0,
        "index": number,
        "origin": "generated",
        "case": {"number": number},
        "steps": list(steps or [step()]),
        "clauses": {
            name: {"verdict": "fail" if name in failing else "pass", "met": 1, "subjects": 1, "seconds": 0.1}
            for name in CLAUSES
        },
        "violations": [
            {"clause": name, "step": 0, "subject": None, "message": f"{name} is broken.", "evidence": [], "law": None}
            for name in failing
        ],
        "error": None,
        **other,
    }


def run(*cases: dict[str, Any], first: dict[str, Any] | None = None) -> Run:
    head = first or header()
    footer = {**footer_of(verdicts(head, cases, deviations=()), cases, seconds=1.0), "digest": "0" * 64}
    return Run(head, tuple(sorted(cases, key=sort_key)), footer)


def told(base: dict[str, Any], candidate: dict[str, Any]) -> list[str]:
    return [difference.text for difference in differences(base, candidate)]


def groups(base: list[dict[str, Any]], candidate: list[dict[str, Any]], versions: tuple[str, str]) -> tuple[Group, ...]:
    one, other = (run(*cases, first=header(version)) for cases, version in zip((base, candidate), versions))
    return compare(one, other).groups


# What cannot be compared ----------------------------------------------------------------------------------------------


def test_other_cases_are_refused_with_the_first_and_the_reason() -> None:
    base = run(case(1), case(2), case(3))
    candidate = run(case(2), case(3), case(4), case(5), first=header(profile="smoke", seed=7))
    with pytest.raises(Incomparable) as refusal:
        compare(base, candidate)
    assert str(refusal.value) == (
        "The runs judged other cases: 1 of 3 cases are in the base only and 2 of 4 in the candidate only, the first being "
        "000000000001 of strays (profile gate and smoke; seed 4 and 7): run both with the same cases."
    )


def test_the_profile_alone_makes_no_other_cases() -> None:
    other = header(profile="smoke", seed=7, known_bad="a fault")
    assert compare(run(case(1)), run(case(1), first=other)).exit == 0


def test_no_cases_are_refused() -> None:
    with pytest.raises(Incomparable, match="nothing to compare"):
        compare(run(), run())


def test_cases_made_by_shrinking_do_not_count() -> None:
    comparison = compare(run(case(1)), run(case(1), case(9, origin="shrunk", failing=("DEL-ROW-1",))))
    assert comparison.compared == 1 and [one.clause for one in comparison.of(Change.REGRESSED)] == ["DEL-ROW-1"]


@pytest.mark.parametrize("other", [case(1, step("VACUUM t LITE")), case(1, case={"number": 2})])
def test_a_case_that_is_another_one_is_refused(other: dict[str, Any]) -> None:
    with pytest.raises(Incomparable, match="Case 000000000001 is not the same in both runs"):
        compare(run(case(1)), run(other))


def damaged(directory: Path, edit: Callable[[list[bytes]], list[bytes]]) -> Path:
    written(header(), [case(1), case(2)], directory)
    path = directory / "run.jsonl"
    path.write_bytes(b"".join(edit(path.read_bytes().splitlines(keepends=True))))
    return path


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda lines: lines[:-1], "has no footer"),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], "the run that wrote it died"),
        (lambda lines: [lines[0], lines[1].replace(b'"seconds":0.5', b'"seconds":0.6'), *lines[2:]], "was edited"),
        (lambda lines: [lines[0].replace(b'"schema":2', b'"schema":1'), *lines[1:]], "says schema version 1"),
        (lambda lines: [lines[0], *lines[2:]], "lines were lost"),
        (lambda lines: [], "is empty"),
    ],
)
def test_a_bad_stream_is_refused_with_one_sentence(
    edit: Callable[[list[bytes]], list[bytes]], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(header(), [case(1), case(2)], tmp_path / "good")
    bad = damaged(tmp_path / "bad", edit)
    for pair in ((tmp_path / "good", bad), (bad, tmp_path / "good")):
        assert main(["compare", *map(str, pair), "--out", str(tmp_path / "out")]) == 2
        captured = capsys.readouterr()
        assert said in captured.err and captured.err.count("\n") == 1 and captured.err.endswith(".\n")
        assert captured.out == ""
    assert not (tmp_path / "out").exists()


# Clauses --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "candidate", "change"),
    [
        ("pass", "fail", Change.REGRESSED),
        ("pass", "xfail", Change.REGRESSED),
        ("stale", "fail", Change.REGRESSED),
        ("fail", "pass", Change.IMPROVED),
        ("xfail", "stale", Change.IMPROVED),
        ("fail", "xfail", Change.CHANGED),
        ("pass", "unexercised", Change.CHANGED),
        ("unexercised", "fail", Change.CHANGED),
        ("pass", "error", Change.CHANGED),
        ("pass", "stale", Change.CHANGED),
        ("xfail", "xfail", Change.SAME),
        ("fail", "fail", Change.SAME),
        ("pass", "pass", Change.SAME),
        ("unsupported", "disabled", Change.SAME),
        ("pass", "unsupported", Change.ONLY_BASE),
        ("disabled", "fail", Change.ONLY_CANDIDATE),
        ("pass", None, Change.ONLY_BASE),
        (None, "pass", Change.ONLY_CANDIDATE),
    ],
)
def test_what_becomes_of_a_clause(base: str | None, candidate: str | None, change: Change) -> None:
    def side(verdict: str | None) -> Run:
        name = "VAC-SAFE-1"
        if verdict is None:
            head = header()
            return run(case(1, clauses={}), first={**head, "clauses": [head["clauses"][0]]})
        failing = (name,) if verdict in ("fail", "xfail") else ()
        found = run(case(1, failing=failing))
        stated = {**found.footer["verdicts"][name], "verdict": verdict, "reason": "It is so."}
        return Run(found.header, found.cases, {**found.footer, "verdicts": {**found.footer["verdicts"], name: stated}})

    comparison = compare(side(base), side(candidate))
    (found,) = (one for one in comparison.clauses if one.clause == "VAC-SAFE-1")
    assert found.change is change
    assert comparison.exit == (1 if change is Change.REGRESSED else 0)
    if change in (Change.ONLY_BASE, Change.ONLY_CANDIDATE):
        lacking = "candidate" if change is Change.ONLY_BASE else "base"
        assert found.reason in (f"{lacking}: It is so.", f"{lacking}: The run does not know the clause.")
    if change in (Change.REGRESSED, Change.IMPROVED):
        assert found.case is not None and found.message == "VAC-SAFE-1 is broken."


# What differs in a step -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        ("DELETE FROM t WHERE `a` = 'RETAIN'", "delete", "DELETE"),
        ("DELETE FROM t (TRUNCATE TABLE)", "delete", "TRUNCATE TABLE"),
        ("DELETE with a mistake: unknown column", "baddelete", "DELETE with a mistake: unknown column"),
        ("VACUUM with a mistake: x (DRY RUN)", "badvacuum", "VACUUM with a mistake: x"),
        ("SELECT * FROM t", "read", "READ of the current version"),
        ("SELECT * FROM t (as before step 3)", "read", "READ of an earlier version"),
        ("the change data feed of step 1", "readchanges", "READ of the change feed"),
        ("VACUUM t", "vacuum", "VACUUM"),
        ("VACUUM t FULL DRY RUN", "vacuum", "VACUUM, DRY RUN"),
        ("VACUUM t LITE RETAIN 0.4 HOURS", "vacuum", "VACUUM LITE with RETAIN 0"),
        ("VACUUM t RETAIN -0.5 HOURS", "vacuum", "VACUUM with RETAIN 0"),
        ("VACUUM t RETAIN 0.5 HOURS DRY RUN (in parallel)", "vacuum", "VACUUM with RETAIN, DRY RUN"),
        ("VACUUM t RETAIN -1 HOURS (LITE by setting; in parallel)", "vacuum", "VACUUM LITE with RETAIN"),
        ("VACUUM t USING INVENTORY (files only) RETAIN 9 HOURS", "vacuum", "VACUUM USING INVENTORY with RETAIN"),
    ],
)
def test_subjects(text: str, kind: str, subject: str) -> None:
    assert subject_of(step(text, kind)) == subject


DELETE = ("DELETE FROM t", "delete")
READ = ("SELECT * FROM t", "read")
STARTED = [commit("VACUUM START", metrics={"numFilesToDelete": "1"}), commit("VACUUM END")]


@pytest.mark.parametrize(
    ("base", "candidate", "expected"),
    [
        (step(error=error("A")), step(), ["VACUUM: error A → none"]),
        (step(), step(error=error(None, "E"), vanished=["a"]), ["VACUUM: error none → E"]),
        (step(error=error(None, "E")), step(error=error("B", "E")), ["VACUUM: error E → B"]),
        (step(error=error("A", message="x")), step(error=error("A", message="y")), []),
        (step(error=error(None, "E", "x")), step(error=error(None, "E", "y")), ["VACUUM: error E: another message"]),
        (
            step(error=error("A", sqlstate="1", exception="E")),
            step(error=error("A", sqlstate="2", exception="F")),
            ["VACUUM: error A: exception E → F", "VACUUM: error A: sqlstate 1 → 2"],
        ),
        (step(*READ, rows=[[1], [1]]), step(*READ, rows=[[1]]), ["READ of the current version: fewer rows"]),
        (step(*READ, rows=[[1]]), step(*READ, rows=[[2]]), ["READ of the current version: other rows"]),
        (step(rows=["a"]), step(rows=["a", "b"]), ["VACUUM: names more files"]),
        (step(*DELETE, rows=[[1]]), step(*DELETE, rows=[[-1]]), ["DELETE: answers otherwise"]),
        (
            step(vanished=["a/metadata/b"]),
            step(),
            ["VACUUM: deletes fewer files or directories named metadata from storage"],
        ),
        (step(), step(vanished=["a%20"]), ["VACUUM: deletes more paths with special characters from storage"]),
        (step(vanished=["a"]), step(vanished=[".b"]), ["VACUUM: deletes other files from storage"]),
        (step(), step(vanished=["x/deletion_vector_1.bin"]), ["VACUUM: deletes more deletion vectors from storage"]),
        (step(), step(changed_beside=["../a"]), ["VACUUM: changes more files beside the table"]),
        (
            step(operations=[], version=[1, 1]),
            step(operations=["VACUUM START"], version=[1, 2], commits=[commit("VACUUM START")]),
            ["VACUUM: commits none → VACUUM START"],
        ),
        (step(version=[1, 1]), step(version=[1, 3]), ["VACUUM: commits none → 2"]),
        (step(*DELETE, removed=["a"]), step(*DELETE), ["DELETE: removes fewer files"]),
        (
            step(*DELETE, added=[{"rows": 2}], appeared={"data files": 1}),
            step(*DELETE, hidden_rows=[["a", 1]], appeared={"vector files": 1}),
            [
                "DELETE: hides rows of more files",
                "DELETE: adds fewer files",
                "DELETE: writes fewer data files",
                "DELETE: writes more vector files",
            ],
        ),
        (step(*DELETE), step(*DELETE, changed=2), ["DELETE: writes more rows of change files"]),
        (step(), step(checkpoints=[3]), ["VACUUM: writes no checkpoint → a checkpoint"]),
        (step(checkpoints=[2]), step(checkpoints=[3]), ["VACUUM: writes other checkpoints"]),
        (step(), step(broken=True), ["VACUUM: the log can be replayed → cannot be replayed"]),
        (
            step(*DELETE, remove_fields=["path"]),
            step(*DELETE, remove_fields=["path", "stats"]),
            ["DELETE: remove fields + stats"],
        ),
        (step(*DELETE, add_fields=["path", "tags"]), step(*DELETE, add_fields=["path"]), ["DELETE: add fields - tags"]),
        (
            step(*DELETE, commits=[commit("DELETE", metrics={"a": "1"}, keys=["x"], values={"isBlindAppend": True})]),
            step(
                *DELETE,
                commits=[commit("DELETE", metrics={"a": "2", "b": "1"}, keys=[], values={"isBlindAppend": False})],
            ),
            [
                "DELETE: another value of the metric a",
                "DELETE: commitInfo - x",
                "DELETE: commitInfo.isBlindAppend true → false",
                "DELETE: metrics + b",
            ],
        ),
        (
            step("VACUUM t RETAIN 0 HOURS", commits=STARTED),
            step(
                "VACUUM t RETAIN 0 HOURS",
                commits=[commit("VACUUM START", metrics={"numFilesToDelete": "2"}), STARTED[1]],
            ),
            ["VACUUM with RETAIN 0: START: another value of the metric numFilesToDelete"],
        ),
        (step("VACUUM t LITE"), step("VACUUM t LITE", last_vacuum=[]), ["VACUUM LITE: no _last_vacuum_info → one"]),
        (step(last_vacuum=["a"]), step(), ["VACUUM: a _last_vacuum_info → none"]),
        (step(last_vacuum=[]), step(last_vacuum=["a"]), ["VACUUM: _last_vacuum_info + a"]),
        # What follows from another table is not told besides.
        (
            step(vanished=["a"], commits=STARTED),
            step(commits=[commit("VACUUM START", metrics={"numFilesToDelete": "0"}), STARTED[1]]),
            ["VACUUM: deletes fewer files from storage"],
        ),
    ],
)
def test_differences(base: dict[str, Any], candidate: dict[str, Any], expected: list[str]) -> None:
    assert told(base, candidate) == expected
    assert told(base, copy.deepcopy(base)) == told(candidate, {**candidate, "seconds": 9.0}) == []
    assert len(told(candidate, base)) == len(expected)


names = st.lists(st.sampled_from(["a", "b/metadata", "x%y", ".c"]), max_size=3)
members = st.fixed_dictionaries(
    {},
    optional={
        "version": st.sampled_from([[1, 1], [1, 2]]),
        **dict.fromkeys(
            ("vanished", "removed", "operations", "remove_fields", "add_fields", "last_vacuum", "changed_beside"), names
        ),
        "changed": st.integers(0, 2),
        "checkpoints": st.lists(st.integers(0, 1), max_size=1),
        "broken": st.booleans(),
        "appeared": st.dictionaries(st.sampled_from(["data files", "vector files"]), st.integers(1, 2)),
        "commits": st.lists(
            st.builds(
                commit,
                st.sampled_from(["VACUUM START", "DELETE"]),
                keys=names,
                metrics=st.dictionaries(st.sampled_from("ab"), st.sampled_from("12")),
                parameters=st.dictionaries(st.sampled_from("ab"), st.sampled_from("12")),
                values=st.dictionaries(st.sampled_from("ab"), st.booleans()),
            ),
            max_size=2,
        ),
        "error": st.sampled_from([None, error("A"), error(None), error(None, message="n"), error("B", sqlstate="1")]),
        "rows": st.sampled_from([None, [], [[1]]]),
    },
)
steps = st.builds(
    lambda head, seen: step(*head, **seen), st.sampled_from([DELETE, READ, ("VACUUM t", "vacuum")]), members
)


@settings(deadline=None)
@given(steps, steps)
def test_exchanging_the_sides_gives_the_same_differences_in_the_same_order(one: Any, other: Any) -> None:
    other = {**other, "kind": one["kind"], "text": one["text"]}
    forwards, backwards = differences(one, other), differences(other, one)
    assert [(found.subject, found.diverges) for found in forwards] == [
        (found.subject, found.diverges) for found in backwards
    ]
    assert differences(one, one) == ()
    alike = {name: (one["outcome"], one["observed"])[name == "observed"] for name in ("outcome", "observed")} == {
        name: (other["outcome"], other["observed"])[name == "observed"] for name in ("outcome", "observed")
    }
    assert not (alike and forwards)


# What differs in a run --------------------------------------------------------------------------------------------------

KEPT, GONE = {"vanished": ["a"]}, {"vanished": []}


def test_after_the_tables_differ_nothing_is_compared() -> None:
    base = case(1, step(index=0), step(index=1, **KEPT), step("SELECT * FROM t", "read", 2, rows=[[1]]))
    candidate = case(1, step(index=0, last_vacuum=["k"]), step(index=1), step("SELECT * FROM t", "read", 2, rows=[]))
    comparison = compare(run(base), run(candidate))
    assert [group.signature for group in comparison.groups] == [
        "VACUUM: deletes fewer files from storage",
        "VACUUM: no _last_vacuum_info → one",
    ]
    assert (comparison.steps, comparison.differing, comparison.diverged, comparison.cut_short) == (2, 1, 1, 0)
    assert comparison.exit == 0, "what an engine does otherwise is no regression by itself"


def test_an_error_of_a_read_leaves_the_table_as_it_is() -> None:
    base = case(1, step(*READ), step(index=1, **KEPT))
    candidate = case(1, step(*READ, error=error("GONE")), step(index=1))
    assert len(compare(run(base), run(candidate)).groups) == 2


def test_a_case_that_a_clause_ended_on_one_side_is_counted() -> None:
    base = case(1, step(index=0), step(index=1))
    candidate = case(1, step(index=0), failing=("VAC-SAFE-1",))
    comparison = compare(run(base), run(candidate))
    assert (comparison.cut_short, comparison.steps, comparison.groups) == (1, 1, ())


def test_a_case_that_was_not_judged_on_one_side_is_a_difference() -> None:
    died = case(1, error={"kind": "engine-died", "message": "gone", "log": ""}, clauses={})
    died = {**died, "steps": []}
    comparison = compare(run(case(1), case(2)), run(died, case(2)))
    (group,) = comparison.groups
    assert (group.signature, group.step, group.cases) == ("The case: judged → engine-died", None, 1)
    assert list(side_by_side(group)) == [("error", "", '{"kind": "engine-died", "message": "gone", "log": ""}')]
    assert comparison_markdown(comparison) and as_json(comparison)
    assert compare(run(died, case(2)), run(died, case(2))).groups == ()


def test_groups_have_their_smallest_case_and_are_in_order() -> None:
    def delete(number: int, *, more: int, metric: bool) -> dict[str, Any]:
        metrics = {"numDeletionVectorsAdded": "0", "numDeletionVectorsRemoved": "0"} if metric else {}
        extra = [step(index=index) for index in range(1, more)]
        return case(number, step(*DELETE, commits=[commit("DELETE", metrics=metrics)]), *extra)

    sizes = ((1, 3), (2, 2), (3, 2), (4, 1))
    base = [delete(number, more=more, metric=False) for number, more in sizes]
    candidate = [delete(number, more=more, metric=True) for number, more in sizes]
    base[3] = case(4, step(rows=["a"]))
    candidate[3] = case(4, step())
    found = groups(base, candidate, ("4.3.1", "4.4.0"))
    assert [(group.signature, group.cases, group.steps, group.base["id"]) for group in found] == [
        ("DELETE: metrics + numDeletionVectorsAdded, numDeletionVectorsRemoved", 3, 3, f"{2:012x}"),
        ("VACUUM: names fewer files", 1, 1, f"{4:012x}"),
    ]
    known = groups(base, candidate, ("2.4.0", "4.4.0"))
    assert [group.known and group.known.since for group in known] == [None, "3.0"], "the unexplained come first"


# Known changes ------------------------------------------------------------------------------------------------------------

BLOCKED = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"
EXPLAINED = [
    ("3.0", "DELETE", "metrics + numDeletionVectorsAdded"),
    ("3.0", "DELETE", "remove fields + stats.numRecords"),
    ("3.0", "DELETE", "error DELTA_CANNOT_RESOLVE_COLUMN → none"),
    (
        "3.0",
        "VACUUM with a mistake: missing path as the target",
        "error DELTA_TABLE_ONLY_OPERATION → DELTA_MISSING_DELTA_TABLE",
    ),
    ("3.2", "DELETE", "error FIELD_NOT_FOUND → none"),
    (
        "3.1",
        "VACUUM",
        "error DELTA_UNSUPPORTED_FEATURES_FOR_READ: exception DeltaTableFeatureException → DeltaUnsupportedTableFeatureException",
    ),
    ("3.1", "VACUUM, DRY RUN", "error none → DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"),
    ("3.1", "VACUUM", "deletes fewer files or directories named metadata from storage"),
    ("3.2", "DELETE", "commitInfo + tags"),
    ("3.3", "VACUUM", "no _last_vacuum_info → one"),
    ("3.3", "VACUUM, DRY RUN", "names more files or directories named metadata"),
    ("3.3", "VACUUM", "deletes other paths with special characters from storage"),
    ("4.0", "VACUUM with a mistake: clause that is said twice", "error DUPLICATE_CLAUSES: sqlstate None → 42614"),
    (
        "4.0",
        "VACUUM with a mistake: temporary view as the target",
        "error _LEGACY_ERROR_TEMP_1013 → EXPECT_TABLE_NOT_VIEW",
    ),
    ("4.1", "VACUUM with RETAIN", "error IllegalArgumentException → none"),
    ("4.1", "VACUUM LITE with RETAIN, DRY RUN", "names fewer files"),
    ("4.1", "VACUUM with RETAIN", "START: another value of the metric numFilesToDelete"),
    ("4.1", "VACUUM", "START: parameters - specifiedRetentionMillis"),
    ("4.1", "READ of an earlier version", f"error none → {BLOCKED}"),
    ("4.1", "READ of an earlier version", f"error FAILED_READ_FILE.FILE_NOT_EXIST → {BLOCKED}"),
    ("4.1", "VACUUM with RETAIN 0", "error IllegalArgumentException → DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"),
    ("4.1", "DELETE", "new files lie in + directories with random names"),
    ("4.1", "DELETE", "error DIVIDE_BY_ZERO → REMAINDER_BY_ZERO"),
    ("4.3", "DELETE", "error AMBIGUOUS_REFERENCE → none"),
    ("4.3", "TRUNCATE TABLE", "commits DELETE → TRUNCATE"),
]


@pytest.mark.parametrize(("since", "subject", "what"), EXPLAINED)
def test_known_changes_are_known_between_the_versions_that_they_lie_between(
    since: str, subject: str, what: str
) -> None:
    difference, nothing = Difference(subject, what), Difference(subject, "nothing")
    for base, candidate in (("2.4.0", "4.4.0"), ("2.4.0", f"{since}.0"), ("2.4.0", since)):
        forwards = knowledge(("spark", base), ("spark", candidate)).of(difference, nothing)
        backwards = knowledge(("spark", candidate), ("spark", base)).of(nothing, difference)
        assert forwards is not None and forwards.since == since and forwards is backwards
        assert knowledge(("spark", candidate), ("spark", base)).of(difference, nothing) is None, "it goes one way"
    for base, candidate in ((f"{since}.0", "4.4.0"), (since, "4.4.0")):
        found = knowledge(("spark", base), ("spark", candidate)).of(difference, nothing)
        assert found is None or found.since > since
    between = knowledge(("spark", "2.4.0"), ("deltalake", "4.4.0")).of(difference, nothing)
    assert between is None or not between.since, "versions of one engine say nothing of another"
    assert knowledge(("deltalake", "0.1.0"), ("deltalake", "9.0.0")).of(difference, nothing) is None


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        ("VACUUM", "deletes more files from storage"),
        ("VACUUM with RETAIN 0", "deletes more files from storage"),
        ("VACUUM with RETAIN", "error none → X"),
        ("READ of the current version", f"error none → {BLOCKED}"),
        ("DELETE", "removes fewer files"),
        ("DELETE", "metrics - numDeletionVectorsAdded"),
    ],
)
def test_nothing_else_is_known(subject: str, what: str) -> None:
    known = knowledge(("spark", "2.4.0"), ("spark", "4.4.0"))
    assert known.of(Difference(subject, what), Difference("", "")) is None


def test_every_known_change_has_an_example_a_sentence_and_a_source() -> None:
    found: list[KnownChange] = [change for changes in BY_ENGINE.values() for change in changes]
    for change in found:
        assert any(change.explains(Difference(subject, what)) for _, subject, what in EXPLAINED), change
        assert change.sentence.endswith(".") and change.source.startswith(("delta-io/delta", "apache/spark"))
    assert [change.since for change in BY_ENGINE["spark"]] == sorted(change.since for change in BY_ENGINE["spark"])


# The views ------------------------------------------------------------------------------------------------------------------


def upgrade() -> Comparison:
    """One regression, one known change, one that nothing explains."""
    base = [case(1, step("VACUUM t RETAIN 1 HOURS", **KEPT)), case(2, step(*DELETE, rows=[[1]])), case(3)]
    candidate = [
        case(1, step("VACUUM t RETAIN 1 HOURS")),
        case(2, step(*DELETE, rows=[[2]])),
        case(3, failing=("VAC-SAFE-1",)),
    ]
    return compare(run(*base, first=header("4.0.1")), run(*candidate, first=header("4.1.0")))


def test_the_first_screen_says_it_all() -> None:
    text = comparison_markdown(upgrade())
    first, _, details = text.partition("## Every difference")
    lines = first.splitlines()
    assert lines[0] == "# ❌ 1 clause regressed: DELETE and VACUUM from spark 4.0.1 to spark 4.1.0"
    assert len(lines) < 45
    places = [
        first.index(f"## {title}") for title in ("Regressed", "Differences that nothing explains", "Known changes")
    ]
    assert places == sorted(places)
    for said in (
        "3 clauses: 1 regressed, 2 same",
        "2 of 3 cases (3 steps compared) differ in what the engines did: 1 unexplained difference and 1 known",
        "| VAC-SAFE-1 | It is promised that VAC-SAFE-1. | VAC-SAFE-1 is broken. | `000000000003` |",
        "| DELETE: answers otherwise | 1 | 1 | `000000000002` |",
        "delta-io/delta#5028 (v4.1.0) | 1 | `000000000001` |",
        "1 case was left at the step after which the two tables differ",
        "pytest suites --replay cases/CASE.json",
    ):
        assert said in first, said
    assert "| rows | `[[1]]` | `[[2]]` |" in details
    assert '| vanished | `["a"]` |  |' in details


def test_what_both_sides_have_is_not_told_twice() -> None:
    base = case(
        1, step(vanished=["a", "b", "c"], commits=[commit("X", metrics={"m": "1", "n": "2"})], operations=["X"])
    )
    candidate = case(
        1, step(vanished=["a", "b"], commits=[commit("X", metrics={"m": "1", "n": "3"})], operations=["X"])
    )
    (group,) = compare(run(base), run(candidate)).groups
    assert list(side_by_side(group)) == [
        ("vanished", '["c"] and 2 that are the same', "2 that are the same"),
        ("commit 1: metrics", '{"n": "2"} and 1 that are the same', '{"n": "3"} and 1 that are the same'),
    ]


def test_a_long_comparison_is_cut_and_says_so() -> None:
    many = 300
    base = [
        case(number, step(rows=["ü" * 500], text=f"VACUUM with a mistake: {number}", kind="badvacuum"))
        for number in range(many)
    ]
    candidate = [
        case(number, step(text=f"VACUUM with a mistake: {number}", kind="badvacuum")) for number in range(many)
    ]
    comparison = compare(run(*base), run(*candidate))
    assert len(comparison.groups) == many
    text = comparison_markdown(comparison, limit=60_000)
    assert len(text.encode()) <= 60_000 and "more differences, left out for size: all are in comparison.json." in text
    assert len(comparison_markdown(comparison).encode()) <= 1_000_000
    assert len(as_json(comparison)["groups"]) == many


def test_the_json_keeps_to_its_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for comparison in (upgrade(), compare(run(case(1)), run(case(1)))):
        told = json.loads(json.dumps(as_json(comparison)))
        assert not list(Draft202012Validator(SCHEMA).iter_errors(told))
        assert told["exit"] == comparison.exit


def test_the_files(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "old.json").write_text("{}")
    comparison = upgrade()
    write_comparison(comparison, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases", "comparison.json", "comparison.md"]
    named = {group.base["id"] for group in comparison.groups} | {f"{3:012x}"}
    assert {path.stem for path in (tmp_path / "cases").iterdir()} == named
    for name in named:
        assert json.loads((tmp_path / "cases" / f"{name}.json").read_text())["number"] == int(name, 16)


def test_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=60, force_terminal=False)
    show_comparison(upgrade(), console, directory=Path("out"))
    output = console.file.getvalue()  # type: ignore[attr-defined]
    for said in (
        "regressed: VAC-SAFE-1 (pass → fail)\n",
        "  replay:   pytest suites --replay out/cases/000000000003.json\n",
        "unexplained: DELETE: answers otherwise\n",
        "known since 4.1: A RETAIN that does not round to 0 hours is ignored",
        "The whole is in out/comparison.md\n",
    ):
        assert said in output, said
    assert output.endswith("1 clause regressed from spark 4.0.1 to spark 4.1.0\n")


def test_a_known_change_counts_each_case_once() -> None:
    base = case(
        1,
        step(*DELETE, commits=[commit("DELETE")], remove_fields=["path"]),
        step(*DELETE, 1, commits=[commit("DELETE")]),
    )
    more = {"commits": [commit("DELETE", metrics={"numDeletionVectorsAdded": "1"})]}
    candidate = case(1, step(*DELETE, remove_fields=["path", "stats"], **more), step(*DELETE, 1, **more))
    comparison = compare(run(base, first=header("2.4.0")), run(candidate, first=header("3.0.0")))
    assert [one.cases for one in explained(comparison)] == [1, 1]
    assert {group.known.since for group in comparison.known if group.known} == {"3.0"}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, failing in (("base", ()), ("candidate", ("DEL-ROW-1",))):
        written(header(), [case(1, failing=failing)], tmp_path / name)
    base, candidate = str(tmp_path / "base"), str(tmp_path / "candidate" / "run.jsonl")
    assert main(["compare", base, candidate, "--out", str(tmp_path / "out")]) == 1
    assert "1 clause regressed from spark 4.4.0 to spark 4.4.0" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "comparison.json").read_text())["exit"] == 1
    assert main(["compare", candidate, base, "--out", str(tmp_path / "out")]) == 0
    assert main(["compare", base, base, "--out", str(tmp_path / "out")]) == 0
    assert "Nothing regressed" in capsys.readouterr().out
    written(header(), [case(2)], tmp_path / "other")
    assert main(["compare", base, str(tmp_path / "other"), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("The runs judged other cases: 1 of 1 case")
    assert Verdict("fail") is Verdict.FAIL


def test_what_the_order_of_deletion_decides_is_no_difference_and_nothing_is_compared_after_it() -> None:
    base = case(1, step(by_order=["empty/in"]), step("VACUUM t", index=1, vanished=["empty"]))
    candidate = case(1, step(), step("VACUUM t", index=1, vanished=["empty", "empty/in"]))
    found = compare(run(base), run(candidate))
    assert found.groups == () and found.steps == 1 and found.diverged == 1


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        ("DELETE", "metrics + num_deleted_rows"),
        ("VACUUM", "START: commitInfo - txnId"),
        ("VACUUM", "a _last_vacuum_info → none"),
        ("DELETE", "remove fields - stats.numRecords"),
        ("DELETE with a mistake: unknown column", "error UNRESOLVED_COLUMN.WITH_SUGGESTION → DeltaError"),
        ("DELETE", "hides rows of fewer files"),
        ("VACUUM with RETAIN", "deletes fewer files from storage"),
        ("VACUUM", "commits VACUUM START, VACUUM END → none"),
        ("VACUUM LITE", "END: another value of the metric numVacuumedDirectories"),
        ("VACUUM, DRY RUN", "error SparkException → none"),
    ],
)
def test_what_is_known_between_the_two_engines(subject: str, what: str) -> None:
    difference, nothing = Difference(subject, what), Difference(subject, "nothing")
    found = knowledge(("spark", "4.4.0"), ("deltalake", "1.6.6")).of(difference, nothing)
    assert found is not None and found.word == "known"
    assert found is knowledge(("deltalake", "1.6.6"), ("spark", "4.4.0")).of(nothing, difference)
    assert knowledge(("deltalake", "1.0.0"), ("deltalake", "1.6.6")).of(difference, nothing) is None
