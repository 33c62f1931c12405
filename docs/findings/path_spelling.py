"""VACUUM deletes live files whose path the log encodes in another way than Java does.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python path_spelling.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


def make_old(root: Path) -> None:
    """Sets the time of everything below the root to 30 days ago."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def main(spark: SparkSession, home: Path) -> int:
    made, table = home / "made", home / "t"
    spark.sql(f"CREATE TABLE delta.`{made}` (id INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{made}` VALUES (1), (2)")
    shutil.copytree(made, table, ignore=shutil.ignore_patterns("*.crc"))  # so that the log can be edited
    live = next(table.glob("*.parquet"))
    commit = max((table / "_delta_log").glob("*.json"))
    # %70 is p: the same path; PROTOCOL.md does not say which characters must be encoded.
    commit.write_text(commit.read_text().replace('"path":"part-', '"path":"%70art-'))
    make_old(table)
    print("sum of the ids:", spark.sql(f"SELECT sum(id) FROM delta.`{table}`").collect()[0][0], "- expected 3")
    print("DRY RUN lists:", [row[0] for row in spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()])
    spark.sql(f"VACUUM delta.`{table}`")
    print("the live file is", "there" if live.exists() else "GONE: the table cannot be read any more")
    return 0 if live.exists() else 1


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
