"""The JSON form: a document that is no case is refused with one sentence that names the place."""

from __future__ import annotations

import copy
from datetime import date
from typing import Any

import pytest

from model import codec
from model.case import Case
from model.codec import CorruptCase
from model.codec.fields import shown
from model.predicate import (
    Cast,
    Like,
    Literal,
    Of,
    Op,
    Predicate,
    Relate,
)
from model.table import (
    Column,
    Commit,
    DataFile,
    Table,
)
from model.values import ArrayOf, Type
from tests.codec_cases import CASE, VACUUM_CASE, WIDE_CASE

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
