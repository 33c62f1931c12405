"""Predicates: they use the requested columns, are well formed, and match some rows but not others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.prediction.history import hidden_rows, visible_rows
from model.semantics.evaluate import WouldFail, evaluate, might_fail
from model.semantics.patterns import like_expression
from model.text.sql import sql
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Constant,
    Expression,
    Function,
    Holds,
    In,
    IsNull,
    Like,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
    columns_of,
    leaves,
)
from model.vocabulary.table import Column, Commit, DataFile, Table
from model.vocabulary.values import NAN, WHOLE_NUMBERS, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value
from strategies.conditions.expressions import Domain, draw_call
from strategies.conditions.predicates import Over, constants, patterns, predicates
from strategies.tables.column_values import STRINGS
from strategies.tables.initial_tables import History, feature_tables, live_files, tables
from strategies.tables.schemas import schemas
from strategies.tables.types import types
from strategies.weights import one_in
from tests.builders.read_back import predicate_read_back
from tests.sampling import check_shares, sample

ZONE = st.sampled_from(["UTC", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe"])

typed_tables = feature_tables(
    features=st.sampled_from([(), ("deletionVectors",)]), types=types(), data_counts=st.integers(1, 4), rules=False
)


def answers(table: Table, predicate: Predicate) -> list[list[bool | None]]:
    """The predicate's value for each row of each live file with rows."""
    types = {column.name: column.type for column in table.columns}
    return [
        [evaluate(predicate, dict(zip(types, table.row(file.partition, row))), types=types) for row in file.rows]
        for file in live_files(table)
        if file.rows
    ]


def tried(table: Table, predicate: Predicate, zone: str = "UTC") -> list[bool | WouldFail | None]:
    """The value of a predicate with functions for each visible row, or its error."""
    types = {column.name: column.type for column in table.columns}
    hidden = hidden_rows(table)
    found: list[bool | WouldFail | None] = []
    for file in live_files(table):
        for stored in visible_rows(file, hidden.get(file.id, frozenset())):
            row = dict(zip(types, table.row(file.partition, stored)))
            try:
                found.append(evaluate(predicate, row, types=types, zone=zone))
            except WouldFail as failure:
                found.append(failure)
    return found


@st.composite
def plain_answers(draw: DrawFn, over: Over) -> list[list[bool | None]]:
    """The values of a predicate without functions for a drawn table."""
    table = draw(
        tables(
            schema=schemas(partition_counts=st.integers(0 if over == "data" else 1, 3)),
            history=History(removed=one_in(4)),
        )
    )
    return answers(table, draw(predicates(table, over=over)))


def measure(over: Over) -> dict[str, float]:
    seen: Counter[str] = Counter()
    examples = sample(plain_answers(over), seeds=range(24))  # of eight seeds a share may be a tenth from the mean
    for found in examples:
        flat = [answer for file in found for answer in file]
        whole = [all(answer is True for answer in file) for file in found]
        seen["nothing matches"] += True not in flat
        seen["part of a file matches"] += any(True in file and not whole[i] for i, file in enumerate(found))
        seen["a whole file matches"] += any(whole)
        seen["one file whole, another not at all"] += any(whole) and any(True not in file for file in found)
        seen["NULL"] += None in flat
    return {name: count / len(examples) for name, count in seen.items()}


#: The least and the greatest share of examples.
SHARES: dict[Over, dict[str, tuple[float, float]]] = {
    "data": {
        "nothing matches": (0.15, 0.4),
        "part of a file matches": (0.42, 1),
        "a whole file matches": (0.25, 1),
        "NULL": (0.25, 1),
    },
    "mixed": {"nothing matches": (0.15, 0.55), "part of a file matches": (0.2, 1), "a whole file matches": (0.2, 1)},
    "partition": {
        "nothing matches": (0.15, 0.5),
        "part of a file matches": (0, 0),
        "one file whole, another not at all": (0.08, 1),
        "NULL": (0.1, 1),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("over", SHARES)
def test_predicates_match_some_rows_and_not_others(over: Over) -> None:
    found = measure(over)
    bounds = SHARES[over].items()
    assert {name: found[name] for name, (least, most) in bounds if not least <= found[name] <= most} == {}, found


@pytest.mark.long
@given(st.data())
def test_predicates_use_the_requested_columns(data: st.DataObject) -> None:
    table = data.draw(tables(schema=schemas(partition_counts=st.integers(1, 3))))
    partition = set(table.partition_by)
    assert columns_of(data.draw(predicates(table, over="partition"))) <= partition
    assert not columns_of(data.draw(predicates(table, over="data"))) & partition
    mixed = columns_of(data.draw(predicates(table, over="mixed")))
    assert mixed & partition
    assert mixed - partition


@pytest.mark.slow
def test_every_form_is_drawn() -> None:
    forms: Counter[type] = Counter()
    ops: Counter[Op] = Counter()

    def count(predicate: Predicate) -> None:
        forms[type(predicate)] += 1
        if isinstance(predicate, Compare):
            ops[predicate.op] += 1
        elif isinstance(predicate, Not):
            count(predicate.operand)
        elif isinstance(predicate, (And, Or)):
            count(predicate.left)
            count(predicate.right)

    for predicate in sample(tables().flatmap(predicates)):
        count(predicate)
    assert set(forms) == {Compare, Between, In, IsNull, Like, Relate, Not, And, Or}, forms
    assert set(ops) == set(Op), ops


@given(typed_tables, ZONE, st.data())
def test_the_model_evaluates_predicates_with_functions(table: Table, zone: str, data: st.DataObject) -> None:
    over: Over = data.draw(st.sampled_from(["data", "any"]))
    predicate = data.draw(predicates(table, over=over, functions=True, zone=zone))
    assert predicate_read_back(predicate) == predicate
    assert sql(predicate, zone).isprintable()
    # Raises TypeError or ValueError for an unknown expression. Includes rows that a deletion vector deletes.
    types = {column.name: column.type for column in table.columns}
    rows = [dict(zip(types, table.row(file.partition, row))) for file in table.files for row in file.rows]
    might_fail(predicate, rows, types=types, zone=zone)
    tried(table, predicate, zone)


def parts_of(found: Predicate | Expression) -> Iterator[Predicate | Expression]:
    """A predicate or an expression, and all its parts."""
    yield found
    for field in fields(found):
        inner = getattr(found, field.name)
        for part in inner if isinstance(inner, tuple) else (inner,):
            if is_dataclass(part) and not isinstance(part, (DecimalOf, ArrayOf, MapOf, StructOf)):
                yield from parts_of(part)  # type: ignore[arg-type]  # no other dataclass is left


@st.composite
def typed_answers(draw: DrawFn) -> list[bool | WouldFail | None]:
    """The values of a predicate with functions for a drawn table."""
    zone, table = draw(ZONE), draw(typed_tables)
    return tried(table, draw(predicates(table, functions=True, zone=zone)), zone)


@pytest.mark.slow
def test_functions_match_often_and_fail_rarely() -> None:
    examples = sample(typed_answers())

    def conditions(found: list[bool | WouldFail | None]) -> dict[str, tuple[float, bool]]:
        return {
            "nothing matches": (10, True not in found),
            "something matches": (40, True in found),
            "some rows match": (20, True in found and not all(answer is True for answer in found)),
            "all rows match": (5, bool(found) and all(answer is True for answer in found)),
            "NULL": (10, None in found),
            "nothing fails": (92, not any(isinstance(answer, WouldFail) for answer in found)),
        }

    check_shares(examples, conditions)


#: Types, with values for the functions of each.
COLUMNS: dict[AnyType, tuple[Value, ...]] = {
    Type.STRING: ("a", " lead", "12"),
    Type.LONG: (1, 5, 2**31),
    Type.BYTE: (1, -2),
    Type.DOUBLE: (NAN, 1.5),
    DecimalOf(10, 2): (Decimal("1.20"),),
    Type.BOOLEAN: (True, False),
    Type.BINARY: (b"a",),
    Type.DATE: (date(2020, 1, 31), date(1582, 10, 4)),
    Type.TIMESTAMP: (datetime(2020, 1, 31, tzinfo=timezone.utc),),
    Type.TIMESTAMP_NTZ: (datetime(2020, 1, 31),),
    ArrayOf(Type.STRING): (("a", None),),
    MapOf(Type.STRING, Type.LONG): ((("a", 1),),),
    StructOf((("x", Type.DATE), ("y", ArrayOf(Type.LONG)))): ((date(2020, 1, 31), (1,)),),
}


@st.composite
def calls(draw: DrawFn, type: AnyType) -> Predicate:
    own = COLUMNS[type]
    domain, other = Domain(Column("c", type), own, own[0]), Domain(Column("d", type), own, own[-1])
    return draw_call(draw, domain, [domain, other], zone="Asia/Kolkata")


@pytest.mark.slow
def test_every_function_and_form_is_drawn() -> None:
    seen: Counter[object] = Counter()

    for drawn in sample(st.tuples(*(calls(type) for type in COLUMNS))):
        for (type_, own), predicate in zip(COLUMNS.items(), drawn):
            assert columns_of(predicate) <= {"c", "d"}
            types = {"c": type_, "d": type_}
            might_fail(predicate, [{"c": value, "d": own[0]} for value in (*own, None)], types=types)
            for part in parts_of(predicate):
                seen[part.function if isinstance(part, Call) else type(part)] += 1
    assert {function for function in Function if not seen[function]} == set(), seen
    forms = {Relate, Holds, Missing, IsNull, Compare, Not, Of, Literal, Member, Cast, CaseWhen}
    assert {form for form in forms if not seen[form]} == set(), seen


@pytest.mark.parametrize("over", ["partition", "mixed"])
def test_missing_columns_are_an_error(over: Over) -> None:
    table = Table(columns=(Column("i", Type.INTEGER),), partition_by=(), files=(), commits=(Commit(at=-1),))

    with pytest.raises(ValueError, match=f"no columns for a predicate over {over} columns"):
        sample(predicates(table, over=over))


@given(st.lists(st.sampled_from([*STRINGS, ""]), max_size=3).map(tuple).flatmap(patterns))
def test_patterns_are_valid_and_have_no_literal_above_u_ffff(pattern: str) -> None:
    like_expression(pattern)
    assert all(character <= "\uffff" for character in pattern)


def test_constants_are_all_three() -> None:
    drawn = sample(constants(), seeds=[1])
    assert all(isinstance(constant, Constant) for constant in drawn)
    assert set(drawn) == {Constant(True), Constant(False), Constant(None)}


def test_long_lists_are_drawn_and_are_in_range() -> None:
    columns = tuple(Column(type.value, type) for type in WHOLE_NUMBERS)
    types = {type.value: bounds for type, bounds in WHOLE_NUMBERS.items()}
    files = (DataFile(0, (), (tuple(1 for _ in columns), tuple(least for least, _ in WHOLE_NUMBERS.values())), -1),)
    table = Table(columns, (), files, (Commit(0, adds=(0,)),))
    lists = [
        test
        for where in sample(predicates(table, over="data"))
        for test in leaves(where)
        if isinstance(test, In) and len(test.values) > 3
    ]
    assert {len(test.values) for test in lists} >= {150, 2_000}
    for test in lists:
        least, greatest = types[test.column]
        first, last = test.values[0], test.values[-1]
        assert isinstance(first, int) and isinstance(last, int)
        assert test.values == tuple(range(first, first + len(test.values)))
        assert least <= first and last <= greatest
