"""A DELETE fails in a session that opened the table before deletion vectors were switched on (Delta 3.2.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python vectors_since_opened.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import shutil
import sys
import tempfile

from delta.tables import DeltaTable
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
    """Whether a DELETE by what was opened before ends in an error that is no conflict."""
    spark.range(4).toDF("v").coalesce(1).write.format("delta").save(path)
    opened = DeltaTable.forPath(spark, path)
    spark.newSession().sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.enableDeletionVectors' = true)")
    try:
        opened.delete("v = 1")
    except Exception as error:
        print(str(error).splitlines()[0])
        return "FIELD_NOT_FOUND" in str(error)
    print("deleted")
    return False


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
