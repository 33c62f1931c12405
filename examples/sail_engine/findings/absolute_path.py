"""A table with a file by an absolute path can be neither read nor deleted from.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3' pyarrow
    python absolute_path.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    """Another writer has added a file outside of the table, as a shallow clone does."""
    table, file = home / "t", home / "a.parquet"
    session.sql(f"CREATE TABLE t (v BIGINT) USING delta LOCATION '{table}'")
    pq.write_table(pa.table({"v": [1, 2]}), file)
    add = {"path": f"file://{file}", "partitionValues": {}, "size": file.stat().st_size}
    add |= {"modificationTime": 1, "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}) + "\n")
    try:
        session.sql(f"DELETE FROM delta.`{table}` WHERE v = 1")
        print("done, as expected")
        return False
    except Exception as error:  # noqa: BLE001 - any class
        print(f"{type(error).__name__}: {str(error).replace(str(home), '…')}")
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
