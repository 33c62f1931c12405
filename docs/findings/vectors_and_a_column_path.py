"""A column named path and deletion vectors: rows cannot be deleted (Delta 3.1 to 4.2).

    pip install pyspark==4.0.1 delta-spark==4.0.1
    python vectors_and_a_column_path.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_2.13:4.0.1")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    try:
        return 1 if refused(spark, home) else 0
    finally:
        spark.stop()
        shutil.rmtree(home)


def refused(spark: SparkSession, home: str) -> int:
    """The number of DELETEs that fail."""
    wrong = 0
    for name, columns, properties in TABLES:
        table = f"delta.`{home}/{name}`"
        spark.sql(f"CREATE TABLE {table} ({columns}) USING delta TBLPROPERTIES ({properties})")
        spark.sql(f"INSERT INTO {table} VALUES (1, 1), (2, 2)")
        try:
            spark.sql(f"DELETE FROM {table} WHERE v = 1")
            print(f"{name}: deleted")
        except Exception as error:
            print(f"{name}: {str(error).splitlines()[0]}")
            wrong += 1
    return wrong


TABLES = (
    ("plain", "path INT, v INT", "'delta.enableDeletionVectors' = 'false'"),
    ("vectors", "path INT, v INT", "'delta.enableDeletionVectors' = 'true'"),
)


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
