"""The JSON form: it reads back, it is canonical, and a document that is no case is refused with one clear sentence."""

from __future__ import annotations

import copy
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import codec
from model.case import Case
from model.codec import CorruptCase
from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Op, Or
from model.steps import Append, Delete, Litter, Moment, Read, SetClock, Vacuum
from model.table import Column, Commit, DataFile, Kind, Removal, Statistics, Stray, Table
from model.values import Type
from strategies.predicates import predicates
from strategies.tables import tables

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


def test_every_field_and_form_reads_back() -> None:
    assert codec.from_json(codec.to_json(CASE)) == CASE
    assert codec.loads(codec.dumps(CASE)) == CASE
    assert codec.loads(json.dumps(codec.to_json(CASE), indent=2)) == CASE


@given(st.data())
def test_tables_and_predicates_read_back_alone(data: st.DataObject) -> None:
    table = data.draw(tables())
    predicate = data.draw(predicates(table))
    assert codec.table_from_json(codec.table_to_json(table)) == table
    assert codec.predicate_from_json(codec.predicate_to_json(predicate)) == predicate


@pytest.mark.parametrize("step", CASE.steps)
def test_steps_read_back_alone(step: Any) -> None:
    assert codec.step_from_json(codec.step_to_json(step), TABLE) == step


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
    (("table", "columns", 1, "type"), "int", "table.columns[1].type: must be one of string, integer, long, "),
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
    (("table", "files", 0, "name"), "x", "table.files[0].name: is no known field, those are id, modified, "),
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
    (("table", "strays", 0, "path"), "../x", "table.strays[0].path: must be a path below the table's root, but is"),
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
    (("table", "strays", 1, "kind"), "link", "table.strays[1].kind: must be one of file, directory, but is"),
    (("table", "retention_hours"), -1, "table.retention_hours: must not be negative, but is -1"),
    (("table", "features", 0), "rowTracking", "table.features[0]: must be one of deletionVectors, changeDataFeed, but"),
    (("steps", 0), "delete", 'steps[0]: must be an object, but is "delete"'),
    (("steps", 0, "step"), "update", "steps[0].step: must be one of delete, vacuum, read, set_clock, append, litter"),
    (("steps", 0, "were"), None, "steps[0].were: is no known field, those are step, where"),
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


@pytest.mark.parametrize(("path", "value", "sentence"), FAULTS)
def test_a_fault_is_named_in_one_sentence(path: tuple[str | int, ...], value: object, sentence: str | None) -> None:
    document: Any = copy.deepcopy(codec.to_json(CASE))
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
