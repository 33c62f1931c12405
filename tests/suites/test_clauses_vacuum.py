"""A second VACUUM is compared with the first. tests/suites/test_recorded.py has the faults of the other clauses."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.machinery.fault import Tamper
from model.vocabulary.steps import Delete, EngineStep, Read, Vacuum
from tests.handmade.steps import AGED, PLAIN, removing, right, take


@pytest.mark.parametrize(
    ("steps", "clauses"),
    [
        ([(PLAIN, right), (PLAIN, right), (PLAIN, right)], set()),
        ([(PLAIN, right), (PLAIN, removing("young"))], {"VAC-IDEM-1A"}),
        # The second run deletes the directories that the first one emptied, and the third nothing.
        ([(PLAIN, right), (PLAIN, right), (PLAIN, removing("young"))], {"VAC-IDEM-1A"}),
        ([(PLAIN, right)] * 3 + [(PLAIN, removing("young"))], {"VAC-IDEM-1A", "VAC-IDEM-1B"}),
        ([(PLAIN, right)] * 2 + [(PLAIN, removing("holds/young", "holds"))], {"VAC-IDEM-1A"}),
        # Something was done between the two, or the cutoff differs: nothing is promised of a second run.
        ([(PLAIN, right), (Delete(), right), (PLAIN, removing("young"))], set()),
        ([(PLAIN, right), (Vacuum(retain_hours=0, safety_check=False), right)], set()),
        ([(PLAIN, right), (Read(), right), (PLAIN, removing("young"))], {"VAC-IDEM-1A"}),
    ],
)
def test_a_second_run_is_compared_with_the_first(
    steps: list[tuple[EngineStep, Tamper]], clauses: set[str], tmp_path: Path
) -> None:
    idem = {id for id in take(AGED, tmp_path, *steps) if id.startswith("VAC-IDEM")}
    assert idem == clauses
