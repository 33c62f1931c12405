"""A rewriting DELETE moves rows of a TIMESTAMP partition by an hour.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python repeated_hour.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession


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
    try:
        table = f"delta.`{home}/t`"
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.sql(f"CREATE TABLE {table} (v INT, t TIMESTAMP) USING delta PARTITIONED BY (t)")
        spark.sql(
            f"INSERT INTO {table} VALUES (1, TIMESTAMP'2020-11-01 09:30:00Z'), (2, TIMESTAMP'2020-11-01 09:30:00Z')"
        )
        spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
        spark.sql(f"DELETE FROM {table} WHERE v = 1")
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        left = [tuple(row) for row in spark.sql(f"SELECT v, CAST(t AS STRING) FROM {table}").collect()]
    finally:
        spark.stop()
        shutil.rmtree(home)
    print("expected: [(2, '2020-11-01 09:30:00')]")
    print("found:   ", left)
    return 0 if left == [(2, "2020-11-01 09:30:00")] else 1


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
