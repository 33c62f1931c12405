"""DeltaTable.forPath of a partition's directory vacuums the whole table; SQL refuses it.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python partition_by_class.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
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
    """Sets the time of everything below the root to 30 days ago."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def main(spark: SparkSession, home: Path) -> int:
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


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
