"""Cases that together have every field and form, for the tests of their JSON form."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal

from model.vocabulary.case import Case
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    AsWritten,
    Checkpoint,
    CleanUpLog,
    CompactLog,
    DropColumn,
    DropFeature,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    VacuumClone,
    When,
    WidenColumn,
)
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Constant,
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
    Relate,
    Wrapped,
    Wrapper,
)
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    Form,
    Given,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Listing,
    Mode,
    Moment,
    OtherCommand,
    Read,
    ReadChanges,
    SetClock,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import (
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Reference,
    Removal,
    Statistics,
    StrayFile,
    Table,
    VectorStorage,
)
from model.vocabulary.values import NAN, ArrayOf, DecimalOf, MapOf, StructOf, Type
from tests.builders.merges import evolving, merge

TABLE = Table(
    columns=(
        Column("p", Type.STRING),
        Column("i", Type.INTEGER),
        Column("l", Type.LONG),
        Column("b", Type.BOOLEAN),
        Column("d", Type.DATE),
    ),
    partition_by=("p",),
    files=(
        DataFile(id=0, partition=("a",), rows=((1, 2**63 - 1, True, date(2020, 1, 31)), (None,) * 4), modified=-5),
        DataFile(id=1, partition=(None,), rows=(), modified=-4, statistics=Statistics.NONE),
    ),
    commits=(Commit(at=-3, adds=(0, 1)), Commit(at=-2, removes=(Removal(file=1, deleted=-9),), checkpoint=True)),
    stray_files=(StrayFile("_tmp/x", modified=7), StrayFile("empty", Kind.DIRECTORY, size=0)),
    retention_hours=0,
    features=("deletionVectors",),
)

WHERE = Or(
    And(Compare("i", Op.LE, 3, Type.INTEGER), Not(Like("p", "a%"))),
    Or(Or(Between("d", date(1900, 1, 1), None, Type.DATE), In("b", (True, None), Type.BOOLEAN)), IsNull("l")),
)

CASE = Case(
    table=TABLE,
    steps=(
        Delete(WHERE),
        Delete(),
        Delete(Constant(None)),
        SetClock(Moment(5)),
        SetClock(Moment(-1, removed_by_step=0)),
        Vacuum(),
        Vacuum(retain_hours=0.4, dry_run=True, safety_check=False, logging=False),
        Read(),
        Read(before_step=1),
        Append((DataFile(id=2, partition=("b",), rows=((1, 2, None, None),), modified=5),)),
        AddStrayFiles((StrayFile("orphan", modified=-1, size=0),)),
    ),
)


#: What the first case lacks. The deletion vectors hide row 1 of file 0, then 1 and 2; file 1 goes and comes back whole.
NOON = datetime(2020, 1, 31, 12, 0, 0, 1, tzinfo=timezone.utc)
UNKNOWN = (None,) * 8
WIDE_TABLE = Table(
    columns=(
        Column("t", Type.TIMESTAMP, generated_from="at"),
        Column("at", Type.TIMESTAMP),
        Column("id", Type.LONG, nullable=False, identity=True),
        Column("price", DecimalOf(10, 2), default=True),
        Column("ratio", Type.FLOAT),
        Column("size", Type.DOUBLE),
        Column("raw", Type.BINARY),
        Column("local", Type.TIMESTAMP_NTZ),
        Column("tags", ArrayOf(Type.STRING)),
        Column("marks", MapOf(Type.BYTE, Type.SHORT)),
        Column("who", StructOf((("name", Type.STRING), ("born", Type.DATE)))),
    ),
    partition_by=("t",),
    files=(
        DataFile(
            id=0,
            partition=(NOON,),
            rows=(
                (
                    *(NOON, 7, Decimal("1.20"), 0.5, -0.0, b"\x00\xff", datetime(1, 1, 1)),
                    *(("a", None), ((1, None), (2, -32768)), ("x", date(2020, 2, 29))),
                ),
                (NOON, 8, Decimal("0.00"), NAN, math.inf, b"", datetime(9999, 12, 31, 23), (), (), (None, None)),
                (NOON, 9, *UNKNOWN),
            ),
            modified=-9,
            group_rows=2,
        ),
        DataFile(id=1, partition=(None,), rows=((None, 10, *UNKNOWN), (None, 11, *UNKNOWN)), modified=-9),
    ),
    commits=(
        Commit(at=-9, adds=(0, 1)),
        Commit(
            at=-8,
            deletion_vectors=(
                DeletionVector(0, (1,), -8, VectorStorage.INLINE),
                DeletionVector(1, (0,), -7, VectorStorage.ABSOLUTE),
            ),
        ),
        Commit(at=-7, removes=(Removal(1, -7),), deletion_vectors=(DeletionVector(0, (1, 2), -7),), checkpoint=True),
        Commit(at=-6, adds=(1,)),
        Commit(at=-5, deletion_vectors=(DeletionVector(1, (1,), -5),)),
    ),
    features=("deletionVectorsOff", "changeDataFeed", "columnMappingId", "droppedColumn", "rowTracking"),
    checks=(Or(IsNull("id"), Compare("id", Op.LE, 11, Type.LONG)), Not(IsNull("id"))),
)

EXPRESSIONS = (
    Of("id"),
    Literal(Decimal("1.20"), DecimalOf(3, 2)),
    Literal(None, ArrayOf(Type.LONG)),
    Member(Of("who"), "name"),
    Call(Function.CURRENT_DATE),
    Call(Function.ADD, (Of("id"), Literal(1, Type.LONG))),
    Cast(Of("at"), Type.DATE),
    CaseWhen(Compare("id", Op.GT, 0, Type.LONG), Of("id"), Literal(None, Type.LONG)),
)

WIDE_WHERE = Or(
    Relate(Cast(Of("at"), Type.DATE), Op.NULL_SAFE_EQ, Literal(date(2020, 1, 31), Type.DATE)),
    Or(
        Holds(Call(Function.ARRAY_CONTAINS, (Of("tags"), Literal("a", Type.STRING)))),
        And(
            Missing(CaseWhen(Compare("id", Op.GT, 0, Type.LONG), Member(Of("who"), "name"), Of("tags"))),
            In("price", (Decimal("0.00"), None), DecimalOf(10, 2)),
        ),
    ),
)

WIDE_CASE = Case(
    table=WIDE_TABLE,
    steps=(
        Delete(WIDE_WHERE, Form.API_NAME, "America/Los_Angeles"),
        ReadChanges(of_step=0, commits=True, zone="Asia/Kolkata"),
        Delete(form=Form.TRUNCATE),
        InvalidDelete(DeleteMistake.IN_SUBQUERY),
        Append((DataFile(2, (None,), ((None, 3, *UNKNOWN),), 0, group_rows=1),)),
        Delete(Wrapped(Not(Wrapped(Wrapped(IsNull("id"), Wrapper.ARROW), Wrapper.ARROW)), Wrapper.PYTHON)),
    ),
)


#: What the others lack: VACUUM's steps, and what is in and around the tables that they clean up.
VACUUM_TABLE = Table(
    columns=(Column("p", Type.STRING), Column("i", Type.INTEGER)),
    partition_by=("p",),
    files=(
        DataFile(id=0, partition=("a",), rows=((1,), (2,)), modified=-9, reference=Reference.ABSOLUTE),
        DataFile(id=1, partition=("b",), rows=((1,),), modified=-9, reference=Reference.OUTSIDE),
        DataFile(id=2, partition=("b",), rows=((1,),), modified=-9),
    ),
    commits=(
        Commit(at=-9, adds=(0, 1, 2)),
        Commit(at=-8, removes=(Removal(1, None), Removal(2, -8, bare=True)), checkpoint=True, parts=3),
        Commit(at=-7, deletion_vectors=(DeletionVector(0, (1,), -7, VectorStorage.ABSOLUTE),), vector_prefix="ab"),
    ),
    stray_files=(
        StrayFile("../beside/x"),
        StrayFile("../beside/link", Kind.LINK, size=0, target="../beside"),
        StrayFile("link", Kind.LINK, size=0, target="../beside/x"),
        StrayFile("loop", Kind.LINK, modified=-3, size=0, target="d/nothing"),
        StrayFile("d", Kind.DIRECTORY, size=0),
    ),
    features=("deletionVectors", "frequentCheckpoints", "brokenLastCheckpoint", "vacuumProtocolCheck", "unknownWriter"),
    pruned=1,
)

VACUUM_CASE = Case(
    table=VACUUM_TABLE,
    steps=(
        Vacuum(logging=None, parallel=True, mode=Mode.LITE, dry_run=True),
        Vacuum(mode=Mode.INVENTORY_QUERY, inventory=Inventory.FILES, form=VacuumForm.SQL_NAME),
        Vacuum(form=VacuumForm.API_PATH, mode=Mode.LITE_SETTING, retain_hours=0.0),
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="d/e f"),
        *(Vacuum(mode=mode) for mode in Mode),
        *(Vacuum(form=form) for form in VacuumForm),
        *(Vacuum(io_fault=io_fault, faulty_path="d") for io_fault in IOFault),
        *(Vacuum(mode=Mode.INVENTORY_QUERY, listing=listing) for listing in Listing),
        *(InvalidVacuum(mistake) for mistake in VacuumMistake),
        InvalidVacuum(VacuumMistake.CLAUSE_TWICE, dry_run=True),
        AddStrayFiles((StrayFile("../other/x"), StrayFile("again", Kind.LINK, size=0, target="d"))),
    ),
)


#: Every command other than DELETE and VACUUM, on a table whose columns they change.
ROW = ("a", 1, 2, True, None)
IN_A = Compare("p", Op.EQ, "a", Type.STRING)
COMMAND_CASE = Case(
    table=replace(TABLE, features=("columnMappingName", "changeDataFeed")),
    steps=tuple(
        command if isinstance(command, (Insert, Delete, Append)) else OtherCommand(command)
        for command in (
            Optimize(),
            Optimize(IN_A, zorder_by=("i", "d")),
            Purge(),
            Restore(before_step=-1),
            Update(Assignment("i", Type.INTEGER, None)),
            Update(Assignment("d", Type.DATE, date(2020, 1, 31)), where=WHERE),
            merge(IN_A),
            merge(IN_A, to=Assignment("b", Type.BOOLEAN, False), insert=(ROW,)),
            Overwrite(()),
            Overwrite((ROW, ROW), where=IN_A),
            StreamAppend((ROW,)),
            Checkpoint(),
            CompactLog(),
            CleanUpLog(),
            SetRetention(0),
            SetRetention(48, of_log=True),
            Switch(Feature.DELETION_VECTORS, on=True),
            Switch(Feature.DELETION_VECTORS, on=False),
            DropFeature(Feature.DELETION_VECTORS),
            ShallowClone(),
            VacuumClone(),
            Append((DataFile(id=2, partition=("b",), rows=((1, 2, None, None),), modified=5),)),
            AddColumn(Column("late", Type.DOUBLE)),
            WidenColumn("i"),
            RenameColumn("p", "q"),
            DropColumn("l"),
            Insert((("a", 2**40, True, None, 0.5),)),
            Delete(And(Compare("q", Op.EQ, "a", Type.STRING), Compare("i", Op.EQ, 2**40, Type.LONG))),
            merge(Compare("q", Op.EQ, "a", Type.STRING), when=When.BY_SOURCE),
            CompactLog(3, but_newest=1),
            Optimize(target_size=1000),
            Restore(before_step=28, by_time=True),
            Update(Assignment("b", Type.BOOLEAN, None), also=(Assignment("q", Type.STRING, "c"),)),
            evolving(Column("new", Type.DATE), "i", ("a", 2**40, True, None, 0.5, date(2020, 1, 31)), inserts=False),
            Overwrite((("a", 2**40, True, None, 0.5, date(2020, 1, 31)),), dynamic=True),
            Overwrite((("a", 2**40, True, None, 0.5, date(2020, 1, 31), "x"),), adds=Column("newer", Type.STRING)),
            AsWritten("DESCRIBE HISTORY {table}"),
            AsWritten("table.history()", python=True, by_earlier=True),
            Delete(Compare("q", Op.EQ, "a", Type.STRING), given=(Given("spark.sql.ansi.enabled", "false"),)),
        )
    ),
)
