"""The functions of DataFusion, and the forms of SQL, that the suite does not draw, in the condition of a DELETE of delta-rs.

    pip install deltalake==1.6.6 pyarrow
    python deltalake_functions.py [PART OF A NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Each condition is given to a query, and to a DELETE on a copy of the table. What a DELETE deletes must be the rows for which the query
says TRUE. Those in REFUSED are refused by the DELETE, which leaves the table as it is; FORMS may be. CONTROLS must come out the other way.
"""

import shutil
import sys
import tempfile
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

#: Of several rows, which a DELETE has no place for.
AGGREGATES = {
    **{
        f"{name}(i)": "> 1"
        for name in (
            "approx_distinct",
            "approx_median",
            "avg",
            "bit_and",
            "bit_or",
            "bit_xor",
            "count",
            "first_value",
            "last_value",
            "max",
            "mean",
            "median",
            "min",
            "stddev",
            "stddev_pop",
            "stddev_samp",
            "sum",
            "var",
            "var_pop",
            "var_population",
            "var_samp",
            "var_sample",
            "any_value",
            "grouping",
        )
    },
    **{
        f"{name}(d, i)": "> 1"
        for name in (
            "corr",
            "covar",
            "covar_pop",
            "covar_samp",
            "regr_avgx",
            "regr_avgy",
            "regr_count",
            "regr_intercept",
            "regr_r2",
            "regr_slope",
            "regr_sxx",
            "regr_sxy",
            "regr_syy",
        )
    },
    "approx_percentile_cont(i, 0.5)": "> 1",
    "approx_percentile_cont_with_weight(i, 1, 0.5)": "> 1",
    "array_agg(i)": "IS NOT NULL",
    "bool_and(b)": "",
    "bool_or(b)": "",
    "nth_value(i, 1)": "> 1",
    "percentile_cont(d, 0.5)": "> 1",
    "quantile_cont(d, 0.5)": "> 1",
    "string_agg(s, ',')": "<> 'x'",
}

#: Of no certain value.
NOT_DETERMINISTIC = {
    "file_row_index()": ">= 0",
    "input_file_name()": "<> ''",
    "rand()": "< 0.5",
    "random()": "< 0.5",
    "uuid()": "<> ''",
}

#: The others, each with how it is called and compared.
OTHERS = {
    "array_add": "array_add(l, l) IS NOT NULL AND i < 3",
    "array_avg": "array_avg(l) > 2",
    "array_distance": "array_distance(l, make_array(1.0, 2.0)) > 2",
    "array_normalize": "array_normalize(l) IS NOT NULL AND i < 3",
    "array_product": "array_product(l) > 2",
    "array_replace_n": "array_replace_n(l, 1.0, 2.0, 1) IS NOT NULL AND i < 3",
    "array_scale": "array_scale(l, 2.0) IS NOT NULL AND i < 3",
    "array_subtract": "array_subtract(l, l) IS NOT NULL AND i < 3",
    "array_sum": "array_sum(l) > 3",
    "arrow_cast": "arrow_cast(i, 'Utf8') = '3'",
    "arrow_try_cast": "arrow_try_cast(s, 'Int64') = 3",
    "cosine_distance": "cosine_distance(l, make_array(1.0, 2.0)) < 0.01",
    "current_date": "dt < current_date()",
    "current_time": "current_time() IS NOT NULL AND i < 3",
    "current_timestamp": "ts < current_timestamp()",
    "date_bin": "date_bin(INTERVAL '1 day', ts) = ts",
    "date_part": "date_part('day', dt) = 3",
    "date_trunc": "date_trunc('month', ts) = ts",
    "datepart": "datepart('day', dt) = 3",
    "datetrunc": "datetrunc('month', ts) = ts",
    "decode": "decode(encode(bin, 'hex'), 'hex') = bin AND i < 3",
    "digest": "digest(s, 'md5') = digest('3', 'md5')",
    "dot_product": "dot_product(l, l) > 10",
    "element_at": "element_at(map(make_array(s), make_array(i)), '3') IS NOT NULL",
    "encode": "encode(bin, 'hex') = '03'",
    "get_field": "get_field(named_struct('a', i), 'a') = 3",
    "inner_product": "inner_product(l, l) > 10",
    "list_add": "list_add(l, l) IS NOT NULL AND i < 3",
    "list_avg": "list_avg(l) > 2",
    "list_distance": "list_distance(l, make_array(1.0, 2.0)) > 2",
    "list_normalize": "list_normalize(l) IS NOT NULL AND i < 3",
    "list_product": "list_product(l) > 2",
    "list_replace_n": "list_replace_n(l, 1.0, 2.0, 1) IS NOT NULL AND i < 3",
    "list_scale": "list_scale(l, 2.0) IS NOT NULL AND i < 3",
    "list_subtract": "list_subtract(l, l) IS NOT NULL AND i < 3",
    "list_sum": "list_sum(l) > 3",
    "map_entries": "map_entries(map(make_array(s), make_array(i))) IS NOT NULL AND i < 3",
    "map_extract": "map_extract(map(make_array(s), make_array(i)), '3') IS NOT NULL AND i < 3",
    "map_keys": "map_keys(map(make_array(s), make_array(i))) = make_array('3')",
    "map_values": "map_values(map(make_array(s), make_array(i))) IS NOT NULL AND i < 3",
    "named_struct": "named_struct('a', i) = named_struct('a', 3)",
    "now": "ts < now()",
    "pi": "i > pi()",
    "today": "dt < today()",
    "union_extract": "union_extract(i, 'a') = 3",
    "union_tag": "union_tag(i) = 'a'",
    "version": "version() <> s AND i < 3",
}

#: Of the others these are refused by the DELETE: it cannot write the condition down, or compare its types, or a table has no such type.
REFUSED = (
    *("array_distance", "arrow_try_cast", "cosine_distance", "date_bin", "datepart", "datetrunc", "dot_product", "element_at"),
    *("list_add", "list_avg", "list_distance", "list_normalize", "list_product", "list_replace_n", "list_scale", "list_subtract"),
    *("list_sum", "map_keys", "named_struct", "current_timestamp", "now", "pi", "union_extract", "union_tag"),
)

#: Of docs/coverage.md, on data columns and on partition columns.
FORMS = (
    *("(i, p) IN ((3, 1), (4, 0))", "(p, q) = (1, 'cd')", "st = named_struct('a', 3)", "l = make_array(3.0, 2.0)", "l = [3.0, 2.0]"),
    *("i IS NOT DISTINCT FROM d", "s IS DISTINCT FROM q", "i == 3", "i != 3", "NOT pb IS TRUE", "pb IS NOT FALSE", "s ~ '3'", "s SIMILAR TO '3'"),
    *("I = 3", "t.i = 3", '"I" = 3', "i = $1", "i = :x", "i IN (SELECT 3)", "EXISTS (SELECT 1)", "_metadata.file_path IS NOT NULL"),
    *("try_cast(s AS INT) > 6", "CASE WHEN i < 2 THEN TRUE WHEN i > 8 THEN b WHEN p = 1 THEN NULL ELSE i = 6 END", "l[1] = 3", "st['a'] = 3"),
    *("CASE p WHEN 0 THEN i < 3 WHEN 1 THEN i > 7 END", "CASE p WHEN 0 THEN 'u' WHEN 1 THEN 'v' END = 'v'", "l[9] IS NULL AND i < 2"),
    *("CAST(sb AS BOOLEAN)", "CAST(sd AS DATE) = DATE '2020-01-04'", "CAST(sd AS TIMESTAMP) > CAST('2020-01-04' AS TIMESTAMP)"),
    *("sd = DATE '2020-01-04'", "ts = '2020-02-02T00:00:00Z'", "CAST(ts AS DATE) = DATE '2020-02-02'", "CAST(ts AS VARCHAR) LIKE '%-02-02%'"),
    *("CAST(d AS DECIMAL(5,0)) = 2", "CAST(pdec AS DECIMAL(5,1)) = 0.3", "CAST(i AS DECIMAL(12,2)) = 3", "CAST(s AS DECIMAL(10,2)) = 3"),
    *("CAST(d AS REAL) > 3", "CAST(s AS REAL) = 3", "CAST(s AS BYTEA) = X'33'", "CAST(bin AS VARCHAR) IS NOT NULL AND i < 3"),
    *("CAST(pb AS VARCHAR) = 'true'", "CAST(pb AS INT) = 1", "CAST(p AS BOOLEAN)", "CAST(pd AS TIMESTAMP) = CAST('2020-01-31' AS TIMESTAMP)"),
    *("CAST(pd AS VARCHAR) = '2020-01-31'", "CAST(p AS VARCHAR) = '1'", "CAST(pdec AS VARCHAR) = '0.25'", "CAST(pdo AS INT) = 0", "p::bigint = 1"),
    *("CAST(q AS BYTEA) = X'6162'", "d = 1.5", "d > 1.5e0", "pdec = 0.25", "pdec IN (0.25, 7)", "pd IN ('2020-01-31')", "pd = '2020-1-31'"),
    *("dt IN (DATE '2020-01-03', '2020-02-04')", "pd BETWEEN '2020-01-31' AND DATE '2020-01-31'", "i = '3'", "p = '01'", "s = 3", "s IN (3, '4')"),
    *("p IN (1.0, 1.5)", "p = 1.0", "i > 2.5", "pdo = 0.5", "pdo IN (0.5, 1)", "repeat(s, p) = ''", "dt + INTERVAL '1 month' = DATE '2020-02-03'"),
)

CONTROLS = {
    "CONTROL deleted": "i = 3",
    "CONTROL refused": "no_such_function(i) = 3",
    "CONTROL other rows": "i < 2.5",  # a literal is cut to the column's type: docs/findings-deltalake.md
}


def make(root: Path) -> None:
    ids = list(range(10))
    columns = {
        "i": pa.array(ids, pa.int64()),
        "d": pa.array([i / 2 for i in ids], pa.float64()),
        "s": pa.array([str(i) for i in ids], pa.string()),
        "b": pa.array([i % 2 == 0 for i in ids], pa.bool_()),
        "l": pa.array([[float(i), 2.0] for i in ids], pa.list_(pa.float64())),
        "dt": pa.array([date(2020, 1 + i % 2, i + 1) for i in ids], pa.date32()),
        "ts": pa.array([datetime(2020, 1 + i % 2, 1 + i // 2, i % 3, tzinfo=timezone.utc) for i in ids], pa.timestamp("us", tz="UTC")),
        "bin": pa.array([bytes([i]) for i in ids], pa.binary()),
        "st": pa.array([None if i % 7 == 0 else {"a": i} for i in ids], pa.struct([("a", pa.int64())])),
        "sb": pa.array(["true" if i % 2 else "no" for i in ids]),
        "sd": pa.array([f"2020-01-{i + 1:02}" for i in ids]),
    }
    partitions = {
        "p": pa.array([i % 2 for i in ids], pa.int32()),
        "q": pa.array(["cd" if i % 2 else "ab" for i in ids]),
        "pd": pa.array([date(2020, 1 + i % 2, 31 - 30 * (i % 2)) for i in ids], pa.date32()),
        "pdec": pa.array([Decimal(i % 2) / 4 for i in ids], pa.decimal128(5, 2)),
        "pb": pa.array([i % 2 == 1 for i in ids], pa.bool_()),
        "pdo": pa.array([i % 2 / 2 for i in ids], pa.float64()),
    }
    every = pa.table({**columns, **partitions})
    for part in (every.slice(0, 5), every.slice(5)):
        write_deltalake(str(root), part, mode="append", partition_by=list(partitions))


def selected(root: Path, condition: str) -> object:
    """The rows of a query, or how it is refused."""
    try:
        found = QueryBuilder().register("t", DeltaTable(str(root))).execute(f"SELECT i FROM t WHERE {condition}")
        return sorted(pa.table(found)["i"].to_pylist())
    except BaseException as refusal:
        return _refusal(refusal)


def deleted(home: Path, condition: str) -> object:
    """The rows that are gone from a copy of the table, or how the DELETE is refused; then none is gone."""
    root = Path(shutil.copytree(home / "t", home / "copy"))
    try:
        before, said = _ids(root), None
        try:
            DeltaTable(str(root)).delete(condition)
        except BaseException as refusal:
            said = _refusal(refusal)
        gone = sorted(set(before) - set(_ids(root)))
        assert not (gone and said), f"refused, and {gone} are gone"
        return said or gone
    finally:
        shutil.rmtree(root)


def _refusal(refusal: BaseException) -> str:
    if isinstance(refusal, (KeyboardInterrupt, SystemExit)):
        raise refusal
    return f"{type(refusal).__name__}: {str(refusal)[:90]}"


def _ids(root: Path) -> list[int]:
    return DeltaTable(str(root)).to_pyarrow_table(columns=["i"])["i"].to_pylist()


def main(wanted: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    violated = 0
    try:
        make(home / "t")
        assert deleted(home, CONTROLS["CONTROL deleted"]) == selected(home / "t", CONTROLS["CONTROL deleted"]) == [3]
        assert isinstance(deleted(home, CONTROLS["CONTROL refused"]), str)
        assert deleted(home, CONTROLS["CONTROL other rows"]) == [0, 1] != selected(home / "t", CONTROLS["CONTROL other rows"])
        conditions = {call.partition("(")[0]: f"{call} {test}" for call, test in {**AGGREGATES, **NOT_DETERMINISTIC}.items()}
        refused = {*conditions, *REFUSED}
        for name, condition in {**conditions, **OTHERS, **dict(zip(FORMS, FORMS))}.items():
            if any(part in name for part in wanted):
                gone, shown = deleted(home, condition), selected(home / "t", condition)
                wrong = not isinstance(gone, str) if name in refused else gone != shown and (name not in FORMS or not isinstance(gone, str))
                violated += wrong
                print("WRONG" if wrong else "ok", f"{name}: {condition}: DELETE {gone}; SELECT {shown}", flush=True)
    finally:
        shutil.rmtree(home)
    return int(violated > 0)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:] or [""])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
