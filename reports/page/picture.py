"""The table of a failing case on a line of time: what is when, and where the cutoff and the clock are.

Times stand in their order, not to scale: of a second and of a month both, one can see which is before the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.prediction.history import live_ids
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.steps import SetClock
from model.vocabulary.table import Kind, Table
from reports.quantities import counted, instant

#: The most rows; a larger table has no picture.
_MOST = 40

#: Of the drawing: the width of the names, and of each instant; the height of a row.
_NAMES, _STEP, _ROW = 260, 130, 26


@dataclass(frozen=True)
class Mark:
    """Something at an instant. ``kind``: ``written`` or ``removed`` of a data file, ``stray`` of a stray one."""

    x: int
    kind: str
    title: str


@dataclass(frozen=True)
class Row:
    """A file: ``state`` is ``live``, ``removed`` or ``stray``."""

    y: int
    name: str
    state: str
    detail: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Tick:
    x: int
    label: str
    kind: str  # "cutoff", "clock" or empty


@dataclass(frozen=True)
class Picture:
    """``width`` and ``height`` in pixels. ``description``: the same for those who cannot see it."""

    width: int
    height: int
    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    description: str


def picture_of(case: Case, step: int) -> Picture | None:
    """The initial table, with the clock and the cutoff in this step; None for a table of too many files, or of none."""
    table = case.table
    if not 0 < len(table.files) + len(table.stray_files) <= _MOST:
        return None
    clock = _clock(case, step)
    removed = {one.file: one.deleted for commit in table.commits for one in commit.removes}
    live = set(live_ids(table))
    times = {clock, clock - table.retention, *(file.modified for file in table.files)}
    times |= {at for at in removed.values() if at is not None}
    times |= {stray.modified for stray in table.stray_files if stray.kind is Kind.FILE}
    x = {at: _NAMES + _STEP * place + _STEP // 2 for place, at in enumerate(sorted(times))}
    rows: list[Row] = []
    for file in table.files:
        marks = [Mark(x[file.modified], "written", f"modified at {instant(file.modified)}")]
        deleted = removed.get(file.id)
        if deleted is not None:
            marks.append(Mark(x[deleted], "removed", f"removed at {instant(deleted)}"))
        state = "live" if file.id in live else "removed"
        rows.append(_row(len(rows), file_path(table, file), state, counted(len(file.rows), "row"), marks))
    for stray in table.stray_files:
        marks = []
        if stray.kind is Kind.FILE:
            marks.append(Mark(x[stray.modified], "stray", f"modified at {instant(stray.modified)}"))
        rows.append(_row(len(rows), stray.path, "stray", stray.kind.value, marks))
    kinds = {clock: "clock", clock - table.retention: "cutoff"}
    ticks = tuple(Tick(place, instant(at), kinds.get(at, "")) for at, place in x.items())
    return Picture(
        width=_NAMES + _STEP * len(x) + 20,
        height=_ROW * (len(rows) + 2) + 4,
        rows=tuple(rows),
        ticks=tuple(sorted(ticks, key=lambda tick: tick.x)),
        description=_description(table, clock, len(live)),
    )


def _row(number: int, name: str, state: str, detail: str, marks: list[Mark]) -> Row:
    return Row(_ROW * (number + 2), name, state, detail, tuple(marks))


def _clock(case: Case, step: int) -> int:
    """The clock of a step, ms from the start, as far as the case alone says."""
    offsets = [
        one.to.offset for one in case.steps[:step] if isinstance(one, SetClock) and one.to.removed_by_step is None
    ]
    return offsets[-1] if offsets else 0


def _description(table: Table, clock: int, live: int) -> str:
    return (
        f"{counted(len(table.files), 'data file')}, {live} of them live, and {counted(len(table.stray_files), 'stray path')}; "
        f"the clock is at {instant(clock)}, the cutoff at {instant(clock - table.retention)}."
    )
