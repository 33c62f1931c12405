"""The reference engine: each step takes place at one instant, in order, however slow or fast the clock is."""

from __future__ import annotations

from decimal import Decimal
from itertools import count, pairwise
from pathlib import Path

import pytest

from deltalog.log import read_log
from engines.port import Outcome
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Vacuum
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import DecimalOf
from reference_engine import ReferenceEngine, engine
from suites.catalogue import CATALOGUE
from tests.builders.observations import full_judge
from tests.handmade.vacuums import HANDMADE

CASES = [name for name, case in HANDMADE.items() if {Delete, Vacuum} <= {type(step) for step in case.steps}]


@pytest.mark.parametrize("readings", [1, 7], ids=["fast", "slow"])
@pytest.mark.parametrize("name", CASES[:6])
def test_what_a_step_writes_has_its_time(
    name: str, readings: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``readings`` of the clock show the same millisecond."""
    numbers = count()
    monkeypatch.setattr(engine, "now", lambda: 1_900_000_000_000 + next(numbers) // readings)
    outcomes: list[Outcome] = []

    class Checked(ReferenceEngine):
        def run(self, root: Path, *args: object, **named: object) -> Outcome:
            before, versions = set(root.rglob("*.*")), set(read_log(root).commits)
            outcomes.append(super().run(root, *args, **named))  # type: ignore[arg-type]
            at = outcomes[-1].started
            written = [path for path in set(root.rglob("*.*")) - before if path.is_file()]
            assert {path.stat().st_mtime_ns // 1_000_000 for path in written} <= {at}
            commits = [commit for version, commit in read_log(root).commits.items() if version not in versions]
            assert {remove.deletion_timestamp for commit in commits for remove in commit.removes} <= {at}
            return outcomes[-1]

    judged = Judge(Checked(), list(CATALOGUE.values()), tmp_path).judge(HANDMADE[name])
    assert judged.failure is None, judged.failure
    assert all(outcome.started < outcome.ended for outcome in outcomes)
    assert all(earlier.ended < later.started for earlier, later in pairwise(outcomes))


def test_bounds_of_a_file_with_a_new_vector_keep_all_digits(tmp_path: Path) -> None:
    """A binary number has 17 digits, and a DECIMAL up to 38."""
    kind = DecimalOf(38, 18)
    values = (Decimal("5.000000000000000000"), Decimal("7.000000000000000001"))
    file = DataFile(0, (), tuple((value,) for value in values), -DAY)
    features = (Feature.DELETION_VECTORS.value,)
    table = Table((Column("v", kind),), (), (file,), (Commit(-HOUR, adds=(0,)),), features=features)
    judged = full_judge(ReferenceEngine(), tmp_path).judge(Case(table, (Delete(Compare("v", Op.EQ, values[0], kind)),)))
    assert "DEL-DV-1D" in judged.tallies and not judged.violated
