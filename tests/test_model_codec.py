"""The JSON form: it reads back, it is canonical, and a document that is no case is refused with one clear sentence."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import codec
from model.case import Case
from model.codec import CorruptCase
from model.codec.fields import shown
from model.predicate import (
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
)
from model.steps import (
    Append,
    BadDelete,
    BadVacuum,
    Blunder,
    Delete,
    Form,
    Inventory,
    Litter,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Trouble,
    Vacuum,
    VacuumBlunder,
    VacuumForm,
)
from model.table import (
    Column,
    Commit,
    DataFile,
    Feature,
    Kind,
    Mask,
    Reference,
    Removal,
    Statistics,
    Stray,
    Table,
    VectorStorage,
)
from model.values import NAN, ArrayOf, DecimalOf, MapOf, StructOf, Type
from strategies.predicates import predicates
from strategies.tables import tables

WITNESSES = Path(__file__).parent / "witnesses"

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
    strays=(Stray("_tmp/x", modified=7), Stray("empty", Kind.DIRECTORY, size=0)),
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
        Litter((Stray("orphan", modified=-1, size=0),)),
    ),
)


#: What the first case has not. The vectors hide row 1 of file 0, then 1 and 2; file 1 goes and comes back whole.
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
        Commit(at=-8, masks=(Mask(0, (1,), -8, VectorStorage.INLINE), Mask(1, (0,), -7, VectorStorage.ABSOLUTE))),
        Commit(at=-7, removes=(Removal(1, -7),), masks=(Mask(0, (1, 2), -7),), checkpoint=True),
        Commit(at=-6, adds=(1,)),
        Commit(at=-5, masks=(Mask(1, (1,), -5),)),
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
        ReadChanges(of_step=0),
        Delete(form=Form.TRUNCATE),
        BadDelete(Blunder.IN_SUBQUERY),
        Append((DataFile(2, (None,), ((None, 3, *UNKNOWN),), 0, group_rows=1),)),
    ),
)


@pytest.mark.parametrize("case", [CASE, WIDE_CASE], ids=["case", "wide case"])
def test_every_field_and_form_reads_back(case: Case) -> None:
    assert codec.from_json(codec.to_json(case)) == case
    assert codec.loads(codec.dumps(case)) == case
    assert codec.loads(json.dumps(codec.to_json(case), indent=2)) == case
    assert repr(codec.loads(codec.dumps(case))) == repr(case)  # the sign of -0.0


@given(st.data())
def test_tables_and_predicates_read_back_alone(data: st.DataObject) -> None:
    table = data.draw(tables())
    predicate = data.draw(predicates(table))
    assert codec.table_from_json(codec.table_to_json(table)) == table
    assert codec.predicate_from_json(codec.predicate_to_json(predicate)) == predicate


@pytest.mark.parametrize(("step", "table"), [(step, case.table) for case in (CASE, WIDE_CASE) for step in case.steps])
def test_steps_read_back_alone(step: Step, table: Table) -> None:
    assert codec.step_from_json(codec.step_to_json(step), table) == step


@pytest.mark.parametrize("predicate", [WHERE, WIDE_WHERE, *WIDE_TABLE.checks])
def test_predicates_read_back_alone(predicate: Predicate) -> None:
    assert codec.predicate_from_json(codec.predicate_to_json(predicate)) == predicate


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda expression: type(expression).__name__)
def test_expressions_read_back_alone(expression: Expression) -> None:
    assert codec.expression_from_json(codec.expression_to_json(expression)) == expression


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Australia/Lord_Howe"])
def test_every_form_of_a_delete_reads_back(form: Form, zone: str) -> None:
    step = Delete(None, form, zone)
    assert codec.step_from_json(codec.step_to_json(step), TABLE) == step


@pytest.mark.parametrize("blunder", Blunder)
def test_every_blunder_reads_back(blunder: Blunder) -> None:
    assert codec.step_from_json(codec.step_to_json(BadDelete(blunder)), TABLE) == BadDelete(blunder)


@pytest.mark.parametrize("function", Function)
def test_every_function_reads_back(function: Function) -> None:
    call = Call(function, (Of("id"),))
    assert codec.expression_from_json(codec.expression_to_json(call)) == call


@pytest.mark.parametrize("feature", Feature)
def test_every_feature_reads_back(feature: Feature) -> None:
    needs_mapping = feature is Feature.DROPPED_COLUMN
    features = ("columnMappingName", feature.value) if needs_mapping else (feature.value,)
    table = dataclasses.replace(TABLE, features=features)
    assert codec.table_from_json(codec.table_to_json(table)) == table


def test_what_columns_commits_and_steps_look_like() -> None:
    document = codec.to_json(WIDE_CASE)
    assert document["table"]["columns"][:4] == [
        {"name": "t", "type": "timestamp", "generated_from": "at"},
        {"name": "at", "type": "timestamp"},
        {"name": "id", "type": "long", "nullable": False, "identity": True},
        {"name": "price", "type": "decimal(10,2)", "default": True},
    ]
    inline = {"file": 0, "rows": [1], "deleted": -8, "storage": "i"}
    assert document["table"]["commits"][1] == {
        "at": -8,
        "masks": [inline, {"file": 1, "rows": [0], "deleted": -7, "storage": "p"}],
    }
    assert document["table"]["commits"][2]["masks"] == [{"file": 0, "rows": [1, 2], "deleted": -7}]
    assert (document["steps"][0]["form"], document["steps"][0]["zone"]) == ("DeltaTable.forName", "America/Los_Angeles")
    assert document["steps"][1:4] == [
        {"step": "read_changes", "of_step": 0},
        {"step": "delete", "form": "TRUNCATE TABLE"},
        {"step": "bad_delete", "blunder": "IN subquery"},
    ]


def test_what_conditions_look_like() -> None:
    where = codec.predicate_to_json(WIDE_WHERE)
    assert where["left"] == {
        "op": "RELATE",
        "relation": "<=>",
        "left": {"expression": "cast", "of": {"expression": "of", "column": "at"}, "type": "date"},
        "right": {"expression": "literal", "value": {"date": "2020-01-31"}, "type": "date"},
    }
    arguments = [
        {"expression": "of", "column": "tags"},
        {"expression": "literal", "value": "a", "type": "string"},
    ]
    contains = {"expression": "call", "function": "array_contains", "arguments": arguments}
    assert where["right"]["left"] == {"op": "HOLDS", "of": contains}
    missing = where["right"]["right"]["left"]
    assert (missing["op"], missing["of"]["expression"]) == ("MISSING", "case")
    assert missing["of"]["then"] == {
        "expression": "member",
        "of": {"expression": "of", "column": "who"},
        "field": "name",
    }
    assert codec.expression_to_json(Call(Function.CURRENT_DATE)) == {"expression": "call", "function": "current_date"}


def test_defaults_are_left_out() -> None:
    table = Table(
        columns=(Column("i", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(id=0, partition=(), rows=((1,),), modified=-1),),
        commits=(Commit(at=-1, adds=(0,)),),
        strays=(Stray("x"),),
    )
    assert codec.to_json(Case(table, (Delete(), Vacuum(), Read()))) == {
        "format": 1,
        "table": {
            "columns": [{"name": "i", "type": "integer"}],
            "partition_by": [],
            "files": [{"id": 0, "partition": [], "rows": [[1]], "modified": -1}],
            "commits": [{"at": -1, "adds": [0]}],
            "strays": [{"path": "x"}],
        },
        "steps": [{"step": "delete"}, {"step": "vacuum"}, {"step": "read"}],
    }


def test_the_canonical_text_and_the_id_never_change() -> None:
    # A changed id would orphan every reproduction that people keep: change FORMAT instead.
    case = Case(
        table=Table(
            columns=(Column("ü", Type.DATE),),
            partition_by=(),
            files=(DataFile(id=0, partition=(), rows=((date(2020, 1, 31),),), modified=-1),),
            commits=(Commit(at=-1, adds=(0,)),),
        ),
        steps=(Delete(Compare("ü", Op.EQ, None, Type.DATE)), Vacuum(retain_hours=0.0)),
    )
    assert codec.dumps(case) == (
        '{"format":1,"steps":[{"step":"delete","where":{"column":"\\u00fc","op":"=","type":"date","value":null}},'
        '{"retain_hours":0,"step":"vacuum"}],"table":{"columns":[{"name":"\\u00fc","type":"date"}],'
        '"commits":[{"adds":[0],"at":-1}],"files":[{"id":0,"modified":-1,"partition":[],'
        '"rows":[[{"date":"2020-01-31"}]]}],"partition_by":[]}}'
    )
    assert codec.case_id(case) == "b9bd496b335d"


@pytest.mark.parametrize("path", sorted(WITNESSES.glob("*.json")), ids=lambda path: path.stem)
def test_case_files_that_people_keep_mean_what_they_meant(path: Path) -> None:
    """A document that is read and written again is the same, so its id is."""
    document = json.loads(path.read_text(encoding="utf-8"))
    assert codec.to_json(codec.from_json(document)) == document


def test_equal_cases_have_equal_ids() -> None:
    whole, floating = Case(TABLE, (Vacuum(retain_hours=1),)), Case(TABLE, (Vacuum(retain_hours=1.0),))
    assert whole == floating
    assert codec.case_id(whole) == codec.case_id(floating)
    assert codec.case_id(whole) != codec.case_id(Case(TABLE, (Vacuum(retain_hours=2),)))


DELETED = object()

#: A change to the document of CASE (a path, and what to put there), and the sentence that must answer it.
FAULTS: list[tuple[tuple[str | int, ...], object, str | None]] = [
    (("format",), 2, "format: is 2, only 1 is known here"),
    (("format",), True, "format: is True, only 1 is known here"),
    (("format",), DELETED, "format: is missing"),
    (("table",), [], "table: must be an object, but is []"),
    (("tables",), {}, "tables: is no known field, those are format, steps, table"),
    (("table", "columns", 1, "name"), "P", "table.columns[1]: the column name p is already taken"),
    (("table", "columns", 1, "type"), "int", "table.columns[1].type: must be one of string, binary, byte, "),
    (("table", "partition_by", 0), "nope", "table.partition_by[0]: 'nope' is no column of the table"),
    (("table", "partition_by"), ["p", "p"], "table.partition_by[1]: the column p is already taken"),
    (("table", "partition_by"), ["p", "i", "l", "b", "d"], "table.partition_by: leaves no column to be stored"),
    (("table", "files", 1, "id"), 0, "table.files[1]: the file id 0 is already taken"),
    (("table", "files", 1, "id"), -1, "table.files[1].id: must not be negative, but is -1"),
    (("table", "files", 0, "partition"), [], "table.files[0].partition: has 0 values for 1 columns (p)"),
    (("table", "files", 0, "partition", 0), 1, "table.files[0].partition[0]: must be a string, but is 1"),
    (("table", "files", 0, "rows", 1), [1], "table.files[0].rows[1]: has 1 values for 4 columns (i, l, b, d)"),
    (("table", "files", 0, "rows", 0, 0), 2**31, "table.files[0].rows[0][0]: 2147483648 does not fit the type integer"),
    (("table", "files", 0, "rows", 0, 0), True, "table.files[0].rows[0][0]: must be a whole number, but is true"),
    (("table", "files", 0, "rows", 0, 2), 1, "table.files[0].rows[0][2]: must be true or false, but is 1"),
    (("table", "files", 0, "rows", 0, 3), "2020-01-31", "table.files[0].rows[0][3]: must be an object, but is "),
    (("table", "files", 0, "rows", 0, 3, "date"), "20200131", "table.files[0].rows[0][3].date: must be a date like "),
    (("table", "files", 0, "rows", 0, 3, "date"), "2020-02-30", "table.files[0].rows[0][3].date: must be a date like"),
    (("table", "files", 0, "modified"), 1.5, "table.files[0].modified: must be a whole number, but is 1.5"),
    (("table", "files", 0, "statistics"), "all", "table.files[0].statistics: must be one of none, count, full, but"),
    (("table", "files", 0, "name"), "x", "table.files[0].name: is no known field, those are group_rows, id, "),
    (("table", "commits"), [], "table.commits: must hold at least one commit"),
    (("table", "commits", 1, "at"), -3, "table.commits[1].at: -3 is not after the commit before, at -3"),
    (("table", "commits", 0, "adds", 1), 7, "table.commits[0].adds[1]: there is no file 7"),
    (("table", "commits", 0, "adds"), [0, 1, 0], "table.commits[0].adds[2]: file 0 is live already"),
    (("table", "commits", 1, "adds"), [0], "table.commits[1].adds[0]: file 0 is live already"),
    (("table", "commits", 0, "adds"), [1], "table.files[0].id: no commit adds file 0; what no action names is a stray"),
    (("table", "commits", 1, "removes", 0, "file"), 7, "table.commits[1].removes[0].file: there is no file 7"),
    (
        ("table", "commits", 0, "removes"),
        [{"file": 1, "deleted": 0}],
        "table.commits[0].removes[0].file: file 1 is not",
    ),
    (
        ("table", "commits", 1, "removes"),
        [{"file": 1, "deleted": 0}, {"file": 1, "deleted": 0}],
        "table.commits[1].removes[1].file: file 1 is not live, so it cannot be removed",
    ),
    (("table", "commits", 1, "checkpoint"), 1, "table.commits[1].checkpoint: must be true or false, but is 1"),
    (("table", "strays", 0, "path"), "../x", None),  # beside the root
    (("table", "strays", 0, "path"), "../../x", "table.strays[0].path: must be a path below the table's root, but is"),
    (("table", "strays", 0, "path"), "..", "table.strays[0].path: must be a path below the table's root, but is"),
    (("table", "strays", 0, "path"), "../", "table.strays[0].path: must be a path below the table's root, but is"),
    (("table", "strays", 0, "path"), "../x/../y", "table.strays[0].path: must be a path below the table's root, but"),
    (("table", "strays", 0, "path"), "x/../../y", "table.strays[0].path: must be a path below the table's root, but"),
    (("table", "strays", 0, "path"), "/x", "table.strays[0].path: must be a path below the table's root, but is"),
    (("table", "strays", 0, "path"), "empty", "table.strays[1].path: 'empty' is already taken"),
    (
        ("table", "strays", 0, "path"),
        "p=a/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet/x",
        "table.strays[0].path: 'p=a/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet/x' lies below",
    ),
    (
        ("table", "strays", 0, "path"),
        "p=a",
        "table.strays[0].path: 'p=a' must be a directory, other files lie below it",
    ),
    (("table", "strays", 1, "kind"), "pipe", "table.strays[1].kind: must be one of file, directory, link, but is"),
    (("table", "strays", 1, "kind"), "link", "table.strays[1].target: must be there for a link, and only then"),
    (("table", "strays", 1, "target"), "x", "table.strays[1].target: must be there for a link, and only then"),
    (("table", "retention_hours"), -1, "table.retention_hours: must not be negative, but is -1"),
    (
        ("table", "features", 0),
        "rowtracking",
        "table.features[0]: must be one of deletionVectors, deletionVectorsOff, ",
    ),
    (("steps", 0), "delete", 'steps[0]: must be an object, but is "delete"'),
    (("steps", 0, "step"), "update", "steps[0].step: must be one of delete, bad_delete, vacuum, bad_vacuum, "),
    (("steps", 0, "were"), None, "steps[0].were: is no known field, those are form, step, where, zone"),
    (("steps", 0, "where", "op"), "XOR", "steps[0].where.op: must be one of =, <>, <, <=, >, >=, <=>, BETWEEN, IN, "),
    (
        ("steps", 0, "where", "left", "left", "value"),
        "x",
        "steps[0].where.left.left.value: must be a whole number, but",
    ),
    (("steps", 0, "where", "left", "left", "type"), "long", "steps[0].where.left.left.type: is long, but 'i' is of "),
    (
        ("steps", 0, "where", "left", "right", "operand", "column"),
        "i",
        "steps[0].where.left.right.operand.column: LIKE needs a string, but 'i' is of type integer",
    ),
    (
        ("steps", 0, "where", "right", "left", "right", "values"),
        [],
        "steps[0].where.right.left.right.values: must hold at least one value",
    ),
    (("steps", 3, "to", "offset"), DELETED, "steps[3].to.offset: is missing"),
    (
        ("steps", 4, "to", "removed_by_step"),
        4,
        "steps[4].to.removed_by_step: is 4, but only a step before this one (4)",
    ),
    (("steps", 6, "retain_hours"), "1", 'steps[6].retain_hours: must be a number of hours, but is "1"'),
    (("steps", 6, "retain_hours"), float("inf"), "steps[6].retain_hours: must be a number of hours, but is Infinity"),
    (("steps", 8, "before_step"), 8, "steps[8].before_step: is 8, but only a step before this one (8) can be meant"),
    (("steps", 9, "files", 0, "id"), 1, "steps[9].files[0].id: the file id 1 is already taken"),
    (("steps", 9, "files", 0, "rows", 0), [], "steps[9].files[0].rows[0]: has 0 values for 4 columns (i, l, b, d)"),
    (("steps", 10, "strays", 0, "path"), "empty/x", None),  # below an empty directory of the table: allowed
    (("steps", 10, "strays", 0, "path"), "_tmp/x", "steps[10].strays[0].path: '_tmp/x' is already taken"),
    (("steps", 10, "strays", 0, "size"), -1, "steps[10].strays[0].size: must not be negative, but is -1"),
]


#: The same for the document of WIDE_CASE.
WIDE_FAULTS: list[tuple[tuple[str | int, ...], object, str | None]] = [
    (("table", "columns", 1, "nullable"), 0, "table.columns[1].nullable: must be true or false, but is 0"),
    (
        ("table", "columns", 1, "nullable"),
        False,
        "table.files[1].rows[0][0]: is NULL, but the column at is not nullable",
    ),
    (
        ("table", "columns", 0, "nullable"),
        False,
        "table.files[1].partition[0]: is NULL, but the column t is not nullable",
    ),
    (
        ("table", "columns", 2, "type"),
        "integer",
        "table.columns[2].identity: an identity column is a long, but this one",
    ),
    (
        ("table", "columns", 2, "default"),
        True,
        "table.columns[2]: has more than one of default, identity and generated_f",
    ),
    (
        ("table", "columns", 0, "default"),
        True,
        "table.columns[0]: has more than one of default, identity and generated_f",
    ),
    (
        ("table", "columns", 0, "generated_from"),
        "nope",
        "table.columns[0].generated_from: 'nope' is no column of the table",
    ),
    (
        ("table", "columns", 0, "generated_from"),
        "t",
        "table.columns[0].generated_from: 't' cannot be generated from itsel",
    ),
    (
        ("table", "columns", 0, "generated_from"),
        "local",
        "table.columns[0].generated_from: 'local' is of type timestamp_ntz, not timestamp",
    ),
    (("table", "columns", 1, "generated_from"), "t", "table.columns[0].generated_from: 'at' is generated itself"),
    (("table", "columns", 1, "generated_from"), 1, "table.columns[1].generated_from: must be a string, but is 1"),
    (("table", "partition_by", 0), "id", "table.columns[2].identity: a partition column cannot be an identity column"),
    (
        ("table", "partition_by", 0),
        "raw",
        "table.partition_by[0]: 'raw' is of type binary, by which tables are not partitioned here",
    ),
    (("table", "partition_by", 0), "tags", 'table.partition_by[0]: \'tags\' is of type {"array": "string"}, by which'),
    (("table", "partition_by", 0), "marks", 'table.partition_by[0]: \'marks\' is of type {"map": ["byte", "short"]}'),
    (("table", "partition_by", 0), "who", "table.partition_by[0]: 'who' is of type {\"struct\": [{"),
    (("table", "files", 0, "group_rows"), 0, "table.files[0].group_rows: must be at least 1, but is 0"),
    (("table", "files", 0, "group_rows"), None, None),
    (
        ("table", "files", 0, "rows", 0, 1),
        None,
        "table.files[0].rows[0][1]: is NULL, but the column id is not nullable",
    ),
    (("table", "files", 0, "rows", 0, 3), 0.1, "table.files[0].rows[0][3]: 0.1 does not fit the type float"),
    (("table", "files", 0, "rows", 0, 8, 0, 0), 128, "table.files[0].rows[0][8][0][0]: 128 does not fit the type byte"),
    (
        ("table", "files", 0, "rows", 2, 0),
        {"timestamp": "2020-01-31T12:00:00Z"},
        "table.files[0].rows[2]: 't' is generated from 'at', but has another value",
    ),
    (
        ("table", "files", 0, "rows", 2, 0),
        None,
        "table.files[0].rows[2]: 't' is generated from 'at', but has another va",
    ),
    (("table", "files", 0, "rows", 2, 1), 12, "table.files[0].rows[2]: breaks the table's checks[0]"),
    (("table", "checks", 0, "op"), "XOR", "table.checks[0].op: must be one of =, <>, <, <=, >, >=, <=>, BETWEEN, IN, "),
    (("table", "checks", 1, "operand", "column"), "nope", "table.checks[1]: 'nope' is no column of the table"),
    (
        ("table", "checks", 0, "right", "type"),
        "integer",
        "table.checks[0].right.type: is integer, but 'id' is of type l",
    ),
    (("table", "features", 0), "deletionVectors", None),
    (
        ("table", "features", 0),
        "inCommitTimestamps",
        "table.commits[1].masks: the table needs one of the features delet",
    ),
    (
        ("table", "features", 4),
        "deletionVectors",
        "table.features: deletionVectors and deletionVectorsOff exclude each",
    ),
    (
        ("table", "features", 4),
        "columnMappingName",
        "table.features: columnMappingName and columnMappingId exclude each",
    ),
    (("table", "features", 2), "checksums", "table.features: droppedColumn needs column mapping"),
    (("table", "features", 4), "changeDataFeed", "table.features[4]: the feature changeDataFeed is already taken"),
    (("table", "commits", 1, "masks", 0, "file"), 7, "table.commits[1].masks[0].file: there is no file 7"),
    (
        ("table", "commits", 1, "masks", 1, "file"),
        0,
        "table.commits[1].masks[1].file: file 0 is masked in this commit already",
    ),
    (
        ("table", "commits", 0, "masks"),
        [{"file": 0, "rows": [0], "deleted": 0}],
        "table.commits[0].masks[0].file: file 0 is not live before and after this commit, so it cannot be masked",
    ),
    (
        ("table", "commits", 2, "masks", 0, "file"),
        1,
        "table.commits[2].masks[0].file: file 1 is not live before and after this commit, so it cannot be masked",
    ),
    (
        ("table", "commits", 3, "masks"),
        [{"file": 1, "rows": [1], "deleted": 0}],
        "table.commits[3].masks[0].file: file 1 is not live before and after this commit, so it cannot be masked",
    ),
    (("table", "commits", 1, "masks", 0, "rows"), [], "table.commits[1].masks[0].rows: must hold at least one row"),
    (("table", "commits", 1, "masks", 0, "rows"), [-1], "table.commits[1].masks[0].rows[0]: must not be negative, but"),
    (("table", "commits", 2, "masks", 0, "rows"), [2, 1], "table.commits[2].masks[0].rows[1]: 1 does not come after 2"),
    (("table", "commits", 2, "masks", 0, "rows"), [1, 1], "table.commits[2].masks[0].rows[1]: 1 does not come after 1"),
    (
        ("table", "commits", 2, "masks", 0, "rows"),
        [1, 3],
        "table.commits[2].masks[0].rows: there is no row 3 in file 0, which has 3 rows",
    ),
    (("table", "commits", 2, "masks", 0, "rows"), [0, 1, 2], None),
    (
        ("table", "commits", 2, "masks", 0, "rows"),
        [0, 2],
        "table.commits[2].masks[0].rows: must hide the rows of file 0 that are hidden already, and more",
    ),
    (("table", "commits", 2, "masks", 0, "rows"), [1], "table.commits[2].masks[0].rows: must hide the rows of file 0"),
    (
        ("table", "commits", 1, "masks", 0, "storage"),
        "x",
        "table.commits[1].masks[0].storage: must be one of i, u, p, ",
    ),
    (("table", "commits", 1, "masks", 0, "deleted"), DELETED, "table.commits[1].masks[0].deleted: is missing"),
    (("steps", 0, "form"), "sql", "steps[0].form: must be one of sql by path, sql by name, "),
    (("steps", 0, "form"), "TRUNCATE TABLE", "steps[0].where: TRUNCATE TABLE takes no condition"),
    (
        ("steps", 0, "zone"),
        "Mars/Olympus",
        "steps[0].zone: must be the IANA name of a time zone, but is 'Mars/Olympus'",
    ),
    (("steps", 0, "zone"), "right/UTC", "steps[0].zone: must be the IANA name of a time zone, but is 'right/UTC'"),
    (("steps", 0, "zone"), "../UTC", "steps[0].zone: must be the IANA name of a time zone, but is '../UTC'"),
    (("steps", 0, "zone"), "America", "steps[0].zone: must be the IANA name of a time zone, but is 'America'"),
    (("steps", 0, "zone"), "", "steps[0].zone: must be the IANA name of a time zone, but is ''"),
    (
        ("steps", 0, "where", "left", "relation"),
        "==",
        "steps[0].where.left.relation: must be one of =, <>, <, <=, >, >=",
    ),
    (("steps", 0, "where", "left", "left"), 1, "steps[0].where.left.left: must be an object, but is 1"),
    (
        ("steps", 0, "where", "left", "left", "expression"),
        "try_cast",
        "steps[0].where.left.left.expression: must be one of of, literal, member, call, cast, case, but is",
    ),
    (
        ("steps", 0, "where", "left", "right", "value"),
        1,
        "steps[0].where.left.right.value: must be an object, but is 1",
    ),
    (
        ("steps", 0, "where", "right", "left", "of", "function"),
        "rand",
        "steps[0].where.right.left.of.function: must be one of upper, lower, trim, ",
    ),
    (
        ("steps", 0, "where", "right", "left", "of", "arguments"),
        "x",
        "steps[0].where.right.left.of.arguments: must be an",
    ),
    (
        ("steps", 0, "where", "right", "left", "of", "arguments", 0, "name"),
        "x",
        "steps[0].where.right.left.of.arguments[0].name: is no known field, those are column, expression",
    ),
    (
        ("steps", 0, "where", "right", "right", "left", "of", "condition", "type"),
        "integer",
        "steps[0].where.right.right.left.of.condition.type: is integer, but 'id' is of type long",
    ),
    (
        ("steps", 0, "where", "right", "right", "right", "type"),
        "decimal(10,1)",
        "steps[0].where.right.right.right.values[0].decimal: 0.00 does not fit the type decimal(10,1)",
    ),
    (
        ("steps", 0, "where", "right", "right", "right", "type"),
        "decimal(9,2)",
        "steps[0].where.right.right.right.type: is decimal(9,2), but 'price' is of type decimal(10,2)",
    ),
    (("steps", 1, "of_step"), 1, "steps[1].of_step: is 1, but only a step before this one (1) can be meant"),
    (("steps", 1, "of_step"), None, "steps[1].of_step: must be a whole number, but is null"),
    (("steps", 4), {"step": "read_changes", "of_step": 3}, "steps[4].of_step: is 3, which is no DELETE"),
    (("table", "features", 1), "checksums", "steps[1]: the table needs the feature changeDataFeed"),
    (("steps", 3, "blunder"), "typing error", "steps[3].blunder: must be one of IN subquery, scalar subquery, "),
    (
        ("steps", 4, "files", 0, "rows", 0, 1),
        None,
        "steps[4].files[0].rows[0][1]: is NULL, but the column id is not nul",
    ),
    (("steps", 4, "files", 0, "rows", 0, 1), 12, "steps[4].files[0].rows[0]: breaks the table's checks[0]"),
    (
        ("steps", 4, "files", 0, "rows", 0, 0),
        {"timestamp": "2020-01-31T12:00:00Z"},
        "steps[4].files[0].rows[0]: 't' is generated from 'at', but has another value",
    ),
]


#: What the others have not: VACUUM's steps, and what lies in and around the tables that they clean up.
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
        Commit(at=-7, masks=(Mask(0, (1,), -7, VectorStorage.ABSOLUTE),), vector_prefix="ab"),
    ),
    strays=(
        Stray("../beside/x"),
        Stray("../beside/link", Kind.LINK, size=0, target="../beside"),
        Stray("link", Kind.LINK, size=0, target="../beside/x"),
        Stray("loop", Kind.LINK, modified=-3, size=0, target="d/nothing"),
        Stray("d", Kind.DIRECTORY, size=0),
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
        Vacuum(trouble=Trouble.CANNOT_DELETE, troubled="d/e f"),
        *(Vacuum(mode=mode) for mode in Mode),
        *(Vacuum(form=form) for form in VacuumForm),
        *(Vacuum(trouble=trouble, troubled="d") for trouble in Trouble),
        *(BadVacuum(blunder) for blunder in VacuumBlunder),
        BadVacuum(VacuumBlunder.CLAUSE_TWICE, dry_run=True),
        Litter((Stray("../other/x"), Stray("again", Kind.LINK, size=0, target="d"))),
    ),
)


def test_a_vacuums_case_reads_back() -> None:
    assert codec.loads(codec.dumps(VACUUM_CASE)) == VACUUM_CASE
    assert codec.from_json(json.loads(json.dumps(codec.to_json(VACUUM_CASE)))) == VACUUM_CASE


def test_what_a_vacuum_leaves_unsaid_is_left_out() -> None:
    document: Any = codec.to_json(VACUUM_CASE)
    assert document["steps"][0] == {
        "step": "vacuum",
        "dry_run": True,
        "logging": None,
        "mode": "LITE",
        "parallel": True,
    }
    assert document["steps"][3] == {"step": "vacuum", "trouble": "it cannot be deleted", "troubled": "d/e f"}
    assert document["table"]["commits"][1]["removes"] == [
        {"file": 1, "deleted": None},
        {"file": 2, "deleted": -8, "bare": True},
    ]
    assert document["table"]["strays"][2] == {"path": "link", "kind": "link", "size": 0, "target": "../beside/x"}


#: A change to the document of VACUUM_CASE, and the sentence that must answer it.
VACUUM_FAULTS: list[tuple[tuple[str | int, ...], object, str | None]] = [
    (("table", "files", 0, "reference"), "relativ", "table.files[0].reference: must be one of relative, absolute, out"),
    (("table", "pruned"), 2, "table.pruned: is 2, but no checkpoint is at that version"),
    (("table", "pruned"), 3, "table.pruned: is 3, but no checkpoint is at that version"),
    (("table", "pruned"), -1, "table.pruned: must not be negative, but is -1"),
    (("table", "pruned"), 0, None),
    (("table", "commits", 1, "parts"), 0, "table.commits[1].parts: "),
    (("table", "commits", 2, "parts"), 2, "table.commits[2].parts: is 2, but no classic checkpoint is at this version"),
    (
        ("table", "features", 1),
        "v2Checkpoints",
        "table.commits[1].parts: is 3, but no classic checkpoint is at this version",
    ),
    (("table", "features", 1), "unknownReader", "table.features: unknownWriter and unknownReader exclude each"),
    (
        ("table", "commits", 2, "vector_prefix"),
        "a/b",
        "table.commits[2].vector_prefix: must be one directory, but is 'a/b'",
    ),
    (("table", "commits", 1, "removes", 0, "deleted"), DELETED, "table.commits[1].removes[0].deleted: is missing"),
    (("table", "commits", 1, "removes", 1, "bare"), 1, "table.commits[1].removes[1].bare: must be true or false, but"),
    (("table", "strays", 2, "target"), DELETED, "table.strays[2].target: must be there for a link, and only then"),
    (("table", "strays", 2, "target"), "../../x", "table.strays[2].target: must be a path below the table's root, but"),
    (("table", "strays", 2, "target"), "/x", "table.strays[2].target: must be a path below the table's root, but is"),
    (("table", "strays", 4, "path"), "link/x", "table.strays[4].path: 'link/x' lies below 'link', which is no direct"),
    (("table", "strays", 0, "path"), "../beside/link", "table.strays[1].path: '../beside/link' is already taken"),
    (
        ("table", "strays", 0, "path"),
        "../elsewhere",
        "table.strays[0].path: '../elsewhere' must be a directory, other files lie below it",
    ),
    (("steps", 0, "logging"), "no", "steps[0].logging: must be true or false, but is"),
    (("steps", 0, "mode"), "lite", "steps[0].mode: must be one of default, FULL, LITE, LITE by setting, USING INVENT"),
    (("steps", 0, "form"), "DeltaTable.forPath", "steps[0].form: DeltaTable.forPath has neither a mode nor a dry run"),
    (("steps", 2, "mode"), "LITE", "steps[2].form: DeltaTable.forPath has neither a mode nor a dry run"),
    (("steps", 2, "mode"), DELETED, None),
    (("steps", 1, "inventory"), "some", "steps[1].inventory: must be one of complete, files only, but is"),
    (("steps", 3, "troubled"), DELETED, "steps[3].troubled: must be there with a trouble, and only then"),
    (("steps", 3, "trouble"), DELETED, "steps[3].troubled: must be there with a trouble, and only then"),
    (("steps", 3, "troubled"), "../x", "steps[3].troubled: must be a path below the table's root, but is"),
    (("steps", 3, "trouble"), "fire", "steps[3].trouble: must be one of it cannot be deleted, its deletion breaks, "),
    (("steps", -2, "blunder"), "view", "steps[29].blunder: must be one of partition directory as the target, "),
    (("steps", -2, "mode"), "LITE", "steps[29].mode: is no known field, those are blunder, dry_run, step"),
]


@pytest.mark.parametrize(
    ("case", "path", "value", "sentence"),
    [
        *((CASE, *fault) for fault in FAULTS),
        *((WIDE_CASE, *fault) for fault in WIDE_FAULTS),
        *((VACUUM_CASE, *fault) for fault in VACUUM_FAULTS),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_fault_is_named_in_one_sentence(
    case: Case, path: tuple[str | int, ...], value: object, sentence: str | None
) -> None:
    document: Any = copy.deepcopy(codec.to_json(case))
    *above, last = path
    place = document
    for key in above:
        place = place[key]
    if value is DELETED:
        del place[last]
    else:
        place[last] = value
    if sentence is None:
        codec.from_json(document)
        return
    with pytest.raises(CorruptCase) as caught:
        codec.from_json(document)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_the_empty_string_is_no_partition_value() -> None:
    document: Any = codec.to_json(CASE)
    document["table"]["files"][0]["partition"] = [""]
    with pytest.raises(
        CorruptCase, match=r"^table\.files\[0\]\.partition\[0\]: is the empty string, which no partition"
    ):
        codec.from_json(document)


@pytest.mark.parametrize(
    "check",
    [
        Relate(Of("tags"), Op.EQ, Literal("x", Type.STRING)),  # no two types that SQL compares
        Relate(Cast(Literal("x", Type.STRING), Type.LONG), Op.EQ, Of("id")),  # an error in ANSI SQL
        Like("word", "50\\"),  # Spark refuses the pattern
    ],
)
def test_a_check_that_cannot_be_worked_out_is_refused(check: Predicate) -> None:
    table = Table(
        columns=(Column("id", Type.LONG), Column("tags", ArrayOf(Type.STRING)), Column("word", Type.STRING)),
        partition_by=(),
        files=(DataFile(0, (), ((1, None, "50%"),), -1),),
        commits=(Commit(-1, adds=(0,)),),
        checks=(check,),
    )
    with pytest.raises(
        CorruptCase, match=r"^table\.files\[0\]\.rows\[0\]: the table's checks\[0\] cannot be worked out \("
    ):
        codec.table_from_json(codec.table_to_json(table))


def test_a_file_that_came_back_shows_all_its_rows_again() -> None:
    # The last mask of file 1 hides less than the one before its removal.
    assert [mask.rows for commit in WIDE_TABLE.commits for mask in commit.masks if mask.file == 1] == [(0,), (1,)]
    assert codec.table_from_json(codec.table_to_json(WIDE_TABLE)) == WIDE_TABLE


def test_what_the_engine_must_refuse_is_a_case_all_the_same() -> None:
    unknown = Delete(Compare("nope", Op.EQ, 1, Type.INTEGER))
    malformed = Delete(Like("p", "a\\"))
    case = Case(TABLE, (unknown, malformed))
    assert codec.from_json(codec.to_json(case)) == case


def test_a_file_that_was_removed_may_come_back() -> None:
    table = Table(
        columns=(Column("i", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(id=0, partition=(), rows=(), modified=-9),),
        commits=(Commit(-9, adds=(0,)), Commit(-8, removes=(Removal(0, -8),)), Commit(-7, adds=(0,))),
    )
    assert codec.table_from_json(codec.table_to_json(table)) == table


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the document: is no JSON"),
        ("[]", "the document: must be an object, but is []"),
        ('{"format": 1, "format": 1}', "the document: an object in it has the field 'format' twice"),
        ('{"format": 1, "table": {}, "steps": [{"step": "delete", "where": 3}]}', "table.columns: is missing"),
        ("[" * 100_000, "the document: is no JSON"),
    ],
)
def test_a_text_that_is_no_case(text: str, sentence: str) -> None:
    with pytest.raises(CorruptCase) as caught:
        codec.loads(text)
    assert str(caught.value).startswith(sentence)


def test_half_a_surrogate_pair_is_refused() -> None:
    text = codec.dumps(CASE).replace('"_tmp/x"', '"\\ud83d"')
    with pytest.raises(CorruptCase, match=r"^table\.strays\[0\]\.path: holds half of a surrogate pair"):
        codec.loads(text)


def test_a_message_shows_any_value_and_no_long_one() -> None:
    assert shown(date(2020, 2, 29)) == '"2020-02-29"'
    assert shown("x" * 58) == f'"{"x" * 58}"'
    assert shown("x" * 59) == f'"{"x" * 56}...'


def test_a_generated_nan_is_the_same_as_its_source() -> None:
    columns = (Column("v", Type.DOUBLE), Column("copy", Type.DOUBLE, generated_from="v"))
    row = (float("nan"), float("nan"))
    table = Table(columns, (), (DataFile(0, (), (row,), -1),), (Commit(-1, adds=(0,)),))
    written = codec.to_json(Case(table, ()))
    assert codec.to_json(codec.from_json(written)) == written
    other = Table(columns, (), (DataFile(0, (), ((1.0, float("nan")),), -1),), (Commit(-1, adds=(0,)),))
    with pytest.raises(CorruptCase, match="has another value"):
        codec.from_json(codec.to_json(Case(other, ())))
