"""deltalake 1.6.6 sets a property of a table; then Delta 3.3.2 on Spark, which read the table before, cannot read it.

    RS/bin/pip install deltalake==1.6.6 pyarrow
    SPARK/bin/pip install pyspark==3.5.7 delta-spark==3.3.2
    python no_way_back_on_spark.py RS/bin/python SPARK/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
        lines = str(error).splitlines()
        answer = next((line for line in lines if "DELTA_" in line), lines[0])
    print(json.dumps(answer, default=str), file=answers, flush=True)
"""
SET = """
import sys; from deltalake import DeltaTable
DeltaTable(sys.argv[1]).alter.set_table_properties({"delta.deletedFileRetentionDuration": "interval 240 hours"})
"""
FEATURES = "import sys; from deltalake import DeltaTable; print(DeltaTable(sys.argv[1]).protocol().reader_features)"


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
    table, session = f"{home}/t", Spark(spark, home)
    try:
        properties = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
        session.sql(f"CREATE TABLE delta.`{table}` USING delta {properties} AS SELECT id AS v FROM range(3)")
        print("Delta reads before:", before := session.sql(f"SELECT count(*) FROM delta.`{table}`"))
        if before != [[3]]:
            raise RuntimeError(before)
        run(deltalake, SET, table)
        print("deltalake sets a property; the features for readers:", run(deltalake, FEATURES, table))
        for statement in (f"DELETE FROM delta.`{table}` WHERE v = 1", f"VACUUM delta.`{table}`"):
            print(f"Delta, {statement.split()[0]}:", session.sql(statement))
        print("Delta reads after:", after := session.sql(f"SELECT count(*) FROM delta.`{table}`"))
        if not isinstance(after, list) and "DELTA_UNSUPPORTED_FEATURES" not in after:
            raise RuntimeError(after)
        return not isinstance(after, list)
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
