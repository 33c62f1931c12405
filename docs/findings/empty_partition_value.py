"""DELETE does not treat a partition value that is the empty string as NULL: of STRING it is '', of other types an error.

    pip install pyspark==4.2.0 delta-spark==4.4.0 pyarrow
    python empty_partition_value.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

BOTH = [(1, None), (2, None)]

#: PROTOCOL.md, "Partition Value Serialization": "An empty string for any type translates to a null partition value."
EXPECTED = (("STRING", "p IS NULL", []), ("STRING", "p = ''", BOTH), ("INT", "p IS NULL", []), ("INT", "p = 1", BOTH))


def start(home: str) -> SparkSession:
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def left_by(spark: SparkSession, table: Path, kind: str, where: str) -> list[tuple] | str:
    """The rows that the DELETE leaves of two, to which another writer has given "" as the text of p; or the start of its error."""
    spark.sql(f"CREATE TABLE delta.`{table}` (id BIGINT, p {kind}) USING delta PARTITIONED BY (p)")
    pq.write_table(pa.table({"id": [1, 2]}), table / "a.parquet")
    size = (table / "a.parquet").stat().st_size
    add = {"path": "a.parquet", "partitionValues": {"p": ""}, "size": size, "modificationTime": 1, "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}))
    try:
        spark.sql(f"DELETE FROM delta.`{table}` WHERE {where}")
    except Exception as error:
        return str(error).partition("\n")[0][:80]
    return sorted(tuple(row) for row in spark.sql(f"SELECT id, p FROM delta.`{table}`").collect())


def main(spark: SparkSession, home: Path) -> int:
    wrong = 0
    for place, (kind, where, expected) in enumerate(EXPECTED):
        left = left_by(spark, home / str(place), kind, where)
        print(f'p {kind}, "partitionValues":{{"p":""}}; DELETE WHERE {where}: left {left}, expected {expected}')
        wrong += left != expected
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
