"""VACUUM USING INVENTORY refuses a query with a column that is never NULL, or in another order, and fails on two slashes.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python inventory_by_a_query.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

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
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        table = f"{home}/table"
        spark.sql("SELECT 1 AS v").write.format("delta").save(table)
        files = spark.createDataFrame(
            [(f"file:{table}/old", 1, False, 1)], "path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT"
        )
        files.createOrReplaceTempView("files")
        refused = []
        for selected in (
            "path, length, isDir, modificationTime",
            "path, length, false AS isDir, modificationTime",
            "isDir, path, length, modificationTime",
            "replace(path, '/old', '//old') AS path, length, isDir, modificationTime",
        ):
            Path(table, "old").write_text("x")
            try:
                spark.sql(f"VACUUM delta.`{table}` USING INVENTORY (SELECT {selected} FROM files) RETAIN 0 HOURS")
                print(f"{selected}: deleted {not Path(table, 'old').exists()}")
            except Exception as error:
                refused.append(selected)
                print(f"{selected}: {str(error).splitlines()[0]}")
        return 2 if any(one.startswith("path, length, isDir") for one in refused) else 1 if refused else 0
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
