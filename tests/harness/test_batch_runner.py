"""Which failing cases of a batch are shrunk: for each cause of each clause one, which still has this cause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.capabilities import NEWEST
from harness.campaigns.batch_runner import BatchRunner
from harness.campaigns.campaign import Batch, Campaign, Profile
from harness.campaigns.drawing import PromiseBroken
from harness.judging.clause import Judgement, Violation, clause
from harness.judging.excusing.conditions import WRONG_ROWS
from harness.judging.severity import Cause, data_loss
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.judge import Judge
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Mode, SetClock, Step, Vacuum
from model.vocabulary.steps import Moment as At
from model.vocabulary.table import HOUR, WEEK, Column, Commit, DataFile, StrayFile, Table
from model.vocabulary.values import Type
from records.expectations import ByReplay
from records.run import RecordedCase
from reference_engine import ReferenceEngine
from runner.run.claims import Claims
from strategies.restriction.capabilities import fits
from suites.profiles import PROFILES

TABLE = Table(
    columns=(Column("id", Type.INTEGER),),
    partition_by=(),
    files=(DataFile(0, (), ((1,),), -3 * WEEK), DataFile(1, (), ((3,),), -3 * WEEK)),
    commits=(Commit(-2 * HOUR, adds=(0, 1)),),
)


def case(*strays: str, before: tuple[Step, ...] = ()) -> Case:
    files = tuple(StrayFile(path, modified=-2 * WEEK) for path in strays)
    return Case(replace(TABLE, stray_files=files), (*before, Vacuum()))


#: A small case with the slight cause, a large one with both, one with the grave one.
SLIGHT = case("slight.tmp")
BOTH = case("grave.tmp", "slight.tmp", "other.tmp", before=(SetClock(At(HOUR)),))


@clause("VAC-SAFE-1", "A clause that two causes violate.", sources=("S1",), harm=data_loss("A file is lost."))
def two_causes(v: VacuumObservation) -> Judgement:
    found = {"grave.tmp": Severity.DATA_LOSS, "slight.tmp": Severity.SPACE_KEPT}
    violations = [
        Violation(path, f"{path} was deleted.", ByReplay("a test"), ("A fact.",), cause=Cause(path[:-4], severity))
        for path, severity in found.items()
        if path in v.vanished
    ]
    return Judgement(1, tuple(reversed(violations)))


def judged(
    tmp_path: Path,
    *cases: Case,
    profile: Profile = PROFILES["smoke"],
    capabilities: Capabilities = EVERYTHING,
) -> tuple[list[RecordedCase], str]:
    """The records of a batch of these cases, and the message of its failure."""
    lines: list[RecordedCase] = []
    claims = Claims()

    def emit(line: RecordedCase) -> None:
        lines.append(line)
        if line.origin == "shrunk":
            claims.shrunk(line)

    campaign = Campaign("kept", ("VAC",), kept=lambda: cases)
    judge = Judge(ReferenceEngine(), [two_causes], tmp_path)
    runner = BatchRunner(
        Batch(campaign, 0, len(cases)), judge, emit=emit, claim=claims.claim, capabilities=capabilities
    )
    with pytest.raises(PromiseBroken) as broken:
        runner.run(profile=profile, seed=4, database=tmp_path / "none")
    return lines, str(broken.value)


def causes(lines: list[RecordedCase]) -> Iterator[tuple[set[str], int]]:
    for line in lines:
        if line.origin == "shrunk":
            yield {one.cause for one in line.violations}, len(line.case.table.stray_files)


def test_each_cause_of_a_clause_is_shrunk_the_gravest_first(tmp_path: Path) -> None:
    for cases in ((SLIGHT, BOTH), (BOTH,)):
        lines, message = judged(tmp_path, *cases)
        assert list(causes(lines)) == [({"grave"}, 1), ({"slight"}, 1)], "a shrunk case keeps its cause"
        assert re.match(r"VAC-SAFE-1 \(data loss\): grave.tmp was deleted", message), "the gravest, not the first case"


def test_a_shrunk_case_can_be_replayed_on_the_engine(tmp_path: Path) -> None:
    """delta-rs has no VACUUM without a mode."""
    full = replace(BOTH, steps=(Vacuum(mode=Mode.FULL, retain_hours=400.0),))
    lines, _ = judged(tmp_path, full, capabilities=NEWEST)
    shrunk = [line.case for line in lines if line.origin == "shrunk"]
    assert shrunk and all(fits(case, capabilities=NEWEST) for case in shrunk)
    assert {case.steps for case in shrunk} == {(Vacuum(mode=Mode.FULL),)}


def test_the_fixed_profiles_shrink_with_the_same_effort() -> None:
    assert PROFILES["smoke"].tries == PROFILES["gate"].tries > 0


def test_the_stream_has_the_cause_its_severity_and_the_circumstances(tmp_path: Path) -> None:
    lines, _ = judged(tmp_path, SLIGHT)
    (violation,) = lines[0].violations
    assert (violation.cause, violation.severity, violation.circumstances) == ("slight", Severity.SPACE_KEPT, ())
    assert not violation.by_error
    assert set(violation.kinds) <= WRONG_ROWS.keys(), "no row is wrong, so all that are, none, are of those kinds"
