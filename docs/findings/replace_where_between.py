"""An overwrite with replaceWhere and BETWEEN fails (Delta 4.0.0 to 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python replace_where_between.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        table = f"{home}/table"
        rows = spark.sql("SELECT * FROM VALUES (1, 1), (2, 2) AS t(p, v)")
        rows.write.format("delta").partitionBy("p").save(table)
        refused = {}
        for where in ("p >= 2 AND p <= 2", "p BETWEEN 2 AND 2"):
            writer = rows.where("p = 2").write.format("delta").mode("overwrite").option("replaceWhere", where)
            try:
                writer.save(table)
                print(f"replaceWhere {where}: written")
            except Exception as error:
                refused[where] = str(error)
                print(f"replaceWhere {where}: {str(error).splitlines()[0]}")
        return 1 if list(refused) == ["p BETWEEN 2 AND 2"] else 2 if refused else 0
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
