"""A DELETE commits a path that is no URI where the name of the first partition column has a colon.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python colon_in_partition_name.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    table = home / "t"
    session.sql(f"CREATE TABLE t (id INT, `time:utc` STRING) USING delta PARTITIONED BY (`time:utc`) LOCATION '{table}'")
    session.sql("INSERT INTO t VALUES (1, 'x'), (2, 'x')")
    session.sql(f"DELETE FROM delta.`{table}` WHERE id = 1")
    newest = max((table / "_delta_log").glob("*.json"))
    added = [json.loads(line)["add"]["path"] for line in newest.read_text().splitlines() if '"add"' in line]
    print(f"added: {added}")
    return any(path.startswith("time:utc=") for path in added)


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
