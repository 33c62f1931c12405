"""With deletion vectors, a DELETE from a file without numRecords is refused, and leaves the new vector's file behind.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python vector_without_count.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    vectors = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    session.sql(f"CREATE TABLE t (v BIGINT) USING delta LOCATION '{table}' {vectors}")
    session.sql("INSERT INTO t VALUES (1), (2)")
    commit = table / "_delta_log" / f"{1:020}.json"
    lines = [json.loads(line) for line in commit.read_text().splitlines()]
    for add in (line["add"] for line in lines if "add" in line):
        del add["stats"]  # optional (PROTOCOL.md, "Per-file Statistics"); with it, the DELETE works
    commit.write_text("".join(json.dumps(line) + "\n" for line in lines))
    try:
        session.sql(f"DELETE FROM delta.`{table}` WHERE v = 1")
        print("done, as expected")
        return False
    except Exception as error:  # noqa: BLE001 - any class
        print(f"{type(error).__name__}: {error}")
    print("left behind:", [str(path.relative_to(table)) for path in table.rglob("*.bin")])
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
