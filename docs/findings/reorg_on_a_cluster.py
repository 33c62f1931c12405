"""REORG TABLE APPLY (PURGE) fails wherever executors are other processes than the driver (Delta 4.0.1 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python reorg_on_a_cluster.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

It starts a driver and one executor (local-cluster), for which a whole JDK must be in JAVA_HOME.
"""

import os
import shutil
import sys
import tempfile

import pyspark
from pyspark.sql import SparkSession

os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
os.environ.setdefault("SPARK_SCALA_VERSION", "2.13")  # which a Spark that pip installed cannot find out for executors


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local-cluster[1,1,1024]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    try:
        table = f"delta.`{home}/table`"
        spark.sql(f"CREATE TABLE {table} (v INT) USING delta")
        spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
        try:
            spark.sql(f"REORG TABLE {table} APPLY (PURGE)")
        except Exception as refused:
            said = str(refused)
            if "No active or default Spark session found" not in said:
                print("CANNOT TELL: it fails for another reason:", said[:300])
                return 2
            print("VIOLATED: REORG TABLE APPLY (PURGE) fails, as its tasks ask for a session that only the driver has.")
            return 1
        print("HOLDS: REORG TABLE APPLY (PURGE) succeeds.")
        return 0
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
