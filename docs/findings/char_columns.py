"""DELETE leaves rows of a CHAR column that SELECT by the same condition finds (Delta 3.3.2 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python char_columns.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        kinds = {"data column": "", "partition column": "PARTITIONED BY (c)"}
        return int(any([leaves_rows(spark, f"{home}/{place}", *kind) for place, kind in enumerate(kinds.items())]))
    finally:
        spark.stop()
        shutil.rmtree(home)


def leaves_rows(spark: SparkSession, path: str, kind: str, partitions: str) -> bool:
    """Whether a row is left that the condition finds."""
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, c CHAR(5)) USING delta {partitions}")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'ab')")
    found = spark.sql(f"SELECT * FROM delta.`{path}` WHERE c = 'ab'").count()
    (said,) = spark.sql(f"DELETE FROM delta.`{path}` WHERE c = 'ab'").collect()
    left = spark.sql(f"SELECT * FROM delta.`{path}`").count()
    print(f"{kind}: SELECT finds {found} row, DELETE says {said[0]}, {left} is left")
    return found == 1 and left > 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED")[code])
    sys.exit(code)
