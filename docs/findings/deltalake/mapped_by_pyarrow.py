"""to_pyarrow_table returns NULLs for a table with column mapping.

    pip install deltalake pyarrow
    python mapped_by_pyarrow.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, __version__

FIELD = {
    "name": "id",
    "type": "integer",
    "nullable": True,
    "metadata": {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"},
}
METADATA = {
    "id": "00000000-0000-4000-8000-000000000000",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": json.dumps({"type": "struct", "fields": [FIELD]}),
    "partitionColumns": [],
    "configuration": {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"},
    "createdTime": 0,
}


def is_violated(table: Path) -> bool:
    (table / "_delta_log").mkdir(parents=True)
    pq.write_table(pa.table({"col-1": pa.array([7, 8], pa.int32())}), table / "f.parquet")
    size = (table / "f.parquet").stat().st_size
    add = {"path": "f.parquet", "partitionValues": {}, "size": size, "modificationTime": 0, "dataChange": True}
    actions = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}, {"metaData": METADATA}, {"add": add}]
    log = table / "_delta_log" / f"{0:020d}.json"
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))
    query = QueryBuilder().register("t", DeltaTable(str(table))).execute("SELECT id FROM t").read_all()
    found = DeltaTable(str(table)).to_pyarrow_table()["id"].to_pylist()
    print("QueryBuilder:", sorted(pa.table(query).column(0).to_pylist(), key=str))
    print("to_pyarrow_table:", found, "expected: [7, 8]")
    return found != [7, 8]


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve() / "t")
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
