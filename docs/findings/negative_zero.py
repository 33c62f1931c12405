"""DELETE WHERE d = -0.0 leaves rows whose value is 0.0, and DELETE WHERE d = 0.0 those with -0.0.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python negative_zero.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession

#: Settings of the session: the default; Parquet's dictionary filter off; all of Spark's Parquet filters off.
SETTINGS = ["", "parquet.filter.dictionary.enabled", "spark.sql.parquet.filterPushdown"]

#: What the column holds, and the condition: 0.0 and -0.0 are equal.
CASES = [
    ("DOUBLE", "0.0D", "d = -0.0D"),
    ("DOUBLE", "-0.0D", "d = 0.0D"),
    ("DOUBLE", "-0.0D", "d >= 0.0D"),
    ("FLOAT", "-0.0F", "d = 0.0F"),
]


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
        for number, (kind, value, condition) in enumerate(CASES):
            for place, off in enumerate(SETTINGS):
                if off:
                    spark.conf.set(off, "false")
                table = f"delta.`{home}/t{number}-{place}`"
                spark.sql(f"CREATE TABLE {table} (d {kind}) USING delta")
                spark.sql(f"INSERT INTO {table} SELECT {value} FROM range(0, 3, 1, 1)")
                spark.sql(f"DELETE FROM {table} WHERE {condition}")
                left = spark.table(table).count()
                if off:
                    spark.conf.unset(off)
                print(f"3 rows of {value}, DELETE WHERE {condition}; {off or 'nothing'} off: {left} left, 0 expected")
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
