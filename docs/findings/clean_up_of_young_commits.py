"""Log clean-up deletes a young commit if the file of the next one is old (Delta 3.3.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python clean_up_of_young_commits.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import shutil
import sys
import tempfile
import time

from pyspark.sql import SparkSession

DAY = 24 * 60 * 60


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
        lost = {with_checksums: is_lost(spark, f"{home}/{with_checksums}", with_checksums) for with_checksums in (0, 1)}
        return 2 if lost[0] else int(lost[1])
    finally:
        spark.stop()
        shutil.rmtree(home)


def is_lost(spark: SparkSession, path: str, with_checksums: int) -> bool:
    """Whether version 1, which was committed just now, is gone from the log after a checkpoint."""
    spark.sql(f"CREATE TABLE delta.`{path}` (v INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    for value in range(2):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({value})")
    for version, days in ((0, 60), (2, 60)):  # the retention of the log is 30 days; version 1 is inside it
        for kind in ("json", "crc"):
            file = f"{path}/_delta_log/{version:020}.{kind}"
            if kind == "crc" and not with_checksums:
                os.remove(file)
            else:
                os.utime(file, (time.time() - days * DAY,) * 2)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (2)")  # version 3: a checkpoint, and then log clean-up
    left = sorted(name for name in os.listdir(f"{path}/_delta_log") if name.endswith(".json"))
    print(f"{'with' if with_checksums else 'without'} version checksums: {', '.join(left)}")
    return f"{1:020}.json" not in left


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
