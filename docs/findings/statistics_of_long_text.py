"""A DELETE writes a maximum that is less than a value in the file (Delta before 3.3).

    pip install pyspark==3.5.7 delta-spark==3.2.1
    python statistics_of_long_text.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_2.12:3.2.1")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    try:
        return 1 if lost(spark, home) else 0
    finally:
        spark.stop()
        shutil.rmtree(home)


def lost(spark: SparkSession, home: str) -> bool:
    """Whether the row that a DELETE keeps is missed by a condition that it satisfies."""
    table, text = f"delta.`{home}/t`", "\U0001f600" * 40
    spark.sql(f"CREATE TABLE {table} (v INT, s STRING) USING delta")
    spark.createDataFrame([(1, text), (2, text)], "v INT, s STRING").coalesce(1).write.format("delta").mode(
        "append"
    ).save(f"{home}/t")
    spark.sql(f"DELETE FROM {table} WHERE v = 1")
    whole = spark.sql(f"SELECT count(*) FROM {table}").first()[0]
    found = spark.sql(f"SELECT count(*) FROM {table} WHERE s >= '{text}'").first()[0]
    print(f"{whole} row in the table, {found} found by its own text")
    return bool(found < whole)


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
