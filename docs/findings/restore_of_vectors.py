"""RESTORE fails where deletion vectors were switched off, and a file of the version has one (Delta 2.4.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python restore_of_vectors.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        return int(is_refused(spark, f"{home}/table"))
    finally:
        spark.stop()
        shutil.rmtree(home)


def is_refused(spark: SparkSession, path: str) -> bool:
    """Whether a RESTORE ends in an error, and the rows do not come back."""
    table = f"delta.`{path}`"
    spark.range(4).toDF("v").coalesce(1).write.format("delta").option("delta.enableDeletionVectors", "true").save(path)
    spark.sql(f"DELETE FROM {table} WHERE v = 1")  # a deletion vector
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = false)")  # version 2
    spark.sql(f"DELETE FROM {table}")
    try:
        spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF 2")
    except Exception as error:
        print(str(error).splitlines()[0])
        return "DELTA_ADDING_DELETION_VECTORS_DISALLOWED" in str(error)
    print(f"restored: {spark.table(table).count()} of 3 rows")
    return False


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
