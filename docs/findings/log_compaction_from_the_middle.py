"""A log compaction of Delta Kernel leaves out expired removes: Delta on Spark reads the deleted rows again (Delta 4.2.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python log_compaction_from_the_middle.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile
import time

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
        return int(is_violated(spark, f"{home}/t"))
    finally:
        spark.stop()
        shutil.rmtree(home)


def is_violated(spark: SparkSession, path: str) -> bool:
    spark.sql(f"CREATE TABLE delta.`{path}` (v INT) USING delta")
    for value in (1, 2):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({value})")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE v = 1")  # version 3
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (3)")
    compact(spark, path, 3, 4)
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # another session
    rows = sorted(row.v for row in spark.read.format("delta").load(path).collect())
    print("the table reads as", rows, "- expected [2, 3]")
    return rows != [2, 3]


def compact(spark: SparkSession, path: str, first: int, last: int) -> None:
    """Writes a log compaction after the retention: every tombstone of today has expired."""
    kernel = spark._jvm.io.delta.kernel
    paths = [kernel.internal.fs.Path(f"file:{text}") for text in (path, f"{path}/_delta_log")]
    later = int(time.time() * 1000) + 24 * 60 * 60 * 1000
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    hook = kernel.internal.hook.LogCompactionHook(*paths, first, last, later)
    hook.threadSafeInvoke(kernel.defaults.engine.DefaultEngine.create(conf))


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED")[code])
    sys.exit(code)
