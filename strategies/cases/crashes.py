"""Commands that are killed in the middle: DELETEs and VACUUMs, each at any of its effects, and what comes after."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, Mode, Moment, Read, SetClock, Step, VacuumForm
from model.vocabulary.table import DAY, Feature, Table
from strategies.conditions.predicates import picks
from strategies.steps.clocks import LATER
from strategies.steps.crash_points import OF_CHECKPOINTS, OF_COMMITS, OF_DELETIONS, OF_FILES, OF_VACUUMS
from strategies.steps.operations import deletes
from strategies.steps.vacuums import vacuums
from strategies.tables.stray_files import stray_files, with_stray_files
from strategies.tables.vacuum_tables import (
    LONG_RETENTIONS,
    MANY_FILES,
    OFTEN_REMOVED,
    SELDOM_REMOVED,
    aged,
    checkpointed,
    featured_tables,
    milliseconds,
    recent,
    with_relative_vectors,
)
from strategies.weights import odds, one_in, weighted

#: What a DELETE does decides which effects it has.
_DELETES = odds((2, "rows"), (1, "partitions"), (2, "vectors"), (2, "changes"), (2, "checkpoint"))

_MODES = odds((2, Mode.FULL), (2, Mode.LITE), (1, Mode.DEFAULT), (1, Mode.INVENTORY_QUERY), (1, Mode.INVENTORY_TABLE))


#: Forms by path: the table of the others is elsewhere.
_FORMS = (VacuumForm.SQL_PATH, VacuumForm.API_PATH)


def crash_cases() -> SearchStrategy[Case]:
    """A DELETE or a VACUUM that is killed in the middle, and what comes after. Shrinks to a DELETE."""
    return weighted((5, killed_deletes()), (4, killed_vacuums()))


@st.composite
def killed_deletes(draw: DrawFn) -> Case:
    """A DELETE that is killed at one of its effects, a read, the same or another DELETE, a VACUUM beyond the retention.

    Of nine DELETEs two rewrite files, one is of whole files, two write deletion vectors, two change files, and two are
    followed by a checkpoint. 5 or 6 engine steps. Shrinks to the first file of a DELETE that rewrites files.
    """
    kind = draw(_DELETES)
    points = {"partitions": OF_COMMITS, "checkpoint": OF_CHECKPOINTS + OF_COMMITS}.get(kind, OF_FILES + OF_COMMITS)
    crash = draw(st.sampled_from(points))  # first: Hypothesis varies early draws more
    features = {
        "vectors": (Feature.DELETION_VECTORS,),
        "changes": (Feature.CHANGE_DATA_FEED,),
        "checkpoint": (Feature.FREQUENT_CHECKPOINTS, *((Feature.V2_CHECKPOINTS,) if draw(one_in(3)) else ())),
    }.get(kind, ())
    retention = draw(LONG_RETENTIONS)
    table = recent(draw(_tables(retention, features, removed=SELDOM_REMOVED)))
    if kind == "checkpoint":
        table = draw(checkpointed(table, pruned=False))
    steps: list[Step] = []
    if kind == "checkpoint" and len(table.commits) % 2:
        steps.append(Delete(draw(picks(table))))  # every second version has a checkpoint, the next one too
    whole = deletes(table, metadata_only=True)
    killed = draw(whole if kind == "partitions" else picks(table).map(Delete))
    steps += [replace(killed, crash=crash), Read()]
    steps.append(draw(weighted((1, st.just(killed)), (1, picks(table).map(Delete)))))
    steps += [SetClock(Moment(milliseconds(retention) + LATER)), draw(vacuums())]
    return Case(table, (*steps, Read()))


@st.composite
def killed_vacuums(draw: DrawFn) -> Case:
    """A VACUUM of any mode that is killed at one of its effects, a read, a DELETE, the same VACUUM again beyond the retention.

    One in four has checkpoints to write, one in five has no logging. 5 engine steps. Shrinks to the first deletion.
    """
    frequent = draw(one_in(4))
    logging = draw(odds((4, True), (1, False)))
    points = (*OF_VACUUMS, *(OF_CHECKPOINTS if frequent else ())) if logging else OF_DELETIONS
    crash = draw(st.sampled_from(points))  # first: Hypothesis varies early draws more
    retention = draw(LONG_RETENTIONS)
    age = milliseconds(retention)
    features = (Feature.FREQUENT_CHECKPOINTS,) if frequent else ()
    table = draw(_tables(retention, features, removed=OFTEN_REMOVED))
    table = draw(aged(table, cutoff_age=age))
    table = draw(checkpointed(table, pruned=False)) if frequent else table
    strays = stray_files(table, cutoff_age=age, min_size=2, max_size=4, flat=True, hidden_deeper=False)
    table = draw(with_stray_files(table, strays))
    whole = replace(draw(vacuums(mode=draw(_MODES), forms=_FORMS)), logging=logging, parallel=False)
    clock = draw(odds((1, DAY), (1, age + LATER)))
    steps: list[Step] = [SetClock(Moment(clock)), replace(whole, crash=crash), Read()]
    steps += [Delete(draw(picks(table))), SetClock(Moment(clock + age + LATER)), whole]
    return Case(table, (*steps, draw(vacuums()), Read()))


def _tables(
    retention: int | None, features: tuple[Feature, ...], removed: SearchStrategy[bool]
) -> SearchStrategy[Table]:
    return featured_tables(
        retention=retention,
        cutoff_age=milliseconds(retention),
        features=features,
        file_counts=MANY_FILES,
        removed=removed,
    ).map(with_relative_vectors)
