"""The comparison of two run streams, on small ones: what is refused, how clauses change, what differs, and the views."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from model.codec import case_id, loads
from model.vocabulary.case import Case
from model.vocabulary.rules import Retain, RuleChange
from model.vocabulary.severity import Severity
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    EngineStep,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Mode,
    Read,
    ReadChanges,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from records.json_form import from_json
from records.run import Header, RecordedCase, RecordedStep, Verdict
from reports.comparison.cases import VerdictChange
from reports.comparison.commands import ComparedCommand
from reports.comparison.comparison import Comparison, compare
from reports.comparison.difference_texts import text_of
from reports.comparison.differences import differences
from reports.comparison.facts import Facts, facts
from reports.comparison.pairs import Incomparable
from reports.comparison.wording import signature
from reports.render.comparison.files import write_comparison
from reports.stream.reading import Run, read_run
from tests.builders.small_streams import (
    DELETE,
    READ,
    VACUUM,
    case,
    case_document,
    commit,
    error,
    header,
    kept,
    number_of,
    run,
    step,
    violation,
)

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "reports" / "schema" / "comparison-5.json").read_text(encoding="utf-8")
)
#: The commands of the small steps, by their kind.
COMMANDS = {one["step"]: ComparedCommand(one["step"]) for one in (DELETE, READ, VACUUM)}

RETAIN = {"step": "vacuum", "retain_hours": 1}


# What cannot be compared ----------------------------------------------------------------------------------------------


OTHER_CASES = (
    "The runs judged different cases: 1 of 3 cases are in the base only and 2 of 4 in the candidate only, the first being "
    "000000000001 of strays (profile gate and smoke; seed 4 and 7): run both with the same cases."
)


@pytest.mark.parametrize(
    ("base", "candidate", "message"),
    [
        (
            run(case(1), case(2), case(3)),
            run(case(2), case(3), case(4), case(5), first=header(profile="smoke", seed=7)),
            OTHER_CASES,
        ),
        (
            run(case(1)),
            run(case(1), first=replace(header(), engine="deltalake")),
            "The runs are of two engines, spark and",
        ),
        (run(), run(), "Neither run judged any case: there is nothing to compare."),
        (run(case(1)), run(case(1, step(RETAIN))), "Case 000000000001 is not the same in both runs"),
        (run(case(1)), run(case(1, case=case_document(2, [VACUUM]))), "Case 000000000001 is not the same in both runs"),
    ],
)
def test_what_cannot_be_compared(base: Run, candidate: Run, message: str) -> None:
    with pytest.raises(Incomparable) as refusal:
        compare(base, candidate)
    assert str(refusal.value).startswith(message)


# Clauses --------------------------------------------------------------------------------------------------------------


NAME = "VAC-SAFE-1"


def broken(cause: str, *, excused: str | None = None, clause: str = NAME, index: int = 0) -> dict[str, Any]:
    """A violation."""
    return violation(clause, f"{clause} is violated: {cause}.", step=index, cause=cause, excused=excused)


def breaking(
    number: int, *violations: dict[str, Any], steps: int = 1, vanished: Sequence[str] = (), **other: Any
) -> RecordedCase:
    """A case with these violations. ``vanished``: in its first step."""
    taken = [step(index=index, vanished=list(() if index else vanished)) for index in range(steps)]
    return case(number, *taken, violations=violations, **other)


def stating(found: Run, verdict: str) -> Run:
    """The run with this verdict on NAME in its footer."""
    verdicts = found.footer.verdicts
    stated = replace(verdicts[NAME], verdict=Verdict(verdict), reason="A reason.")
    return Run(found.header, found.cases, replace(found.footer, verdicts={**verdicts, NAME: stated}))


def side(what: str | None) -> Run:
    """A run of one case in which the clause NAME has this result."""
    others = ("DEL-ROW-1", "VAC-SAFE-2")
    if what is None:
        return run(case(1, clauses=others), first=header(clauses=others))
    if what in ("holds", "listed but gone"):
        return stating(run(case(1)), what)
    if what in ("not applicable", "disabled", "not tested", "error"):
        return stating(run(case(1, clauses=others)), what)
    reasons = {"known": "R", "known otherwise": "S"}
    cause = "kept" if what == "fail otherwise" else "gone"
    found = run(breaking(1, broken(cause, excused=reasons.get(what))))
    return stating(found, "known fault" if what in reasons else "fails")


SIDES = {
    what or "not listed": side(what)
    for what in (
        *("holds", "listed but gone", "known", "known otherwise", "fails", "fail otherwise"),
        *("not applicable", "disabled", "not tested", "error", None),
    )
}


def every_change() -> str:
    """How the clause changes, from each result to each, with the exit code."""
    lines = []
    for (base, before), (candidate, after) in product(SIDES.items(), repeat=2):
        found = compare(before, after)
        for one in found.clauses:
            reason = f" ({one.reason})" if one.reason else ""
            lines += [f"{base} -> {candidate}: {found.exit} {one.change.value}{reason}"] * (one.clause == NAME)
    return "".join(f"{line}\n" for line in lines)


def knowing(reasons: dict[str, list[str]], *cases: RecordedCase, version: str = "4.4.0", **other: Any) -> Run:
    """A run whose version is known to have these faults: clauses by reason."""
    listed = [{"reason": reason, "clauses": clauses} for reason, clauses in reasons.items()]
    return run(*cases, first=header(version, known_faults=listed, **other))


R, S = "Old files are deleted.", "Names are refused."
SHRUNK = case(9, origin="shrunk", failing=("DEL-ROW-1",))
LISTED = case(8, origin="explicit")
#: A violation ended the case before its second step; the other goes on, and is wrong there.
ENDED = breaking(1, broken("gone", clause="VAC-SAFE-2"), case=case_document(1, [VACUUM] * 2))
LATE, LATE_KNOWN = (breaking(1, broken("late", excused=excused, index=1), steps=2) for excused in (None, R))
#: R shows, and S.
OLD, NAMES = (breaking(1, broken("gone", excused=reason)) for reason in (R, S))

WORSE, KNOWN, BETTER = VerdictChange.REGRESSED, VerdictChange.KNOWN, VerdictChange.IMPROVED
UNCOMPARED = VerdictChange.UNCOMPARED


@pytest.mark.parametrize(
    ("base", "candidate", "exit", "shifts"),
    [
        (run(case(1)), run(case(1), first=header(profile="smoke", seed=7, known_bad="a fault")), 0, []),
        # A case made by shrinking is not compared; a clause that fails there alone is named. Listed cases are, if both have them.
        (run(case(1)), run(case(1, failing=("DEL-ROW-1",)), SHRUNK), 1, [(WORSE, "DEL-ROW-1")]),
        (run(case(1)), run(case(1), SHRUNK), 3, [(UNCOMPARED, "DEL-ROW-1")]),
        (run(case(1), SHRUNK), run(case(1), SHRUNK), 0, []),
        (
            run(case(1), LISTED),
            run(case(1), case(8, origin="explicit", failing=("DEL-ROW-1",))),
            1,
            [(WORSE, "DEL-ROW-1")],
        ),
        (run(case(1)), run(case(1), LISTED), 0, []),
        # A few cases of one side alone are not compared; what fails there on the candidate is named.
        (run(*map(case, range(10, 20))), run(*map(case, range(11, 21))), 0, []),
        (
            run(case(20, failing=("DEL-ROW-1",)), *map(case, range(11, 20))),
            run(*map(case, range(11, 20)), case(10, failing=("DEL-ROW-1",))),
            3,
            [(UNCOMPARED, "DEL-ROW-1")],
        ),
        # In the totals the clause is the same.
        (
            run(breaking(1, broken("gone")), case(2)),
            run(*(breaking(number, broken("gone")) for number in (1, 2))),
            1,
            [(WORSE, NAME)],
        ),
        # What the base did not reach is not compared, unless the base is known to do the same.
        (run(ENDED), run(LATE), 3, [(UNCOMPARED, NAME), (BETTER, "VAC-SAFE-2")]),
        (run(LATE), run(ENDED), 1, [(WORSE, "VAC-SAFE-2")]),
        (run(ENDED), knowing({R: [NAME]}, LATE_KNOWN), 3, [(UNCOMPARED, NAME), (BETTER, "VAC-SAFE-2")]),
        (knowing({R: [NAME]}, ENDED), knowing({R: [NAME]}, LATE_KNOWN), 0, [(BETTER, "VAC-SAFE-2")]),
        # Where outcomes vary, a known fault of both shows on one side by chance: the entries decide.
        (knowing({R: [NAME]}, case(1)), knowing({R: [NAME]}, OLD), 0, []),
        (knowing({R: [NAME]}, OLD), knowing({R: [NAME]}, case(1)), 0, []),
        (knowing({R: [NAME]}, OLD), knowing({R: [NAME]}, OLD), 0, []),
        # One of the candidate alone is worse, and its end is better; one of another clause is another.
        (knowing({}, case(1)), knowing({R: [NAME], S: ["DEL-ROW-1"]}, OLD), 1, [(KNOWN, NAME)]),
        (knowing({R: [NAME], S: ["DEL-ROW-1"]}, OLD), knowing({}, case(1)), 0, [(BETTER, NAME)]),
        (knowing({R: ["DEL-ROW-1"]}, case(1)), knowing({R: [NAME]}, OLD), 1, [(KNOWN, NAME)]),
        (knowing({S: [NAME]}, NAMES), knowing({R: [NAME], S: [NAME]}, OLD), 1, [(KNOWN, NAME)]),
        (knowing({R: [NAME], S: [NAME]}, OLD), knowing({S: [NAME]}, NAMES), 0, []),
        # What the base fails for the same cause is not worse by being known.
        (knowing({}, breaking(1, broken("gone"))), knowing({R: [NAME]}, OLD), 0, []),
        (
            knowing({}, breaking(1, broken("gone"))),
            knowing({R: [NAME]}, breaking(1, broken("gone", excused=R), broken("kept", excused=R))),
            1,
            [(KNOWN, NAME)],
        ),
    ],
)
def test_what_gets_worse(base: Run, candidate: Run, exit: int, shifts: list[tuple[VerdictChange, str]]) -> None:
    comparison = compare(base, candidate)
    assert (comparison.exit, [(one.change, one.clause) for one in comparison.shifts]) == (exit, shifts)
    ids = [{one.id for one in found.cases if one.origin == "generated"} for found in (base, candidate)]
    assert comparison.compared == len({one.id for one in base.cases} & {one.id for one in candidate.cases})
    assert comparison.unpaired == len(ids[0] ^ ids[1])


def lesser(first: Header) -> Header:
    """The header whose first clause is of words only."""
    one, *others = first.clauses
    return replace(first, clauses=(replace(one, severity=Severity.WRONG_WORDS), *others))


# What differs in a step -------------------------------------------------------------------------------------------------


#: Commands that a comparison tells apart. The view ``commands`` has their words.
COMPARED: tuple[EngineStep, ...] = (
    *(Delete(), Delete(form=Form.TRUNCATE), InvalidDelete(DeleteMistake.UNKNOWN_COLUMN)),
    InvalidVacuum(VacuumMistake.CLAUSE_TWICE, dry_run=True),
    *(Read(before_step=0), ReadChanges(of_step=1), Vacuum(mode=Mode.FULL, dry_run=True)),
    *(Vacuum(mode=Mode.LITE, retain_hours=0.4), Vacuum(retain_hours=-0.5), Vacuum(retain_hours=0.5, dry_run=True)),
    Vacuum(mode=Mode.LITE_SETTING, retain_hours=-1, form=VacuumForm.SQL_QUOTED_PATH),
    Vacuum(mode=Mode.INVENTORY_QUERY, retain_hours=9),
)


def facts_of(made: dict[str, Any]) -> Facts:
    """The facts of a step's record."""
    return facts(from_json(made, RecordedStep))


ENDED_VACUUM = commit("VACUUM END")


def started(files: str) -> list[dict[str, Any]]:
    return [commit("VACUUM START", metrics={"numFilesToDelete": files}), ENDED_VACUUM]


def written_by(**info: Any) -> dict[str, Any]:
    return {"commits": [commit("DELETE", **info)]}


BESIDE = "../a/_delta_log/_commits"

#: A command, and what the base and the candidate show of it. The view ``differences`` has what differs.
DIFFERING: tuple[tuple[dict[str, Any], dict[str, Any], dict[str, Any]], ...] = (
    (VACUUM, {"error": error("A")}, {}),
    (VACUUM, {}, {"error": error(None, "E"), "vanished": ["a"]}),
    (VACUUM, {"error": error(None, "E")}, {"error": error("B", "E")}),
    (VACUUM, {"error": error("A", message="x")}, {"error": error("A", message="y")}),
    (VACUUM, {"error": error(None, "E", "x")}, {"error": error(None, "E", "y")}),
    (VACUUM, {"error": error(None, "E", "task 1")}, {"error": error(None, "E", "task 2")}),
    (VACUUM, {"error": error("A", sqlstate="1", exception="E")}, {"error": error("A", sqlstate="2", exception="F")}),
    (READ, {"rows": [[1], [1]]}, {"rows": [[1]]}),
    (READ, {"rows": [[1]]}, {"rows": [[2]]}),
    (VACUUM, {"rows": ["a"]}, {"rows": ["a", "b"]}),
    (DELETE, {"rows": [[1]]}, {"rows": [[-1]]}),
    (VACUUM, {"vanished": ["a/metadata/b"]}, {}),
    (VACUUM, {}, {"vanished": ["a%20"]}),
    (VACUUM, {"vanished": ["a"]}, {"vanished": [".b"]}),
    (VACUUM, {}, {"vanished": ["x/deletion_vector_1.bin"]}),
    (VACUUM, {}, {"changed_beside": ["../a"]}),
    # The log's directory for the commits of a coordinator, by each of its names.
    (VACUUM, {"changed_beside": ["../a", BESIDE]}, {"changed_beside": ["../a", "../a/_delta_log/_staged_commits"]}),
    (VACUUM, {"changed_beside": [BESIDE]}, {"changed_beside": ["../a/_staged_commits"]}),
    (VACUUM, {"operations": []}, {"operations": ["VACUUM START"], "commits": [commit("VACUUM START")]}),
    (VACUUM, {"operations": ["A"]}, {"operations": ["A", ""]}),
    (DELETE, {"removed": ["a"]}, {}),
    (
        DELETE,
        {"added": [{"partition": {}, "rows": 2}], "appeared": {"data files": 1}},
        {"masked": [["a", 1]], "appeared": {"vector files": 1}},
    ),
    # The engine's own names, and into how many files it writes the rows of a partition.
    (DELETE, {"removed": ["part-00000-*-c000.snappy.parquet"]}, {"removed": ["part-00001-*-c000.zstd.parquet"]}),
    (
        DELETE,
        {"added": [{"partition": {}, "rows": 2}, {"partition": {}, "rows": 3}]},
        {"added": [{"partition": {}, "rows": 5}]},
    ),
    (
        DELETE,
        {"error": error("A"), "appeared": {"data files": 3}},
        {"error": error("A"), "appeared": {"data files": 1}},
    ),
    (DELETE, {}, {"changed": 2}),
    (VACUUM, {}, {"checkpoints": [3]}),
    (VACUUM, {"checkpoints": [2]}, {"checkpoints": [3]}),
    (VACUUM, {}, {"broken": True}),
    (DELETE, {"remove_fields": ["path"]}, {"remove_fields": ["path", "stats"]}),
    (DELETE, {"add_fields": ["path", "tags"]}, {"add_fields": ["path"]}),
    (DELETE, {"places": ["the root"]}, {"places": ["x"]}),
    (
        DELETE,
        written_by(metrics={"a": "1"}, keys=["x"], values={"isBlindAppend": True}),
        written_by(metrics={"a": "2", "b": "1"}, keys=[], values={"isBlindAppend": False}),
    ),
    (VACUUM, {"commits": started("1")}, {"commits": started("2")}),
    (VACUUM, {}, {"last_vacuum": []}),
    (VACUUM, {"last_vacuum": ["a"]}, {}),
    (VACUUM, {"last_vacuum": []}, {"last_vacuum": ["a"]}),
    (DELETE, written_by(keys=["a"]), written_by(keys=["c"])),
    # The numbers that follow from another table are left out.
    (VACUUM, {"vanished": ["a"], "commits": started("1")}, {"commits": started("0")}),
)


def every_difference() -> str:
    """What differs, each below what the two sides show."""
    lines = []
    for command, *sides in DIFFERING:
        base, candidate = (facts_of(step(command, **side)) for side in sides)
        found = differences(COMMANDS[command["step"]], base, candidate)
        lines += [
            f"{command['step']}: {' | '.join(map(json.dumps, sides))}",
            *sorted(f"  {text_of(one)}" for one in found),
        ]
    return "".join(f"{line}\n" for line in lines)


# What differs in a run --------------------------------------------------------------------------------------------------


def steps_of(*made: dict[str, Any]) -> Run:
    """A case with these steps."""
    return run(case(1, *({**one, "index": index} for index, one in enumerate(made))))


LAST = step(READ, rows=[])


@pytest.mark.parametrize(
    ("base", "candidate", "counts", "signatures"),
    [
        # After the tables differ nothing is compared. The gravest is first.
        (
            steps_of(step(), step(vanished=["a"]), step(READ, rows=[[1]])),
            steps_of(step(last_vacuum=["k"]), step(), LAST),
            (2, 1, 1, 0),
            ["VACUUM: deletes fewer files from storage", "VACUUM: _last_vacuum_info none → written"],
        ),
        # After an error of a read it goes on.
        (
            steps_of(step(READ), step(vanished=["a"])),
            steps_of(step(READ, error=error("GONE")), step()),
            (2, 1, 1, 0),
            ["READ of the current version: error none → GONE", "VACUUM: deletes fewer files from storage"],
        ),
        # Another order of deletion is no difference, and ends it.
        (
            steps_of(step(by_order=["empty/in"]), step(vanished=["empty"])),
            steps_of(step(), step(vanished=["empty", "empty/in"])),
            (1, 0, 1, 0),
            [],
        ),
        # So does a clause on one side.
        (steps_of(step(), step()), run(case(1, step(), case=case_document(1, [VACUUM] * 2))), (1, 0, 0, 1), []),
    ],
)
def test_how_far_a_case_is_compared(base: Run, candidate: Run, counts: tuple[int, ...], signatures: list[str]) -> None:
    found = compare(base, candidate)
    assert [signature(group) for group in found.groups] == signatures
    assert (found.steps, found.differing, found.diverged, found.cut_short) == counts
    assert found.exit == (3 if signatures else 0), "no regression by itself, but nothing explains it"
    assert compare(base, candidate, allows_changes=True).exit == 0


def test_groups_have_their_smallest_case_and_are_in_order() -> None:
    def delete(number: int, *, more: int, metric: bool) -> RecordedCase:
        metrics = {"numDeletionVectorsAdded": "0", "numDeletionVectorsRemoved": "0"} if metric else {}
        extra = [step(index=index) for index in range(1, more)]
        return case(number, step(DELETE, commits=[commit("DELETE", metrics=metrics)]), *extra)

    sizes = ((1, 3), (2, 2), (3, 2), (4, 1))
    base = [delete(number, more=more, metric=False) for number, more in sizes]
    candidate = [delete(number, more=more, metric=True) for number, more in sizes]
    base[3] = case(4, step(rows=["a"]))
    candidate[3] = case(4, step())
    found = compare(run(*base, first=header("4.3.1")), run(*candidate)).groups
    assert [(signature(group), group.cases, group.steps, group.base.id) for group in found] == [
        ("DELETE: metrics + numDeletionVectorsAdded, numDeletionVectorsRemoved", 3, 3, f"{2:012x}"),
        ("VACUUM: lists fewer files", 1, 1, f"{4:012x}"),
    ]
    known = compare(run(*base, first=header("2.4.0")), run(*candidate)).groups
    since = [group.explanation and group.explanation.reasons[0].since for group in known]
    assert since == [None, "3.0"], "the unexplained come first"


def test_only_the_cases_that_are_shown_are_kept(tmp_path: Path) -> None:
    def side(name: str, rows: list[list[int]]) -> Run:
        cases = [case(number, step(READ, rows=rows), campaign="many") for number in range(20)]
        return read_run(kept(tmp_path / name, *cases))

    comparison = compare(side("base", [[1]]), side("candidate", [[2]]))
    gc.collect()
    alive = [one for one in gc.get_objects() if isinstance(one, RecordedCase) and one.campaign == "many"]
    assert comparison.groups[0].cases == 20
    assert {id(one) for one in alive} == {id(comparison.groups[0].base), id(comparison.groups[0].candidate)}


# The views ------------------------------------------------------------------------------------------------------------------


IGNORED = RuleChange("4.1", "retain", Retain.ZERO, "RETAIN is ignored.", "https://example.org/5028")


class Foretold:
    """A predictor that knows the records of one case, by the changes applied."""

    def __init__(
        self, number: int, records: dict[tuple[RuleChange, ...], dict[str, Any]], *changes: RuleChange
    ) -> None:
        self.changes = changes or (IGNORED,)
        self.asked: list[tuple[int, tuple[RuleChange, ...]]] = []
        self._number = number
        self._records = records

    def steps(self, case: Case, changes: Sequence[RuleChange]) -> list[RecordedStep]:
        self.asked.append((number_of(case), tuple(changes)))
        return [from_json(self._records[tuple(changes)], RecordedStep)] if number_of(case) == self._number else []


def upgrade() -> Comparison:
    """One regression, one difference that a rule explains, and an unexplained one."""
    base = [case(1, step(RETAIN, vanished=["a"])), case(2, step(DELETE, rows=[[1]])), case(3)]
    candidate = [case(1, step(RETAIN)), case(2, step(DELETE, rows=[[2]])), case(3, failing=("VAC-SAFE-1",))]
    foretold = Foretold(1, {(): step(RETAIN, vanished=["a"]), (IGNORED,): step(RETAIN)})
    return compare(
        run(*base, first=header("4.0.1")), run(*candidate, first=header("4.1.0")), lambda older, newer: foretold
    )


def test_the_files(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    old = case_document(9, [])
    for name in (case_id(loads(json.dumps(old))), "mine"):
        (tmp_path / "cases" / f"{name}.json").write_text(json.dumps(old), encoding="utf-8")
    comparison = upgrade()
    write_comparison(comparison, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cases",
        "compare.html",
        "comparison.json",
        "comparison.md",
    ]
    named = {group.base.id for group in comparison.groups} | {f"{3:012x}"}
    assert {path.stem for path in (tmp_path / "cases").iterdir()} == {*named, "mine"}
    for name in named:
        shown = loads((tmp_path / "cases" / f"{name}.json").read_text())
        assert number_of(shown) == int(name, 16)
