"""Values of every type: to a data file and back, by name and by id, and what the statistics say of them."""

from __future__ import annotations

import io
import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deltalog.errors import UnsupportedRows, UnsupportedType
from deltalog.storage.parquet import parquet_bytes, read_parquet, write_data_file
from deltalog.values.arrow_values import Values, from_table, to_table
from deltalog.values.schemas import (
    Field,
    array_type,
    arrow_schema,
    arrow_type,
    default_metadata,
    generated_metadata,
    identity_metadata,
    map_columns,
    map_type,
    parse_schema,
    schema_string,
    struct_fields,
    struct_type,
)
from deltalog.values.statistics import full_statistics, is_single
from tests.builders.every_type import COLUMNS, FIRST, LAST, ROWS, UTC, mapped_columns

_WHOLE = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type, never NULL itself."""
    if isinstance(kind, Mapping):
        if kind["type"] == "struct":
            return st.tuples(*(st.none() | values(one.type) for one in struct_fields(kind)))
        if kind["type"] == "array":
            return st.lists(st.none() | values(kind["elementType"]), max_size=3).map(tuple)
        entries = st.tuples(values(kind["keyType"]), st.none() | values(kind["valueType"]))
        return st.lists(entries, max_size=3, unique_by=lambda entry: entry[0]).map(tuple)
    if kind.startswith("decimal"):
        precision, scale = (int(number) for number in kind[8:-1].split(","))
        return st.integers(-(10**precision) + 1, 10**precision - 1).map(
            lambda units: Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -scale))
        )
    if kind in _WHOLE:
        return st.integers(-(2 ** (_WHOLE[kind] - 1)), 2 ** (_WHOLE[kind] - 1) - 1)
    plain: dict[str, st.SearchStrategy[Any]] = {
        "string": st.text(st.characters(codec="utf-8"), max_size=70),
        "binary": st.binary(max_size=4),
        "float": st.floats(width=32),
        "double": st.floats(),
        "boolean": st.booleans(),
        "date": st.dates(),
        "timestamp": st.datetimes(timezones=st.just(UTC)).map(lambda value: value.replace(fold=0)),
        "timestamp_ntz": st.datetimes().map(lambda value: value.replace(fold=0)),
    }
    return plain[kind]


def rows() -> st.SearchStrategy[list[Values]]:
    row = st.tuples(*(st.none() | values(kind) for _, kind in COLUMNS))
    return st.lists(row, max_size=4)


def read_columns(path: Path, fields: Sequence[Field], *, by_id: bool = False) -> list[Values]:
    """All rows of the file with the values of ``fields``."""
    return list(zip(*from_table(read_parquet(path), fields, by_id=by_id)))


def same(left: object, right: object) -> bool:
    """Equal, with the same types, the same sign of zero, and every NaN equal to every other."""
    return repr(left) == repr(right)


@pytest.mark.long
@given(rows(), st.sampled_from(["plain", "names", "ids"]), st.sampled_from([None, 1, 2]))
@example(list(ROWS), "plain", None)
@example(list(ROWS), "ids", 1)
@example([], "names", None)
@settings(max_examples=60)
def test_values_read_back(rows: list[Values], mapping: str, group_rows: int | None) -> None:
    fields = tuple(Field(*column) for column in COLUMNS) if mapping == "plain" else mapped_columns()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "f.parquet"
        table = to_table(fields, rows)
        write_data_file(path, table, group_rows=group_rows)
        assert same(read_columns(path, fields, by_id=mapping == "ids"), rows)
        assert parquet_bytes(to_table(fields, rows), group_rows=group_rows) == path.read_bytes()


def test_row_groups_have_the_requested_size(tmp_path: Path) -> None:
    write_data_file(tmp_path / "f", pa.table({"a": list(range(5))}), group_rows=2)
    metadata = pq.read_metadata(tmp_path / "f")
    assert [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)] == [2, 2, 1]


@pytest.mark.parametrize(("count", "indexed"), [(1, False), (2, False), (3, True), (40, True), (9_000, True)])
def test_a_file_of_more_than_two_rows_has_pages_and_an_index(count: int, indexed: bool) -> None:
    table = pa.table({"a": list(range(count)), "l": [[number] for number in range(count)]})
    file = pq.ParquetFile(pa.BufferReader(content := parquet_bytes(table)))
    columns = [file.metadata.row_group(0).column(place) for place in range(2)]
    assert [column.has_offset_index for column in columns] == [indexed] * 2
    assert file.read().to_pylist() == table.to_pylist()
    # Each page has a header: a file with more of them is longer.
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="snappy", store_schema=False, write_page_index=indexed)
    assert (len(content) > len(sink.getvalue())) is (2 < count < 9_000)


def test_files_have_the_ids_of_mapped_columns() -> None:
    fields = map_columns(
        [("s", struct_type([("a", "long")])), ("l", array_type(struct_type([("b", "long")])))], ["x", "y"]
    )
    schema = pq.ParquetFile(pa.BufferReader(parquet_bytes(to_table(fields[0], [])))).schema_arrow
    struct, items = schema.field("x"), schema.field("y")
    ids = [struct, struct.type.field("p_a"), items, items.type.value_type.field("p_b")]
    assert [one.metadata for one in ids] == [{b"PARQUET:field_id": number} for number in (b"1", b"3", b"2", b"4")]
    assert fields[1] == 4, "the greatest id"


def test_columns_are_found_by_name_or_by_id_alone() -> None:
    stored, _ = map_columns([("a", "long"), ("s", struct_type([("x", "long"), ("y", "long")]))], ["p", "q"])
    table = to_table(stored, [(1, (2, 3))])
    renamed = (Field("other", "long", metadata={"delta.columnMapping.physicalName": "z", "delta.columnMapping.id": 1}),)
    assert from_table(table, renamed) == [[None]], "no column has this name"
    assert from_table(table, renamed, by_id=True) == [[1]]
    assert from_table(table, [Field("p", "long")]) == [[1]]
    assert from_table(table, [Field("p", "long")], by_id=True) == [[None]], "a column without an id is not looked up"
    swapped = struct_type([*reversed(struct_fields(stored[1].type)), ("new", "long")])  # type: ignore[arg-type]
    assert from_table(table, [Field("s", swapped, metadata=stored[1].metadata)]) == [[(3, 2, None)]], "in schema order"
    with pytest.raises(UnsupportedRows, match="the file has none"):
        from_table(pa.table({"p": [1]}), renamed, by_id=True)


def test_names_of_columns_differ_in_case(tmp_path: Path) -> None:
    table = pa.table({"ID": [1], "S": [{"X": 2, "x": 3}], "Two": [4], "TWO": [5]})
    fields = [Field("id", "long"), Field("s", struct_type([("x", "long")])), Field("Two", "long")]
    assert from_table(table, fields) == [[1], [(3,)], [4]], "the name itself comes first"
    with pytest.raises(UnsupportedRows, match="several columns with the name 'two' in other cases"):
        from_table(table, [Field("two", "long")])


def test_columns_nested_differently_are_refused() -> None:
    table = pa.table({"a": [1], "l": [[1]]})
    for name, kind in [("a", array_type("long")), ("l", "long"), ("l", map_type("long", "long"))]:
        with pytest.raises(UnsupportedRows, match=f"the column '{name}' is stored as"):
            from_table(table, [Field(name, kind)])


_DAY, _MIDNIGHT = date(2020, 1, 31), datetime(2020, 1, 31)


@pytest.mark.parametrize(
    ("value", "stored", "kind", "read"),
    [
        (_DAY, pa.date32(), "timestamp_ntz", _MIDNIGHT),
        (1, pa.int8(), "long", 1),
        (1, pa.int16(), "integer", 1),
        (-128, pa.int32(), "byte", -128),  # without the logical type: Parquet has no narrower physical type
        (32767, pa.int32(), "short", 32767),
        (1, pa.int32(), "double", 1.0),
        (-128, pa.int8(), "decimal(4,1)", Decimal("-128.0")),
        (0.5, pa.float32(), "double", 0.5),
        (7, pa.int32(), "decimal(12,2)", Decimal("7.00")),
        (-(2**63), pa.int64(), "decimal(20,0)", Decimal(-(2**63))),
        (Decimal("1.2"), pa.decimal128(2, 1), "decimal(4,2)", Decimal("1.20")),
        (Decimal("1.2"), pa.decimal128(2, 1), "decimal(38,1)", Decimal("1.2")),
        (b"x\xc3\xbc", pa.binary(), "string", "xü"),
        ("x", pa.large_string(), "string", "x"),
        (b"x", pa.binary(1), "binary", b"x"),
        ("x", pa.dictionary(pa.int8(), pa.string()), "string", "x"),
        (None, pa.null(), "void", None),
    ],
)
def test_values_become_those_of_the_wider_type(value: object, stored: pa.DataType, kind: str, read: object) -> None:
    """At any depth (PROTOCOL.md, "Reader Requirements for Type Widening")."""
    column = pa.array([value, None], stored)
    assert same(from_table(pa.table({"a": column}), [Field("a", kind)]), [[read, None]])
    struct = pa.table({"s": pa.StructArray.from_arrays([column], ["a"])})
    assert same(from_table(struct, [Field("s", struct_type([("a", kind)]))]), [[(read,), (None,)]])


@pytest.mark.parametrize(
    ("value", "stored", "kind"),
    [
        (1, pa.int64(), "string"),
        (1, pa.int64(), "integer"),
        (1, pa.int64(), "double"),
        (1, pa.int64(), "decimal(19,0)"),
        (1, pa.int32(), "decimal(10,1)"),
        (1, pa.uint8(), "long"),
        (1, pa.int32(), "boolean"),
        (1.5, pa.float64(), "float"),
        (Decimal("1.20"), pa.decimal128(4, 2), "decimal(4,1)"),
        (Decimal("1.20"), pa.decimal128(4, 2), "decimal(4,3)"),
        ("x", pa.string(), "binary"),
        ("x", pa.string(), "date"),
        (_DAY, pa.date32(), "timestamp"),
        (_MIDNIGHT, pa.timestamp("ns"), "timestamp"),
        (_MIDNIGHT, pa.timestamp("us", "UTC"), "timestamp_ntz"),
    ],
)
def test_columns_of_another_type_are_refused(value: object, stored: pa.DataType, kind: str) -> None:
    for column in ([value], [None]):
        with pytest.raises(UnsupportedRows, match="the column 'a' is stored as"):
            from_table(pa.table({"a": pa.array(column, stored)}), [Field("a", kind)])


@pytest.mark.parametrize(("value", "kind"), [(128, "byte"), (-129, "byte"), (32768, "short")])
def test_a_number_beyond_the_type_is_refused(value: int, kind: str) -> None:
    with pytest.raises(UnsupportedRows, match="needs more than"):
        from_table(pa.table({"a": pa.array([value], pa.int32())}), [Field("a", kind)])


def test_values_beyond_those_of_python_are_refused(tmp_path: Path) -> None:
    late = pa.array([2**62], pa.timestamp("us", "UTC"))
    for column, kind in [
        (late, "timestamp"),
        (pa.array([b"\xff"]), "string"),
        (pa.array([2**30], pa.date32()), "date"),
    ]:
        with pytest.raises(UnsupportedRows, match="the column 'a' has a value that cannot be read"):
            from_table(pa.table({"a": column}), [Field("a", kind)])


@pytest.mark.parametrize(
    "stored",
    [pa.list_(pa.int64(), 2), pa.large_list(pa.int64()), pa.list_view(pa.int64()), pa.large_list_view(pa.int64())],
)
def test_lists_of_every_layout_are_arrays(tmp_path: Path, stored: pa.DataType) -> None:
    table = pa.table({"a": pa.array([[1, None], None], stored)})
    pq.write_table(table, tmp_path / "f")
    assert pq.read_schema(tmp_path / "f").field("a").type == stored, "the layout is kept in the file"
    fields = [Field("a", array_type("long"))]
    assert read_columns(tmp_path / "f", fields) == [((1, None),), (None,)]


def test_int96_timestamps_are_in_utc(tmp_path: Path) -> None:
    instants = [FIRST, LAST, datetime(2020, 1, 31, 1, 2, 3, 4)]
    pq.write_table(pa.table({"t": instants}), tmp_path / "f", use_deprecated_int96_timestamps=True)
    rows = read_columns(tmp_path / "f", [Field("t", "timestamp")])
    assert rows == [(instant.replace(tzinfo=UTC),) for instant in instants]


def test_a_schema_with_every_type_reads_back() -> None:
    fields = (
        Field("g", "long", False, generated_metadata("a + 1")),
        Field("i", "long", True, identity_metadata(7)),
        Field("d", "string", True, default_metadata("NULL")),
        *mapped_columns(),
    )
    assert parse_schema(schema_string(fields)) == fields
    assert identity_metadata(None) == {
        "delta.identity.start": 1,
        "delta.identity.step": 1,
        "delta.identity.allowExplicitInsert": False,
    }
    mapped = map_columns(fields[:1], ["p"])[0][0]
    assert (mapped.id, mapped.stored_name, mapped.metadata["delta.generationExpression"]) == (1, "p", "a + 1")
    assert not arrow_schema(fields).field("g").nullable
    with pytest.raises(ValueError, match="2 columns need as many physical names, not 1"):
        map_columns([("a", "long"), ("b", "long")], ["p"])


def test_unsupported_types_are_refused() -> None:
    for kind in ("variant", "void", "decimal(39,1)", "decimal(3,4)", {"type": "udt"}, None):
        with pytest.raises(UnsupportedType, match="is not supported"):
            arrow_type(kind)


def test_statistics_of_every_type() -> None:
    fields = [Field(*column) for column in COLUMNS]
    found = json.loads(full_statistics(to_table(fields, ROWS), tight_bounds=True), parse_float=Decimal)
    assert found["numRecords"] == 4 and found["tightBounds"] is True
    assert found["minValues"] == {
        "text": "", "byte": -128, "short": -32768, "int": -(2**31), "long": -(2**63), "float": "-Infinity", "double": 0,
        "day": "0001-01-01", "instant": "0001-01-01T00:00:00.000Z", "local": "0001-01-01T00:00:00.000",
        "price": Decimal("-999.99"), "wide": Decimal("-99999999999999999999.999999999999999999"),
        "a.struct": {"a": 1, "b.c": "", "in `side`": {"x": 0}},
    }  # fmt: skip
    assert found["maxValues"] == {
        "text": "ü\0'\"\\", "byte": 127, "short": 32767, "int": 2**31 - 1, "long": 2**63 - 1, "float": Decimal("0.5"),
        "double": "Infinity", "day": "9999-12-31", "instant": "9999-12-31T23:59:59.999Z",
        "local": "9999-12-31T23:59:59.999", "price": Decimal("0.01"), "wide": Decimal("0.000000000000000001"),
        "a.struct": {"a": 1, "b.c": "q", "in `side`": {"x": 0}},
    }  # fmt: skip
    assert list(found["nullCount"]) == [name for name, _ in COLUMNS], "also for types without bounds"
    assert found["nullCount"]["a.struct"] == {"a": 3, "b.c": 2, "in `side`": {"x": 3, "y": 4}}
    assert (found["nullCount"]["list"], found["nullCount"]["bytes"], found["nullCount"]["flag"]) == (1, 2, 2)


def test_a_nan_is_the_greatest_number() -> None:
    table = pa.table({"some": [math.nan, 1.5, None], "all": [math.nan, math.nan, None], "zero": [0.0, -0.0, None]})
    found = json.loads(full_statistics(table))
    assert found["minValues"] == {"some": 1.5, "all": "NaN", "zero": 0}
    assert found["maxValues"] == {"some": "NaN", "all": "NaN", "zero": 0}
    assert '"minValues":{"some":1.5,"all":"NaN","zero":-0.0}' in full_statistics(table), "-0.0 is below 0.0 to some"


def test_a_struct_counts_as_its_leaves() -> None:
    """Delta collects statistics of the first 32."""
    kind = struct_type([("a", array_type("long")), *((f"x{number}", "long") for number in range(40))])
    table = to_table([("s", kind), ("d", "long")], [(((1,), *range(40)), 3), (None, 4)])
    bounds = {"s": {f"x{number}": number for number in range(31)}}
    assert json.loads(full_statistics(table)) == {
        "numRecords": 2,
        "minValues": bounds,
        "maxValues": bounds,
        "nullCount": {"s": dict.fromkeys(["a", *bounds["s"]], 1)},
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.10000000149011612, "0.1"),
        (3.4028234663852886e38, "3.4028235e+38"),
        (1.401298464324817e-45, "1e-45"),
        (1.5, "1.5"),
    ],
)
def test_a_bound_of_a_float_is_its_shortest_text(value: float, text: str) -> None:
    stats = full_statistics(to_table([("f", "float"), ("d", "double")], [(value, value)]))
    assert f'"minValues":{{"f":{text},"d":{value!r}}},"maxValues":{{"f":{text},"d":{value!r}}}' in stats
    assert is_single(value)
    assert is_single(json.loads(text)) is (value == float(text))


@given(st.data())
@settings(max_examples=100)
def test_bounds_hold_for_every_value(data: st.DataObject) -> None:
    bounded = [(name, kind) for name, kind in COLUMNS if isinstance(kind, str) and kind not in ("boolean", "binary")]
    name, kind = data.draw(st.sampled_from(bounded))
    drawn = data.draw(st.lists(st.none() | values(kind), max_size=5))
    found = json.loads(full_statistics(to_table([(name, kind)], [(one,) for one in drawn])), parse_float=Decimal)
    assert found["nullCount"] == {name: drawn.count(None)}
    present = [value for value in drawn if value is not None]
    assert (name in found["minValues"]) == bool(present)
    if not present:
        return
    low = _parsed(found["minValues"][name], kind)
    assert all(_order(low) <= _order(value) for value in present)
    if name in found["maxValues"]:
        high = _parsed(found["maxValues"][name], kind)
        # A reader counts the millisecond that was cut off as part of the bound (PROTOCOL.md, "Per-file Statistics").
        slack = timedelta(microseconds=999) if kind.startswith("timestamp") else None
        assert all(_order(value if slack is None else max(high, value - slack)) <= _order(high) for value in present)
    else:
        assert kind == "string", "only for a string there may be no maximum"


def _parsed(bound: Any, kind: object) -> Any:
    if kind == "float":
        return pa.scalar(float(bound), pa.float32()).as_py()
    if kind == "double":
        return float(bound)
    if kind == "date":
        return date.fromisoformat(bound)
    if kind in ("timestamp", "timestamp_ntz"):
        return datetime.fromisoformat(bound.replace("Z", "+00:00"))
    return bound


def _order(value: Any) -> Any:
    """A key in the order of Spark: NaN above all, strings by their bytes."""
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    return value.encode() if isinstance(value, str) else value


def test_a_column_with_a_nan_has_no_footer_statistics() -> None:
    table = pa.table(
        {
            "bad": [1.0, math.nan],
            "good": [1.0, 2.0],
            "s": pa.array([{"bad": math.nan, "a.b": 1}, None]),
            "list": [[math.nan], []],
            "half": pa.array([1.0, math.nan], pa.float32()),
        }
    )
    group = pq.ParquetFile(pa.BufferReader(parquet_bytes(table))).metadata.row_group(0)
    found = {group.column(index).path_in_schema: group.column(index).statistics for index in range(group.num_columns)}
    bounded = {path for path, statistics in found.items() if statistics is not None and statistics.has_min_max}
    assert bounded == {"good", "s.a.b"}
    clean = pq.ParquetFile(pa.BufferReader(parquet_bytes(table.select(["good", "s"]).slice(1)))).metadata.row_group(0)
    assert clean.column(0).statistics.has_min_max
