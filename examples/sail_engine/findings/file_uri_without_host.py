"""A table is not found by file:/ and its path, though it is by file:/// and by the path alone.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python file_uri_without_host.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    table, wrong = home / "t", False
    session.sql(f"CREATE TABLE t (v BIGINT) USING delta LOCATION '{table}'")
    session.sql("INSERT INTO t VALUES (1), (2), (3)")
    for value, path in enumerate([str(table), f"file://{table}", f"file:{table}"], start=1):
        try:
            session.sql(f"DELETE FROM delta.`{path}` WHERE v = {value}")
            result = "done, as expected"
        except Exception as error:  # noqa: BLE001 - any class
            result, wrong = f"{type(error).__name__}: {error}", True
        print(f"DELETE FROM delta.`{path.replace(str(home), '…')}`: {result}")
    return wrong


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
