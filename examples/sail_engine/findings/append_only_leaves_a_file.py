"""A DELETE of an append-only table is refused after it has written a file, which stays.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python append_only_leaves_a_file.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    table = home / "t"
    properties = "TBLPROPERTIES ('delta.appendOnly' = 'true')"
    session.sql(f"CREATE TABLE t (v BIGINT) USING delta LOCATION '{table}' {properties}")
    session.sql("INSERT INTO t VALUES (1), (2)")
    before = set(table.glob("*.parquet"))
    try:
        session.sql(f"DELETE FROM delta.`{table}` WHERE v = 1")
        print("not refused")
        return True
    except Exception as error:  # noqa: BLE001 - any class
        print(f"{type(error).__name__}: {error}")
    left = set(table.glob("*.parquet")) - before
    print(f"files left behind: {len(left)}")
    return bool(left)


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
