"""With spark.sql.files.ignoreCorruptFiles a DELETE of one row drops the rows that it cannot read, and commits.

    pip install pyspark==4.2.0 delta-spark==4.4.0 pyarrow
    python ignore_corrupt_files.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

ROWS, CORRUPT, MISSING = 20_000, "spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles"


def write(spark: SparkSession, table: str, vectors: bool) -> str:
    """A table of one file with several row groups; the file's path."""
    properties = f"'delta.enableDeletionVectors' = '{str(vectors).lower()}'"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING delta TBLPROPERTIES ({properties})")
    spark.sql(f"INSERT INTO {table} SELECT id, sha2(CAST(id AS STRING), 512) FROM range(0, {ROWS}, 1, 1)")
    (file,) = spark.table(table).inputFiles()
    return file.removeprefix("file:")


def damage(path: str) -> None:
    """Zeros at the begin of the last row group's pages, as a bad block leaves them; the footer and the others are whole."""
    metadata = pq.ParquetFile(path).metadata
    last = metadata.row_group(metadata.num_row_groups - 1)
    os.remove(Path(path).with_name(f".{Path(path).name}.crc"))
    with open(path, "r+b") as data:
        data.seek(last.column(1).data_page_offset)
        data.write(bytes(2000))


def main() -> int:
    home = tempfile.mkdtemp(prefix="tombstone-")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", f"{home}/warehouse")
        .config("spark.hadoop.parquet.block.size", "300000")
        .config("spark.ui.enabled", "false")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    wrong = 0
    try:
        for number, (vectors, setting) in enumerate([(False, CORRUPT), (True, CORRUPT), (False, MISSING)]):
            table = f"delta.`{home}/t{number}`"
            path = write(spark, table, vectors)
            damage(path) if setting == CORRUPT else os.remove(path)
            spark.conf.set(setting, "true")
            deleted = spark.sql(f"DELETE FROM {table} WHERE id = 5").first()[0]
            live = Path(path).name in [Path(file).name for file in spark.table(table).inputFiles()]
            left = ROWS if live else spark.table(table).count()
            spark.conf.unset(setting)
            print(f"{setting}, vectors {vectors}: {deleted} deleted; the damaged file is {'live' if live else 'replaced'}")
            print(f"    rows that could not be read and are lost: {max(ROWS - 1 - left, 0)} - expected 0")
            wrong += not live
    finally:
        spark.stop()
        shutil.rmtree(home)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
