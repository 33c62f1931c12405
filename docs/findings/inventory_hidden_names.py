"""VACUUM USING INVENTORY deletes hidden files that a VACUUM by listing leaves.

Needs pyspark==4.2.0 and delta-spark==4.4.0 only. Run: python inventory_hidden_names.py
Exit 0: it leaves them. 1: it deletes them.
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


def inventory(spark: SparkSession, root: Path, view: str) -> None:
    """A view of all files below the root, as VACUUM USING INVENTORY wants it."""
    files = [path for path in root.rglob("*") if path.is_file() and root / "_delta_log" not in path.parents]
    rows = [(f"file:{path}", path.stat().st_size, False, int(path.stat().st_mtime * 1000)) for path in files]
    columns = "path string, length long, isDir boolean, modificationTime long"
    spark.createDataFrame(rows, columns).createOrReplaceTempView(view)


def main() -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-")).resolve()
    spark = start(str(home))
    try:
        table = home / "t"
        spark.sql(f"CREATE TABLE delta.`{table}` (id INT) USING delta")
        spark.sql(f"INSERT INTO delta.`{table}` VALUES (1)")
        hidden = [
            write(table / "_staging" / "x"),
            write(table / "deep" / "_staging" / "x"),
            write(table / "deep" / ".x"),
        ]
        make_old(table)
        inventory(spark, table, "files")
        print("DRY RUN lists:", [row[0] for row in spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()])
        spark.sql(f"VACUUM delta.`{table}` USING INVENTORY (SELECT * FROM files)")
        gone = [str(path.relative_to(table)) for path in hidden if not path.exists()]
        print("USING INVENTORY has deleted:", gone)
        return 1 if gone else 0
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
