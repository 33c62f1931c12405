"""A VACUUM that lacks something or rightly does otherwise: healthy engines raise no alarm, those that break a promise do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.port import Outcome
from engines.wrapped import WrappedEngine
from harness.campaigns.drawing import fixed_cases
from harness.judging.clause import not_applicable
from harness.running.judge import Judge, JudgedCase
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, SPARK, Rules, Walk
from model.vocabulary.steps import Delete, Mode, Moment, Read, Request, SetClock, Vacuum
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Removal, StrayFile, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from runner.run.controller import FIXED_SEED
from strategies.restriction.capabilities import fits, restricted_to
from suites.campaigns import batches
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES

#: It lists objects, hides nothing but the log, spares young files, and promises nothing but what the format does.
RULES = replace(
    DELTA_RS,
    implementation=None,
    writes_vectors=True,
    hides_names=False,
    ages_removed_files=True,
    keeps_removals_of_young_commits=True,
)

#: Its VACUUM has no DRY RUN, no retention of its own and no check of it, and refuses tables with deletion vectors.
CAPABILITIES = replace(
    EVERYTHING,
    features=EVERYTHING.features - {Feature.ROW_TRACKING},
    modes=frozenset({Mode.FULL}),
    counts_accesses=False,
    io_faults=frozenset(),
    keeps_versions=False,
    dry_run=False,
    default_retention=False,
    safety_check=False,
    vacuums_vectors=False,
    commands=frozenset(),
    crashes=False,
    sessions=False,
    sets_clock=False,
    languages=frozenset(),
)


class Claiming(WrappedEngine):
    """An engine that claims to keep these rules, and keeps its own."""

    def __init__(self, engine: ReferenceEngine, claimed: Rules) -> None:
        super().__init__(engine)
        self._claimed = claimed

    @property
    def rules(self) -> Rules:
        return self._claimed


def judged(case: Case, directory: Path, *, claimed: Rules, kept: Rules | None = None) -> JudgedCase:
    """By every clause that an engine with the rules ``claimed`` promises; it keeps ``kept``, or the same."""
    engine = Claiming(ReferenceEngine(rules=kept or claimed), claimed)
    excluded = unsupported(engine)
    return Judge(engine, [clause for id, clause in CATALOGUE.items() if id not in excluded], directory).judge(case)


@pytest.mark.long
def test_a_healthy_engine_raises_no_alarm_and_smoke_exercises_every_clause(tmp_path: Path) -> None:
    engine = ReferenceEngine(rules=RULES, capabilities=CAPABILITIES)
    promised = CATALOGUE.keys() - unsupported(engine).keys()
    judge = Judge(engine, [CATALOGUE[id] for id in CATALOGUE if id in promised], tmp_path)
    exercised: set[str] = set()
    for batch in batches(PROFILES["smoke"], (), CAPABILITIES):
        for case in fixed_cases(batch, FIXED_SEED, CAPABILITIES):
            found = judge.judge(case)
            assert found.failure is None and not found.wrong, (found.failure, found.wrong)
            exercised |= {id for id, tally in found.tallies.items() if tally.met}
    assert promised - exercised == set()


# Hidden names -----------------------------------------------------------------------------------------------------------

HIDDEN = ("_meta/a", ".dot", "d/_x", "d/_delta_log/00000000000000000000.json")
FILE = DataFile(0, (), ((1,),), -30 * DAY)
TABLE = Table((Column("v", Type.LONG),), (), (FILE,), (Commit(-30 * DAY, adds=(0,)),))
STRAYS = replace(TABLE, stray_files=tuple(StrayFile(path, modified=-20 * DAY) for path in HIDDEN))
THIRD = replace(SPARK, implementation=None)
WALKS = pytest.mark.parametrize("walk", Walk, ids=lambda walk: walk.name)


@WALKS
def test_nothing_is_hidden_but_the_tables_own_log(walk: Walk, tmp_path: Path) -> None:
    case = Case(STRAYS, (Vacuum(),))
    hiding = replace(THIRD, walk=walk)
    nothing_hidden = replace(hiding, hides_names=False)
    found = judged(case, tmp_path / "a", claimed=nothing_hidden)
    assert found.failure is None and not found.violated and found.tallies["VAC-LIVE-2"].met == 1
    kept = judged(case, tmp_path / "b", claimed=nothing_hidden, kept=hiding)
    assert "VAC-LIVE-2" in kept.failed and {wrong.subject for wrong in kept.wrong} <= set(HIDDEN)
    deleted = judged(case, tmp_path / "c", claimed=hiding, kept=nothing_hidden)
    assert "VAC-SAFE-4" in deleted.failed


# Removed files ----------------------------------------------------------------------------------------------------------

#: File 0 was removed long ago, and is young itself.
REMOVED = replace(
    TABLE,
    files=(replace(FILE, modified=-HOUR),),
    commits=(*TABLE.commits, Commit(-25 * DAY, removes=(Removal(0, deleted=-25 * DAY),))),
)


@WALKS
def test_removed_files_that_are_young_themselves_stay_by_one_rule_and_go_by_the_other(
    walk: Walk, tmp_path: Path
) -> None:
    case = Case(REMOVED, (Vacuum(),))
    by_age = replace(THIRD, walk=walk)
    by_tombstone = replace(by_age, ages_removed_files=False)
    for name, rules in (("age", by_age), ("tombstone", by_tombstone)):
        found = judged(case, tmp_path / name, claimed=rules)
        assert found.failure is None and not found.violated
    assert "VAC-SAFE-3" in judged(case, tmp_path / "c", claimed=by_age, kept=by_tombstone).failed
    assert "VAC-LIVE-1" in judged(case, tmp_path / "d", claimed=by_tombstone, kept=by_age).failed


#: File 0 was removed by a young commit, whose tombstone is old.
STAMPED = replace(TABLE, commits=(*TABLE.commits, Commit(-HOUR, removes=(Removal(0, deleted=-25 * DAY),))))
BY_COMMIT = replace(THIRD, keeps_removals_of_young_commits=True)
BY_STAMP = THIRD


class ByCommitsAlone(Claiming):
    """It deletes the files whose tombstones are old by the time of their commit, as if nothing referred to them."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, Vacuum):
            for file in root.glob("*.parquet"):
                file.unlink()
        return outcome


def judged_by_commits_alone(case: Case, directory: Path) -> JudgedCase:
    engine = ByCommitsAlone(ReferenceEngine(rules=BY_COMMIT), BY_COMMIT)
    return Judge(engine, [CATALOGUE["VAC-SAFE-2"]], directory).judge(case)


def test_what_a_young_commit_removed_may_stay_and_what_is_inside_the_retention_must(tmp_path: Path) -> None:
    case = Case(STAMPED, (Vacuum(),))
    for name, kept in (("commit", BY_COMMIT), ("stamp", BY_STAMP)):
        found = judged(case, tmp_path / name, claimed=BY_COMMIT, kept=kept)
        assert found.failure is None and not found.violated
    assert "VAC-LIVE-1" in judged(case, tmp_path / "c", claimed=BY_STAMP, kept=BY_COMMIT).failed
    young = replace(STAMPED, commits=(*TABLE.commits, Commit(-20 * DAY, removes=(Removal(0, deleted=-HOUR),))))
    assert not judged(Case(young, (Vacuum(),)), tmp_path / "d", claimed=BY_COMMIT).violated
    found = judged_by_commits_alone(Case(young, (Vacuum(),)), tmp_path / "e")
    assert "VAC-SAFE-2" in found.failed


# What a VACUUM can be asked for -----------------------------------------------------------------------------------------

VECTORS = replace(TABLE, features=("deletionVectors",))


NO_DRY_RUN = replace(EVERYTHING, dry_run=False)
NO_CHECK = replace(EVERYTHING, safety_check=False)
NO_COMMIT = replace(EVERYTHING, commits_vacuums=False)
NO_VECTORS = replace(EVERYTHING, vacuums_vectors=False)


@pytest.mark.parametrize(
    ("lacking", "id"),
    [
        *((NO_DRY_RUN, id) for id in ("VAC-DRY-1", "VAC-DRY-2A", "VAC-DRY-2B", "VAC-DRY-2C")),
        (NO_CHECK, "VAC-CHK-1A"),
        *((NO_COMMIT, id) for id in ("VAC-LOG-1E", "VAC-LOG-3A", "VAC-LOG-3F", "VAC-CKPT-2", "VAC-CKPT-6")),
        *((NO_VECTORS, id) for id in ("VAC-SAFE-8A", "VAC-SAFE-8B", "VAC-SAFE-8C", "VAC-LIVE-5", "VAC-LIVE-6")),
    ],
)
def test_clauses_of_what_it_lacks_do_not_apply(lacking: Capabilities, id: str) -> None:
    reason = not_applicable(CATALOGUE[id], "4.4.0", lacking, SPARK)
    assert reason is not None and "cannot be asked for" in reason
    assert not_applicable(CATALOGUE[id], "4.4.0", EVERYTHING, SPARK) is None


def test_a_vacuum_gets_what_the_engine_asks_for() -> None:
    steps = (Vacuum(dry_run=True), SetClock(Moment(DAY)), Vacuum(200.0, safety_check=True), Delete())
    case = Case(replace(TABLE, retention_hours=24), steps)
    lacking = replace(EVERYTHING, dry_run=False, default_retention=False, safety_check=False)
    found = restricted_to(case, capabilities=lacking)
    assert found.steps == (Vacuum(24.0, safety_check=False), steps[1], Vacuum(200.0, safety_check=False), Delete())
    assert fits(found, capabilities=lacking) and not fits(case, capabilities=lacking)


def test_a_case_has_vacuums_or_deletion_vectors_where_an_engine_has_not_both() -> None:
    lacking = replace(EVERYTHING, vacuums_vectors=False)
    for steps in ((Vacuum(),), (Vacuum(), Delete())):
        assert fits(Case(TABLE, steps), capabilities=lacking)
        assert not fits(Case(VECTORS, steps), capabilities=lacking)
        assert restricted_to(Case(VECTORS, steps), capabilities=lacking) == Case(TABLE, steps)
    found = restricted_to(Case(VECTORS, (Vacuum(), Delete(), Delete())), capabilities=lacking)
    assert found == Case(VECTORS, (Read(), Delete(), Delete()))
