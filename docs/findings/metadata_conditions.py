"""A condition on a metadata column, which SELECT takes, is refused in DELETE (Delta 4.4.0).

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python metadata_conditions.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        for vectors in ("false", "true"):
            table = f"delta.`{home}/{vectors}`"
            vectors_are = f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')"
            spark.sql(f"CREATE TABLE {table} (v INT) USING delta {vectors_are}")
            spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
            where = "v = 1 AND _metadata.file_size > 0"
            print(f"SELECT finds {spark.sql(f'SELECT * FROM {table} WHERE {where}').count()} row")
            try:
                spark.sql(f"DELETE FROM {table} WHERE {where}")
                print(f"DELETE with deletion vectors {vectors}: {spark.table(table).count()} row is left")
            except Exception as error:
                refused.append(vectors)
                print(f"DELETE with deletion vectors {vectors}: {str(error).splitlines()[0]}")
        return 1 if refused else 0
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
