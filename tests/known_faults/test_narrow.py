"""Each entry of ``known_faults/`` excuses its fault alone, or says in ``wide`` what else it would excuse.

Another fault is one with the same clause, in a step in which the entry's condition holds, and with the same symptom as far as
users see it: a step that is refused, though for another reason; the same fate of another path; the same rows wrong in number,
but other ones.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from engines.port import EngineError, Outcome
from engines.provider import ENGINES
from engines.wrapped import WrappedEngine
from faults import FAULTS, KnownBadEngine
from faults.machinery.fault import Fault
from faults.machinery.rows import change_feed
from harness.judging.clause import Violation
from harness.judging.excusing.conditions import CONDITIONS, WRONG_ROWS, Circumstances
from harness.judging.excusing.excuses import Excuses
from harness.judging.severity import Cause
from harness.observing.steps.observation import Observation
from known_faults.entries import PLACES
from known_faults.known import known_faults_in
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.predicate import (
    And,
    Compare,
    Like,
    Literal,
    Member,
    Not,
    Of,
    Op,
    Or,
    Relate,
    Wrapped,
    Wrapper,
    columns_of,
)
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Delete, Insert, OpenSession, Request, Step
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import Type
from records.expectations import Gone
from records.known_fault import KnownFault
from reference_engine import ReferenceEngine
from reports.comparison.acceptance import tables_of
from runner.plugin import ROOT
from tests.handmade.conditions import FILES
from tests.harness.test_conditions import (
    AMOUNTS,
    HOLDS,
    ONE,
    PLAIN,
    REQUIRED,
    SPOILED,
    P,
    V,
    below,
    observed,
    one_file,
    with_an_empty_null,
)

ENTRIES = [
    (engine, entry, clauses)
    for engine in ENGINES
    for entry, clauses in tables_of(known_faults_in(ROOT / "known_faults" / f"{engine}.toml", places=PLACES)).items()
]
#: No engine says so of a fault that is listed.
OTHER_ERROR = EngineError("OtherError", None, None, "This is not the error that is known.")


def step_in_which(condition: str | None, directory: Path) -> Observation:
    """A step in which the condition holds."""
    if condition is None:
        return observed(PLAIN, directory)
    table, steps = HOLDS[condition]
    seen = observed(table, directory, *steps, spoil=SPOILED.get(condition))
    assert CONDITIONS[condition].holds(seen), condition
    return seen


def problem(entry: KnownFault, clauses: tuple[str, ...], seen: Observation) -> str | None:
    """What is wrong with an entry, by another fault in a step in which its condition holds."""
    symptom = entry.symptom
    others: list[tuple[Circumstances, Violation]] = []
    if symptom.errors:  # the step is refused for another reason
        refused = Violation("log", "It must succeed.", Gone("x"), cause=Cause("an error instead", is_error=True))
        others.append((Circumstances(replace(seen, outcome=Outcome((), OTHER_ERROR, 0, 0))), refused))
    if symptom.of is not None and symptom.of not in WRONG_ROWS:  # the same happens to another path
        for cause in symptom.causes:
            lost = Violation("another.parquet", "It is gone.", Gone("another.parquet"), cause=Cause(cause))
            others.append((Circumstances(seen), lost))
    if any(Excuses([replace(entry, clause=id)]).excuse(id, *other) for id in clauses for other in others):
        return "it excuses another fault"
    is_narrow = bool(others) or symptom.of in OTHER_ROWS  # other rows are wrong: known-bad engines show it, below
    return "it is shown to be narrow, or says in `wide` why it is not" if is_narrow is bool(entry.wide) else None


def test_another_fault_is_not_excused_or_the_entry_says_why(tmp_path: Path) -> None:
    conditions = dict.fromkeys(entry.when for _, entry, _ in ENTRIES)
    seen = {when: step_in_which(when, tmp_path / str(number)) for number, when in enumerate(conditions)}
    found = [
        (engine, *clauses, entry.when, problem(entry, clauses, seen[entry.when])) for engine, entry, clauses in ENTRIES
    ]
    assert [one for one in found if one[-1] is not None] == []


class Idle(WrappedEngine):
    """An engine that takes a DELETE by a condition on ``v`` for done, and does nothing."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if isinstance(step, Delete) and step.where is not None and "v" in columns_of(step.where):
            return Outcome(((0,),), None, clock, clock)
        return super().run(root, step, clock=clock, version=version)


S = Column("s", REQUIRED)
TEXT = Column("s", Type.STRING)
SAFE = Not(Compare("p", Op.NULL_SAFE_EQ, None, Type.INTEGER))
X_IS_1 = Relate(Member(Of("s"), "x"), Op.EQ, Literal(1, Type.INTEGER))
LIKE_A = And(Like("s", "a"), Not(Compare("s", Op.EQ, "b", Type.STRING)))
IS_NULL = And(Compare("v", Op.EQ, None, Type.DOUBLE), Compare("v", Op.GT, 2.5, Type.DOUBLE))  # FALSE for 2.0
IN_U = Compare("p", Op.EQ, "ü", Type.STRING)
CALLED = Wrapped(Compare("v", Op.EQ, 1, Type.INTEGER), Wrapper.PYTHON)
SPELLED = Table(
    (Column("p", Type.STRING), V),
    ("p",),
    (DataFile(0, ("ü",), ((1.0,),), -DAY), DataFile(1, ("a",), ((1.0,), (2.0,)), -DAY)),
    (Commit(-HOUR, adds=(0, 1)),),
)
FEEDS = replace(PLAIN, features=(Feature.CHANGE_DATA_FEED.value,))

#: For each kind of wrong rows a condition, a known-bad engine (None: Idle), and a step in which the condition holds, and the
#: engine leaves or loses other rows.
OTHER_ROWS: dict[str, tuple[str, str | None, Table, tuple[Step, ...]]] = {
    "changes of rows that stay": (
        "null-safe test of a partition",
        "loses-a-survivor",
        FEEDS,
        (Delete(And(SAFE, ONE)),),
    ),
    "rows committed since the session opened": (
        "session that deletes all, or no row of its version",
        "keeps-a-file-of-the-table",
        PLAIN,
        (OpenSession(), Insert(((1, 9.0),)), Delete(by_earlier=True)),
    ),
    "rows for which the condition is NULL": (
        "compares with NULL",
        "loses-a-survivor",
        PLAIN,
        (Delete(Or(IS_NULL, ONE)),),
    ),
    "rows whose struct is NULL": (
        "test of a NULL struct with a NOT NULL field",
        "loses-a-survivor",
        one_file(((2,),), ((1,),), (None,), columns=(P, S)),
        (Delete(X_IS_1),),
    ),
    "rows that a plain LIKE names": (
        "plain LIKE beside another test",
        "loses-a-survivor",
        one_file(("b",), ("a",), ("c",), columns=(P, TEXT)),
        (Delete(LIKE_A),),
    ),
    "rows with a DECIMAL as users write it": (
        "DECIMAL as users write it",
        None,
        one_file((Decimal("0.10"),), (Decimal("0.20"),), columns=AMOUNTS.columns),
        (below("0.20"),),
    ),
    "rows with a zero": (
        "zeros of both signs",
        None,
        one_file((-0.0,), (1.0,), (2.0,)),
        (Delete(Compare("v", Op.GT, 0.0, Type.DOUBLE)),),
    ),
    "rows of files left alone": (
        "function in Python that decides which files are rewritten",
        "keeps-a-match",
        FILES,
        (Delete(CALLED),),
    ),
    "rows of an empty text as a partition": (
        "empty text of a STRING partition",
        None,
        with_an_empty_null(Type.STRING),
        (Delete(Compare("v", Op.EQ, 3.0, Type.DOUBLE)),),
    ),
    "rows removed by another spelling": ("removed by another spelling", None, SPELLED, (Delete(IN_U), Delete(ONE))),
}


@pytest.mark.parametrize("kind", WRONG_ROWS)
def test_other_rows_are_not_of_the_kind(kind: str, tmp_path: Path) -> None:
    when, bad, table, steps = OTHER_ROWS[kind]
    healthy = ReferenceEngine(rules=DELTA_RS, capabilities=EVERYTHING)
    engine = Idle(healthy) if bad is None else KnownBadEngine(healthy, FAULTS[bad])
    seen = observed(table, tmp_path, *steps, spoil=SPOILED.get(when), engine=engine)
    assert CONDITIONS[when].holds(seen) and not seen.has_its_rows
    assert not WRONG_ROWS[kind].of(seen)("rows")


def telling_of(*rows: tuple[int, float]) -> Fault:
    """The change file also has these rows as deleted."""

    def tell(changes: pa.Table) -> pa.Table:
        told = [{"p": part, "v": value, "_change_type": "delete"} for part, value in rows]
        return pa.concat_tables([changes, pa.Table.from_pylist(told, schema=changes.schema)])

    return replace(FAULTS["change-file-loses-a-row"], tamper=change_feed(tell))


@pytest.mark.parametrize(
    ("told", "known"), [(((1, 2.0),), True), (((1, 3.0),), False), (((1, 2.0), (1, 2.0)), False), (((1, 1.0),), False)]
)
def test_only_changes_of_rows_that_stay_in_a_rewritten_file_are_known(
    told: tuple[tuple[int, float], ...], known: bool, tmp_path: Path
) -> None:
    engine = KnownBadEngine(ReferenceEngine(), telling_of(*told))
    seen = observed(FEEDS, tmp_path, Delete(And(SAFE, ONE)), engine=engine)
    assert WRONG_ROWS["changes of rows that stay"].of(seen)("rows") is known
