"""A column named _metadata and deletion vectors: rows cannot be deleted.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python metadata_column.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    wrong = 0
    try:
        for vectors in ("false", "true"):
            table = f"delta.`{home}/t_{vectors}`"
            properties = f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')"
            spark.sql(f"CREATE TABLE {table} (id INT, `_metadata` INT) USING delta {properties}")
            spark.sql(f"INSERT INTO {table} VALUES (1, 1), (2, 2)")
            try:
                spark.sql(f"DELETE FROM {table} WHERE id = 1")
                print(f"deletion vectors {vectors}: deleted")
            except Exception as refused:
                print(f"deletion vectors {vectors}: {str(refused).splitlines()[0]}")
                wrong += 1
    finally:
        spark.stop()
        shutil.rmtree(home)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
