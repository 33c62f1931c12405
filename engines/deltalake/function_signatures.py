"""The functions of DataFusion in the installed deltalake, with the types of arguments that it takes.

These names are tried: those of DataFusion's documentation, https://datafusion.apache.org/user-guide/sql/scalar_functions.html
(November 2026). Not every release of deltalake can list its own (``engines.deltalake.surface`` asks the newest).
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

_NAMES = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh cot degrees exp factorial floor gcd iszero isnan lcm ln
log log10 log2 nanvl pi pow power radians round signum sin sinh sqrt tan tanh trunc coalesce greatest ifnull least
nullif nvl nvl2 ascii bit_length btrim char_length character_length chr concat concat_ws contains ends_with find_in_set
initcap instr left length levenshtein lower lpad ltrim octet_length overlay position repeat replace reverse right rpad
rtrim split_part starts_with strpos substr substr_index substring substring_index to_hex translate trim upper uuid
decode encode regexp_count regexp_instr regexp_like regexp_match regexp_replace date_bin date_format date_part
date_trunc datepart datetrunc from_unixtime make_date make_time to_char to_date to_local_time to_timestamp
to_timestamp_micros to_timestamp_millis to_timestamp_nanos to_timestamp_seconds to_unixtime array_any_value array_append
array_cat array_concat array_contains array_dims array_distance array_distinct array_element array_empty array_except
array_extract array_has array_has_all array_has_any array_indexof array_intersect array_join array_length array_max
array_min array_ndims array_pop_back array_pop_front array_position array_positions array_prepend array_push_back
array_push_front array_remove array_remove_all array_remove_n array_repeat array_replace array_replace_all
array_replace_n array_resize array_reverse array_slice array_sort array_to_string array_union arrays_overlap cardinality
empty flatten generate_series list_contains list_has list_length make_array range string_to_array string_to_list
named_struct struct row map map_extract map_keys map_values element_at digest md5 sha224 sha256 sha384 sha512 arrow_cast
arrow_typeof get_field union_extract union_tag
""".split()  # noqa: SIM905 - a list would have a line for each

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
        return [one for name in sorted(_NAMES) for one in _taken(query, name)]


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
