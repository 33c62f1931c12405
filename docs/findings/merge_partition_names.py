"""MERGE fails where a partition column's name has a dot or a backtick (Delta 2.4.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python merge_partition_names.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

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
    try:
        refused = [name for number, name in enumerate(NAMES) if is_refused(spark, f"{home}/{number}", name)]
        return 2 if NAMES[0] in refused else 1 if refused else 0
    finally:
        spark.stop()
        shutil.rmtree(home)


NAMES = ("p", "a.b", ".x", "b`t")


def is_refused(spark: SparkSession, path: str, name: str) -> bool:
    """Whether a MERGE into a table that is partitioned by a column of this name fails."""
    rows = spark.range(4).toDF("v").selectExpr("v", "v % 2 AS p").withColumnRenamed("p", name)
    rows.write.format("delta").partitionBy(name).save(path)
    source = "(SELECT 1 AS k)"
    try:
        spark.sql(f"MERGE INTO delta.`{path}` t USING {source} s ON t.v = s.k WHEN MATCHED THEN UPDATE SET v = 9")
    except Exception as error:
        print(f"{name}: {str(error).splitlines()[0]}")
        return True
    print(f"{name}: merged")
    return False


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
