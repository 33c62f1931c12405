"""VACUUM LITE deletes a file outside the table that a remove names by a relative path.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python lite_outside_the_table.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


def main(spark: SparkSession, home: Path) -> int:
    made, table = home / "made", home / "t"
    spark.sql(f"CREATE TABLE delta.`{made}` (id INT) USING delta")
    shutil.copytree(made, table, ignore=shutil.ignore_patterns("*.crc"))  # so that the log can be edited
    outside = home / "other" / "file.parquet"
    outside.parent.mkdir()
    outside.write_text("x")
    remove = {"path": "../other/file.parquet", "deletionTimestamp": int(OLD * 1000), "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"remove": remove}) + "\n")
    for path in home.rglob("*"):
        os.utime(path, (OLD, OLD))
    for mode in ("FULL", "LITE"):
        listed = [row[0] for row in spark.sql(f"VACUUM delta.`{table}` {mode} DRY RUN").collect()]
        print(f"{mode} DRY RUN lists:", listed)
    spark.sql(f"VACUUM delta.`{table}` LITE")
    print("the file outside the table is", "there" if outside.exists() else "GONE")
    return 0 if outside.exists() else 1


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
