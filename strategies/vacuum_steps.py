"""VACUUM steps: what they look through, what they retain, and how they are said."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.steps import API_VACUUM_FORMS, Inventory, Mode, Vacuum, VacuumForm
from model.table import Table
from strategies.paths import FLAT_DEPTH, is_flat, is_hidden_deeper
from strategies.weights import odds, one_in

#: RETAIN's hours by kind. All fractions but the last two, and -0.5, are rounded to 0 (docs/delta.md 1.1).
RETAINS: dict[str, tuple[float, ...]] = {
    "whole": (1, 168, 200),
    "fraction": (0.4, 0.49, 0.1, 0.25, 0.3, 0.5, 1.5),
    "zero": (0,),
    "negative": (-0.5, -1, -24),
    "huge": (100000, 10000000),
}

#: RETAIN's kind, and whether the safety check is on: first those that draw another line.
RETAIN_FORMS = tuple(
    (kind, check) for check in (False, True) for kind in ("zero", "fraction", "whole", "negative", "huge")
)

#: The modes in an order in which each leaves something for the next.
IN_ORDER = (
    Mode.LITE,
    Mode.LITE_SETTING,
    Mode.INVENTORY_QUERY,
    Mode.INVENTORY_TABLE,
    Mode.FULL,
    Mode.DEFAULT,
)

#: The ways to ask for a listing, and for a scan of the log.
LISTED_MODES = odds((3, Mode.DEFAULT), (1, Mode.FULL))
LITE_MODES = odds((2, Mode.LITE), (1, Mode.LITE_SETTING))
_LOGGING: st.SearchStrategy[bool | None] = odds((3, True), (1, False), (2, None))
_SQL_FORMS = tuple(form for form in VacuumForm if form not in API_VACUUM_FORMS)
_FORMS = odds((6, VacuumForm.SQL_PATH), *((1, form) for form in _SQL_FORMS), *((2, form) for form in API_VACUUM_FORMS))
_FORMS_OF_SQL = odds((2 * len(VacuumForm), VacuumForm.SQL_PATH), *((1, form) for form in _SQL_FORMS))


@st.composite
def vacuums(
    draw: DrawFn,
    *,
    mode: Mode = Mode.DEFAULT,
    dry_run: bool = False,
    retain: tuple[str, bool] | None = None,
    forms: Sequence[VacuumForm] | None = None,
) -> Vacuum:
    """A VACUUM of this mode. ``retain`` is one of ``RETAIN_FORMS``; None: there is no RETAIN.

    One in four real ones is parallel; half have logging on, a third leave it unset. ``forms`` are those that it may be said
    in; where none are given two of three with keywords are SQL by path, and half of the others. Only SQL has keywords and
    dry runs, so other forms are drawn for real runs of modes without a keyword. Shrinks to SQL by path, serial, logged.
    """
    says_all = dry_run or mode not in (Mode.DEFAULT, Mode.LITE_SETTING)
    if forms is None:
        form = draw(_FORMS_OF_SQL if says_all else _FORMS)
    else:
        form = draw(st.sampled_from([form for form in forms if not says_all or form not in API_VACUUM_FORMS]))
    hours, check = None, True
    if retain is not None:
        kind, check = retain
        hours = draw(st.sampled_from(RETAINS[kind]))
    return Vacuum(
        retain_hours=hours,
        dry_run=dry_run,
        safety_check=check,
        logging=draw(_LOGGING),
        mode=mode,
        inventory=draw(st.sampled_from(tuple(Inventory))) if mode.inventory else Inventory.COMPLETE,
        form=form,
        parallel=not dry_run and draw(one_in(4)),
    )


def takes_inventories(table: Table) -> bool:
    """Whether an inventory can hold all strays of the table, and none is hidden by another name than its path's first.

    What lies deeper than ``FLAT_DEPTH``, or is hidden deeper down, Spark gets wrong (docs/findings.md).
    """
    if len(table.partition_by) > FLAT_DEPTH:
        return False
    return all(is_flat(stray) and not is_hidden_deeper(stray.path, table.partition_by) for stray in table.stray_files)
