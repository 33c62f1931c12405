"""DELETE through a temporary view destroys values of rows that it keeps.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python delete_through_a_view.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    spark.sparkContext.setLogLevel("ERROR")
    wrong = 0
    try:
        for number, (view, condition, left) in enumerate(
            [
                ("SELECT id FROM {t}", "id = 2", [(1, "a", 1), (3, "c", 2), (4, "d", 2)]),
                ("SELECT id + 1 AS id, v, p FROM {t}", "id = 2", [(2, "b", 1), (3, "c", 2), (4, "d", 2)]),
                ("SELECT p AS id, v, id AS p FROM {t}", "id = 2", [(1, "a", 1), (2, "b", 1)]),
                ("SELECT v, id, p FROM {t}", "id = 2", [(1, "a", 1), (3, "c", 2), (4, "d", 2)]),
            ]
        ):
            table = f"delta.`{home}/t{number}`"
            spark.sql(f"CREATE TABLE {table} (id INT, v STRING, p INT) USING delta")
            spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2), (4, 'd', 2)")
            spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW w AS {view.format(t=table)}")
            print(f"\n{view.format(t='t')}; DELETE FROM w WHERE {condition}")
            try:
                spark.sql(f"DELETE FROM w WHERE {condition}")
            except Exception as refused:  # a refusal is right too
                print("  refused:", str(refused).splitlines()[0])
                continue
            found = sorted((tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect()), key=repr)
            print("  expected:", left)
            print("  found:   ", found)
            wrong += found != left
    finally:
        spark.stop()
        shutil.rmtree(home)
    print(f"\n{wrong} of 4 views: the DELETE was accepted and changed rows that it does not delete.")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
