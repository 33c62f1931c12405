"""After a column of FLOATs is widened to DOUBLE, DELETE skips files that hold matching rows: their bounds are texts of FLOATs.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python bounds_of_a_widened_float.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession

#: 0.1 as a FLOAT is 0.10000000149011612 as a DOUBLE; its text in the statistics is 0.1.
CONDITIONS = ("f > 0.1D", "f = 0.10000000149011612D", "f BETWEEN 0.1000000001D AND 0.2D")


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
    wrong = 0
    try:
        for vectors in ("false", "true"):
            for number, condition in enumerate(CONDITIONS):
                table = f"delta.`{home}/t{number}-{vectors}`"
                properties = f"'delta.enableTypeWidening' = 'true', 'delta.enableDeletionVectors' = '{vectors}'"
                spark.sql(f"CREATE TABLE {table} (f FLOAT) USING delta TBLPROPERTIES ({properties})")
                spark.sql(f"INSERT INTO {table} SELECT 0.1F FROM range(0, 3, 1, 1)")
                spark.sql(f"ALTER TABLE {table} ALTER COLUMN f TYPE DOUBLE")
                values = sorted({row.f for row in spark.table(table).collect()})
                spark.sql(f"DELETE FROM {table} WHERE {condition}")
                left = spark.table(table).count()
                print(f"3 rows of {values}, vectors {vectors}, DELETE WHERE {condition}: {left} left, 0 expected")
                wrong += left != 0
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
