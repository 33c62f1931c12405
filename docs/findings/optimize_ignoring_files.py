"""OPTIMIZE removes a file that it cannot read, with its rows, in a session that ignores corrupt or missing files.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python optimize_ignoring_files.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

CORRUPT, MISSING = "spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles"

#: What is done to one of two files, a setting, and a command that changes no row.
CASES = [
    ("cut in half", CORRUPT, "OPTIMIZE {table}"),
    ("deleted", MISSING, "OPTIMIZE {table}"),
    ("deleted", MISSING, "OPTIMIZE {table} ZORDER BY (id)"),
]


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
    spark.sparkContext.setLogLevel("OFF")
    wrong = 0
    try:
        for number, (damage, setting, command) in enumerate(CASES):
            table = f"delta.`{home}/t{number}`"
            spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta")
            for start in (0, 1000):
                spark.sql(f"INSERT INTO {table} SELECT id FROM range({start}, {start + 1000}, 1, 1)")
            path = Path(spark.table(table).inputFiles()[0].removeprefix("file:"))
            os.remove(path.with_name(f".{path.name}.crc"))
            os.truncate(path, path.stat().st_size // 2) if damage == "cut in half" else path.unlink()
            spark.conf.set(setting, "true")
            spark.sql(command.format(table=table))
            spark.conf.unset(setting)
            live = path.name in [Path(file).name for file in spark.table(table).inputFiles()]
            words = "is live" if live else f"is removed from the table, which has {spark.table(table).count()} rows"
            print(f"a file {damage}, {setting}: {command.format(table='t')}: the file {words} - expected: is live")
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
