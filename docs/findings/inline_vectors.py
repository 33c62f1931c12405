"""VACUUM fails on a table that has an inline deletion vector.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python inline_vectors.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

#: A deletion vector in the log itself that hides row 1 (PROTOCOL.md, "Deletion Vector Descriptor Schema").
INLINE = {
    "storageType": "i",
    "pathOrInlineDv": "^Bg9^0rr910000000000iXQKl0rr91000005c8Xg0rr91",
    "sizeInBytes": 34,
    "cardinality": 1,
}


def start(home: str) -> SparkSession:
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def main(spark: SparkSession, home: Path) -> int:
    made, table = home / "made", home / "t"
    properties = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    spark.sql(f"CREATE TABLE delta.`{made}` (id BIGINT) USING delta {properties}")
    spark.sql(f"INSERT INTO delta.`{made}` SELECT id FROM range(10)")
    spark.sql(f"DELETE FROM delta.`{made}` WHERE id = 1")
    shutil.copytree(made, table, ignore=shutil.ignore_patterns("*.crc"))  # so that the log can be edited
    commit = max((table / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            action["add"]["deletionVector"] = INLINE
    commit.write_text("".join(json.dumps(action) + "\n" for action in actions))
    print("sum of the ids:", spark.sql(f"SELECT sum(id) FROM delta.`{table}`").collect()[0][0], "- expected 44")
    failed = 0
    for command in (f"VACUUM delta.`{table}` DRY RUN", f"VACUUM delta.`{table}`"):
        try:
            spark.sql(command).collect()
            print(command, "works")
        except Exception as error:
            failed += 1
            cause = next((line for line in str(error).splitlines() if "MatchError" in line), str(error))
            print(command, "fails:", cause[:300])
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
