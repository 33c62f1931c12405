"""The functions of Spark that the suite does not draw, in the condition of a DELETE.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python spark_functions.py [PART OF A NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Each function is called as in the first of its examples that a query takes (DESCRIBE FUNCTION EXTENDED), or as CALLS says. A constant in
it becomes a constant for some rows and NULL for the others, as far as the function takes that. A DELETE by those in ROWS must delete the
rows for which a query says the same. A DELETE by those in REFUSED, each under the reason, must be refused and delete nothing.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

#: A DELETE by one is refused, and deletes nothing.
REFUSED = {
    "an aggregate, or of what one makes": """
any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate approx_top_k_combine
approx_top_k_estimate array_agg avg bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg bitmap_or_agg bool_and bool_or
collect_list collect_set corr count_if count_min_sketch covar_pop covar_samp every first first_value grouping grouping_id
histogram_numeric hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg kll_merge_agg_bigint kll_merge_agg_double
kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kll_sketch_get_n_bigint
kll_sketch_get_n_double kll_sketch_get_n_float kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double
kll_sketch_get_quantile_float kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float
kll_sketch_merge_bigint kll_sketch_merge_double kll_sketch_merge_float kll_sketch_to_string_bigint kll_sketch_to_string_double
kll_sketch_to_string_float kurtosis last last_value listagg max max_by mean measure median min min_by mode percentile
percentile_approx percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
regr_sxy regr_syy schema_of_variant_agg skewness some std stddev stddev_pop stddev_samp string_agg sum theta_difference
theta_intersection theta_intersection_agg theta_sketch_agg theta_sketch_estimate theta_union theta_union_agg try_avg try_sum
tuple_difference_double tuple_difference_integer tuple_difference_theta_double tuple_difference_theta_integer
tuple_intersection_agg_double tuple_intersection_agg_integer tuple_intersection_double tuple_intersection_integer
tuple_intersection_theta_double tuple_intersection_theta_integer tuple_sketch_agg_double tuple_sketch_agg_integer
tuple_sketch_estimate_double tuple_sketch_estimate_integer tuple_sketch_summary_double tuple_sketch_summary_integer
tuple_sketch_theta_double tuple_sketch_theta_integer tuple_union_agg_double tuple_union_agg_integer tuple_union_double
tuple_union_integer tuple_union_theta_double tuple_union_theta_integer var_pop var_samp variance vector_avg vector_sum
""".split(),
    "a window function": "cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number".split(),
    "a generator of rows, or a function of a table": """
collations inline inline_outer json_tuple posexplode posexplode_outer python_worker_logs range sql_keywords stack variant_explode
variant_explode_outer
""".split(),
    "of no certain value": """
input_file_block_length input_file_block_start input_file_name java_method monotonically_increasing_id randn random randstr
reflect shuffle spark_partition_id try_reflect uniform uuid
""".split(),
    "a window of time": """
session_window window window_time
""".split(),
    "an error of its own": ["raise_error"],
    "not there without more": """
from_avro from_protobuf make_time schema_of_avro time time_diff time_from_micros time_from_millis time_from_seconds time_to_micros
time_to_millis time_to_seconds time_trunc to_avro to_protobuf to_time try_to_time
""".split(),
}

#: A DELETE by one deletes the rows that a query by it shows.
ROWS = """
& / << >> >>> ^ aes_decrypt aes_encrypt aggregate assert_true bigint binary boolean cast cbrt collate convert_timezone curdate
current_catalog current_database current_path current_schema current_time current_timestamp current_timezone current_user date
date_format dayofweek dayofyear decimal degrees div double e exists extract filter flatten float forall from_utc_timestamp hour
int is_valid_variant is_variant_null last_day localtimestamp make_interval map_concat map_entries map_filter map_from_arrays
map_from_entries map_keys map_values map_zip_with minute monthname next_day now overlay parse_json pi quarter reduce rint
schema_of_csv schema_of_json schema_of_variant schema_of_xml second session_user smallint space st_asbinary st_geogfromwkb
st_geomfromwkb st_setsrid st_srid string timestamp tinyint to_csv to_date to_json to_number to_timestamp to_timestamp_ltz
to_timestamp_ntz to_unix_timestamp to_utc_timestamp to_xml transform transform_keys transform_values try_make_interval
try_variant_get unbase64 unhex unix_timestamp user variant_get vector_cosine_similarity vector_inner_product vector_l2_distance
vector_norm vector_normalize version weekday weekofyear xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long
xpath_number xpath_short xpath_string zip_with | || ~
""".split()

#: So many are in the condition of one DELETE.
TOGETHER = 16

#: How functions are called whose examples are not of use, or none.
CALLS = {
    "&": "id & 3",
    "/": "id / 3",
    "<<": "id << 1",
    ">>": "id >> 1",
    ">>>": "id >>> 1",
    "^": "id ^ 3",
    "|": "id | 3",
    "~": "~id",
    "||": "s || 'x'",
    "div": "id div 3",
    **{name: f"{name}(bin)" for name in ("hll_union_agg", "kll_merge_agg_bigint", "kll_merge_agg_double", "kll_merge_agg_float")},
    **{f"theta_{name}_agg": f"theta_{name}_agg(bin)" for name in ("intersection", "union")},
    **{f"tuple_{name}_agg_{kind}": f"tuple_{name}_agg_{kind}(bin)" for name in ("intersection", "union") for kind in ("double", "integer")},
    **{name: f"{name}(0.25) WITHIN GROUP (ORDER BY id)" for name in ("percentile_cont", "percentile_disc")},
    "cast": "cast(s AS INT)",
    "extract": "extract(DAY FROM dt)",
    "any": "any(b)",
    "some": "some(b)",
    "collate": "collate(s, 'UTF8_LCASE')",
    "range": "range(3)",
    "collations": "collations()",
    "sql_keywords": "sql_keywords()",
    "python_worker_logs": "python_worker_logs()",
    "variant_explode": "variant_explode(parse_json('[1]'))",
    "variant_explode_outer": "variant_explode_outer(parse_json('[1]'))",
    "measure": "measure(id)",
    "bigint": "bigint(s)",
    "binary": "binary(s)",
    "boolean": "boolean(id)",
    "date": "date(t)",
    "decimal": "decimal(s)",
    "double": "double(s)",
    "float": "float(s)",
    "int": "int(s)",
    "smallint": "smallint(s)",
    "string": "string(id)",
    "time": "time(t)",
    "timestamp": "timestamp(dt)",
    "tinyint": "tinyint(s)",
    "nth_value": "nth_value(id, 1)",
    "window_time": "window_time(window(t, '1 day'))",
    "grouping": "grouping(id)",
    "grouping_id": "grouping_id(id)",
    "approx_top_k_estimate": "approx_top_k_estimate(approx_top_k_accumulate(id))",
    "approx_top_k_combine": "approx_top_k_combine(approx_top_k_accumulate(id))",
    "count_min_sketch": "count_min_sketch(id, 0.5d, 0.5d, 1)",
    "assert_true": "assert_true(id >= 0)",
    "raise_error": "raise_error('no')",
    "window": "window(t, '1 day')",
    "session_window": "session_window(t, '1 day')",
    "from_avro": "from_avro(bin, '\"int\"')",
    "to_avro": "to_avro(id)",
    "schema_of_avro": "schema_of_avro('\"int\"')",
    "from_protobuf": "from_protobuf(bin, 'M', 'none')",
    "to_protobuf": "to_protobuf(named_struct('a', id), 'M', 'none')",
}
WINDOWED = ("cume_dist", "dense_rank", "lag", "lead", "nth_value", "ntile", "percent_rank", "rank", "row_number")

_EXAMPLE = re.compile(r"> SELECT (.*);")
_CONSTANT = re.compile(r"'(?:[^'\\]|\\.)*'|(?<![\w.'])\d+(?:\.\d+)?(?![\w.'])")


def make(spark: SparkSession, home: Path) -> None:
    for place, first in enumerate((0, 6)):
        rows = (
            "SELECT CAST(id AS INT) id, CAST(id AS STRING) s, id % 2 = 0 b, DATE'2020-01-01' + CAST(id AS INT) dt, "
            "TIMESTAMP'2020-01-01' + make_interval(0, 0, 0, CAST(id AS INT)) t, CAST(CAST(id AS STRING) AS BINARY) bin "
            f"FROM range({first}, {first + 6}, 1, 1)"
        )
        table = f"delta.`{home}/t`"
        spark.sql(f"INSERT INTO {table} {rows}" if place else f"CREATE TABLE {table} USING delta AS {rows}")


def arguments(text: str) -> list[str]:
    """What is between the commas of a text, except those in brackets and quotes."""
    found, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == "'"
        depth += 0 if quoted else (character in "([{") - (character in ")]}")
        if character == "," and not depth and not quoted:
            found.append("")
        else:
            found[-1] += character
    return [one.strip() for one in found]


def calls(spark: SparkSession, name: str) -> Iterator[str]:
    """How a function may be called on a row of the table: the likeliest first."""
    over = " OVER (PARTITION BY b ORDER BY id)" if name in WINDOWED else ""
    if name in CALLS:
        yield CALLS[name] + over
        return
    described = "\n".join(str(row[0]) for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect())
    for example in _EXAMPLE.findall(described):
        if not (place := re.search(rf"(?<![\w`]){re.escape(name)}\(", example)):
            continue
        depth, end = 0, place.end() - 1
        for end in range(place.end() - 1, len(example)):
            depth += (example[end] == "(") - (example[end] == ")")
            if not depth:
                break
        call = example[place.start() : end + 1]
        if values := re.search(r"FROM VALUES (.*?)\s+(?:AS )?(?:\w+)\s?\(([^)]*)\)", example):
            row = values[1].strip()
            first = arguments(row)[0]
            given = dict(zip(arguments(values[2]), arguments(first[1:-1]) if first.startswith("(") else arguments(row)))
            for column, value in given.items():
                call = re.sub(rf"(?<![\w'`.]){re.escape(column)}(?![\w'`(])", lambda _, value=value: value, call)
        if over:
            yield re.sub(r"\b[ab]\b", "id", call) + over
        for count in (0, 1) if not over else ():
            yield _CONSTANT.sub(lambda found: f"IF(id % 3 < 2, {found[0]}, NULL)", call, count=count)
        yield call + over


def taken(spark: SparkSession, home: Path, name: str) -> tuple[str | None, str]:
    """The first call that a query takes, and how the last was refused."""
    said, last = "no example", None
    for call in dict.fromkeys(calls(spark, name)):
        last = call
        try:
            spark.sql(f"SELECT id FROM delta.`{home}/t` WHERE {call} IS NOT NULL")  # refused, if it is, before a row is read
            return call, ""
        except Exception as refusal:
            said = f"{call}: {type(refusal).__name__} {str(refusal)[:100]}"
    return last, said


def ids(spark: SparkSession, root: str) -> set[int]:
    return {row[0] for row in spark.sql(f"SELECT id FROM delta.`{root}`").collect()}


class Functions:
    def __init__(self, spark: SparkSession, home: Path) -> None:
        self.spark, self.home, self.number = spark, home, 0
        make(spark, home)

    def deleted(self, condition: str) -> set[int]:
        """The rows that a DELETE takes from a copy of the table."""
        self.number += 1
        root = f"{self.home}/t-{self.number}"
        shutil.copytree(f"{self.home}/t", root)
        self.spark.sql(f"DELETE FROM delta.`{root}` WHERE {condition}")
        return set(range(12)) - ids(self.spark, root)

    def refused(self, name: str) -> tuple[bool, str]:
        """Whether a DELETE by a function is refused, and the table has no new version."""
        call, said = taken(self.spark, self.home, name)
        log = Path(f"{self.home}/t/_delta_log")
        before = len(list(log.glob("*.json")))
        try:
            self.spark.sql(f"DELETE FROM delta.`{self.home}/t` WHERE {call or name + '()'} IS NOT NULL")
            answer, good = "taken", False
        except Exception as refusal:
            answer, good = f"{type(refusal).__name__}: {str(refusal)[:100]}", True
        good &= len(list(log.glob("*.json"))) == before
        return good, f"{call}: {answer} (query: {said or 'taken'})"

    def rows(self, names: Sequence[str]) -> tuple[bool, str]:
        """Whether a DELETE by functions deletes what a query by them shows. Of each half of the names, if there is an error."""
        tests = []
        for name in names:
            call, said = taken(self.spark, self.home, name)
            if said:
                return False, f"{name}: {said}"
            tests.append(f"coalesce(CAST(({call}) IS NOT NULL AS INT), 0)")
        verdicts = f"concat({', '.join(tests)}, '')"  # of a row what all of them say
        try:
            said = self.spark.sql(f"SELECT id, {verdicts} FROM delta.`{self.home}/t`").collect()
            shown = {id for id, text in said if text == dict(said)[2] and id != 1}
            gone = self.deleted(f"{verdicts} = '{dict(said)[2]}' AND id <> 1")
        except Exception as problem:
            if len(names) == 1:
                return False, f"{names[0]}: {tests[0]}: {str(problem)[:150]}"
            half = len(names) // 2
            first, second = self.rows(names[:half]), self.rows(names[half:])
            return first[0] and second[0], "; ".join((first[1], second[1]))
        return gone == shown, f"{', '.join(names)}: DELETE {sorted(gone)}, query {sorted(shown)}"


def main(parts: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    violated = 0
    try:
        functions = Functions(spark, home)
        assert not functions.refused("upper")[0] and functions.rows(["upper"])[0] and functions.deleted("id = 3") == {3}
        named = {str(row[0]) for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
        every = [*ROWS, *(name for names in REFUSED.values() for name in names)]
        assert named >= set(every), f"Spark does not have {set(every) - named}"
        wanted = [name for name in every if not parts or any(part in name for part in parts)]
        rows = [name for name in wanted if name in ROWS]
        for first in range(0, len(rows), TOGETHER):
            good, said = functions.rows(rows[first : first + TOGETHER])
            violated += not good
            print("ok" if good else "WRONG", said, flush=True)
        for reason, names in REFUSED.items():
            for name in names:
                if name in wanted:
                    good, said = functions.refused(name)
                    violated += not good
                    print("ok" if good else "WRONG", reason, name, said, flush=True)
    finally:
        spark.stop()
        shutil.rmtree(home, ignore_errors=True)
    return int(violated > 0)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
