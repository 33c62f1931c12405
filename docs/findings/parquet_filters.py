"""DELETE misses rows of Parquet files that Spark did not write: NaN, and days of October 1582.

    pip install pyspark==4.2.0 delta-spark==4.4.0 pyarrow
    python parquet_filters.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import math
import os
import shutil
import sys
import tempfile
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

CASES = [
    ("d DOUBLE", pa.array([1.0, math.nan, 7.0]), "d = CAST('NaN' AS DOUBLE)"),
    ("d DOUBLE", pa.array([1.0, math.nan, 2.0]), "NOT (d <= 5.0)"),
    ("d DATE", pa.array([date(1500, 1, 1), date(1582, 10, 10)]), "d = DATE'1582-10-10'"),
]


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    wrong = 0
    try:
        for number, (schema, values, condition) in enumerate(CASES):
            for pushed in ("true", "false"):
                spark.conf.set("spark.sql.parquet.filterPushdown", pushed)
                directory = f"{home}/t{number}{pushed}"
                os.mkdir(directory)
                pq.write_table(pa.table({schema.split()[0]: values}), f"{directory}/f.parquet")
                spark.sql(f"CONVERT TO DELTA parquet.`{directory}`")
                (deleted,) = spark.sql(f"DELETE FROM delta.`{directory}` WHERE {condition}").collect()[0]
                print(f"{condition}; filter pushdown {pushed}: {deleted} row deleted, 1 matches")
                wrong += deleted != 1
    finally:
        spark.stop()
        shutil.rmtree(home)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
