"""DROP COLUMN fails where delta.dataSkippingStatsColumns has a name such as `a#b` (Delta 3.3.2 and 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python dropped_column_beside_names.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        refused = []
        for name in ("a_b", "a#b", "a b", "n;w"):
            table = f"delta.`{home}/{name}`"
            listed = f"'delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = '`{name}`'"
            spark.sql(f"CREATE TABLE {table} (`{name}` INT, other INT) USING delta TBLPROPERTIES ({listed})")
            try:
                spark.sql(f"ALTER TABLE {table} DROP COLUMN other")
                print(f"beside {name}: dropped")
            except Exception as error:
                refused.append(name)
                print(f"beside {name}: {str(error).splitlines()[0]}")
        return 2 if "a_b" in refused else 1 if refused else 0
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
