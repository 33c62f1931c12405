"""VACUUM USING INVENTORY, and LITE, delete young and hidden files that the end of a deep path names.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python deep_paths.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def inventory(spark: SparkSession, root: Path, view: str) -> None:
    """A view of all files below the root, in the schema of VACUUM USING INVENTORY."""
    files = [path for path in root.rglob("*") if path.is_file() and root / "_delta_log" not in path.parents]
    rows = [(f"file:{path}", path.stat().st_size, False, int(path.stat().st_mtime * 1000)) for path in files]
    columns = "path string, length long, isDir boolean, modificationTime long"
    spark.createDataFrame(rows, columns).createOrReplaceTempView(view)


def main(spark: SparkSession, home: Path) -> int:
    table = home / "t"
    spark.sql(f"CREATE TABLE delta.`{table}` (id INT) USING delta")
    # As many parts as the root's path has are removed from the front of each path, though it is relative already.
    front = "/".join(["a"] * len(f"file:{table}".split("/")))
    for name in ("young", "_hidden"):
        write(table / front / name / "old.parquet")
    for path in table.rglob("*"):
        os.utime(path, (OLD, OLD))
    kept = [write(table / "young"), write(table / "_hidden")]
    inventory(spark, table, "files")
    lists = spark.sql(f"VACUUM delta.`{table}` USING INVENTORY (SELECT * FROM files) DRY RUN").collect()
    print("DRY RUN lists:", [str(Path(row[0].removeprefix("file:")).relative_to(table)) for row in lists])
    spark.sql(f"VACUUM delta.`{table}` USING INVENTORY (SELECT * FROM files)")
    gone = [path.name for path in kept if not path.exists()]
    print("deleted at the top of the table, though young or hidden:", gone, "- expected []")
    return 1 if gone else 0


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
