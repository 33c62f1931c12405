"""VACUUM fails on a table that has an inline deletion vector.

Needs pyspark==4.2.0 and delta-spark==4.4.0 only. Run: python inline_vectors.py
Exit 0: it does not. 1: it does, dry run too.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession


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


def copy_without_checksums(table: Path, to: Path) -> None:
    """The same table, with a log that can be edited."""
    shutil.copytree(table, to)
    for path in (to / "_delta_log").glob("*.crc"):
        path.unlink()
    for path in (to / "_delta_log").glob(".*.crc"):
        path.unlink()


def z85(data: bytes) -> str:
    """Base85 as https://rfc.zeromq.org/spec/32/ has it, zeros behind."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    data += bytes(-len(data) % 4)
    text = ""
    for at in range(0, len(data), 4):
        number = int.from_bytes(data[at : at + 4], "big")
        text += "".join(digits[number // 85**power % 85] for power in (4, 3, 2, 1, 0))
    return text


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
        data = next(table.rglob("deletion_vector_*.bin")).read_bytes()
        commit = max((table / "_delta_log").glob("*.json"))
        actions = [json.loads(line) for line in commit.read_text().splitlines()]
        for action in actions:
            if (
                "add" in action
            ):  # PROTOCOL.md, "Deletion Vector Descriptor Schema": storage type i, the bytes themselves
                vector = action["add"]["deletionVector"]
                start_at = vector.pop("offset") + 4  # after the size
                vector.update(storageType="i", pathOrInlineDv=z85(data[start_at : start_at + vector["sizeInBytes"]]))
        commit.write_text("".join(json.dumps(action) + "\n" for action in actions))
        print("rows:", spark.sql(f"SELECT sum(id) FROM delta.`{table}`").collect()[0][0], "(their sum; it is 44)")
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
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(main())
