"""A DELETE is refused whose condition uses only columns of types without a least value, such as BOOLEAN or STRUCT.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python columns_without_ranges.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    wrong = False
    for number, (type, condition) in enumerate([("BOOLEAN", "v = true"), ("BINARY", "v = X'00'"), ("STRUCT<x: INT>", "v IS NULL"), ("INT", "v = 1")]):
        table = home / str(number)
        session.sql(f"CREATE TABLE t{number} (v {type}) USING delta LOCATION '{table}'")
        session.sql(f"INSERT INTO t{number} VALUES (CAST(NULL AS {type}))")
        try:
            session.sql(f"DELETE FROM delta.`{table}` WHERE {condition}")
            result = "done, as expected"
        except Exception as error:  # noqa: BLE001 - any class
            result, wrong = f"{error.__class__.__name__}: {error}", True
        print(f"{type}: DELETE WHERE {condition}: {result}")
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
