"""Kinds of wrong rows that a known deviation may be bound to (``symptom.of``): every row that the table lacks after the step,
or has too much, is of the kind, and every file that a step took away.

So another fault with the same outcome in the same step is none: it loses or leaves other rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from harness.judging.command_conditions import opened_by
from harness.observing.observation import Observation
from harness.observing.table_state import Rows, TableState


def _rows_in(state: TableState, paths: Iterable[str]) -> Rows:
    """The visible rows of live files; none of those that cannot be read."""
    return Counter(row for path in paths for _, row in state.visible(path) or ())


def _committed_since_opened(observation: Observation) -> bool:
    """Whether all is as it should be in the files of the version that the session opened: no row of them is left that must go,
    and none is lost, nor any of these files."""
    opened = opened_by(observation)
    if opened is None:
        return False
    since = [path for path in observation.before.live if path not in opened.before.live]
    lost = [path for path in observation.vanished if path in opened.before.live and path in observation.before.live]
    if observation.after.rows is None:
        return not lost
    left = _rows_in(observation.after, (path for path in since if path in observation.after.live))
    return not lost and not observation.missing_rows and observation.unexpected_rows <= left


#: By the name that a deviation gives.
WRONG_ROWS: dict[str, Callable[[Observation], bool]] = {
    "rows committed since the session opened": _committed_since_opened,
}
