"""What a known deviation may be bound to, and how a judge excuses by it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.conditions import CONDITIONS, Excuses, KnownDeviation
from harness.judge import Judge, JudgedCase
from harness.observation import Observation
from model.case import Case
from model.predicate import (
    And,
    Compare,
    Constant,
    In,
    IsNull,
    Like,
    Literal,
    Member,
    Not,
    Of,
    Op,
    Predicate,
    Relate,
)
from model.steps import Delete, Read, Step
from model.table import DAY, HOUR, Column, Commit, DataFile, Feature, Kind, Reference, Removal, StrayFile, Table
from model.values import NAN, ArrayOf, StructOf, Type
from selfcheck.faults import FAULTS, KnownBadEngine
from selfcheck.reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE

PLAIN = Table(
    columns=(Column("p", Type.INTEGER), Column("v", Type.DOUBLE)),
    partition_by=("p",),
    files=(DataFile(0, (1,), ((1.0,), (2.0,)), -DAY), DataFile(1, (2,), ((3.0,),), -DAY)),
    commits=(Commit(-HOUR, adds=(0, 1)),),
)


def seen(table: Table, directory: Path, *steps: Step) -> Observation:
    """The last step, as it was observed."""
    judge = Judge(ReferenceEngine(), [], directory)
    run = judge.start(table, judge.new_root())
    for step in steps or (Read(),):
        run.take(step)
    return run.observations[-1]


def deletes(where: Predicate) -> tuple[Step, ...]:
    return (Delete(where), Read())


#: A table of whole numbers, and a condition, where none holds.
METADATA_ONLY = replace(
    PLAIN,
    columns=(PLAIN.columns[0], Column("v", Type.INTEGER)),
    files=(DataFile(0, (1,), ((1,), (2,)), -DAY),),
    commits=(Commit(-HOUR, adds=(0,)),),
)
SEVEN = Compare("v", Op.EQ, 7, Type.INTEGER)
NULLS = Compare("v", Op.EQ, None, Type.DOUBLE)
SAFE = Compare("v", Op.NULL_SAFE_EQ, None, Type.DOUBLE)
ONE = Compare("v", Op.EQ, 1.0, Type.DOUBLE)

#: For each condition a table and steps where it holds.
HOLDS: dict[str, tuple[Table, tuple[Step, ...]]] = {
    "compares with NULL": (PLAIN, deletes(And(ONE, Not(NULLS)))),
    "compares with NaN": (PLAIN, deletes(Compare("v", Op.GT, NAN, Type.DOUBLE))),
    "zeros of both signs": (
        replace(PLAIN, files=(DataFile(0, (1,), ((1.0,), (-0.0,)), -DAY),), commits=(Commit(-HOUR, adds=(0,)),)),
        deletes(Not(Compare("v", Op.LT, 0.0, Type.DOUBLE))),
    ),
    "test of a list": (PLAIN, deletes(Not(In("v", (1.0, 2.0), Type.DOUBLE)))),
    "plain LIKE beside another test": (
        replace(PLAIN, columns=(*PLAIN.columns, Column("s", Type.STRING)), files=(), commits=(Commit(-HOUR),)),
        deletes(And(Like("s", "a"), Not(IsNull("s")))),
    ),
    "null-safe test of a partition": (PLAIN, deletes(Compare("p", Op.NULL_SAFE_EQ, None, Type.INTEGER))),
    "tombstone without a time": (
        replace(PLAIN, commits=(*PLAIN.commits, Commit(-HOUR // 2, removes=(Removal(0, None),)))),
        (),
    ),
    "test of a BOOLEAN that is never NULL": (
        replace(
            PLAIN,
            columns=(*PLAIN.columns, Column("b", Type.BOOLEAN, nullable=False)),
            files=(),
            commits=(Commit(-HOUR),),
        ),
        deletes(Not(In("b", (True,), Type.BOOLEAN))),
    ),
    "constant condition": (PLAIN, deletes(And(ONE, Constant(False)))),
    "test of a nested column": (
        replace(
            PLAIN, columns=(*PLAIN.columns, Column("n", ArrayOf(Type.INTEGER))), files=(), commits=(Commit(-HOUR),)
        ),
        deletes(IsNull("n")),
    ),
    "fractional column": (PLAIN, ()),
    "fractional partition": (replace(PLAIN, partition_by=("v",), files=(), commits=(Commit(-HOUR),)), ()),
    "file named by URI": (
        replace(PLAIN, files=tuple(replace(file, reference=Reference.ABSOLUTE) for file in PLAIN.files)),
        (),
    ),
    "encoded path": (
        Table(
            (Column("p", Type.STRING), PLAIN.columns[1]),
            ("p",),
            (DataFile(0, ("ü",), ((1.0,),), -DAY),),
            (Commit(-HOUR, adds=(0,)),),
        ),
        (),
    ),
    "link to a directory": (
        replace(
            PLAIN,
            stray_files=(StrayFile("link", Kind.LINK, size=0, target="dir"), StrayFile("dir", Kind.DIRECTORY, size=0)),
        ),
        (),
    ),
    "deletion vectors": (replace(PLAIN, features=(Feature.DELETION_VECTORS.value,)), ()),
    "deletion vectors with column mapping": (
        replace(PLAIN, features=(Feature.DELETION_VECTORS.value, Feature.COLUMN_MAPPING_NAME.value)),
        (),
    ),
    "deletion vectors and no ranges": (
        Table(
            (Column("b", Type.BOOLEAN), Column("v", Type.BOOLEAN)),
            (),
            (DataFile(0, (), ((True, False),), -DAY),),
            (Commit(-HOUR, adds=(0,)),),
            features=(Feature.DELETION_VECTORS.value,),
        ),
        (),
    ),
    "deletion vectors and a column path": (
        Table(
            (Column("path", Type.INTEGER), Column("v", Type.INTEGER)),
            (),
            (DataFile(0, (), ((1, 1),), -DAY),),
            (Commit(-HOUR, adds=(0,)),),
            features=(Feature.DELETION_VECTORS.value,),
        ),
        (),
    ),
    "long text beyond U+FFFF": (
        Table(
            (Column("s", Type.STRING), Column("v", Type.INTEGER)),
            (),
            (DataFile(0, (), (("\U0001f600" * 17, 1),), -DAY),),
            (Commit(-HOUR, adds=(0,)),),
        ),
        (),
    ),
    "column mapping": (replace(PLAIN, features=(Feature.COLUMN_MAPPING_NAME.value,)), ()),
    "several partition columns": (
        replace(PLAIN, partition_by=("p", "v"), files=(), commits=(Commit(-HOUR),)),
        (),
    ),
    "first of several partition columns begins with a dot": (
        replace(
            PLAIN,
            columns=(Column(".p", Type.INTEGER), PLAIN.columns[1]),
            partition_by=(".p", "v"),
            files=(),
            commits=(Commit(-HOUR),),
        ),
        (),
    ),
}


def test_every_condition_is_shown() -> None:
    assert HOLDS.keys() == CONDITIONS.keys()


@pytest.mark.parametrize("name", HOLDS)
def test_it_holds_there_and_not_on_a_plain_table(name: str, tmp_path: Path) -> None:
    table, steps = HOLDS[name]
    assert CONDITIONS[name](seen(table, tmp_path / "there", *steps))
    assert not CONDITIONS[name](seen(METADATA_ONLY, tmp_path / "plain", *deletes(SEVEN)))


def test_a_null_safe_comparison_is_none_with_null(tmp_path: Path) -> None:
    assert not CONDITIONS["compares with NULL"](seen(PLAIN, tmp_path / "a", *deletes(SAFE)))
    assert not CONDITIONS["null-safe test of a partition"](seen(PLAIN, tmp_path / "b", *deletes(SAFE)))


@pytest.mark.parametrize("partition_by", [(".p",), ("v", ".p"), ("_v", ".p")])
def test_a_dot_counts_in_the_first_of_several_only(partition_by: tuple[str, ...], tmp_path: Path) -> None:
    columns = (*(Column(name, Type.INTEGER) for name in partition_by), Column("w", Type.INTEGER))
    table = replace(PLAIN, columns=columns, partition_by=partition_by, files=(), commits=(Commit(-HOUR),))
    assert not CONDITIONS["first of several partition columns begins with a dot"](seen(table, tmp_path))


def test_nan_counts_where_the_column_holds_it(tmp_path: Path) -> None:
    table = replace(PLAIN, files=(DataFile(0, (1,), ((NAN,),), -DAY), PLAIN.files[1]))
    assert CONDITIONS["compares with NaN"](seen(table, tmp_path / "a", *deletes(ONE)))
    assert not CONDITIONS["compares with NaN"](seen(table, tmp_path / "b", *deletes(IsNull("p"))))


@pytest.mark.parametrize("asked", [0.0, -0.0], ids=str)
@pytest.mark.parametrize("held", [0.0, -0.0, 1.0], ids=str)
def test_zeros_count_where_their_signs_differ(asked: float, held: float, tmp_path: Path) -> None:
    table = replace(PLAIN, files=(DataFile(0, (1,), ((held,),), -DAY),), commits=(Commit(-HOUR, adds=(0,)),))
    differ = held == 0 and str(held) != str(asked)
    for number, where in enumerate(
        (
            Compare("v", Op.NULL_SAFE_EQ, asked, Type.DOUBLE),
            And(IsNull("p"), In("v", (1.0, asked), Type.DOUBLE)),
            Relate(Of("v"), Op.GE, Literal(asked, Type.DOUBLE)),
        )
    ):
        found = CONDITIONS["zeros of both signs"](seen(table, tmp_path / str(number), *deletes(where)))
        assert found is differ, where
    inside = StructOf((("f", Type.DOUBLE),))
    nested = replace(
        table, columns=(PLAIN.columns[0], Column("v", inside)), files=(DataFile(0, (1,), (((held,),),), -DAY),)
    )
    where = Relate(Member(Of("v"), "f"), Op.EQ, Literal(asked, Type.DOUBLE))
    assert CONDITIONS["zeros of both signs"](seen(nested, tmp_path / "nested", *deletes(where))) is differ


# Excuses ----------------------------------------------------------------------------------------------------------------

CASE = Case(PLAIN, (Delete(ONE), Read(), Delete(Compare("v", Op.EQ, 3.0, Type.DOUBLE)), Read()))


def judged(tmp_path: Path, table: Table, *known: KnownDeviation | str) -> JudgedCase:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["says-blind-append"])
    return Judge(bad, list(CATALOGUE.values()), tmp_path, known).judge(Case(table, CASE.steps))


def test_a_clause_is_excused_where_its_condition_holds(tmp_path: Path) -> None:
    known = KnownDeviation("DEL-INFO-1B", "deletion vectors")
    with_vectors = judged(tmp_path / "vectors", HOLDS["deletion vectors"][0], known)
    assert with_vectors.violated == ["DEL-INFO-1B"] and with_vectors.failed == []
    assert len(with_vectors.steps) == 1, "the case ends there: what follows may be its consequence"
    plain = judged(tmp_path / "plain", PLAIN, known)
    assert plain.failed == plain.violated == ["DEL-INFO-1B"]


def test_a_clause_that_is_known_everywhere_does_not_end_the_case(tmp_path: Path) -> None:
    result = judged(tmp_path, PLAIN, "DEL-INFO-1B")
    assert result.violated == ["DEL-INFO-1B"] and result.failed == []
    assert len(result.steps) == len(CASE.steps)
    assert result.tallies["DEL-INFO-1B"].excused == len(result.tallies["DEL-INFO-1B"].violations) == 2


def test_another_clause_is_not_excused(tmp_path: Path) -> None:
    assert judged(tmp_path, PLAIN, "DEL-ROW-1").failed == ["DEL-INFO-1B"]
    assert not Excuses(["DEL-ROW-1"]).everywhere("DEL-INFO-1B")
