"""UPDATE fails where a table with a change data feed has a column named with a backtick (Delta 2.4.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python update_feed_names.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql.functions import expr


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
        refused = [name for number, name in enumerate(NAMES) if is_refused(spark, f"{home}/{number}", name)]
        return 2 if NAMES[0] in refused else 1 if refused else 0
    finally:
        spark.stop()
        shutil.rmtree(home)


NAMES = ("p", "a.b", "b`t")


def is_refused(spark: SparkSession, path: str, name: str) -> bool:
    """Whether an UPDATE of another column fails in a table that has a column of this name."""
    rows = spark.range(4).toDF("v").withColumn("other", expr("v")).withColumnRenamed("other", name)
    rows.write.format("delta").option("delta.enableChangeDataFeed", "true").save(path)
    try:
        spark.sql(f"UPDATE delta.`{path}` SET v = 9 WHERE v = 1")
    except Exception as error:
        print(f"{name}: {str(error).splitlines()[0]}")
        return True
    print(f"{name}: updated")
    return False


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
