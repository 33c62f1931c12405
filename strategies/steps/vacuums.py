"""VACUUM steps: their mode, RETAIN clause, form and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.steps import API_VACUUM_FORMS, Inventory, Listing, Mode, Vacuum, VacuumForm
from model.vocabulary.table import Table
from strategies.tables.paths import FLAT_DEPTH, is_flat, is_hidden_deeper
from strategies.weights import odds, one_in

#: RETAIN hours by kind: at, below and above the retentions of tables, and where hours are rounded (docs/delta.md 1.1).
RETAINS: dict[str, tuple[float, ...]] = {
    "whole": (1, 168, 200, 23, 24, 25, 167, 169),
    "fraction": (0.4, 0.49, 0.1, 0.25, 0.5, 1.5, 0.51, 167.4, 167.5),
    "zero": (0,),
    "negative": (-0.5, -1, -24, -0.51),
    "huge": (100000, 10000000),
}

#: The kind of a RETAIN clause, and whether the safety check is enabled. Those that may move the cutoff come first.
RETAIN_CLAUSES = tuple(
    (kind, check) for check in (False, True) for kind in ("zero", "fraction", "whole", "negative", "huge")
)

#: The modes in an order in which each leaves files for the next.
IN_ORDER = (
    Mode.LITE,
    Mode.LITE_SETTING,
    Mode.INVENTORY_QUERY,
    Mode.INVENTORY_TABLE,
    Mode.FULL,
    Mode.DEFAULT,
)

#: Modes that list the directory, and modes that read the log.
LISTED_MODES = odds((3, Mode.DEFAULT), (1, Mode.FULL))
LITE_MODES = odds((2, Mode.LITE), (1, Mode.LITE_SETTING))
_LOGGING: st.SearchStrategy[bool | None] = odds((3, True), (1, False), (2, None))
_SQL_FORMS = tuple(form for form in VacuumForm if form not in API_VACUUM_FORMS)
_FORMS = odds((6, VacuumForm.SQL_PATH), *((1, form) for form in _SQL_FORMS), *((2, form) for form in API_VACUUM_FORMS))
_SQL_ONLY = odds((2 * len(VacuumForm), VacuumForm.SQL_PATH), *((1, form) for form in _SQL_FORMS))

#: Delta refuses all but the first.
_LISTINGS = odds((9, Listing.PLAIN), *((1, listing) for listing in Listing if listing is not Listing.PLAIN))


@st.composite
def vacuums(
    draw: DrawFn,
    *,
    mode: Mode = Mode.DEFAULT,
    dry_run: bool = False,
    retain: tuple[str, bool] | None = None,
    forms: Sequence[VacuumForm] | None = None,
) -> Vacuum:
    """A VACUUM of this mode. ``retain`` is one of ``RETAIN_CLAUSES``; without it there is no RETAIN clause.

    One in four is parallel, unless it is a dry run; half enable logging, a third leave it unset. ``forms`` are the
    allowed forms; without it most are SQL by path. Dry runs and modes with a keyword are always SQL. Shrinks to SQL by
    path, serial, logged.

    >>> step = draw(vacuums(mode=Mode.LITE, retain=("zero", False)))
    """
    needs_sql = dry_run or mode not in (Mode.DEFAULT, Mode.LITE_SETTING)
    if forms is None:
        form = draw(_SQL_ONLY if needs_sql else _FORMS)
    else:
        form = draw(st.sampled_from([form for form in forms if not needs_sql or form not in API_VACUUM_FORMS]))
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
        listing=draw(_LISTINGS) if mode is Mode.INVENTORY_QUERY else Listing.PLAIN,
        form=form,
        parallel=not dry_run and draw(one_in(4)),
    )


def supports_inventories(table: Table) -> bool:
    """Whether an inventory can hold all stray files of the table.

    Spark fails on files deeper than ``FLAT_DEPTH``, or hidden by a part of the path other than the first
    (docs/findings.md).
    """
    if len(table.partition_by) > FLAT_DEPTH:
        return False
    return all(is_flat(stray) and not is_hidden_deeper(stray.path, table.partition_by) for stray in table.stray_files)


#: So many versions before the current one: mostly those that the commands of a case left.
_VERSIONS_BEFORE = odds((3, 1), (3, 2), (1, 0), (2, 3), (1, 5))


@st.composite
def keeping(draw: DrawFn, step: Vacuum) -> Vacuum:
    """The VACUUM by a path, asked to keep one to three versions, in any order, one in ten twice. Shrinks to the one before."""
    kept = draw(st.lists(_VERSIONS_BEFORE, min_size=1, max_size=3, unique=True))
    again = kept[:1] if draw(one_in(10)) else []
    return replace(step, form=VacuumForm.SQL_PATH, spelling=Vacuum.spelling, keep=(*kept, *again))
