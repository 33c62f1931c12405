"""A DELETE rewrites files without a matching row, and writes a version although no row matches.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python needless_rewrite.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pysail.spark import SparkConnectServer
from pyspark.sql.connect.session import SparkSession


def newest(table: Path) -> tuple:
    """The number of the newest commit, and its actions of this table's files."""
    commit = max((table / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    return int(commit.stem), [next(iter(action)) for action in actions if "add" in action or "remove" in action]


def is_violated(session: SparkSession, home: Path) -> bool:
    table = home / "t"
    session.sql(f"CREATE TABLE t (v BIGINT) USING delta LOCATION '{table}'")
    session.sql("INSERT INTO t VALUES (1), (3)")
    before, _ = newest(table)
    session.sql(f"DELETE FROM delta.`{table}` WHERE v = 2")
    after, actions = newest(table)
    print(f"a DELETE that matches no row: version {before} -> {after}, {actions if after > before else 'nothing'}")
    return after > before


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
