"""Rows that deltalake has deleted, Delta on Spark reads again: the remove spells the path unlike the add that Delta wrote.

    RS/bin/pip install deltalake==1.6.6 pyarrow
    SPARK/bin/pip install pyspark==4.2.0 delta-spark==4.4.0
    python rows_come_back_on_spark.py RS/bin/python SPARK/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
DELETE = "import sys; from deltalake import DeltaTable; print(DeltaTable(sys.argv[1]).delete('v = 1')['num_deleted_rows'])"
#: Partition values: Delta and deltalake spell their directories.
VALUES = ("ü", "a b", "\uffff")


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
    session, wrong = Spark(spark, home), False
    try:
        for number, value in enumerate(VALUES):
            table = f"delta.`{home}/{number}`"
            rows = f"SELECT /*+ COALESCE(1) */ * FROM VALUES (1, '{value}'), (2, '{value}') AS rows (v, p)"
            session.sql(f"CREATE TABLE {table} USING delta PARTITIONED BY (p) AS {rows}")
            before = session.sql(f"SELECT v FROM {table} ORDER BY v")
            if before != [[1], [2]]:
                raise RuntimeError(before)
            deleted = run(deltalake, DELETE, f"{home}/{number}")
            after = session.sql(f"SELECT v FROM {table} ORDER BY v")
            print(f"p = {value!a}: deltalake deletes {deleted} of the rows 1 and 2; Delta reads {after}, expected [[2]]")
            wrong = wrong or after != [[2]]
    finally:
        session.close()
    return wrong


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(directory, *sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS")
    sys.exit(int(violated))
