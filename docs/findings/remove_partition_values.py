"""DELETE writes a remove that leaves out a partition value that is NULL.

PROTOCOL.md, "Add File and Remove File": partitionValues is a map from partition column to value.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python remove_partition_values.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
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
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    try:
        table = f"delta.`{home}/t`"
        spark.sql(f"CREATE TABLE {table} (id INT, p STRING, q INT) USING delta PARTITIONED BY (p, q)")
        spark.sql(f"INSERT INTO {table} VALUES (1, NULL, 0)")
        spark.sql(f"DELETE FROM {table} WHERE id = 1")
        values = {}
        for version, kind in ((1, "add"), (2, "remove")):
            with open(f"{home}/t/_delta_log/{version:020}.json", encoding="utf-8") as commit:
                actions = [json.loads(line) for line in commit]
            values[kind] = next(action[kind]["partitionValues"] for action in actions if kind in action)
        print("partitionValues of the add:", values["add"], "- of the remove:", values["remove"], "- expected the same")
        return 0 if values["add"] == values["remove"] else 1
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
