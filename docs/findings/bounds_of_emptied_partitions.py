"""MAX of a partition column counts a live file without rows.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python bounds_of_emptied_partitions.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    try:
        path = f"{home}/t"
        spark.sql(f"CREATE TABLE delta.`{path}` (v INT, p INT) USING delta PARTITIONED BY (p)")
        spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 1)")
        add_file_without_rows(spark, Path(path))
        answers = [
            spark.sql(f"SELECT max(p) FROM delta.`{path}` {where}").first()[0] for where in ("", "WHERE v IS NOT NULL")
        ]
        print(f"max(p) from the log: {answers[0]}; of the rows: {answers[1]}")
        return 0 if answers[0] == answers[1] else 1
    finally:
        spark.stop()
        shutil.rmtree(home)


def add_file_without_rows(spark: SparkSession, table: Path) -> None:
    """As another writer leaves one in the partition p=2."""
    spark.createDataFrame([], "v INT").coalesce(1).write.parquet(f"{table}/p=2")
    (file,) = (table / "p=2").glob("*.parquet")
    add = {"path": f"p=2/{file.name}", "partitionValues": {"p": "2"}, "size": file.stat().st_size}
    add |= {"modificationTime": 1, "dataChange": True, "stats": json.dumps({"numRecords": 0})}
    (table / "_delta_log" / f"{2:020}.json").write_text(json.dumps({"add": add}))


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
