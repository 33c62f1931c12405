"""DELETE and VACUUM of tables that other writers changed after their first version, or did not leave whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, Read, Step
from model.vocabulary.table import FEATURES, NARROWER, Column, Feature, Table
from model.vocabulary.values import AnyType, DecimalOf, Row, Type, Value, is_nested
from model.vocabulary.widening import can_widen, keeps_texts, nearest_value, widened_value
from strategies.conditions.predicates import picks
from strategies.steps.operations import deletes
from strategies.steps.vacuums import LITE_MODES, vacuums
from strategies.tables.features import feature_sets
from strategies.tables.indexed_columns import indexed_tables
from strategies.tables.initial_tables import feature_tables
from strategies.tables.types import DECIMALS, PLAIN, types
from strategies.tables.vacuum_tables import checkpointed
from strategies.weights import odds, one_in, weighted

#: Mostly types that can have been widened.
_WIDE = (*(Type.DOUBLE, Type.TIMESTAMP_NTZ) * 3, DecimalOf(12, 2), *DECIMALS[:3])
_TYPES: SearchStrategy[AnyType] = weighted(
    (3, st.sampled_from(tuple(NARROWER))), (3, st.sampled_from(_WIDE)), (1, st.sampled_from(PLAIN)), (1, types())
)

#: The types from which others were widened, besides narrower DECIMALs: more often those of which there is one way only.
_NARROW = (*(Type.FLOAT, Type.DATE) * 4, Type.INTEGER, Type.LONG, Type.SHORT, Type.BYTE)

_HALF = (Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED)
_FEATURES: SearchStrategy[tuple[str, ...]] = weighted((1, st.just(())), (2, feature_sets()))


@st.composite
def evolved_tables(draw: DrawFn) -> Case:
    """Two DELETEs, a read and a VACUUM of a table that was changed, or whose newest checkpoint is not as usual. 4 engine steps.

    Of nine tables, four have a column whose type was widened, with features that came then and one that went; three have
    checkpoints with statistics as a struct only, half of them with a pruned log; two have a newest checkpoint that was written
    by half. A third of the first four have statistics as a struct too; all widenings are among them, a half of whole numbers.
    Shrinks to a table with a whole number that was widened by one step.
    """
    kind = draw(odds((4, Feature.WIDENED), (3, Feature.STRUCT_STATISTICS), (1, _HALF[0]), (1, _HALF[1])))
    table = draw(feature_tables(features=_FEATURES, types=_TYPES, data_counts=odds((1, 2), (1, 3)), rules=False))
    chosen = [kind]
    if kind is Feature.WIDENED:
        narrow = draw(st.sampled_from(_narrower_types(table)))
        table = _with_features(_narrowed(table, narrow), Feature.WIDENED, Feature.ALTERED)
        if len(table.commits) < 2 or table.widened_column is None:
            table, chosen = replace(_without_changes(table), widened_from=None), [Feature.STRUCT_STATISTICS]
        elif draw(one_in(3)):
            chosen.append(Feature.STRUCT_STATISTICS)
    if chosen != [Feature.WIDENED]:
        table = draw(checkpointed(table, pruned=False if kind in _HALF else None))
    table = _with_features(table, *chosen)
    table = draw(indexed_tables(table))
    conditions = weighted((1, deletes(table)), (1, _picked(table)))
    vacuum = draw(vacuums(mode=draw(LITE_MODES))) if draw(one_in(3)) and not table.pruned else draw(vacuums())
    if kind in _HALF:
        steps: tuple[Step, ...] = (draw(conditions), draw(vacuums(dry_run=True)), vacuum, Read())
    else:
        steps = (draw(conditions), Read(), draw(conditions), vacuum)
    return Case(table=table, steps=steps)


def _picked(table: Table) -> SearchStrategy[Delete]:
    """DELETEs of the rows that equal one row of a file; any, if no column can pick one."""
    if all(is_nested(column.type) for column in table.data_columns):
        return deletes(table)
    return picks(table).map(Delete)


def _with_features(table: Table, *features: Feature) -> Table:
    names = {*table.features, *(feature.value for feature in features)}
    return replace(table, features=tuple(name for name in FEATURES if name in names))


def _without_changes(table: Table) -> Table:
    changes = (Feature.WIDENED.value, Feature.ALTERED.value)
    return replace(table, features=tuple(name for name in table.features if name not in changes))


def _narrower_types(table: Table) -> list[AnyType | None]:
    """The types from which a data column can have been widened: first None, the next narrower whole number, if one can."""
    kinds = [column.type for column in table.data_columns]
    found: list[AnyType | None] = [None] if any(kind in NARROWER for kind in kinds) else []
    for kind in kinds:
        found += _narrower(kind)
    for kind in [column.type for column in table.partition_columns]:
        # Of a type that no data column can have had: those come first.
        found += [
            one for one in _narrower(kind) if keeps_texts(one) and not any(can_widen(one, data) for data in kinds)
        ]
    return found or [None]


def _narrower(kind: AnyType) -> list[AnyType]:
    decimals = _narrower_decimals(kind) if isinstance(kind, DecimalOf) else ()
    return [narrow for narrow in (*decimals, *_NARROW) if can_widen(narrow, kind)]


def _narrower_decimals(kind: DecimalOf) -> list[DecimalOf]:
    """With one digit less before or after the point, and with about half of all digits, which may be stored otherwise."""
    half = kind.precision // 2
    less = ((1, 0), (1, 1), (half, min(half, kind.scale)))
    found = [DecimalOf(kind.precision - digits, kind.scale - after) for digits, after in less]
    return [one for one in found if 0 <= one.scale <= one.precision and one.precision]


def _narrowed(table: Table, narrow: AnyType | None) -> Table:
    """The table with a column that was of this type: the early files hold only values that fit it, others become near ones."""
    table, early = replace(table, widened_from=narrow), table.early_files
    partition, data = (_nearer(table, columns) for columns in (table.partition_columns, table.data_columns))
    files = tuple(
        replace(file, partition=partition(file.partition), rows=tuple(map(data, file.rows)))
        if file.id in early
        else file
        for file in table.files
    )
    return replace(table, files=files)


def _nearer(table: Table, columns: tuple[Column, ...]) -> Callable[[Row], Row]:
    """Makes the values of these columns fit the narrower type, where they can have had it."""
    kinds = [(table.narrower_type(column), column.type) for column in columns]
    return lambda row: tuple(_near(value, narrow, kind) for value, (narrow, kind) in zip(row, kinds))


def _near(value: Value, narrow: AnyType | None, kind: AnyType) -> Value:
    return value if narrow is None else widened_value(nearest_value(value, narrow), kind)
