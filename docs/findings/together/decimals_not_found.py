"""Delta's DELETE misses rows by the bounds of a wide DECIMAL that deltalake wrote.

    RS/bin/pip install deltalake==1.6.6 pyarrow
    SPARK/bin/pip install pyspark==4.2.0 delta-spark==4.4.0
    python decimals_not_found.py RS/bin/python SPARK/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import subprocess
import sys
import tempfile

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
spark = configure_spark_with_delta_pip(builder).getOrCreate()
for line in sys.stdin:
    try:
        answer = [list(row) for row in spark.sql(json.loads(line)).collect()]
    except Exception as error:
        answer = str(error).splitlines()[0]
    print(json.dumps(answer, default=str), file=answers, flush=True)
"""
VALUE = "-99999999999999999999.999999999999999998"
WRITE = """
import sys; from decimal import Decimal; import pyarrow as pa; from deltalake import write_deltalake
values = pa.array([Decimal("1"), Decimal(sys.argv[2])], pa.decimal128(38, 18))
write_deltalake(sys.argv[1], pa.table({"v": pa.array([1, 2]), "d": values}))
"""


class Spark:
    """A session in the environment of this interpreter."""

    def __init__(self, python: str, home: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([python, "-c", SPARK], cwd=home, text=True, **pipes)

    def sql(self, statement: str) -> object:
        self._process.stdin.write(f"{json.dumps(statement)}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def run(python: str, code: str, *arguments: str) -> str:
    """What the code prints in the environment of this interpreter."""
    return subprocess.run([python, "-c", code, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def is_violated(home: str, deltalake: str, spark: str) -> bool:
    table, session = f"delta.`{home}/t`", Spark(spark, home)
    try:
        run(deltalake, WRITE, f"{home}/t", VALUE)
        found = session.sql(f"SELECT v, CAST(d AS STRING) FROM {table} ORDER BY v")
        print("the rows that deltalake wrote:", found)
        if not isinstance(found, list) or found[1:] != [[2, VALUE]]:
            raise RuntimeError(found)
        print(f"WHERE d = {VALUE}: a query finds", session.sql(f"SELECT v FROM {table} WHERE d = {VALUE}BD"), end=", ")
        deleted = session.sql(f"DELETE FROM {table} WHERE d = {VALUE}BD")
        print("a DELETE deletes", deleted, "row; expected [[1]]")
        print("left:", session.sql(f"SELECT v FROM {table} ORDER BY v"))
        return deleted != [[1]]
    finally:
        session.close()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(directory, *sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS")
    sys.exit(int(violated))
