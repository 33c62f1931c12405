"""The functions of DataFusion in the installed deltalake, with the types of arguments that it takes.

Their names are those that a session lists (``information_schema.routines``), of one row each and deterministic.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from itertools import islice, product
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

from model.vocabulary.signatures import ARGUMENTS, CONSTANTS, Signature

_LISTED = """SELECT DISTINCT routine_name FROM information_schema.routines
WHERE function_type = 'SCALAR' AND is_deterministic ORDER BY routine_name"""

#: Rows as tables of the suite have them, a column c0, c1, … of each type.
_COLUMNS: tuple[tuple[list[Any], pa.DataType], ...] = (
    ([True, False, None], pa.bool_()),
    ([1, -2, None], pa.int32()),
    ([1, 7, None], pa.int64()),
    ([0.5, -1.5, None], pa.float64()),
    ([Decimal("1.25"), Decimal("-0.01"), None], pa.decimal128(10, 2)),
    (["a", "b c", None], pa.string()),
    ([b"a", b"", None], pa.binary()),
    ([date(2020, 1, 31), date(1999, 12, 31), None], pa.date32()),
    (
        [datetime(2020, 1, 31, 8, tzinfo=timezone.utc), datetime(1970, 1, 1, tzinfo=timezone.utc), None],
        pa.timestamp("us", tz="UTC"),
    ),
    ([["a"], [], None], pa.list_(pa.string())),
)

#: Arrow's names of types that are arguments.
_RESULTS = {
    pa.bool_(): "BOOLEAN",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.string(): "STRING",
    pa.string_view(): "STRING",
    pa.large_string(): "STRING",
    pa.binary(): "BINARY",
    pa.binary_view(): "BINARY",
    pa.date32(): "DATE",
    pa.decimal128(10, 2): "DECIMAL(10, 2)",
    pa.timestamp("us", tz="UTC"): "TIMESTAMP",
}

#: What may be behind the first argument of three.
_PAIRS = (("STRING", "STRING"), ("BIGINT", "BIGINT"), ("'a'", "','"), ("1", "1"), ("'a'", "1"))

#: So many signatures are kept of each function and number of arguments.
_KEPT = 4


def signatures() -> list[Signature]:
    """The signatures that deltalake takes, at most ``_KEPT`` for each name and number of arguments; sorted by name."""
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "t")
        write_deltalake(path, pa.table({f"c{place}": pa.array(*one) for place, one in enumerate(_COLUMNS)}))
        query = QueryBuilder().register("t", DeltaTable(path))
        query.execute("SET datafusion.catalog.information_schema = true")
        names = pa.table(query.execute(_LISTED))["routine_name"].to_pylist()
        return [one for name in names for one in _taken(query, name)]


def _taken(query: Any, name: str) -> Iterator[Signature]:
    types = tuple(ARGUMENTS)
    threes = ((first, *pair) for first in types for pair in _PAIRS)
    for some in (((type,) for type in types), product(types, (*types, *CONSTANTS)), threes):
        calls = (Signature(name, arguments, "") for arguments in some)
        asked = ((call, _result(query, call)) for call in calls)
        yield from islice((replace(call, result=found) for call, found in asked if found), _KEPT)


def _result(query: Any, call: Signature) -> str | None:
    """The type of the result, by its name in SQL or else in Arrow; None if the call is refused, or an error for a row."""
    try:
        reader = query.execute(f"SELECT {call.call} AS r FROM t")
        found = pa.table(reader.read_all() if hasattr(reader, "read_all") else reader)
    except BaseException as refused:  # a panic of Rust is not an Exception
        if isinstance(refused, (KeyboardInterrupt, SystemExit)):
            raise
        return None
    return _RESULTS.get(found.schema[0].type, str(found.schema[0].type))
