"""DELETEs from tables with a live file that nobody can read whole."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.case import Case
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Delete, Step, Vacuum
from model.vocabulary.table import Commit, Damage, DataFile, Feature, Table
from strategies.conditions.predicates import picks, predicates
from strategies.steps.operations import deletes
from strategies.tables.initial_tables import History, live_files, tables
from strategies.tables.schemas import schemas
from strategies.weights import odds

_FEATURES = odds(
    (4, ()),
    (2, (Feature.DELETION_VECTORS.value,)),
    (1, (Feature.CHANGE_DATA_FEED.value,)),
    (1, (Feature.ROW_TRACKING.value,)),
)

#: With one of these, a session ignores what it cannot read.
LENIENT = (Setting.IGNORE_CORRUPT_FILES, Setting.IGNORE_MISSING_FILES)


@st.composite
def damaged_deletes(draw: DrawFn) -> Case:
    """One DELETE of a small table with one damaged live file; in one of three cases a VACUUM after it.

    In half of the cases the last of several row groups is damaged, in the others the file is truncated or missing. Half of
    the conditions select a row of this file, one that can be read if there is any; one DELETE in six removes whole files. Two in
    three sessions are lenient. 1 or 2 engine steps. Shrinks to a file with a damaged row group, in a table without features.
    """
    table = draw(
        tables(
            schema=schemas(partition_counts=odds((3, 0), (2, 1))),
            history=History(file_counts=odds((1, 1), (2, 2), (1, 3)), removed=odds((5, False), (1, True))),
            features=_FEATURES,
        )
    )
    live = live_files(table)
    file = damaged(draw, draw(st.sampled_from(live))) if live else None
    if file is not None:
        table = replace(table, files=tuple(file if one.id == file.id else one for one in table.files))
    kind = draw(odds((3, "of the file"), (2, "any"), (1, "whole files")))
    if kind == "whole files":
        delete = draw(deletes(table, metadata_only=True))
    elif kind == "of the file" and file is not None and file.rows:
        delete = Delete(draw(picks(_alone(table, file))))
    else:
        delete = Delete(draw(predicates(table, over="data")))
    settings = draw(odds((2, LENIENT[:1]), (1, LENIENT[1:]), (1, LENIENT), (2, ())))
    steps: tuple[Step, ...] = (replace(delete, settings=settings),)
    return Case(table, (*steps, Vacuum()) if draw(odds((2, False), (1, True))) else steps)


def damaged(draw: DrawFn, file: DataFile) -> DataFile:
    """The file with a damage. It has several row groups if the last one is damaged, which needs two rows."""
    if len(file.rows) > 1 and draw(odds((2, True), (1, False))):
        return replace(file, damage=Damage.LAST_GROUP, group_rows=draw(st.integers(1, len(file.rows) - 1)))
    return replace(file, damage=draw(st.sampled_from([Damage.TRUNCATED, Damage.MISSING])))


def _alone(table: Table, file: DataFile) -> Table:
    """A table of this file alone, with the rows that can be read if there are any."""
    rows = file.readable_rows or file.rows
    return replace(table, files=(replace(file, rows=rows),), commits=(Commit(0, adds=(file.id,)),))
