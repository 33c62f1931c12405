"""VACUUM deletes live files, and files outside the table, behind symbolic links to directories.

Needs pyspark==4.2.0 and delta-spark==4.4.0 only. Run: python vacuum_follows_links.py
Exit 0: both are there. 1: one is gone.
"""

import os
import shutil
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


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def make_old(root: Path) -> None:
    """All that lies below is 30 days old."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def main() -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-")).resolve()
    spark = start(str(home))
    try:
        table, beside = home / "t", home / "beside" / "report.csv"
        spark.sql(f"CREATE TABLE delta.`{table}` (id INT, p INT) USING delta PARTITIONED BY (p)")
        spark.sql(f"INSERT INTO delta.`{table}` VALUES (1, 1)")
        live = next((table / "p=1").glob("*.parquet"))
        write(beside)
        make_old(home)
        (table / "archive").symlink_to(beside.parent)
        (table / "latest").symlink_to(table / "p=1")
        print("DRY RUN lists:", [row[0] for row in spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()])
        spark.sql(f"VACUUM delta.`{table}`")
        print("the live file of the table is", "there" if live.exists() else "GONE: the table cannot be read any more")
        print("the file outside of the table is", "there" if beside.exists() else "GONE")
        return 0 if live.exists() and beside.exists() else 1
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
