"""VACUUM LITE deletes a file outside the table that a remove names by a relative path.

Needs pyspark==4.2.0 and delta-spark==4.4.0 only. Run: python lite_outside_the_table.py
Exit 0: it is there. 1: it is gone.
"""

import json
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


def copy_without_checksums(table: Path, to: Path) -> None:
    """The same table, with a log that can be edited."""
    shutil.copytree(table, to)
    for path in (to / "_delta_log").glob("*.crc"):
        path.unlink()
    for path in (to / "_delta_log").glob(".*.crc"):
        path.unlink()


def main() -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-")).resolve()
    spark = start(str(home))
    try:
        made, table = home / "made", home / "t"
        spark.sql(f"CREATE TABLE delta.`{made}` (id INT) USING delta")
        copy_without_checksums(made, table)
        outside = write(home / "other" / "file.parquet")
        remove = {"path": "../other/file.parquet", "deletionTimestamp": int(OLD * 1000), "dataChange": True}
        (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"remove": remove}) + "\n")
        make_old(home)
        for mode in ("FULL", "LITE"):
            print(
                f"{mode} DRY RUN lists:",
                [row[0] for row in spark.sql(f"VACUUM delta.`{table}` {mode} DRY RUN").collect()],
            )
        spark.sql(f"VACUUM delta.`{table}` LITE")
        print("the file outside of the table is", "there" if outside.exists() else "GONE")
        return 0 if outside.exists() else 1
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
