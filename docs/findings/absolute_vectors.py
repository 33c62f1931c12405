"""VACUUM deletes a live deletion vector in the table's directory that is named by its absolute path.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python absolute_vectors.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

OLD = time.time() - 30 * 86400  # VACUUM's retention is a week


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
    vector = next(table.rglob("deletion_vector_*.bin"))
    commit = max((table / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    for action in actions:
        if "add" in action:  # PROTOCOL.md, "Deletion Vector Descriptor Schema": storage type p, an absolute path
            action["add"]["deletionVector"].update(storageType="p", pathOrInlineDv=f"file://{vector}")
    commit.write_text("".join(json.dumps(action) + "\n" for action in actions))
    for path in table.rglob("*"):
        os.utime(path, (OLD, OLD))
    print("sum of the ids:", spark.sql(f"SELECT sum(id) FROM delta.`{table}`").collect()[0][0], "- expected 44")
    print("DRY RUN lists:", [row[0] for row in spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()])
    spark.sql(f"VACUUM delta.`{table}`")
    print("the deletion vector is", "there" if vector.exists() else "GONE: the table cannot be read any more")
    return 0 if vector.exists() else 1


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(directory), Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
