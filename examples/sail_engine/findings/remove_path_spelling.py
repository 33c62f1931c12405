"""The remove spells the path of its file in another way than the add: with a space for the add's %20.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3' pyarrow
    python remove_path_spelling.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    """Another writer has added a file of a partition whose directory has a space in its name."""
    table = home / "t"
    session.sql(f"CREATE TABLE t (id BIGINT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{table}'")
    file = table / "p=a b" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), file)
    add = {"path": "p=a%20b/a.parquet", "partitionValues": {"p": "a b"}, "size": file.stat().st_size}
    add |= {"modificationTime": 1, "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}) + "\n")
    session.sql(f"DELETE FROM delta.`{table}` WHERE id = 1")
    lines = (table / "_delta_log" / f"{2:020}.json").read_text().splitlines()
    (remove,) = [action["remove"] for action in map(json.loads, lines) if "remove" in action]
    print(f"the add has the path {add['path']!r}, its remove {remove['path']!r}")
    return remove["path"] != add["path"]


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
