"""What PROTOCOL.md leaves to a writer is demanded of no engine but the one that promises it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deltalog.data.bitmaps import decode_rows, encode_rows
from deltalog.errors import MalformedVector
from faults import FAULTS, Fault, KnownBadEngine
from faults.machinery import actions
from faults.machinery.fault import delete_fault
from faults.machinery.members import Edit, becomes, drop, put, within
from harness.running.judge import Judge, JudgedCase
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import SPARK
from model.vocabulary.steps import Delete, Read, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import DecimalOf, Type
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE, unsupported
from tests.find_witnesses import witness
from tests.handmade.steps import IN_A, PARTITIONED

#: A writer that promises what the format does, and nothing of Spark's.
THIRD = replace(SPARK, implementation=None)


def judged(directory: Path, fault: Fault, case: Case, *, third: bool = True) -> JudgedCase:
    """By all clauses that apply to a third writer, or to Delta on Spark."""
    engine = ReferenceEngine(rules=THIRD) if third else ReferenceEngine()
    excluded = unsupported(engine)
    clauses = [clause for id, clause in CATALOGUE.items() if id not in excluded]
    return Judge(KnownBadEngine(engine, fault), clauses, directory).judge(case)


def spoilt(found: actions.Actions, *edits: Edit) -> Fault:
    """A DELETE of which all these actions are edited."""
    return delete_fault("spoilt", "DEL-PHYS-3", actions.every(found, *edits), "What it commits is another.")


# Removes ----------------------------------------------------------------------------------------------------------------

CASE = Case(PARTITIONED, (IN_A, Read(), Vacuum(), Read()))


@pytest.mark.parametrize(
    "names",
    [
        ("extendedFileMetadata",),
        ("extendedFileMetadata", "size"),
        ("extendedFileMetadata", "partitionValues"),
        ("extendedFileMetadata", "size", "partitionValues"),
    ],
    ids=" ".join,
)
def test_a_remove_need_not_be_extended(names: tuple[str, ...], tmp_path: Path) -> None:
    found = judged(tmp_path / "third", spoilt(actions.removes, drop(*names)), CASE)
    assert found.failure is None and not found.violated and found.tallies["DEL-REM-1B"].met == 1
    assert judged(tmp_path / "spark", spoilt(actions.removes, drop(*names)), CASE, third=False).failed == ["DEL-REM-1G"]


@pytest.mark.parametrize("name", ["size", "partitionValues"])
def test_a_remove_that_says_it_is_extended_is(name: str, tmp_path: Path) -> None:
    assert judged(tmp_path, spoilt(actions.removes, drop(name)), CASE).failed == ["DEL-REM-1B"]


@pytest.mark.parametrize("change", [{"size": 1}, {"partitionValues": {"p": "b"}}], ids=str)
def test_what_a_remove_says_must_be_true(change: dict[str, Any], tmp_path: Path) -> None:
    fault = spoilt(actions.removes, drop("extendedFileMetadata"), put(**change))
    assert "DEL-REM-1B" in judged(tmp_path, fault, CASE).failed


# Checkpoints ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "clause"),
    [("delete-checkpoint-bares-its-removes", "DEL-CKPT-10"), ("vacuum-checkpoint-bares-its-removes", "VAC-CKPT-12")],
)
def test_a_checkpoint_may_hold_bare_removes(name: str, clause: str, tmp_path: Path) -> None:
    """PROTOCOL.md, "Checkpoint Schema": path, deletionTimestamp and dataChange."""
    found = judged(tmp_path / "third", FAULTS[name], witness(name))
    pointer = ["DEL-CKPT-2" if clause.startswith("DEL") else "VAC-CKPT-4"]  # it has the size that the file had
    assert found.failure is None and found.violated == pointer
    held = "DEL-CKPT-1" if clause.startswith("DEL") else "VAC-CKPT-3"
    assert found.tallies[held].met == 1
    assert {*judged(tmp_path / "spark", FAULTS[name], witness(name), third=False).failed} == {*pointer, clause}


# Deletion vectors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [(), (0,), (1, 3, 70_000), tuple(range(5000))], ids=len)
def test_zeros_at_the_end_of_a_vector_are_not_looked_at(rows: tuple[int, ...]) -> None:
    """As writers fill it up to groups of four bytes, for base85."""
    for number in range(1, 9):
        assert decode_rows(encode_rows(rows) + bytes(number)) == rows
    with pytest.raises(MalformedVector, match="5 bytes are left"):
        decode_rows(encode_rows(rows) + b"\0\0\0\0\1")


@pytest.mark.parametrize(
    ("unit", "told", "fails"),
    [
        (1, lambda time: time, False),
        (1, lambda time: time + 1, True),
        (1000, lambda time: time - time % 1000, False),
        (1000, lambda time: time + 1000, True),
    ],
    ids=["as it was", "later", "in whole seconds", "a second later"],
)
def test_an_add_with_a_new_vector_may_have_the_time_that_the_storage_tells(
    unit: int, told: Callable[[int], int], fails: bool, tmp_path: Path
) -> None:
    fault = spoilt(actions.of("add"), becomes("modificationTime", told))
    engine = ReferenceEngine(rules=replace(THIRD, time_unit=unit))
    clause = CATALOGUE["DEL-DV-1B"]
    case = Case(replace(PRICES, features=(Feature.DELETION_VECTORS,)), (TWO,))
    found = Judge(KnownBadEngine(engine, fault), [clause], tmp_path).judge(case)
    assert found.failure is None and found.failed == (["DEL-DV-1B"] if fails else [])


# Statistics -------------------------------------------------------------------------------------------------------------

PRICES = Table(
    columns=(Column("d", DecimalOf(10, 2)), Column("v", Type.INTEGER)),
    partition_by=(),
    files=(DataFile(0, (), ((Decimal("1.50"), 1), (Decimal("20.25"), 1), (Decimal("3.00"), 2)), 0),),
    commits=(Commit(-1000, adds=(0,)),),
)
TWO = Delete(Compare("v", Op.EQ, 2, Type.INTEGER))


def bounding(low: Any, high: Any) -> Fault:
    """Set the minimum and the maximum of the column d of a new file, or of one with a new deletion vector."""
    return spoilt(actions.of("add"), within("stats", within("minValues", put(d=low)), within("maxValues", put(d=high))))


@pytest.mark.parametrize("features", [(), (Feature.DELETION_VECTORS,)], ids=["rewritten", "with a vector"])
def test_the_bounds_of_a_decimal_may_be_texts(features: tuple[Feature, ...], tmp_path: Path) -> None:
    found = judged(tmp_path, bounding("1.50", "20.25"), Case(replace(PRICES, features=features), (TWO,)))
    assert found.failure is None and not found.violated
    assert found.tallies["DEL-DV-1D" if features else "DEL-ADD-1D"].met == 1


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        ("1.51", "20.25", "the minimum of d is 1.51, and the least value is 1.50"),
        ("1.50", "19", "the maximum of d is 19, and the greatest value is 20.25"),
        ("cheap", "20.25", "the bound 'cheap' is no decimal(10,2)"),
        ("NaN", "20.25", "the bound 'NaN' is no decimal(10,2)"),
        ([1], "20.25", "the bound [1] is no decimal(10,2)"),
        (True, "20.25", "the bound True is no decimal(10,2)"),
    ],
)
def test_the_bounds_of_a_decimal_must_be_true(low: Any, high: Any, told: str, tmp_path: Path) -> None:
    found = judged(tmp_path, bounding(low, high), Case(PRICES, (TWO,)))
    assert found.failed == ["DEL-ADD-1D"] and told in found.wrong[0].message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("12 rows", "they are '12 rows', which is no JSON"),
        ("[1]", "they are '[1]', and must be a JSON object"),
        ('{"numRecords":2,"minValues":[1]}', "minValues is [1], and must be a JSON object"),
        ('{"numRecords":2,"nullCount":7}', "nullCount is 7, and must be a JSON object"),
        ('{"numRecords":2,"minValues":{"v":"one"}}', "the bound 'one' is no integer"),
        ('{"numRecords":2,"minValues":{"v":null}}', None),
    ],
)
def test_statistics_of_another_form_are_told_in_words(text: str, told: str | None, tmp_path: Path) -> None:
    found = judged(tmp_path, spoilt(actions.new_adds, put(stats=text)), Case(PRICES, (TWO,)))
    assert found.failure is None
    messages = [wrong.message for wrong in found.wrong if wrong.clause == "DEL-ADD-1D"]
    assert [told is not None and told in message for message in messages] == ([True] if told else []), messages
    assert not any("object has no" in message or "not supported" in message for message in messages)
