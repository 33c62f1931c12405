"""TRUNCATE TABLE leaves out the tag of row tracking, which DELETE writes.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python truncate_tag.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    lacking = 0
    try:
        for name, statement in (("a", "DELETE FROM {t}"), ("b", "TRUNCATE TABLE {t}")):
            table = f"delta.`{home}/{name}`"
            spark.sql(f"CREATE TABLE {table} (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
            spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
            spark.sql(statement.format(t=table))
            last = max(Path(home, name, "_delta_log").glob("*.json"))
            (info,) = [json.loads(line)["commitInfo"] for line in last.read_text().splitlines() if "commitInfo" in line]
            print(f"{info['operation']}: tags {info.get('tags')}, expected delta.rowTracking.preserved")
            lacking += "delta.rowTracking.preserved" not in info.get("tags", {})
    finally:
        spark.stop()
        shutil.rmtree(home)
    return 1 if lacking else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
