"""VACUUM deletes a live deletion vector that lies in the table and is named by its absolute path.

Needs pyspark==4.2.0 and delta-spark==4.4.0 only. Run: python absolute_vectors.py
Exit 0: it is there. 1: it is gone, and the table cannot be read.
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


def make_old(root: Path) -> None:
    """All that lies below is 30 days old."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def copy_without_checksums(table: Path, to: Path) -> None:
    """The same table, with a log that can be edited."""
    shutil.copytree(table, to)
    for path in (to / "_delta_log").glob("*.crc"):
        path.unlink()
    for path in (to / "_delta_log").glob(".*.crc"):
        path.unlink()


def main() -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-")).resolve()
    spark = start(str(home))
    try:
        made, table = home / "made", home / "t"
        properties = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
        spark.sql(f"CREATE TABLE delta.`{made}` (id BIGINT) USING delta {properties}")
        spark.sql(f"INSERT INTO delta.`{made}` SELECT id FROM range(10)")
        spark.sql(f"DELETE FROM delta.`{made}` WHERE id = 1")
        copy_without_checksums(made, table)
        vector = next(table.rglob("deletion_vector_*.bin"))
        commit = max((table / "_delta_log").glob("*.json"))
        actions = [json.loads(line) for line in commit.read_text().splitlines()]
        for action in actions:
            if "add" in action:  # PROTOCOL.md, "Deletion Vector Descriptor Schema": storage type p, an absolute path
                action["add"]["deletionVector"].update(storageType="p", pathOrInlineDv=f"file://{vector}")
        commit.write_text("".join(json.dumps(action) + "\n" for action in actions))
        make_old(table)
        print(
            "rows before:", spark.sql(f"SELECT sum(id) FROM delta.`{table}`").collect()[0][0], "(their sum; it is 44)"
        )
        print("DRY RUN lists:", [row[0] for row in spark.sql(f"VACUUM delta.`{table}` DRY RUN").collect()])
        spark.sql(f"VACUUM delta.`{table}`")
        print("the deletion vector is", "there" if vector.exists() else "GONE: the table cannot be read any more")
        return 0 if vector.exists() else 1
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
