"""A DELETE is refused whose condition calls coalesce.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python coalesce_in_a_condition.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(("coalesce(v, 1) = 1", "v = 1")):
        table = home / str(number)
        session.sql(f"CREATE TABLE t{number} (v INT) USING delta LOCATION '{table}'")
        session.sql(f"INSERT INTO t{number} VALUES (1), (NULL), (2)")
        try:
            session.sql(f"DELETE FROM delta.`{table}` WHERE {condition}")
            result = "done, as expected"
        except Exception as error:  # noqa: BLE001 - any class
            result, wrong = f"{error.__class__.__name__}: {error}", True
        print(f"DELETE WHERE {condition}: {result}")
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
