"""The conditions of known faults: each holds somewhere, and not on a plain table; and a known fault uses each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

import pytest

from engines.port import Engine
from engines.provider import ENGINES
from harness.judging.excusing.conditions import CONDITIONS, Circumstances
from harness.judging.excusing.declarations import Condition
from harness.observing.steps.observation import Observation
from harness.running.judge import Judge
from known_faults.entries import PLACES
from known_faults.known import known_faults_in
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    Checkpoint,
    Command,
    DropColumn,
    Merge,
    MergeClause,
    Optimize,
    Overwrite,
    RenameColumn,
    Restore,
    Switch,
    Then,
    Update,
    When,
)
from model.vocabulary.floats import nearest_float
from model.vocabulary.predicate import (
    And,
    Between,
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
    Verbatim,
    Wrapped,
    Wrapper,
)
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Listing,
    Literals,
    Mode,
    Moment,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumMistake,
)
from model.vocabulary.table import (
    DAY,
    HOUR,
    Column,
    Commit,
    Damage,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
)
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, Value
from reference_engine import ReferenceEngine
from runner.plugin import ROOT
from shapes.reading import RefusedTable, Wanted, read_table
from shapes.store import root_of
from tests.builders.merges import evolving, merge
from tests.handmade.damage import LENIENT, damaged, equal

PLAIN = Table(
    columns=(Column("p", Type.INTEGER), Column("v", Type.DOUBLE)),
    partition_by=("p",),
    files=(DataFile(0, (1,), ((1.0,), (2.0,)), -DAY), DataFile(1, (2,), ((3.0,),), -DAY)),
    commits=(Commit(-HOUR, adds=(0, 1)),),
)


VECTORS = (Feature.DELETION_VECTORS.value,)


def observed(
    table: Table,
    directory: Path,
    *steps: Step,
    spoil: Callable[[Path], object] | None = None,
    engine: Engine | None = None,
) -> Observation:
    """The last step, on the reference engine if no other is given; ``spoil`` changes the table at this path before it."""
    judge = Judge(engine or ReferenceEngine(), [], directory)
    root = judge.new_root(table.root)
    run = judge.start(table, root)
    *before, last = steps or (Read(),)
    for step in before:
        run.take(step)
    if spoil is not None:
        spoil(root)
        run.take(AddStrayFiles(()))  # no engine's step: the table is observed again
    run.take(last)
    return run.observations[-1]


def deletes(where: Predicate) -> tuple[Step, ...]:
    return (Delete(where), Read())


def empty(*columns: Column, partition_by: tuple[str, ...] = ("p",)) -> Table:
    return Table(columns, partition_by, (), (Commit(-HOUR),))


def one_file(
    *rows: Row, columns: tuple[Column, ...] = PLAIN.columns, partition: Row = (1,), features: tuple[str, ...] = ()
) -> Table:
    partition_by = tuple(column.name for column in columns[: len(partition)])
    file = DataFile(0, partition, rows, -DAY)
    return Table(columns, partition_by, (file,), (Commit(-HOUR, adds=(0,)),), features=features)


def with_features(*features: Feature) -> Table:
    return replace(PLAIN, features=tuple(feature.value for feature in features))


def in_partition(type: AnyType, value: Value) -> Table:
    """A table with one file, in a partition of this value."""
    return one_file((1,), columns=(Column("p", type), Column("v", Type.INTEGER)), partition=(value,))


def with_vectors(*rows: int) -> Table:
    """A table in which one row after the other of a file is deleted by a deletion vector."""
    vectors = [DeletionVector(0, rows[: number + 1], -HOUR) for number in range(len(rows))]
    commits = (Commit(-HOUR + number, deletion_vectors=(vector,)) for number, vector in enumerate(vectors, start=1))
    table = one_file((1.0,), (2.0,), (3.0,), features=VECTORS)
    return replace(table, commits=(*table.commits, *commits))


P, V = PLAIN.columns
#: The first file has the FLOAT nearest to 0.1, of which the bounds are 0.1.
WIDENED = replace(
    PLAIN,
    files=(DataFile(0, (1,), ((nearest_float(0.1),),), -DAY), DataFile(1, (2,), ((0.1,),), -DAY)),
    commits=(Commit(-2 * HOUR, adds=(0,)), Commit(-HOUR, adds=(1,))),
    features=(Feature.WIDENED.value,),
    widened_from=Type.FLOAT,
)
#: A table and a DELETE in which no condition holds.
INTEGERS = one_file((1,), (2,), columns=(P, Column("v", Type.INTEGER)))
SEVEN = Compare("v", Op.EQ, 7, Type.INTEGER)
NULLS = Compare("v", Op.EQ, None, Type.DOUBLE)
SAFE = Compare("v", Op.NULL_SAFE_EQ, None, Type.DOUBLE)
ADDS = evolving(Column("added", Type.STRING), "p", (1, 2.0, "x"))
ONE = Compare("v", Op.EQ, 1.0, Type.DOUBLE)
NINE = Compare("v", Op.EQ, 9.0, Type.DOUBLE)

REQUIRED = StructOf((("x", Type.INTEGER),), ("x",))

#: Without partitions: the column "v" may go, and the name of the other one is special.
LISTED = replace(
    one_file((1, 2), columns=(Column("v", Type.INTEGER), Column("o#", Type.INTEGER)), partition=()),
    features=(Feature.COLUMN_MAPPING_NAME.value,),
    indexed_columns=("o#",),
)
AMOUNTS = one_file((Decimal("0.10"),), columns=(P, Column("v", DecimalOf(18, 2))))


def below(amount: str, literals: Literals = Literals.PLAIN) -> Delete:
    return Delete(Compare("v", Op.LT, Decimal(amount), DecimalOf(18, 2)), literals=literals)


def with_an_empty_null(type: Type) -> Table:
    """A table with a file whose partition value of this type is "" in the log."""
    columns = (Column("p", type), Column("v", Type.DOUBLE))
    file = DataFile(0, (None,), ((1.0,), (2.0,)), -DAY, empty_nulls=True)
    return Table(columns, ("p",), (file, DataFile(1, (None,), ((3.0,),), -DAY)), (Commit(-HOUR, adds=(0, 1)),))


Shown = tuple[Table, tuple[Step, ...]]


def has(*columns: Column) -> Shown:
    """An empty table has them beside others."""
    return empty(P, V, *columns), ()


def is_partitioned(*names: str) -> Shown:
    """An empty table is partitioned by columns of these names."""
    columns = (Column(name, Type.INTEGER) for name in names)
    return empty(*columns, V, partition_by=names), ()


def stores(type: Type, value: Value, *steps: Step, features: tuple[str, ...] = ()) -> Shown:
    """A file of a table without partitions has this value."""
    return one_file((value,), columns=(Column("c", type),), partition=(), features=features), steps


def with_column(name: str, *features: Feature) -> Table:
    columns = (P, Column(name, Type.INTEGER))
    return one_file((1,), columns=columns, features=tuple(feature.value for feature in features))


def removed(at: int | None) -> Table:
    """A file has a tombstone with this time."""
    return replace(PLAIN, commits=(*PLAIN.commits, Commit(-HOUR // 2, removes=(Removal(0, at),))))


def runs(command: Command, table: Table = PLAIN) -> Shown:
    return table, (OtherCommand(command),)


def asks(condition: Predicate, table: Table = PLAIN) -> Shown:
    return table, deletes(condition)


def in_session(*steps: Step) -> Shown:
    return PLAIN, (OpenSession(), *steps)


#: For each condition a table and steps in which it holds.
HOLDS: dict[str, Shown] = {
    "empty text of a STRING partition": (with_an_empty_null(Type.STRING), ()),
    "empty text of a partition that is no STRING": (with_an_empty_null(Type.INTEGER), ()),
    "damaged row group ignored without deletion vectors": (
        damaged(Damage.LAST_GROUP),
        (Delete(equal("w", 1), settings=LENIENT),),
    ),
    "session that opened the table before others committed": in_session(
        Insert(((1, 9.0),)), Delete(ONE, by_earlier=True)
    ),
    "session that opened the table before deletion vectors were switched on": in_session(
        OtherCommand(Switch(Feature.DELETION_VECTORS, on=True)), Delete(ONE, by_earlier=True)
    ),
    "session that deletes all, or no row of its version": in_session(
        Insert(((1, 9.0),)), Delete(NINE, by_earlier=True)
    ),
    "compares with NULL": asks(And(ONE, Not(NULLS))),
    "call with constants of several types": asks(Not(Verbatim("v < greatest(2, 0.5)", ("v",)))),
    "verbatim test": asks(And(ONE, Verbatim("sqrt(v) = 1", ("v",)))),
    "test of a CHAR": asks(
        Compare("s", Op.EQ, "a", Type.STRING),
        one_file(("a  ",), columns=(P, Column("s", Type.STRING, declared="char(3)"))),
    ),
    "zeros of both signs": (one_file((1.0,), (-0.0,)), (Delete(Not(Compare("v", Op.LT, 0.0, Type.DOUBLE))),)),
    "partition columns compared with each other": asks(
        And(ONE, Relate(Of("p"), Op.LT, Of("q"))), empty(P, Column("q", Type.INTEGER), V, partition_by=("p", "q"))
    ),
    "versions to keep that go back": (PLAIN, (Delete(ONE), Vacuum(keep=(0, 1)))),
    "DECIMAL as users write it": (AMOUNTS, (below("0.10"),)),
    "DECIMAL of 16 digits as users write it": (AMOUNTS, (below("12345678901234.56"),)),
    "test of a list": asks(Not(In("v", (1.0, 2.0), Type.DOUBLE))),
    "test of a list of thousands": asks(In("v", tuple(range(10, 3_000)), Type.INTEGER), INTEGERS),
    "test of a NULL struct with a NOT NULL field": asks(
        Relate(Member(Of("s"), "x"), Op.EQ, Literal(1, Type.INTEGER)),
        one_file((None,), columns=(P, Column("s", REQUIRED))),
    ),
    "unusual name of the table's directory": (replace(PLAIN, root=TableRoot.HASH), ()),
    "test of a range": asks(Not(Between("v", 1.0, 2.0, Type.DOUBLE))),
    "LIKE of a partition": asks(And(Like("s", "a%"), ONE), empty(Column("s", Type.STRING), V, partition_by=("s",))),
    "LIKE with a backslash": asks(Like("s", "50\\\\%"), empty(Column("s", Type.STRING), V, partition_by=("v",))),
    "whole files": (PLAIN, (Delete(Compare("p", Op.EQ, 1, Type.INTEGER)),)),
    "test of a name that is no identifier": asks(IsNull("a.b"), empty(P, V, Column("a.b", Type.INTEGER))),
    "young tombstone": (removed(-HOUR // 2), (Vacuum(),)),
    "condition that is no BOOLEAN": (PLAIN, (InvalidDelete(DeleteMistake.NOT_BOOLEAN),)),
    "missing path as the target": (PLAIN, (InvalidVacuum(VacuumMistake.MISSING_PATH),)),
    "young orphan": (replace(PLAIN, stray_files=(StrayFile("young.parquet"),)), (Vacuum(),)),
    "tombstone with a NULL partition value": (
        replace(
            one_file((1.0,), partition=(None,)), commits=(Commit(-HOUR, adds=(0,)), *removed(-HOUR // 2).commits[1:])
        ),
        (),
    ),
    "broken _last_checkpoint": (
        replace(with_features(Feature.BROKEN_LAST_CHECKPOINT), commits=(Commit(-HOUR, adds=(0, 1), checkpoint=True),)),
        (),
    ),
    "statistics as a struct only": (with_features(Feature.STRUCT_STATISTICS), ()),
    "bound of a FLOAT that is a DOUBLE now": (WIDENED, ()),
    "change feed": (with_features(Feature.CHANGE_DATA_FEED), ()),
    "column that was added later": (PLAIN, (OtherCommand(AddColumn(Column("added", Type.INTEGER))), Read())),
    "partition column begins with a dot or an underscore": is_partitioned("_p"),
    "plain LIKE beside another test": asks(
        And(Like("s", "a"), Not(IsNull("s"))), empty(P, V, Column("s", Type.STRING))
    ),
    "null-safe test of a partition": asks(Compare("p", Op.NULL_SAFE_EQ, None, Type.INTEGER)),
    "tombstone without a time": (removed(None), ()),
    "test of a BOOLEAN that is never NULL": asks(
        Not(In("b", (True,), Type.BOOLEAN)), empty(P, V, Column("b", Type.BOOLEAN, nullable=False))
    ),
    "test of a nested column": asks(IsNull("n"), empty(P, V, Column("n", ArrayOf(Type.INTEGER)))),
    "wide DECIMAL column": has(Column("d", DecimalOf(18, 2))),
    "test of a list beside another test": asks(And(ONE, Not(In("v", (1.0, 2.0), Type.DOUBLE)))),
    "ARRAY column": has(Column("n", ArrayOf(Type.INTEGER))),
    "STRING column": has(Column("s", Type.STRING)),
    "MAP column": has(Column("m", MapOf(Type.STRING, Type.INTEGER))),
    "TIMESTAMP partition in another time zone": (
        empty(Column("t", Type.TIMESTAMP), V, partition_by=("t",)),
        (Delete(ONE, zone="Asia/Kolkata"),),
    ),
    "TIMESTAMP before standard time in another time zone": stores(
        Type.TIMESTAMP, datetime(1500, 2, 28, tzinfo=timezone.utc), Delete(zone="Asia/Kolkata")
    ),
    "change feed in another time zone": (
        with_features(Feature.CHANGE_DATA_FEED),
        (Delete(ONE), ReadChanges(0, commits=True, zone="Asia/Kolkata")),
    ),
    "fractional partition": (empty(P, V, partition_by=("v",)), ()),
    "partition value that is no plain number": (in_partition(Type.DOUBLE, 1e7), ()),
    "file named by URI": (
        replace(PLAIN, files=tuple(replace(file, reference=Reference.ABSOLUTE) for file in PLAIN.files)),
        (),
    ),
    "OPTIMIZE of a file whose path has a tilde": runs(Optimize(), in_partition(Type.STRING, "a~b")),
    "encoded path": (in_partition(Type.STRING, "ü"), ()),
    "function in Python in a condition": asks(And(ONE, Wrapped(Constant(True), Wrapper.PYTHON))),
    "function in Python that decides which files are rewritten": asks(Not(Wrapped(ONE, Wrapper.ARROW))),
    "RESTORE": (PLAIN, (Delete(ONE), OtherCommand(Restore(0)))),
    "DROP COLUMN in a table with named statistics of a special name": runs(DropColumn("v"), LISTED),
    "RENAME COLUMN in a table with named statistics of a special name": runs(RenameColumn("v", "w"), LISTED),
    "inventory by a query that is no table": (PLAIN, (Vacuum(mode=Mode.INVENTORY_QUERY, listing=Listing.NOT_NULL),)),
    "test of a metadata column": asks(Verbatim("_metadata.file_size > 0 AND `v` = 1", ("v",))),
    "MERGE by name or with a change feed, and a column named with a backtick": runs(
        Merge(Constant(True)), with_column("b`t", Feature.CHANGE_DATA_FEED)
    ),
    "MERGE by name with deletion vectors and a column named rowIndexCol": runs(
        Merge(Constant(True), keys=("p",), rows=((1, 2),), by_name=True),
        with_column("rowIndexCol", Feature.DELETION_VECTORS),
    ),
    "MERGE that adds a column": runs(ADDS),
    "MERGE that adds a column to a table with a data column after a partition column": runs(ADDS),
    "MERGE that adds a column and leaves matched rows, or sets some columns": runs(
        replace(ADDS, clauses=(MergeClause(When.NOT_MATCHED, Then.INSERT),))
    ),
    "ZORDER BY a column named with a backtick": runs(Optimize(zorder_by=("b`t",)), with_column("b`t")),
    "RESTORE of deletion vectors that are switched off": (
        replace(
            with_features(Feature.DELETION_VECTORS_OFF),
            commits=(*PLAIN.commits, Commit(-HOUR // 2, deletion_vectors=(DeletionVector(0, (0,), -HOUR // 2),))),
        ),
        (Delete(), OtherCommand(Restore(0))),
    ),
    "commit file no younger than the one before": (
        PLAIN,
        (SetClock(Moment(DAY)), Append((DataFile(9, (1,), ((1.0,),), 0),)), Delete(ONE), Read()),
    ),
    "overwrite where BETWEEN": runs(Overwrite((), Between("p", 1, 2, Type.INTEGER)), INTEGERS),
    "MERGE with a partition column named with a dot or a backtick": runs(
        merge(SEVEN), one_file((1,), columns=(Column("a.b", Type.INTEGER), Column("v", Type.INTEGER)))
    ),
    "UPDATE with a change feed and a column named with a backtick": runs(
        Update(Assignment("b`t", Type.INTEGER, 1)), with_column("b`t", Feature.CHANGE_DATA_FEED)
    ),
    "removed by another spelling": (in_partition(Type.STRING, "ü"), (Delete(), Read())),
    "tombstones that a checkpoint left out": (removed(-30 * DAY), (OtherCommand(Checkpoint()), Read())),
    "checkpoint beside one in parts": (
        replace(PLAIN, commits=(Commit(-HOUR, adds=(0, 1), checkpoint=True, parts=2),)),
        (),
    ),
    "NaN in a file": (one_file((math.nan,)), ()),
    "UPDATE of whole partitions": runs(Update(Assignment("v", Type.DOUBLE, 5.0), IsNull("p"))),
    "UPDATE by a literal of another type": runs(Update(Assignment("v", Type.INTEGER, 5), SEVEN), INTEGERS),
    "NULL partition value": (in_partition(Type.STRING, None), ()),
    "checkpoint by a command": runs(Checkpoint()),
    "vectors switched on with column mapping": runs(
        Switch(Feature.DELETION_VECTORS, on=True), with_features(Feature.COLUMN_MAPPING_ID)
    ),
    "missing file of a deletion vector": (
        with_vectors(1),
        (Delete(), SetClock(Moment(30 * DAY)), Vacuum(), OtherCommand(Restore(0))),
    ),
    "link to a directory": (
        replace(
            PLAIN,
            stray_files=(StrayFile("link", Kind.LINK, size=0, target="dir"), StrayFile("dir", Kind.DIRECTORY, size=0)),
        ),
        (),
    ),
    "file without rows": (one_file(), ()),
    "partition of a file without visible rows": (one_file(), ()),
    "path that XML cannot hold": (in_partition(Type.STRING, "\uffff"), ()),
    "deletion vectors": (with_vectors(1), ()),
    "several tombstones of a file": (with_vectors(0, 1), ()),
    "column mapping": (with_features(Feature.COLUMN_MAPPING_ID), ()),
    "deletion vectors with column mapping": (with_features(Feature.DELETION_VECTORS, Feature.COLUMN_MAPPING_NAME), ()),
    "deletion vectors and no ranges": stores(Type.BOOLEAN, True, features=VECTORS),
    "deletion vectors and a column path": (with_column("path", Feature.DELETION_VECTORS), ()),
    "long text beyond U+FFFF": stores(Type.STRING, "\U0001f600" * 17),
    "first partition column begins with a scheme and a colon": is_partitioned("time:utc"),
    "first of several partition columns begins with a dot": is_partitioned(".p", "q"),
}


def encode_removes(root: Path) -> None:
    """Spell the paths of removes as delta-rs does: also what is not ASCII is encoded."""
    for commit in (root / "_delta_log").glob("*.json"):
        lines = [json.loads(line) for line in commit.read_text(encoding="utf-8").split("\n") if line]
        for line in lines:
            if "remove" in line:
                line["remove"]["path"] = quote(line["remove"]["path"], safe="/=-._")
        commit.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def add_whole_checkpoint(root: Path) -> None:
    """A checkpoint in one file, of a version that has one in parts."""
    (part,) = (root / "_delta_log").glob("*.checkpoint.0000000001.*.parquet")
    (part.parent / f"{part.name.split('.')[0]}.checkpoint.parquet").write_bytes(part.read_bytes())


#: How the table is changed before the last of these steps.
SPOILED: dict[str, Callable[[Path], object]] = {
    "removed by another spelling": encode_removes,
    "checkpoint beside one in parts": add_whole_checkpoint,
}


def test_every_condition_is_shown_and_used() -> None:
    used = {
        entry.when
        for engine in ENGINES
        for entry in known_faults_in(ROOT / "known_faults" / f"{engine}.toml", places=PLACES)
    }
    assert HOLDS.keys() == CONDITIONS.keys() == used - {None}


@pytest.mark.parametrize("name", HOLDS)
def test_a_condition_holds_there_and_not_on_a_plain_table(name: str, tmp_path: Path) -> None:
    table, steps = HOLDS[name]
    there = observed(table, tmp_path / "there", *steps, spoil=SPOILED.get(name))
    plain = observed(INTEGERS, tmp_path / "plain", *deletes(SEVEN))
    assert CONDITIONS[name].holds(there) and not CONDITIONS[name].holds(plain)
    for seen, wrong in ((there, False), (plain, True)):
        read = read_table(seen.root, root_of(seen.root), Wanted())
        assert isinstance(read, RefusedTable) or CONDITIONS[name].on_shape(read.shape) is not wrong, (
            "the shape misleads"
        )


F = Column("v", StructOf((("f", Type.DOUBLE),)))


@pytest.mark.parametrize("asked", [0.0, -0.0], ids=str)
@pytest.mark.parametrize("held", [0.0, -0.0, 1.0], ids=str)
def test_zeros_count_where_their_signs_differ(asked: float, held: float, tmp_path: Path) -> None:
    differ = held == 0 and str(held) != str(asked)
    zero = Literal(asked, Type.DOUBLE)
    asking: tuple[tuple[Table, Predicate], ...] = (
        (one_file((held,)), Compare("v", Op.NULL_SAFE_EQ, asked, Type.DOUBLE)),
        (one_file((held,)), And(IsNull("p"), In("v", (1.0, asked), Type.DOUBLE))),
        (one_file((held,)), Relate(Of("v"), Op.GE, zero)),
        (one_file(((held,),), columns=(P, F)), Relate(Member(Of("v"), "f"), Op.EQ, zero)),
    )
    for number, (table, where) in enumerate(asking):
        found = CONDITIONS["zeros of both signs"].holds(observed(table, tmp_path / str(number), Delete(where)))
        assert found is differ, where


W = Column("w", Type.DOUBLE)
GONE = (Delete(), OtherCommand(Checkpoint()), OtherCommand(Restore(0)))
#: The first file is restored and removed again.
AGAIN = (OtherCommand(Restore(-1)), Delete(Compare("p", Op.EQ, 1, Type.INTEGER)))
OF_FIELD = Relate(Member(Of("s"), "x"), Op.EQ, Literal(Decimal("12345678901234.56"), DecimalOf(18, 2)))


def named_by(reference: Reference, *beside: DataFile) -> Table:
    """A table whose files have names of this kind, or others of no version beside it."""
    files = PLAIN.files if beside else tuple(replace(file, reference=reference) for file in PLAIN.files)
    return replace(PLAIN, files=(*files, *beside))


def near() -> Iterator[tuple[str, bool, Shown]]:
    """Conditions, whether they hold, and where that is."""
    for name in ("compares with NULL", "null-safe test of a partition"):
        yield name, False, asks(SAFE)  # a data column
    for names in ((".p",), ("w", ".p"), ("_w", ".p")):
        yield "first of several partition columns begins with a dot", False, is_partitioned(*names)
    other = Delete(Compare("w", Op.EQ, 0.0, Type.DOUBLE))
    yield "zeros of both signs", False, (one_file((-0.0, 0.0), columns=(P, V, W)), (other,))
    for keep in ((1, 0), (0, 0), (2, 1)):  # there is no version before 0
        yield "versions to keep that go back", False, (PLAIN, (Delete(ONE), Vacuum(keep=keep)))
    for side in (Of("w"), Literal(1, Type.INTEGER)):
        compared = Delete(Relate(Of("p"), Op.EQ, side))
        yield "partition columns compared with each other", False, (empty(P, Column("w", Type.INTEGER)), (compared,))

    decimals = ("DECIMAL as users write it", "DECIMAL of 16 digits as users write it")
    for name in decimals:
        # With its type, a DOUBLE, none.
        for step in (below("12345678901234.56", Literals.EXACT), below("12345678901234.50"), Delete()):
            yield name, False, (AMOUNTS, (step,))
        struct = Column("s", StructOf((("x", DecimalOf(18, 2)),)))
        yield name, True, (one_file((None,), columns=(P, struct)), (Delete(OF_FIELD, literals=Literals.EXPONENTS),))
        yield name, name == decimals[0], (AMOUNTS, (below("1234567890123.45"),))

    # A file that was restored and removed again has two tombstones; readers find that of a restored one too.
    young, old = removed(-HOUR // 2), removed(-30 * DAY)
    yield "several tombstones of a file", True, (young, (*AGAIN, Read()))
    yield "several tombstones of a file", False, (young, (Read(),))
    yield "several tombstones of a file", True, (young, (OtherCommand(Restore(-1)), Read()))
    # One that has expired is in no checkpoint (PROTOCOL.md, "Checkpoints").
    yield "several tombstones of a file", False, (old, (*AGAIN, OtherCommand(Checkpoint()), Read()))
    by_itself = replace(old, features=(Feature.FREQUENT_CHECKPOINTS.value,))
    three = Delete(Compare("v", Op.EQ, 3.0, Type.DOUBLE))
    yield "tombstones that a checkpoint left out", True, (by_itself, (three, Read()))
    yield "tombstones that a checkpoint left out", False, (old, (Read(),))

    # A file counts that a step can meet, not one of the case.
    for reference in Reference:
        yield "file named by URI", reference is not Reference.RELATIVE, (named_by(reference), (Read(),))
        spare = DataFile(9, (1,), ((1.0,),), -DAY, reference=reference)
        yield "file named by URI", False, (named_by(reference, spare), (Read(),))
    # A vector counts in the version that a RESTORE brings back.
    yield "deletion vectors", True, (with_vectors(1), GONE)
    yield "deletion vectors", False, (PLAIN, GONE)
    # The command at hand counts, not an earlier one.
    yield "compares with NULL", True, (PLAIN, (Delete(ONE), Delete(NULLS)))
    yield "compares with NULL", True, (PLAIN, (Delete(ONE), Delete(NULLS), Read(), Read()))
    yield "compares with NULL", False, (PLAIN, (Delete(NULLS), Delete(ONE)))
    yield "checkpoint by a command", False, (PLAIN, (OtherCommand(Checkpoint()), Vacuum()))
    # A session that finds rows in its version must notice others: a conflict is due.
    session, others = "session that deletes all, or no row of its version", Insert(((1, 9.0),))
    for where in (ONE, NINE, None):
        yield session, where is not ONE, in_session(others, Delete(where, by_earlier=True))
    yield session, False, in_session(Delete(NINE, by_earlier=True))


@pytest.mark.parametrize(("name", "holds", "shown"), list(near()))
def test_what_is_near_a_condition(name: str, holds: bool, shown: Shown, tmp_path: Path) -> None:
    table, steps = shown
    assert Circumstances(observed(table, tmp_path, *steps)).hold(name) is holds


def test_a_remove_that_spells_its_path_otherwise_leaves_the_file_live_by_its_text(tmp_path: Path) -> None:
    same = observed(in_partition(Type.STRING, "a"), tmp_path / "same", Delete(), Read(), spoil=encode_removes).before
    assert not same.live and not same.facts.live_by_text and not same.facts.spelled_otherwise
    other = observed(in_partition(Type.STRING, "ü"), tmp_path / "other", Delete(), Read(), spoil=encode_removes).before
    assert not other.live and {add.file for add in other.facts.live_by_text} == other.facts.spelled_otherwise
    assert len(other.facts.spelled_otherwise) == 1


def test_a_condition_is_computed_once_for_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Observation] = []

    def ask(observation: Observation) -> bool:
        asked.append(observation)
        return True

    monkeypatch.setitem(CONDITIONS, "whole files", Condition("whole files", "it is asked", ask))
    circumstances = Circumstances(observed(PLAIN, tmp_path))
    assert circumstances.hold("whole files") and circumstances.hold("whole files")
    assert "whole files" in circumstances.names and len(asked) == 1
