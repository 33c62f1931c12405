"""VACUUM LITE never comes back to a file that it had to leave in a commit that it has read.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python lite_passes_by.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

OLD = time.time() - 30 * 86400  # VACUUM's retention is a week


def start(home: str) -> SparkSession:
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def make_old(root: Path) -> None:
    """Sets the time of everything below the root to 30 days ago."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def main(spark: SparkSession, home: Path) -> int:
    table = home / "t"
    spark.sql(f"CREATE TABLE delta.`{table}` (id INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{table}` VALUES (1)")
    removed = next(table.glob("*.parquet"))
    spark.sql(f"DELETE FROM delta.`{table}`")  # its tombstone is young; its commit is made old, as by a slow clock
    make_old(table)
    spark.sql(f"VACUUM delta.`{table}` LITE")
    print("inside retention:", removed.name, "is", "there" if removed.exists() else "gone")
    spark.sql(
        f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 0 hours')"
    )
    time.sleep(0.1)
    found = {}
    for mode in ("LITE", "FULL"):
        found[mode] = [row[0] for row in spark.sql(f"VACUUM delta.`{table}` {mode} DRY RUN").collect()]
        print(f"beyond retention, {mode} DRY RUN lists:", found[mode])
    return 0 if any(removed.name in path for path in found["LITE"]) else 1


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
