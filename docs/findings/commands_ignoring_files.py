"""UPDATE and REPLACE WHERE drop the rows that they cannot read, in a session that ignores corrupt or missing files, and commit.

    pip install pyspark==4.2.0 delta-spark==4.4.0 pyarrow
    python commands_ignoring_files.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

ROWS, CORRUPT, MISSING = 20_000, "spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles"

#: A setting, and a command that takes no row away.
CASES = [
    (CORRUPT, "UPDATE {table} SET s = 'x' WHERE id = 5"),
    (CORRUPT, "INSERT INTO {table} REPLACE WHERE id = 5 SELECT 5L, 'x'"),
    (MISSING, "UPDATE {table} SET s = 'x'"),
]


def damage(path: str) -> None:
    """Zeros in the last row group, as a bad block leaves them; the others and the footer are whole."""
    metadata = pq.ParquetFile(path).metadata
    os.remove(Path(path).with_name(f".{Path(path).name}.crc"))
    with open(path, "r+b") as data:
        data.seek(metadata.row_group(metadata.num_row_groups - 1).column(1).data_page_offset)
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
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    wrong = 0
    try:
        for number, (setting, command) in enumerate(CASES):
            table = f"delta.`{home}/t{number}`"
            spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
            spark.sql(f"INSERT INTO {table} SELECT id, sha2(CAST(id AS STRING), 512) FROM range(0, {ROWS}, 1, 1)")
            (file,) = spark.table(table).inputFiles()
            path = file.removeprefix("file:")
            damage(path) if setting == CORRUPT else os.remove(path)
            spark.conf.set(setting, "true")
            spark.sql(command.format(table=table))
            spark.conf.unset(setting)
            live = Path(path).name in [Path(one).name for one in spark.table(table).inputFiles()]
            lost = 0 if live else ROWS - spark.table(table).count()
            print(f"{command.format(table='t')}: the file is {'live' if live else 'replaced'}; {lost} rows are lost - expected 0")
            wrong += lost > 0
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
