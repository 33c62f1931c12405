"""How often commands that are killed are drawn: each effect of each command, and what follows."""

from __future__ import annotations

import pytest

from model.vocabulary.case import Case
from model.vocabulary.steps import Crash, CrashPoint, Delete, Mode, Read, SetClock, Vacuum, Written
from model.vocabulary.table import Feature
from tests.drawn_cases import drawn, drawn_by
from tests.sampling import check_shares


def killed(case: Case) -> tuple[type, Crash]:
    """The command that is killed, and where: one in each case."""
    (found,) = [(type(step), step.crash) for step in case.steps if isinstance(step, (Delete, Vacuum)) and step.crash]
    return found


#: The least percentage of the cases, by the effect.
EVERYWHERE = (CrashPoint.COMMIT_WRITTEN, CrashPoint.CHECKSUM)
SHARES: dict[tuple[type, CrashPoint], float] = {
    **{(Delete, point): 1 for point in (*EVERYWHERE, CrashPoint.COMMITTED, CrashPoint.CHECKPOINT)},
    **{(Delete, point): 2 for point in (CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED, CrashPoint.POINTER_DELETED)},
    **{(Vacuum, point): 1 for point in (*EVERYWHERE, CrashPoint.START, CrashPoint.END, CrashPoint.DELETION)},
}


@pytest.mark.slow
def test_every_effect_of_every_command_is_drawn() -> None:
    check_shares(
        drawn("crash_cases"),
        lambda case: {
            f"{kind.__name__} {point.value}": (share, (kind, point) == (killed(case)[0], killed(case)[1].point))
            for (kind, point), share in SHARES.items()
        },
    )


@pytest.mark.slow
def test_files_are_written_whole_by_half_and_not_at_all() -> None:
    def of(written: Written, case: Case) -> bool:
        crash = killed(case)[1]
        return crash.point is CrashPoint.FILE_CLOSED and crash.written is written

    check_shares(drawn("crash_cases"), lambda case: {one.value: (1, of(one, case)) for one in Written})


@pytest.mark.slow
@pytest.mark.parametrize("mode", [Mode.FULL, Mode.LITE, Mode.INVENTORY_QUERY])
def test_vacuums_of_all_modes_are_killed(mode: Mode) -> None:
    modes = {
        step.mode for case in drawn("crash_cases") for step in case.steps if isinstance(step, Vacuum) and step.crash
    }
    assert mode in modes


@pytest.mark.slow
def test_tables_have_vectors_a_change_feed_and_frequent_checkpoints() -> None:
    features = (Feature.DELETION_VECTORS, Feature.CHANGE_DATA_FEED, Feature.FREQUENT_CHECKPOINTS)
    check_shares(drawn("crash_cases"), lambda case: {one.value: (3, case.table.has(one)) for one in features})


def test_a_killed_command_is_followed_by_a_read_a_delete_and_a_vacuum_beyond_the_retention() -> None:
    for case in drawn_by("crash_cases", 1):
        place = next(place for place, step in enumerate(case.steps) if getattr(step, "crash", None) is not None)
        later = case.steps[place + 1 :]
        assert {Read, Delete, SetClock, Vacuum} <= set(map(type, later)) and isinstance(later[-1], Read)
