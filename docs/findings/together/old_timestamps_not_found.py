"""Delta 3.3.2 writes an old TIMESTAMP in a session of Los Angeles; Delta 4.4.0's DELETE of that value skips the file.

    OLD/bin/pip install pyspark==3.5.7 delta-spark==3.3.2
    NEW/bin/pip install pyspark==4.2.0 delta-spark==4.4.0
    python old_timestamps_not_found.py OLD/bin/python NEW/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

#: A session of Delta on Spark: answers each line, a statement, with its rows, or with its error.
SPARK = """
import json, os, sys
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what Spark prints
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
builder.config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
builder.config("spark.sql.shuffle.partitions", "1")
builder.config("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED").config("spark.sql.session.timeZone", sys.argv[1])
spark = configure_spark_with_delta_pip(builder).getOrCreate()
for line in sys.stdin:
    try:
        answer = [list(row) for row in spark.sql(json.loads(line)).collect()]
    except Exception as error:
        answer = str(error).splitlines()[0]
    print(json.dumps(answer, default=str), file=answers, flush=True)
"""
VALUE = "TIMESTAMP'1850-06-01 12:00:00Z'"


class Spark:
    """A session in the environment of this interpreter, in a time zone."""

    def __init__(self, python: str, home: str, zone: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([python, "-c", SPARK, zone], cwd=home, text=True, **pipes)

    def sql(self, statement: str) -> object:
        self._process.stdin.write(f"{json.dumps(statement)}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def is_violated(home: str, old: str, new: str) -> bool:
    table = f"delta.`{home}/t`"
    writer = Spark(old, home, "America/Los_Angeles")
    writer.sql(f"CREATE TABLE {table} (v INT, t TIMESTAMP) USING delta")
    print("the old version inserts a row:", writer.sql(f"INSERT INTO {table} VALUES (1, {VALUE})"))
    writer.close()
    for commit in sorted(Path(home, "t", "_delta_log").glob("*.json")):
        for line in map(json.loads, commit.read_text().splitlines()):
            if "add" in line:
                print("its statistics:", line["add"]["stats"])
    reader = Spark(new, home, "UTC")
    try:
        before = reader.sql(f"SELECT v, t = {VALUE} FROM {table}")
        if before != [[1, True]]:
            raise RuntimeError(before)
        print("a query of the new version finds", reader.sql(f"SELECT v FROM {table} WHERE t = {VALUE}"), end=", ")
        deleted = reader.sql(f"DELETE FROM {table} WHERE t = {VALUE}")
        print("a DELETE deletes", deleted, "row; expected [[1]]")
        print("left:", reader.sql(f"SELECT v FROM {table}"))
        return deleted != [[1]]
    finally:
        reader.close()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(directory, *sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS")
    sys.exit(int(violated))
