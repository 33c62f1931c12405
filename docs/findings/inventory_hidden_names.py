"""VACUUM USING INVENTORY deletes hidden files that a VACUUM by listing leaves.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python inventory_hidden_names.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    spark.sql(f"INSERT INTO delta.`{table}` VALUES (1)")
    hidden = [write(table / name) for name in ("_staging/x", "deep/_staging/x", "deep/.x")]
    for path in table.rglob("*"):
        os.utime(path, (OLD, OLD))
    inventory(spark, table, "files")
    print("DRY RUN lists:", [row[0] for row in spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()])
    spark.sql(f"VACUUM delta.`{table}` USING INVENTORY (SELECT * FROM files)")
    gone = [str(path.relative_to(table)) for path in hidden if not path.exists()]
    print("USING INVENTORY deleted", gone, "- expected []")
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
