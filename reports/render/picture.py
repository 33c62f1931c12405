"""The table of a failing case on a line of time: what happened when, and where the cutoff and the clock are.

Times are in order, not to scale: of a second and of a month, one sees which comes first.
"""

from __future__ import annotations

from model.prediction.history import live_ids
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.steps import SetClock, Vacuum
from model.vocabulary.table import Kind
from records.run import RecordedCase
from reports.document import Mark, Picture, PictureRow, Tick
from reports.text.quantities import counted, instant

#: The most rows; a larger table has no picture.
_MOST = 40

#: Of the drawing: the width of the names, and of each instant; the height of a row.
_NAMES, _STEP, _ROW = 260, 130, 26


def picture_of(case: Case, judged: RecordedCase, step: int) -> Picture | None:
    """The initial table, with the clock and the cutoff in this step, as ``judged`` has them of the case.

    None for a table of too many files, or of none.
    """
    table = case.table
    if not 0 < len(table.files) + len(table.stray_files) <= _MOST:
        return None
    clock, cutoff = _instants(case, judged, step)
    removed = {one.file: one.deleted for commit in table.commits for one in commit.removes}
    live = set(live_ids(table))
    times = {file.modified for file in table.files}
    times |= {at for at in (clock, cutoff, *removed.values()) if at is not None}
    times |= {stray.modified for stray in table.stray_files if stray.kind is Kind.FILE}
    x = {at: _NAMES + _STEP * place + _STEP // 2 for place, at in enumerate(sorted(times))}
    rows: list[PictureRow] = []
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
    kinds = {clock: "clock", cutoff: "cutoff"}
    ticks = tuple(Tick(place, instant(at), kinds.get(at, "")) for at, place in x.items())
    return Picture(
        width=_NAMES + _STEP * len(x) + 20,
        height=_ROW * (len(rows) + 2) + 4,
        rows=tuple(rows),
        ticks=tuple(sorted(ticks, key=lambda tick: tick.x)),
        description=f"{counted(len(table.files), 'data file')}, {len(live)} of them live, and "
        f"{counted(len(table.stray_files), 'stray path')}; {_told(clock, cutoff)}.",
    )


def _row(number: int, name: str, state: str, detail: str, marks: list[Mark]) -> PictureRow:
    return PictureRow(_ROW * (number + 2), name, state, detail, tuple(marks))


def _instants(case: Case, judged: RecordedCase, step: int) -> tuple[int | None, int | None]:
    """The clock and the cutoff of a step, in ms from the start; None where they are not known.

    Of a stream that does not record them, what the case alone decides: not a clock that counts from what a step did, nor the
    cutoff of a RETAIN, which depends on the engine.
    """
    record = next((one for one in judged.steps if one.index == step), None)
    if record is not None and record.clock is not None:
        return record.clock, record.cutoff
    moments = [one.to for one in case.steps[:step] if isinstance(one, SetClock)]
    if moments and moments[-1].removed_by_step is not None:
        return None, None
    clock = moments[-1].offset if moments else 0
    command = case.steps[step] if step < len(case.steps) else None
    retains = isinstance(command, Vacuum) and command.retain_hours is not None
    return clock, None if retains else clock - case.table.retention


def _told(clock: int | None, cutoff: int | None) -> str:
    at = "is not recorded" if clock is None else f"is at {instant(clock)}"
    return f"the clock {at}, " + ("no cutoff is known" if cutoff is None else f"the cutoff at {instant(cutoff)}")
