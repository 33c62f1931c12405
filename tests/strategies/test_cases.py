"""Cases of DELETE: each reads back and is short, and the conditions of each campaign are drawn often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model import codec
from model.prediction.delete import may_fail
from model.prediction.history import hidden_rows
from model.vocabulary.case import Case
from model.vocabulary.predicate import Constant, Predicate, columns_of, wrappers_of
from model.vocabulary.steps import ENGINE_STEPS, Delete, DeleteMistake, Form, InvalidDelete, Read, ReadChanges
from model.vocabulary.table import Feature, Table
from model.vocabulary.values import ArrayOf, MapOf, StructOf
from strategies.cases import deletes as cases
from strategies.conditions.predicates import predicates
from strategies.tables.initial_tables import feature_tables, live_files
from strategies.tables.types import PARTITIONABLE, PRIMITIVES, types
from tests.drawn_cases import ALL, by_file, drawn, drawn_by, matches
from tests.sampling import check_shares

#: The tests share drawn cases: one worker of pytest-xdist does them all.
pytestmark = pytest.mark.xdist_group("drawn")


#: Hypothesis fails a test whose strategy rejects most draws. That it is slow is no reason: it depends on the machine.
few_rejected = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", ALL)
@few_rejected
@given(data=st.data())
def test_cases_read_back_and_are_short(name: str, data: st.DataObject) -> None:
    strategy, least, most = ALL[name]
    case = data.draw(strategy())
    assert codec.from_json(codec.to_json(case)) == case
    assert codec.loads(codec.dumps(case)) == case
    assert least <= sum(isinstance(step, ENGINE_STEPS) for step in case.steps) <= most
    # No read follows a VACUUM that may lose files, or an unknown protocol; none is of files that cannot be read.
    may_end = name in ("vacuum_vectors", "refused_vacuums", "command_cases") or case.table.has(Feature.UNREADABLE_FILES)
    assert not (case.table.has(Feature.UNREADABLE_FILES) and any(not isinstance(step, Delete) for step in case.steps))
    assert isinstance(case.steps[-1], (Read, ReadChanges)) or may_end


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_draws_the_same_cases(name: str) -> None:
    first = [codec.case_id(case) for case in drawn_by(name, 9)]
    assert first == [codec.case_id(case) for case in drawn_by(name, 9)]
    assert len(set(first)) >= 12, "most cases differ"


def reads_the_past(case: Case) -> bool:
    return any(isinstance(step, Read) and step.before_step is not None for step in case.steps)


@pytest.mark.slow
def test_conditions_of_partition_deletes() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        first = case.steps[0]
        assert isinstance(first, Delete)
        unread = case.table.has(Feature.UNREADABLE_FILES)
        assert case.table.partition_by or unread
        found = matches(case, first)
        wheres = [step.where for step in case.steps if isinstance(step, Delete)]
        assert all(columns_of(where) <= set(case.table.partition_by) for where in wheres if where is not None)
        return {
            "some files are removed, some kept": (6, {True, False} == set(map(all, found))),
            "nothing matches": (10, not any(any(file) for file in found)),
            "everything matches": (17, bool(found) and all(all(file) for file in found)),
            "no condition": (4, None in wheres),
            "a constant": (4, any(isinstance(where, Constant) for where in wheres)),
            "two deletes": (8, len(wheres) == 2),
            "a read of the past": (8, reads_the_past(case)),
            "data files that cannot be read": (5, unread and bool(found)),
            **{f"features {chosen}": (5, case.table.features == chosen) for chosen in cases.FEATURE_SETS},
        }

    check_shares(drawn("partition_deletes"), conditions)


@pytest.mark.slow
def test_conditions_of_row_deletes() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        first = case.steps[0]
        assert isinstance(first, Delete)
        assert first.where is not None
        assert case.table.features == () or wrappers_of(first.where)
        assert columns_of(first.where) - set(case.table.partition_by), "without a data column it is metadata-only"
        found = matches(case, first)
        return {
            "nothing matches": (8, not any(any(file) for file in found)),
            "a file is rewritten": (16, any(any(file) and not all(file) for file in found)),
            "a whole file is removed": (13, any(all(file) for file in found)),
            "a file is unchanged": (8, any(any(file) for file in found) and any(not any(file) for file in found)),
            "partition and data conditions": (8, bool(columns_of(first.where) & set(case.table.partition_by))),
        }

    check_shares(drawn("row_deletes"), conditions)


#: Conditions that must be drawn in all pairs.
PAIRED: dict[str, Callable[[Table], bool]] = {
    "vectors": lambda table: table.has(Feature.DELETION_VECTORS),
    "change feed": lambda table: table.has(Feature.CHANGE_DATA_FEED),
    "mapping": lambda table: table.maps_columns,
    "row tracking": lambda table: table.has(Feature.ROW_TRACKING),
    "partitions": lambda table: bool(table.partition_by),
    "checkpoint": lambda table: any(commit.checkpoint for commit in table.commits),
    "generated": lambda table: any(column.generated_from for column in table.columns),
    "in-commit timestamps": lambda table: table.has(Feature.IN_COMMIT_TIMESTAMPS),
}


@pytest.mark.slow
def test_conditions_of_feature_deletes() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table = case.table
        deletes = [(index, step) for index, step in enumerate(case.steps) if isinstance(step, Delete)]
        changes = [step.of_step for step in case.steps if isinstance(step, ReadChanges)]
        assert all(isinstance(case.steps[index + 1], Read) for index, _ in deletes)
        assert set(changes) <= {index for index, _ in deletes}
        assert not changes or table.has(Feature.CHANGE_DATA_FEED)
        found = matches(case, deletes[0][1])
        paired = [name for name, holds in PAIRED.items() if holds(table)]
        with_vectors = [rows for id, rows in by_file(case, deletes[0][1]).items() if id in hidden_rows(table)]
        tested = [set() if step.where is None else columns_of(step.where) for _, step in deletes]
        return {
            **{f"{' and '.join(pair)}": (5, {*pair} <= {*paired}) for pair in combinations(PAIRED, 2)},
            "a file is rewritten": (15, any(any(file) and not all(file) for file in found)),
            "a whole file is removed": (10, any(all(file) for file in found)),
            "nothing matches": (8, not any(any(file) for file in found)),
            "a live file with a vector": (12, bool(hidden_rows(table))),
            "a vector is extended": (3, any(any(rows) and not all(rows) for rows in with_vectors)),
            "changes are read": (12, bool(changes)),
            "two deletes": (15, len(deletes) == 2),
            "another form": (6, any(step.form is not Form.SQL_PATH for _, step in deletes)),
            "metadata only": (8, any(columns <= set(table.partition_by) for columns in tested)),
            "a read of the past": (5, reads_the_past(case)),
        }

    check_shares(drawn("feature_deletes"), conditions)


@pytest.mark.slow
def test_typed_deletes_use_every_type_and_zone() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table = case.table
        assert not table.checks
        assert not any(column.generated_from or column.identity or column.default for column in table.columns)
        kinds = [column.type for column in table.columns[:8]]
        parts = [column.type for column in table.partition_columns]
        deletes = [step for step in case.steps if isinstance(step, Delete)]
        assert len({step.zone for step in deletes}) == 1
        found = matches(case, deletes[0])
        return {
            **{f"{type}": (2, type in kinds) for type in PRIMITIVES},
            **{f"partitioned by {type}": (1, type in parts) for type in PARTITIONABLE},
            **{
                f"nested: {form.__name__}": (5, any(isinstance(kind, form) for kind in kinds))
                for form in (StructOf, ArrayOf, MapOf)
            },
            **{zone: (8, deletes[0].zone == zone) for zone in cases.ZONES},
            "wide": (2, len(table.columns) >= 100),
            "features": (15, bool(table.features)),
            "a file is rewritten": (12, any(any(file) and not all(file) for file in found)),
            "nothing matches": (10, not any(any(file) for file in found)),
            "NULL as the empty text": (2, any(file.empty_nulls for file in table.files)),
        }

    check_shares(drawn("typed_deletes"), conditions)


@pytest.mark.slow
def test_refused_deletes_have_every_mistake() -> None:
    seen: Counter[object] = Counter()
    for case in drawn("refused_deletes"):
        mistakes = [step.mistake for step in case.steps if isinstance(step, InvalidDelete)]
        deletes = [step for step in case.steps if isinstance(step, Delete)]
        seen.update(mistakes)
        assert len(set(mistakes)) == len(mistakes)
        assert not (mistakes and deletes)
        if DeleteMistake.PARTITION_DIRECTORY in mistakes:
            assert case.table.partition_by
            assert live_files(case.table)
        if not case.table.has(Feature.APPEND_ONLY):
            seen["failing"] += any(_fails(case, step) for step in deletes)
            continue
        assert deletes and not mistakes
        for step in deletes:
            seen[step.form] += 1
            seen["nothing"] += not any(any(file) for file in matches(case, step))
            seen["something"] += any(any(file) for file in matches(case, step))
            seen["no condition"] += step.where is None
            seen["of partitions"] += step.where is not None and columns_of(step.where) <= set(case.table.partition_by)
    wanted = [*DeleteMistake, *Form, "nothing", "something", "no condition", "of partitions", "failing"]
    assert {name: seen[name] for name in wanted if seen[name] < 4} == {}, seen


def _fails(case: Case, step: Delete) -> bool:
    """Whether the condition is an error for a row of the table."""
    table = case.table
    return may_fail(step, table, (table.row(file.partition, row) for file in table.files for row in file.rows))


@pytest.mark.slow
def test_delete_forms_have_every_form() -> None:
    seen: Counter[object] = Counter()
    for case in drawn("delete_forms"):
        for step in case.steps:
            if isinstance(step, Delete):
                assert step.where is None or step.form is not Form.TRUNCATE
                seen[step.form, step.where is None] += 1
        seen["features"] += bool(case.table.features)
        seen["none"] += not case.table.features
    wanted = [(form, whole) for form in Form for whole in (True, False) if whole or form is not Form.TRUNCATE]
    assert {name: seen[name] for name in [*wanted, "features", "none"] if seen[name] < 4} == {}, seen


@few_rejected
@given(feature_tables(types=types(), wide=st.just(True)).flatmap(lambda table: predicates(table, functions=True)))
def test_few_draws_of_wide_tables_are_rejected(predicate: Predicate) -> None:
    assert predicate is not None
