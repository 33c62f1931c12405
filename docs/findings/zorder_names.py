"""OPTIMIZE ZORDER BY fails for a column with a backtick in its name (Delta 2.4.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python zorder_names.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    """Whether OPTIMIZE by the column ends in an error, and by one with another name it does not."""
    frame = spark.createDataFrame([(1, 1), (2, 2)], ["v", "b`t"])
    frame.write.format("delta").option("delta.columnMapping.mode", "name").save(path)
    frame.write.format("delta").mode("append").save(path)
    errors = []
    for column in ("`b``t`", "v"):
        try:
            spark.sql(f"OPTIMIZE delta.`{path}` ZORDER BY ({column})")
        except Exception as error:
            errors.append(column)
            print(next((line for line in str(error).splitlines() if "[" in line), error))
    return errors == ["`b``t`"]


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
