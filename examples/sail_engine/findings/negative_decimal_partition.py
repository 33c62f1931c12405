"""After a DELETE that rewrites a file of a negative DECIMAL partition, the table cannot be read.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3' pyarrow
    python negative_decimal_partition.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    """Another writer has added a file of the partition -0.50."""
    table = home / "t"
    session.sql(f"CREATE TABLE t (id BIGINT, p DECIMAL(4, 2)) USING delta PARTITIONED BY (p) LOCATION '{table}'")
    file = table / "p=-0.50" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), file)
    add = {"path": "p=-0.50/a.parquet", "partitionValues": {"p": "-0.50"}, "size": file.stat().st_size}
    add |= {"modificationTime": 1, "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}) + "\n")
    print("before:", session.sql(f"SELECT * FROM delta.`{table}`").collect())
    session.sql(f"DELETE FROM delta.`{table}` WHERE id = 1")
    lines = (table / "_delta_log" / f"{2:020}.json").read_text().splitlines()
    print("written:", [action["add"]["partitionValues"] for action in map(json.loads, lines) if "add" in action])
    try:
        print("after:", session.sql(f"SELECT * FROM delta.`{table}`").collect())
        return False
    except Exception as error:  # noqa: BLE001 - any class
        print(f"after: {type(error).__name__}: {error}")
        return True


if __name__ == "__main__":
    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").create()
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(session, Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on pysail", version("pysail"))
    sys.exit(1 if violated else 0)
