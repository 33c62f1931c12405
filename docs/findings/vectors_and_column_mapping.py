"""Column mapping and deletion vectors: rows cannot be deleted (Delta 2.4).

    pip install pyspark==3.4.4 delta-spark==2.4.0
    python vectors_and_column_mapping.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-core_2.12:2.4.0")
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
    ("vectors", "v INT, w INT", "'delta.enableDeletionVectors' = 'true'"),
    (
        "mapped",
        "v INT, w INT",
        "'delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name', "
        "'delta.minReaderVersion' = '3', 'delta.minWriterVersion' = '7'",
    ),
)


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
