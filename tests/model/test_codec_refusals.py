"""The JSON form: an invalid document is refused with one sentence, which begins with the path of the problem."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from model import codec
from model.codec import InvalidCase
from model.codec.plain import shown
from model.vocabulary.case import Case
from model.vocabulary.predicate import Cast, Like, Literal, Of, Op, Predicate, Relate
from model.vocabulary.steps import Read
from model.vocabulary.table import Column, Commit, DataFile, Table
from model.vocabulary.values import ArrayOf, Type
from tests.builders.read_back import table_read_back
from tests.model.codec_cases import CASE, COMMAND_CASE, VACUUM_CASE, WIDE_CASE

DELETED = object()
REMOVAL = {"file": 1, "deleted": 0}
VECTOR = {"file": 1, "rows": [1], "deleted": 0}
AN_HOUR = {"timestamp": "2020-01-31T12:00:00Z"}
FILE = "p=a/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet"
IN = "steps[0].where.right.right.right"
V1 = "table.commits[1].deletion_vectors[0]"
V2 = "table.commits[2].deletion_vectors[0].rows"

#: Changes to the documents of cases: field, new value, the message after the path, and the path if not that of the field.
CASE_CHANGES: list[tuple[Any, ...]] = [
    ("format", 2, "must be 1, but is 2"),
    ("table.columns[1].name", "P", "the column name p is already taken", "table.columns[1]"),
    ("table.partition_by[0]", "nope", "'nope' is not a column of the table"),
    ("table.partition_by", ["p", "p"], "must have nothing twice"),
    ("table.partition_by", ["p", "i", "l", "b", "d"], "leaves no column for the data files"),
    ("table.files[1].id", 0, "the file id 0 is already taken", "table.files[1]"),
    ("table.files[0].partition", [], "has 0 values for 1 columns (p)"),
    ("table.files[0].partition[0]", 1, "must be a string, but is 1"),
    ("table.files[0].rows[1]", [1], "has 1 values for 4 columns (i, l, b, d)"),
    ("table.files[0].rows[0][0]", 2147483648, "2147483648 does not fit the type integer"),
    ("table.files[0].rows[0][0]", True, "must be a whole number, but is true"),
    ("table.files[0].rows[0][2]", 1, "must be true or false, but is 1"),
    ("table.files[0].rows[0][3]", "2020-01-31", "must be an object, but is "),
    ("table.commits[1].at", -3, "-3 is not after the previous commit, at -3"),
    ("table.commits[0].adds[1]", 7, "there is no file 7"),
    ("table.commits[0].adds", [0, 1, 0], "file 0 is already live", "table.commits[0].adds[2]"),
    ("table.commits[1].adds", [0], "file 0 is already live", "table.commits[1].adds[0]"),
    ("table.commits[0].adds", [1], "no commit adds file 0; it should be a stray file", "table.files[0].id"),
    ("table.commits[1].removes[0].file", 7, "there is no file 7"),
    ("table.commits[0].removes", [REMOVAL], "file 1 is not", "table.commits[0].removes[0].file"),
    ("table.commits[1].removes", [REMOVAL, REMOVAL], "file 1 is not live, so", "table.commits[1].removes[1].file"),
    ("table.stray_files[0].path", "../../x", "must be a path below the table's root, but is"),
    ("table.stray_files[0].path", "..", "must be a path below the table's root, but is"),
    ("table.stray_files[0].path", "../", "must be a path below the table's root, but is"),
    ("table.stray_files[0].path", "../x/../y", "must be a path below the table's root, but"),
    ("table.stray_files[0].path", "x/../../y", "must be a path below the table's root, but"),
    ("table.stray_files[0].path", "empty", "'empty' is already taken", "table.stray_files[1].path"),
    ("table.stray_files[0].path", f"{FILE}/x", f"'{FILE}/x' is below"),
    ("table.stray_files[0].path", "p=a", "'p=a' must be a directory, as other files are below it"),
    ("table.stray_files[1].kind", "link", "must be present exactly for a link", "table.stray_files[1].target"),
    ("table.stray_files[1].target", "x", "must be present exactly for a link"),
    ("table.retention_hours", -1, "must not be negative, but is -1"),
    ("steps[0].step", "update", "must be one of delete, invalid_delete, vacuum, invalid_vacuum, "),
    ("steps[0].where.op", "XOR", "must be one of =, <>, <, <=, >, >=, <=>, CONSTANT, BETWEEN, "),
    ("steps[0].where.left.left.value", "x", "must be a whole number, but"),
    ("steps[0].where.left.left.type", "long", "is long, but 'i' is of "),
    ("steps[0].where.left.right.operand.column", "i", "LIKE needs a string, but 'i' is of type integer"),
    ("steps[0].where.right.left.right.values", [], "must not be empty"),
    ("steps[4].to.removed_by_step", 4, "is 4, but must be an earlier step than this one (4)"),
    ("steps[6].retain_hours", math.inf, "must be a number of hours, but is Infinity"),
    ("steps[8].before_step", 8, "is 8, but must be an earlier step than this one (8)"),
    ("steps[9].files[0].id", 1, "the file id 1 is already taken"),
    ("steps[9].files[0].rows[0]", [], "has 0 values for 4 columns (i, l, b, d)"),
    ("steps[10].stray_files[0].path", "_tmp/x", "'_tmp/x' is already taken"),
]

WIDE_CHANGES: list[tuple[Any, ...]] = [
    ("table.columns[1].nullable", False, "is NULL, but the column at is not nullab", "table.files[1].rows[0][0]"),
    ("table.columns[0].nullable", False, "is NULL, but the column t is not nulla", "table.files[1].partition[0]"),
    ("table.columns[2].type", "integer", "an identity column must be a long, but this o", "table.columns[2].identity"),
    ("table.columns[2].default", True, "has more than one of default, identity and generate", "table.columns[2]"),
    ("table.columns[0].default", True, "has more than one of default, identity and generate", "table.columns[0]"),
    ("table.columns[0].generated_from", "nope", "'nope' is not a column of the table"),
    ("table.columns[0].generated_from", "t", "'t' cannot be generated from itsel"),
    ("table.columns[0].generated_from", "local", "'local' is of type timestamp_ntz, not timestamp"),
    ("table.columns[1].generated_from", "t", "'at' is itself generated", "table.columns[0].generated_from"),
    ("table.partition_by[0]", "id", "a partition column cannot be an identity colu", "table.columns[2].identity"),
    ("table.partition_by[0]", "raw", "'raw' is of type binary, which cannot be a partition column"),
    ("table.partition_by[0]", "tags", "'tags' is of type array<string>, which"),
    ("table.partition_by[0]", "marks", "'marks' is of type map<byte,short>"),
    ("table.partition_by[0]", "who", "'who' is of type struct<name:string,born:date>"),
    ("table.files[0].rows[0][1]", None, "is NULL, but the column id is not nullable"),
    ("table.files[0].rows[0][3]", 0.1, "0.1 does not fit the type float"),
    ("table.files[0].rows[0][8][0][0]", 128, "128 does not fit the type byte"),
    ("table.files[0].rows[2][0]", AN_HOUR, "'t' is generated from 'at', but has another", "table.files[0].rows[2]"),
    ("table.files[0].rows[2][0]", None, "'t' is generated from 'at', but has another", "table.files[0].rows[2]"),
    ("table.files[0].rows[2][1]", 12, "violates the table's checks[0]", "table.files[0].rows[2]"),
    ("table.checks[1].operand.column", "nope", "'nope' is not a column of the table", "table.checks[1]"),
    ("table.checks[0].right.type", "integer", "is integer, but 'id' is of type l"),
    (
        "table.features[0]",
        "inCommitTimestamps",
        "the table needs one of the features",
        "table.commits[1].deletion_vectors",
    ),
    ("table.features[4]", "deletionVectors", "deletionVectors and deletionVectorsOff exclude", "table.features"),
    ("table.features[4]", "columnMappingName", "columnMappingName and columnMappingId exclude", "table.features"),
    ("table.features[2]", "checksums", "droppedColumn needs column mapping", "table.features"),
    ("table.features[4]", "changeDataFeed", "must have nothing twice", "table.features"),
    (f"{V1}.file", 7, "there is no file 7"),
    ("table.commits[1].deletion_vectors[1].file", 0, "file 0 already has a deletion vector in this commit"),
    (
        "table.commits[0].deletion_vectors",
        [VECTOR],
        "file 1 is not live before and",
        "table.commits[0].deletion_vectors[0].file",
    ),
    ("table.commits[2].deletion_vectors[0].file", 1, "file 1 is not live before and after this commit"),
    (
        "table.commits[3].deletion_vectors",
        [VECTOR],
        "file 1 is not live before and",
        "table.commits[3].deletion_vectors[0].file",
    ),
    (V2, [2, 1], "1 does not come after 2", f"{V2}[1]"),
    (V2, [1, 1], "1 does not come after 1", f"{V2}[1]"),
    (V2, [1, 3], "there is no row 3 in file 0, which has 3 rows"),
    (V2, [0, 2], "must hide the already hidden rows of file 0, and more"),
    (V2, [1], "must hide the already hidden rows of file 0"),
    ("steps[0].form", "TRUNCATE TABLE", "TRUNCATE TABLE cannot have a condition", "steps[0].where"),
    ("steps[0].spelling", "absolute", "must be one of absolute path, slash at the end, "),
    ("steps[0].zone", "Mars/Olympus", "must be the IANA name of a time zone, but is 'Mars/Olympus'"),
    ("steps[0].zone", "right/UTC", "must be the IANA name of a time zone, but is 'right/UTC'"),
    ("steps[0].zone", "../UTC", "must be the IANA name of a time zone, but is '../UTC'"),
    ("steps[0].where.left.left.expression", "try_cast", "must be one of of, literal, member, call, cast, case,"),
    ("steps[0].where.left.right.value", 1, "must be an object, but is 1"),
    ("steps[0].where.right.right.left.of.condition.type", "integer", "is integer, but 'id' is of type long"),
    (f"{IN}.type", "decimal(10,1)", "0.00 does not", f"{IN}.values[0].decimal"),
    (f"{IN}.type", "decimal(9,2)", "is decimal(9,2), but 'price' is of type decimal("),
    ("steps[1].of_step", 1, "is 1, but must be an earlier step than this one (1)"),
    ("steps[4]", {"step": "read_changes", "of_step": 3}, "is 3, which is not a DELETE", "steps[4].of_step"),
    ("table.features[1]", "checksums", "the table needs the feature changeDataFeed", "steps[1]"),
    ("steps[4].files[0].rows[0][1]", None, "is NULL, but the column id is not nul"),
    ("steps[4].files[0].rows[0][1]", 12, "violates the table's checks[0]", "steps[4].files[0].rows[0]"),
    (
        "steps[4].files[0].rows[0][0]",
        AN_HOUR,
        "'t' is generated from 'at', but has another",
        "steps[4].files[0].rows[0]",
    ),
]

VACUUM_CHANGES: list[tuple[Any, ...]] = [
    ("table.pruned", 2, "is 2, but that version has no checkpoint"),
    ("table.pruned", 3, "is 3, but that version has no checkpoint"),
    ("table.commits[2].parts", 2, "is 2, but this version has no classic checkpoint"),
    (
        "table.features[1]",
        "v2Checkpoints",
        "is 3, but this version has no classic checkpoint",
        "table.commits[1].parts",
    ),
    ("table.features[1]", "unknownReader", "unknownWriter and unknownReader exclude each", "table.features"),
    ("table.commits[2].vector_prefix", "a/b", 'must be one directory, but is "a/b"'),
    ("table.stray_files[2].target", DELETED, "must be present exactly for a link"),
    ("table.stray_files[2].target", "../../x", "must be a path below the table's root, but"),
    ("table.stray_files[4].path", "link/x", "'link/x' is below 'link', which is not a direct"),
    ("table.stray_files[0].path", "../beside/link", "'../beside/link' is already taken", "table.stray_files[1].path"),
    ("table.stray_files[0].path", "../elsewhere", "'../elsewhere' must be a directory, as other files are below it"),
    ("steps[0].form", "DeltaTable.forPath", "DeltaTable.forPath supports neither modes nor a dry run"),
    ("steps[3].spelling", "doubled slash", "an inventory and an io_fault have plain paths only"),
    ("steps[2].mode", "LITE", "DeltaTable.forPath supports neither modes nor a dry run", "steps[2].form"),
    ("steps[3].faulty_path", DELETED, "must be present exactly if there is an io_fault"),
    ("steps[3].io_fault", DELETED, "must be present exactly if there is an io_fault", "steps[3].faulty_path"),
    ("steps[3].faulty_path", "../x", "must be a path below the table's root, but is"),
]

TO = {"column": "i", "type": "integer", "value": 1}
NUMBER = {"op": "=", "column": "i", "value": 1, "type": "integer"}
LOCAL = {"array": "timestamp_ntz"}


def _of(kind: str, **fields: Any) -> dict[str, Any]:
    return {"step": "other_command", "command": {"command": kind, **fields}}


COMMAND_CHANGES: list[tuple[Any, ...]] = [
    ("steps[0].command.command", "MOVE", "must be one of OPTIMIZE, REORG PURGE, RESTORE, "),
    ("steps[1].command.where", NUMBER, "'i' is not a partition column"),
    ("steps[1].command.where", {"op": "CONSTANT", "value": True}, "tests no partition column"),
    (
        "steps[1].command.where.column",
        "nope",
        "'nope' is not a column that the table has then",
        "steps[1].command.where",
    ),
    ("steps[1].command.where.type", "binary", "must be an object, but is", "steps[1].command.where.value"),
    ("steps[1].command.zorder_by[0]", "p", "'p' is a partition column"),
    ("steps[1].command.zorder_by[0]", "nope", "'nope' is not a column that the table has then"),
    ("steps[1].command.zorder_by[0]", "d", "must have nothing twice", "steps[1].command.zorder_by"),
    ("steps[3].command.before_step", 3, "is 3, but must be an earlier step than this one (3)"),
    ("steps[3].command.before_step", -2, "is -2, but the initial table has no version before such a commit"),
    ("steps[4].command.to.column", "nope", "'nope' is not a column that the table has then"),
    ("steps[4].command.to.type", "long", "is long, but 'i' is of type integer"),
    ("steps[4].command.to.value", "1", 'must be a whole number, but is "1"'),
    (
        "steps[4].command.to",
        {"column": "p", "type": "string", "value": ""},
        "is the empty",
        "steps[4].command.to.value",
    ),
    ("steps[5].command.also", [{"column": "d", "type": "date", "value": None}], "has 'd' more than once"),
    (
        "steps[5].command.also",
        [{"column": "x", "type": "date", "value": None}],
        "'x' is not a col",
        "steps[5].command.also[0].column",
    ),
    ("steps[29].command.commits", 2, "leaves fewer than two commits", "steps[29].command.but_newest"),
    ("steps[7].command.clauses[1].also", [{"column": "d", "type": "date", "value": None}], "goes with an assignment"),
    ("steps[5].command.where.right.right.column", "nope", "'nope' is not a col", "steps[5].command.where"),
    ("steps[6].command.on.type", "integer", 'must be a whole number, but is "a"', "steps[6].command.on.value"),
    ("steps[7].command.rows", [["a", 1, 2, True, None]] * 2, "must differ in the keys"),
    ("steps[7].command.rows", [], "must have a row of the source"),
    ("steps[7].command.rows[0]", ["a"], "has 1 values for 5 columns (p, i, l, b, d)"),
    ("steps[7].command.keys", ["nope"], "'nope' is not a col", "steps[7].command.keys[0]"),
    ("steps[7].command.clauses[1].then", "DELETE", "a clause that is NOT MATCHED inserts"),
    ("steps[7].command.clauses[0].then", "DELETE", "UPDATE SET has an assignment", "steps[7].command.clauses[0].to"),
    ("steps[7].command.by_name", True, "a source with the names of the table goes with ON TRUE"),
    ("steps[33].command.by_name", False, "is a column of a source with the names", "steps[33].command.adds"),
    ("steps[33].command.clauses[0].then", "DELETE", "is a column of a source with", "steps[33].command.adds"),
    ("steps[33].command.adds.name", "B", "the column name B is already taken"),
    ("steps[33].command.adds.nullable", False, "is added with NULL in all rows", "steps[33].command.adds"),
    ("steps[33].command.rows[0]", ["a"], "has 1 values for 6 columns (q, i, b, d, late, new)"),
    ("steps[34].command.rows", [], "goes with rows and a table", "steps[34].command.dynamic"),
    ("steps[9].command.dynamic", True, "an overwrite has a condition, goes by", "steps[9].command.where"),
    ("steps[35].command.dynamic", True, "an overwrite has a condition, goes by", "steps[35].command.where"),
    ("steps[35].command.adds.name", "NEW", "the column name NEW is already taken"),
    ("steps[35].command.rows[0]", ["a"], "has 1 values for 7 columns (q, i, b, d, late, new, newer)"),
    ("steps[9].command.rows[1][0]", "b", "does not satisfy the condition", "steps[9].command.rows[1]"),
    ("steps[9].command.rows[1][0]", None, "does not satisfy the condition", "steps[9].command.rows[1]"),
    ("steps[16].command.feature", "checksums", "must be one of deletionVectors, changeDataFeed, rowTracking, "),
    ("steps[18].command.feature", "rowTracking", "the table never had the feature rowTracking"),
    ("steps[19].command.command", "VACUUM of a clone", "no step before makes a clone", "steps[19].command"),
    ("steps[20].command.command", "SHALLOW CLONE", "the table has a clone already", "steps[20].command"),
    ("steps[20]", _of("RENAME COLUMN", column="d", to="e"), "another writer's files have", "steps[21]"),
    ("steps[20]", _of("switch feature", feature="rowTracking", on=True), "another writer's commits lack", "steps[21]"),
    ("steps[22].command.column.name", "L", "the column name L is already taken"),
    ("steps[22].command.column.nullable", False, "is added with NULL in all rows", "steps[22].command.column"),
    ("steps[22].command.column.physical_name", "x", "is added with NULL in all rows", "steps[22].command.column"),
    ("steps[22].command.column.type", LOCAL, "timestamp_ntz is a feature, which the table lacks"),
    ("steps[23].command.column", "l", "'l' cannot be widened: it is of type long"),
    ("steps[24].command.to", "D", "the column name D is already taken"),
    ("steps[25].command.column", "q", "'q' is a partition column"),
    ("steps[25].command.column", "p", "'p' is not a column that the table has then"),
    ("steps[26].rows[0]", ["a", 1, 2, True, None], "must be true or false, but is 2", "steps[26].rows[0][2]"),
    ("steps[27].where.right.type", "integer", "1099511627776 does not fit the type", "steps[27].where.right.value"),
    ("steps[23]", {"step": "read"}, "1099511627776 does not fit the type integer", "steps[26].rows[0][1]"),
    ("table.features[0]", "checksums", "the table needs column mapping", "steps[24].command.column"),
    ("table.checks", [NUMBER], "'i' cannot change, as the table's checks[0] uses it", "steps[23].command.column"),
    ("table.columns[1].physical_name", "x", "is of tables that were observed: those of a case have none"),
]


#: Changes that leave the document valid.
ALLOWED: list[tuple[Case, str, object]] = [
    (CASE, "table.stray_files[0].path", "../x"),  # beside the root
    (CASE, "steps[10].stray_files[0].path", "empty/x"),  # below an empty directory of the table
    (WIDE_CASE, "table.files[0].group_rows", None),
    (WIDE_CASE, "table.features[0]", "deletionVectors"),
    (WIDE_CASE, "table.commits[2].deletion_vectors[0].rows", [0, 1, 2]),
    (VACUUM_CASE, "table.pruned", 0),
    (VACUUM_CASE, "steps[2].mode", DELETED),
]


def changed(case: Case, path: str, value: object) -> Any:
    """The document of ``case`` with another value at ``path``, or without that field (DELETED)."""
    document: Any = copy.deepcopy(codec.to_json(case))
    *above, last = (int(number) if number else name for name, number in re.findall(r"([a-z_]+)|\[(-?\d+)\]", path))
    place = document
    for key in above:
        place = place[key]
    if value is DELETED:
        del place[last]
    else:
        place[last] = value
    return document


def refusal(document: object) -> str:
    """What the codec says of the document."""
    try:
        codec.from_json(document)
    except InvalidCase as refused:
        return str(refused)
    return "it is accepted"


def test_a_problem_is_reported_with_its_path() -> None:
    catalogue = ((CASE, CASE_CHANGES), (WIDE_CASE, WIDE_CHANGES), (VACUUM_CASE, VACUUM_CHANGES))
    wrong = {}
    for case, changes in (*catalogue, (COMMAND_CASE, COMMAND_CHANGES)):
        for field, value, problem, *at in changes:
            said = refusal(changed(case, field, value))
            if not said.startswith(f"{at[0] if at else field}: {problem}") or "\n" in said:
                wrong[f"{field} as {value!r}"] = said
    assert wrong == {}


def test_valid_changes_are_accepted() -> None:
    refused = [refusal(changed(*change)) for change in ALLOWED]
    assert refused == ["it is accepted"] * len(ALLOWED)


def parts_of(document: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Of each part of a document its path, what it is in, and its place there; of an array only the first one."""
    places = document if isinstance(document, dict) else range(min(len(document), 1))
    for place in places:
        at = f"{path}[{place}]" if isinstance(place, int) else f"{path}.{place}" if path else place
        yield at, document, place
        if isinstance(document[place], (dict, list)) and place != "rows":
            yield from parts_of(document[place], at)


#: Fields of numbers without a sign.
SIGNED = r"(retain_hours|at|modified|deleted|offset|before_step|indexed_leaves|value|low|high|[a-z]+\[0\])$"


def test_every_part_of_a_document_is_of_its_type() -> None:
    """Each is refused at its path if it is of another type, below its limit or unknown."""
    wrong = {}
    for case in (CASE, WIDE_CASE, VACUUM_CASE, COMMAND_CASE):
        document, walked = codec.to_json(case), {**codec.to_json(case)}
        for step in walked["steps"]:
            document["steps"] = walked["steps"] = [step]  # each is the first one once
            for path, above, place in list(parts_of(walked)):
                kept = above[place]
                unsigned = type(kept) is int and not re.search(SIGNED, path)
                for value in ({"no": "thing"}, 1 + 1j, *([-9] if unsigned else ())):
                    above[place] = value
                    document.update(walked)
                    if not (said := refusal(document)).startswith(path):
                        wrong[f"{path} as {value}"] = said
                above[place] = kept
                document.update(walked)
                if isinstance(kept, dict):
                    kept["unknown"] = 1
                    if f"{path}.unknown: is not a known field; those are " not in (said := refusal(document)):
                        wrong[f"{path}.unknown"] = said
                    del kept["unknown"]
            walked.pop("table", None)  # once is enough
    assert wrong == {}


def test_unknown_fields_are_reported_before_missing_ones() -> None:
    with pytest.raises(
        InvalidCase, match=r"^steps\[7\]\.before: is not a known field; those are before_step, by_earlier, step$"
    ):
        codec.from_json(changed(CASE, "steps[7].before", 1))
    with pytest.raises(InvalidCase, match=r"^steps\[3\]\.too: is not a known field; those are step, to$"):
        codec.from_json(changed(CASE, "steps[3]", {"step": "set_clock", "too": {"offset": 1}}))


def test_the_empty_string_is_not_a_partition_value() -> None:
    document = changed(CASE, "table.files[0].partition", [""])
    with pytest.raises(
        InvalidCase, match=r"^table\.files\[0\]\.partition\[0\]: is the empty string, which cannot be a partition"
    ):
        codec.from_json(document)


@pytest.mark.parametrize(
    "check",
    [
        Relate(Of("tags"), Op.EQ, Literal("x", Type.STRING)),  # types that SQL cannot compare
        Relate(Cast(Literal("x", Type.STRING), Type.LONG), Op.EQ, Of("id")),  # an error in ANSI SQL
        Like("word", "50\\"),  # Spark refuses the pattern
    ],
)
def test_a_check_that_cannot_be_evaluated_is_refused(check: Predicate) -> None:
    table = Table(
        columns=(Column("id", Type.LONG), Column("tags", ArrayOf(Type.STRING)), Column("word", Type.STRING)),
        partition_by=(),
        files=(DataFile(0, (), ((1, None, "50%"),), -1),),
        commits=(Commit(-1, adds=(0,)),),
        checks=(check,),
    )
    with pytest.raises(
        InvalidCase, match=r"^table\.files\[0\]\.rows\[0\]: the table's checks\[0\] cannot be evaluated \("
    ):
        table_read_back(table)


def test_an_invalid_text_is_refused() -> None:
    for text, sentence in {
        "": "the document: is not JSON",
        "[]": "the document: must be an object, but is []",
        '{"format": 1, "format": 1}': "the document: an object in it has the field 'format' twice",
        '{"format": 1, "table": {}, "steps": [{"step": "delete", "where": 3}]}': "table.columns: is missing",
        "[" * 100_000: "the document: is not JSON",
    }.items():
        with pytest.raises(InvalidCase) as caught:
            codec.loads(text)
        assert str(caught.value).startswith(sentence)


def test_a_condition_that_is_nested_too_deeply_is_refused() -> None:
    where: Any = {"op": "CONSTANT", "value": True}
    text = json.dumps(changed(CASE, "steps[0].where", where))
    deep = '{"op": "NOT", "operand": ' * 900 + json.dumps(where) + "}" * 900
    with pytest.raises(InvalidCase, match=r"^steps\[0\]\.where\.operand\.operand\..*: is nested too deeply$"):
        codec.loads(text.replace(json.dumps(where), deep))


def test_half_a_surrogate_pair_is_refused() -> None:
    text = codec.dumps(CASE).replace('"_tmp/x"', '"\\ud83d"')
    with pytest.raises(InvalidCase, match=r"^table\.stray_files\[0\]\.path: has half of a surrogate pair"):
        codec.loads(text)


def test_messages_show_any_value_shortened() -> None:
    assert shown(date(2020, 2, 29)) == '"2020-02-29"'
    assert shown("x" * 58) == f'"{"x" * 58}"'
    assert shown("x" * 59) == f'"{"x" * 56}...'


@pytest.mark.parametrize(
    ("step", "pruned", "path", "problem"),
    [
        ({"mode": "LITE by setting"}, 0, "steps[0].keep", "is an argument of an API, which has no other forms"),
        ({"mode": "USING INVENTORY query"}, 0, "steps[0].keep", "is an argument of an API, which has no other forms"),
        ({"form": "DeltaTable.forPath"}, 0, "steps[0].keep", "is an argument of an API, which has no other forms"),
        ({"listing": "with its columns in another order"}, 0, "steps[0].listing", "is of an inventory that is a query"),
        ({"keep": [-1]}, 0, "steps[0].keep[0]", "must not be negative"),
        ({}, 1, "steps[0].keep", "the log must have all versions, and the first ones were pruned"),
    ],
)
def test_versions_to_keep_need_an_api_and_a_whole_log(
    step: dict[str, Any], pruned: int, path: str, problem: str
) -> None:
    table = Table((Column("id", Type.LONG),), (), (), (Commit(-2), Commit(-1, checkpoint=True)), pruned=pruned)
    document = codec.to_json(Case(table, (Read(),)))
    document["steps"] = [{"step": "vacuum", "keep": [1, 0], **step}]
    with pytest.raises(InvalidCase) as caught:
        codec.from_json(document)
    assert (caught.value.path, caught.value.problem[: len(problem)]) == (path, problem)
    document["table"].pop("pruned", None)
    document["steps"] = [{"step": "vacuum", "keep": [1, 0], "mode": "LITE"}]
    assert codec.to_json(codec.from_json(document)) == document
