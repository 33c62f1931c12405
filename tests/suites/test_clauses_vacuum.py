"""The clauses of VACUUM on one small table: a right run passes, a wrong one violates exactly these clauses."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.machinery.fault import Tamper
from model.vocabulary.steps import Delete, EngineStep, Read, Vacuum
from tests.handmade.steps import (
    AGED,
    DRY,
    PLAIN,
    allowed,
    answering,
    data,
    in_commit,
    leaving,
    listing,
    refused,
    removing,
    restoring,
    right,
    take,
    touching,
    violated,
)

ANY_LOSS = {"VAC-LOG-1B"}  # END counts the files that the engine deleted


@pytest.mark.parametrize(
    ("step", "tamper", "clauses"),
    [
        (PLAIN, right, set()),
        (DRY, right, set()),
        (Vacuum(logging=False), right, set()),
        (Vacuum(retain_hours=0), right, set()),
        (Vacuum(retain_hours=0, safety_check=False), right, set()),
        (Vacuum(retain_hours=-3), right, set()),
        (
            PLAIN,
            removing(data(0)),
            {"VAC-SAFE-1", "VAC-SAFE-5A", "VAC-SAFE-10B", "VAC-SAFE-10D", "VAC-SAFE-10F", *ANY_LOSS},
        ),
        (
            PLAIN,
            removing(data(2)),
            {"VAC-SAFE-2", "VAC-SAFE-5A", "VAC-SAFE-10D", "VAC-EDGE-1A", "VAC-KEEP-1B", *ANY_LOSS},
        ),
        (PLAIN, restoring(data(1)), {"VAC-LIVE-1", "VAC-SAFE-5B", "VAC-EDGE-1A", "VAC-KEEP-1B", *ANY_LOSS}),
        (PLAIN, removing("young"), {"VAC-SAFE-3", "VAC-EDGE-1B", "VAC-KEEP-1B", *ANY_LOSS}),
        (PLAIN, restoring("old"), {"VAC-LIVE-2", "VAC-EDGE-1B", "VAC-KEEP-1B", *ANY_LOSS}),
        (PLAIN, restoring("_change_data/old"), {"VAC-LIVE-2", "VAC-LIVE-4", "VAC-KEEP-1B", *ANY_LOSS}),
        (PLAIN, restoring("_d=1/old"), {"VAC-LIVE-2", "VAC-SAFE-5B", "VAC-KEEP-1B", *ANY_LOSS}),
        (PLAIN, removing("_ds=1/old"), {"VAC-SAFE-4", "VAC-SAFE-5C", *ANY_LOSS}),
        (PLAIN, removing("_hidden"), {"VAC-SAFE-4", *ANY_LOSS}),
        (PLAIN, removing("holds/young", "holds"), {"VAC-SAFE-3", "VAC-SAFE-6A", "VAC-KEEP-1B", *ANY_LOSS}),
        (PLAIN, leaving(data(0)), {"VAC-SAFE-1", "VAC-SAFE-5A", "VAC-SAFE-10B", "VAC-SAFE-10F", "VAC-SAFE-12"}),
        (PLAIN, in_commit("COMPLETED", "FAILED"), {"VAC-LOG-1B", "VAC-LOG-3E"}),
        (PLAIN, leaving("_delta_log/note.txt"), {"VAC-LOG-1C"}),
        (Vacuum(retain_hours=0, dry_run=True), allowed, {"VAC-CHK-1A"}),
        (Vacuum(retain_hours=0), refused, {"VAC-CHK-1A"}),
        (Vacuum(retain_hours=0), touching("old"), {"VAC-CHK-1A"}),
        (DRY, touching("old"), {"VAC-DRY-1"}),
    ],
)
def test_a_vacuum_violates_exactly_these_clauses(
    step: Vacuum, tamper: Tamper, clauses: set[str], tmp_path: Path
) -> None:
    """The clock is at the start and the retention the default, so -1 week is at the cutoff."""
    assert violated(AGED, step, tamper, tmp_path) == clauses


@pytest.mark.parametrize(
    ("dry", "clauses"),
    [
        (right, set()),
        (answering(lambda rows: rows[1:]), {"VAC-DRY-2A", "VAC-DRY-2C"}),
        (answering(lambda rows: (*rows, ("file:/elsewhere/x",))), {"VAC-DRY-2C", "VAC-FORM-1B"}),
        (listing("young"), {"VAC-DRY-2B", "VAC-DRY-2C"}),
        (refused, {"VAC-CHK-2"}),
    ],
)
def test_a_dry_run_is_compared_with_the_next_run(dry: Tamper, clauses: set[str], tmp_path: Path) -> None:
    assert take(AGED, tmp_path, (DRY, dry), (PLAIN, right)) == clauses


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
