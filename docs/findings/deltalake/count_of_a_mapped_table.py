"""SELECT count(*) of a table with column mapping is refused if a file has no statistics; SELECT * is not.

    pip install deltalake pyarrow
    python count_of_a_mapped_table.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, __version__


def is_violated(home: Path) -> bool:
    table = home / "t"
    (table / "_delta_log").mkdir(parents=True)
    pq.write_table(pa.table({"col-1": pa.array([1, 2], pa.int64())}), table / "a.parquet")
    size = (table / "a.parquet").stat().st_size
    mapping = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"}
    schema = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": mapping}]}
    configuration = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    actions = [
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
        {
            "metaData": {
                "id": "00000000-0000-4000-8000-000000000000",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps(schema),
                "partitionColumns": [],
                "configuration": configuration,
                "createdTime": 1,
            }
        },
        {"add": {"path": "a.parquet", "partitionValues": {}, "size": size, "modificationTime": 1, "dataChange": True}},
    ]
    (table / "_delta_log" / f"{0:020}.json").write_text("\n".join(map(json.dumps, actions)))

    def query(sql: str) -> pa.Table:
        found = QueryBuilder().register("t", DeltaTable(str(table))).execute(sql)
        return pa.table(found.read_all() if hasattr(found, "read_all") else found)

    print("rows:", query("SELECT * FROM t").num_rows, "expected: 2")
    try:
        print("count(*):", query("SELECT count(*) FROM t").column(0).to_pylist(), "expected: [2]")
    except Exception as error:
        print("count(*) is refused:", str(error)[:200])
        return True
    return False


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
