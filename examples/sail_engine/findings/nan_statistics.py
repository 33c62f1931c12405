"""A DELETE that rewrites a file with a NaN leaves it out of the statistics, by which the row then has another value.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python nan_statistics.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import math
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def is_violated(session: SparkSession, home: Path) -> bool:
    table = home / "t"
    session.sql(f"CREATE TABLE t (id BIGINT, v DOUBLE) USING delta LOCATION '{table}'")
    session.sql("INSERT INTO t VALUES (1, -1.5), (2, double('NaN')), (3, 0.0)")
    print("before:", sorted(map(tuple, session.sql(f"SELECT * FROM delta.`{table}`").collect())))
    session.sql(f"DELETE FROM delta.`{table}` WHERE id = 3")
    lines = (table / "_delta_log" / f"{2:020}.json").read_text().splitlines()
    print("statistics:", [action["add"]["stats"] for action in map(json.loads, lines) if "add" in action])
    after = sorted(map(tuple, session.sql(f"SELECT * FROM delta.`{table}`").collect()))
    print("after:", after)
    return not math.isnan(dict(after)[2])


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
