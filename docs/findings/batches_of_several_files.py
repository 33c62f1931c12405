"""DELETE and UPDATE by a Python function leave rows that they count (Delta 2.4.0 to 4.4.0, without deletion vectors).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python batches_of_several_files.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")  # one task reads all files, as with any number of processors and many files
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    spark.sparkContext.pythonExec = sys.executable
    spark.udf.register("is_even", lambda x: x % 2 == 0, "boolean")
    try:
        left = {}
        for command in ("DELETE FROM", "UPDATE"):
            for where in ("x % 2 = 0", "is_even(x)"):
                table = f"{home}/table-{len(left)}"
                spark.range(0, 9, 1, 3).toDF("x").write.format("delta").save(table)  # three files
                changed = " SET x = -1" if command == "UPDATE" else ""
                reported = spark.sql(f"{command} delta.`{table}`{changed} WHERE {where}").first()[0]
                rows = sorted(row[0] for row in spark.read.format("delta").load(table).collect())
                left[command, where] = [x for x in rows if x % 2 == 0]
                print(f"{command} WHERE {where}: {reported} rows reported, even numbers left: {left[command, where]}")
        wrong = [where for (_, where), rows in left.items() if rows]
        return 2 if "x % 2 = 0" in wrong else 1 if wrong else 0
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
