"""A column of each type, and rows with the limits of the types."""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from decimal import Decimal

from deltalog.values.arrow_values import Values
from deltalog.values.schemas import Field, array_type, decimal_type, map_columns, map_type, struct_type

#: A column of each type. Names have characters that mean nesting or quoting elsewhere.
COLUMNS: tuple[tuple[str, object], ...] = (
    ("text", "string"),
    ("bytes", "binary"),
    ("byte", "byte"),
    ("short", "short"),
    ("int", "integer"),
    ("long", "long"),
    ("float", "float"),
    ("double", "double"),
    ("flag", "boolean"),
    ("day", "date"),
    ("instant", "timestamp"),
    ("local", "timestamp_ntz"),
    ("price", decimal_type(5, 2)),
    ("wide", decimal_type(38, 18)),
    (
        "a.struct",
        struct_type(
            [("a", "long"), ("b.c", "string"), ("in `side`", struct_type([("x", "double"), ("y", "timestamp")]))]
        ),
    ),
    ("list", array_type("integer")),
    ("list of structs", array_type(struct_type([("k", "timestamp"), ("v", decimal_type(3, 1))]))),
    ("map", map_type("string", decimal_type(10, 2))),
    ("map of structs", map_type("integer", struct_type([("z", array_type("string"))]))),
)

UTC = timezone.utc
FIRST, LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)

#: Rows with the limits of the types.
ROWS: tuple[Values, ...] = (
    (
        "x", b"\0\xff", -128, -32768, -(2**31), -(2**63), 0.5, math.inf, True, date(1, 1, 1),
        FIRST.replace(tzinfo=UTC), FIRST, Decimal("-999.99"), Decimal("-99999999999999999999.999999999999999999"),
        (1, "q", (-0.0, None)), (1, None), ((LAST.replace(tzinfo=UTC), Decimal("1.0")), None),
        (("a", Decimal("1.20")), ("b", None)), ((1, (("x", None),)), (2, None)),
    ),
    (
        "", b"", 127, 32767, 2**31 - 1, 2**63 - 1, -math.inf, 5e-324, False, date(9999, 12, 31),
        LAST.replace(tzinfo=UTC), LAST, Decimal("0.00"), Decimal("0.000000000000000001"),
        (None, None, None), (), (), (), (),
    ),
    (
        "ü\0'\"\\", None, 0, 0, 0, 0, -0.0, -0.0, None, date(1969, 12, 31),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 999_999),
        Decimal("0.01"), None, (None, "", (None, None)), (None,), (None,), (("", None),), ((0, (None,)),),
    ),
    (None,) * len(COLUMNS),
)  # fmt: skip


def mapped_columns() -> tuple[Field, ...]:
    return map_columns(COLUMNS, [f"col-{index:08x}" for index in range(len(COLUMNS))])[0]
