"""How often commands that are killed are drawn: each effect of each command, and what follows."""

from __future__ import annotations

import pytest

from model.vocabulary.case import Case
from model.vocabulary.steps import Crash, CrashPoint, Delete, Mode, Read, SetClock, Vacuum, Written
from model.vocabulary.table import Feature
from tests.drawn_cases import drawn, drawn_by
from tests.sampling import check_shares


def killed(case: Case) -> tuple[Delete | Vacuum, Crash]:
    """The command that is killed, and where: one in each case."""
    (found,) = [(step, step.crash) for step in case.steps if isinstance(step, (Delete, Vacuum)) and step.crash]
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
    features = (Feature.DELETION_VECTORS, Feature.CHANGE_DATA_FEED, Feature.FREQUENT_CHECKPOINTS)

    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        step, crash = killed(case)
        closed, mode = crash.point is CrashPoint.FILE_CLOSED, getattr(step, "mode", None)
        return {
            **{
                f"{kind.__name__} {point.value}": (share, (kind, point) == (type(step), crash.point))
                for (kind, point), share in SHARES.items()
            },
            **{one.value: (1, closed and crash.written is one) for one in Written},
            **{one.value: (0.25, mode is one) for one in (Mode.FULL, Mode.LITE, Mode.INVENTORY_QUERY)},
            **{one.value: (3, case.table.has(one)) for one in features},
        }

    check_shares(drawn("crash_cases"), conditions)


def test_a_killed_command_is_followed_by_a_read_a_delete_and_a_vacuum_beyond_the_retention() -> None:
    for case in drawn_by("crash_cases", 1):
        place = next(place for place, step in enumerate(case.steps) if getattr(step, "crash", None) is not None)
        later = case.steps[place + 1 :]
        assert {Read, Delete, SetClock, Vacuum} <= set(map(type, later)) and isinstance(later[-1], Read)
