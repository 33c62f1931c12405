"""Which violations a judge excuses: those of a known fault's symptom, where its condition holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.port import EngineError, Outcome
from engines.provider import ENGINES
from faults import FAULTS, KnownBadEngine
from harness.judging.clause import Violation
from harness.judging.excusing.conditions import SUBJECTS, WRONG_ROWS, Circumstances
from harness.judging.excusing.excuses import Excuses
from harness.judging.severity import Cause
from harness.observing.record.step_record import recorded_error
from harness.observing.steps.observation import Observation
from harness.running.judge import JudgedCase
from known_faults.known import known_faults_in
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Append, Delete, OpenSession, Read, Step, Vacuum
from model.vocabulary.table import HOUR, Commit, DataFile, Kind, Reference, Removal, StrayFile, Table
from model.vocabulary.values import Type
from records.expectations import Gone
from records.json_form import from_json
from records.known_fault import KnownFault, Symptom
from records.run import RecordedViolation
from reference_engine import ReferenceEngine
from reports.comparison.acceptance import covering
from runner.plugin import ROOT
from tests.builders.observations import full_judge
from tests.builders.small_streams import case
from tests.harness.test_conditions import HOLDS, ONE, PLAIN, encode_removes, observed, with_vectors
from tests.reports.test_comparison import broken

STEPS = (Delete(ONE), Read(), Delete(Compare("v", Op.EQ, 3.0, Type.DOUBLE)), Read())


def judged(tmp_path: Path, table: Table, *known: KnownFault | str) -> JudgedCase:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["says-blind-append"])
    return full_judge(bad, tmp_path, known).judge(Case(table, STEPS))


def test_a_clause_is_excused_where_its_condition_holds(tmp_path: Path) -> None:
    known = KnownFault("DEL-INFO-1B", when="deletion vectors")
    with_vectors = judged(tmp_path / "vectors", HOLDS["deletion vectors"][0], known)
    assert with_vectors.violated == ["DEL-INFO-1B"] and with_vectors.failed == []
    assert len(with_vectors.steps) == 1, "the case ends there: what follows may be its consequence"
    plain = judged(tmp_path / "plain", PLAIN, known)
    assert plain.failed == plain.violated == ["DEL-INFO-1B"]


def test_an_unconditional_known_fault_does_not_end_the_case(tmp_path: Path) -> None:
    result = judged(tmp_path, PLAIN, KnownFault("DEL-INFO-1B", when="deletion vectors"), "DEL-INFO-1B")
    assert result.violated == ["DEL-INFO-1B"] and result.failed == []
    assert len(result.steps) == len(STEPS)
    tally = result.tallies["DEL-INFO-1B"]
    assert len(tally.violations) == 2 and not tally.unexcused


def test_what_is_not_excused_ends_the_case(tmp_path: Path) -> None:
    other = judged(tmp_path, PLAIN, "DEL-ROW-1", entry(causes=("another value: readVersion",)))
    assert other.failed == ["DEL-INFO-1B"] and len(other.steps) == 1


# The symptom ------------------------------------------------------------------------------------------------------------


def failing(tmp_path: Path, error: EngineError | None) -> Observation:
    """A read that ended in this error."""
    observation = observed(PLAIN, tmp_path)
    return replace(observation, outcome=Outcome((), error, 0, 0))


def entry(**symptom: Any) -> KnownFault:
    """A known fault with this symptom."""
    return KnownFault("A", symptom=Symptom(**symptom))


MATCH = EngineError("Py4JJavaError", None, None, "… scala.MatchError: Some(DeletionVectorDescriptor(i,…")
CLASS = EngineError("MatchError", None, None, "no text")
CONDITION = EngineError("AnalysisException", "AMBIGUOUS_REFERENCE", "42704", "no text")
MEMORY = EngineError("Py4JJavaError", None, None, "… java.lang.OutOfMemoryError: Java heap space")


@pytest.mark.parametrize(
    ("known", "error", "cause", "excused"),
    [
        (KnownFault("A"), None, Cause("x"), True),
        (entry(causes=("x", "y")), None, Cause("y"), True),
        (entry(causes=("x", "y")), None, Cause("z"), False),
        (entry(causes=("gone",)), None, Cause(), True),  # the kind of the expectation
        (entry(errors=("MatchError",)), MATCH, Cause("x", is_error=True), True),
        (entry(errors=("MatchError",)), CLASS, Cause("x", is_error=True), True),
        (entry(errors=("MatchError", "AMBIGUOUS_REFERENCE")), CONDITION, Cause("x", is_error=True), True),
        (entry(errors=("MatchError",)), MEMORY, Cause("x", is_error=True), False),
        (entry(errors=("MatchError",)), None, Cause("x", is_error=True), False),
        (entry(errors=("MatchError",)), MATCH, Cause("rows that must stay are missing"), False),
        (entry(causes=("x",), errors=("MatchError",)), MATCH, Cause("x"), True),
        (entry(causes=("x",), errors=("MatchError",)), MEMORY, Cause("x"), False),
        (entry(of="encoded path"), None, Cause("x"), False),
        (KnownFault("B"), None, Cause("x"), False),
    ],
)
def test_all_of_a_symptom_must_match(
    known: KnownFault, error: EngineError | None, cause: Cause, excused: bool, tmp_path: Path
) -> None:
    violation = Violation("plain.parquet", "It is gone.", Gone("plain.parquet"), cause=cause)
    found = Excuses([known]).excuse("A", Circumstances(failing(tmp_path, error)), violation)
    assert (found is not None) is excused


LINES = "Failed to read {root}/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet\nDiskError: boom"


@pytest.mark.parametrize(
    ("text", "excused"),
    [
        ("Failed to read", True),
        ("DiskError", False),  # in the second line, which no run records
        ("/table/part-*.parquet", True),  # without the random part, as it is recorded
        ("part-00000", False),
    ],
)
def test_an_error_is_known_by_what_a_run_records_of_it(text: str, excused: bool, tmp_path: Path) -> None:
    """So that an entry does the same in a run and where two runs are compared (--accept)."""
    plain = observed(PLAIN, tmp_path)
    error = EngineError("DeltaError", None, None, LINES.format(root=plain.root))
    seen = replace(plain, outcome=Outcome((), error, 0, 0))
    violation = Violation("x", "It failed.", Gone("x"), cause=Cause("x", is_error=True))
    assert (Excuses([entry(errors=(text,))]).excuse("A", Circumstances(seen), violation) is not None) is excused
    recorded = case(1, error=None)
    steps = (replace(recorded.steps[0], outcome=replace(recorded.steps[0].outcome, error=recorded_error(seen))),)
    found = from_json(broken("x", clause="A") | {"by_error": True}, RecordedViolation)
    assert (covering([entry(errors=(text,))], replace(recorded, steps=steps), found) is not None) is excused


def test_without_a_condition_before_others(tmp_path: Path) -> None:
    always = KnownFault("A", reason="always")
    violation = Violation("x", "It is gone.", Gone("x"))
    rare = KnownFault("A", when="whole files", reason="rare")
    seen = Circumstances(observed(PLAIN, tmp_path, *HOLDS["whole files"][1]))
    assert Excuses([rare, always]).excuse("A", seen, violation) == always
    assert Excuses([rare]).excuse("A", seen, violation) == rare


# Kinds of subjects ------------------------------------------------------------------------------------------------------

FILE = "p=1/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet"
OTHER = FILE.replace("p=1", "p=2").replace("part-00000-00000000", "part-00001-00000001")
REMOVED = replace(PLAIN, commits=(*PLAIN.commits, Commit(-HOUR // 2, removes=(Removal(0, None),))))

IN_1 = Compare("p", Op.EQ, 1, Type.INTEGER)
NEW = DataFile(7, (1,), ((1.0,),), -HOUR)
NEW_FILE = FILE.replace("part-00000-00000000", "part-00007-00000007")

#: For each kind of a path a table, a step, and a path that is of this kind.
OF: dict[str, tuple[Table, tuple[Step, ...], str]] = {
    "file of a deletion vector": (with_vectors(0), (), "deletion_vector_00000001-0000-4000-8000-000000000000.bin"),
    "data file with several actions": (with_vectors(0), (), FILE),
    "file named by URI": (
        replace(PLAIN, files=(replace(PLAIN.files[0], reference=Reference.ABSOLUTE), PLAIN.files[1])),
        (),
        FILE,
    ),
    "name that resembles a partition": (HOLDS["partition column begins with a dot or an underscore"][0], (), "_part/x"),
    "encoded path": (PLAIN, (), "p=%C3%A9/x"),
    "path behind a link to a directory": (HOLDS["link to a directory"][0], (), "link/x"),
    "path that begins with a dot": (PLAIN, (), ".p=1/x"),
    "file of a tombstone without a time": (REMOVED, (), FILE),
    "file of a young tombstone": (*HOLDS["young tombstone"], FILE),
    "file removed by another spelling": (*HOLDS["removed by another spelling"], "p=ü/" + FILE.removeprefix("p=1/")),
    "file committed since the session opened": (
        PLAIN,
        (OpenSession(), Append((NEW,)), Vacuum(by_earlier=True)),
        NEW_FILE,
    ),
    "file removed since the session opened": (PLAIN, (OpenSession(), Delete(IN_1), Vacuum(by_earlier=True)), FILE),
    "young orphan": (replace(PLAIN, stray_files=(StrayFile("_young.parquet"),)), (Vacuum(),), "_young.parquet"),
}


#: How the table is changed before the last step.
SPOILED = {"file removed by another spelling": encode_removes}


def test_every_kind_of_subject_is_shown_and_used() -> None:
    entries = [entry for engine in ENGINES for entry in known_faults_in(ROOT / "known_faults" / f"{engine}.toml")]
    assert {*OF, *WRONG_ROWS} == SUBJECTS.keys() == {entry.symptom.of for entry in entries} - {None}


@pytest.mark.parametrize("kind", OF)
def test_a_subject_is_of_a_kind(kind: str, tmp_path: Path) -> None:
    table, steps, path = OF[kind]
    seen = observed(table, tmp_path, *steps, spoil=SPOILED.get(kind))
    assert SUBJECTS[kind].of(seen)(path)
    for other in (OTHER, "rows", "log"):
        assert not SUBJECTS[kind].of(seen)(other), other


def test_behind_a_link_to_the_root_is_everything(tmp_path: Path) -> None:
    table = replace(PLAIN, stray_files=(StrayFile("all", Kind.LINK, size=0, target="."),))
    assert SUBJECTS["path behind a link to a directory"].of(observed(table, tmp_path))(FILE)


def test_a_link_to_a_file_is_none_to_a_directory(tmp_path: Path) -> None:
    strays = (StrayFile("link", Kind.LINK, size=0, target="x.parquet"), StrayFile("x.parquet"))
    table = replace(PLAIN, stray_files=strays)
    assert not SUBJECTS["path behind a link to a directory"].of(observed(table, tmp_path))("x.parquet")
