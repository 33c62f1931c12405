"""DeltaTable.forPath of a partition's directory vacuums the whole table; SQL refuses it.

Needs pyspark==4.2.0 and delta-spark==4.4.0 only. Run: python partition_by_class.py
Exit 0: it is refused. 1: it vacuums.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from delta.tables import DeltaTable
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
        table = home / "t"
        spark.sql(f"CREATE TABLE delta.`{table}` (id INT, p INT) USING delta PARTITIONED BY (p)")
        spark.sql(f"INSERT INTO delta.`{table}` VALUES (1, 1), (2, 2)")
        orphan = write(table / "p=2" / "orphan.parquet")
        make_old(table)
        try:
            spark.sql(f"VACUUM delta.`{table}/p=1`")
            print("SQL did not refuse")
        except Exception as error:
            print("SQL refuses:", str(error).splitlines()[0][:200])
        try:
            DeltaTable.forPath(spark, f"{table}/p=1").vacuum()
        except Exception as error:
            print("so does the class:", str(error).splitlines()[0][:200])
            return 0
        print("the class vacuums; the old orphan of the OTHER partition is", "there" if orphan.exists() else "gone")
        return 1
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
