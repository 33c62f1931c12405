"""A DELETE writes a maximum that is less than a text of the file (Delta before 3.3). Needs pyspark==3.5.7 and delta-spark==3.2.1 only.

Exit 0: the row that stays is found. 1: it is not: its file is skipped. Run: python statistics_of_long_text.py
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
    """Whether a condition that holds for the row that a DELETE keeps does not find it."""
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
    sys.exit(main())
