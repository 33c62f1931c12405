"""Change files under column mapping do not lie in _change_data.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python change_files_place.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

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
    elsewhere = 0
    try:
        for mode in ("none", "name"):
            table = f"delta.`{home}/{mode}`"
            properties = f"('delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = '{mode}')"
            spark.sql(f"CREATE TABLE {table} (id INT) USING delta TBLPROPERTIES {properties}")
            spark.sql(f"INSERT INTO {table} SELECT * FROM VALUES (1), (2)")
            spark.sql(f"DELETE FROM {table} WHERE id = 1")
            last = max(Path(home, mode, "_delta_log").glob("*.json"))
            for path in [json.loads(line)["cdc"]["path"] for line in last.read_text().splitlines() if '"cdc"' in line]:
                print(f"column mapping {mode}: {path}, expected _change_data/…")
                elsewhere += not path.startswith("_change_data/")
    finally:
        spark.stop()
        shutil.rmtree(home)
    return 1 if elsewhere else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
