"""What an older deltalake deleted, a newer one reads again: the older one spelled the paths of its removes in another way.

    NEW/bin/pip install deltalake==1.6.6 pyarrow
    OLD/bin/pip install deltalake==1.5.1 pyarrow
    python rows_come_back_after_upgrade.py NEW/bin/python OLD/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

#: Another writer has added a file with the rows 1 and 2. Its path, and how the log spells it.
WRITE = """
import json, sys
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
from deltalake import DeltaTable
table, path, on_disk = Path(sys.argv[1]), *sys.argv[2:]
DeltaTable.create(str(table), pa.schema([("v", pa.int64()), ("p", pa.string())]), partition_by=["p"])
file = table / on_disk
file.parent.mkdir()
pq.write_table(pa.table({"v": [1, 2]}), file)
add = {"path": path, "partitionValues": {"p": file.parent.name[2:]}, "dataChange": True, "modificationTime": 1}
add["size"] = file.stat().st_size
(table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}, ensure_ascii=False), encoding="utf-8")
"""
DELETE = "import sys; from deltalake import DeltaTable; DeltaTable(sys.argv[1]).delete('v = 1')"
READ = """
import json, sys
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
found = QueryBuilder().register("t", DeltaTable(sys.argv[1])).execute("SELECT v FROM t").read_all()
print(json.dumps(sorted(pa.table(found).column(0).to_pylist())))
"""
PATHS = (("p=a%20b/a", "p=a b/a"), ("p=ü/a", "p=ü/a"), ("p=a%2Bb/a", "p=a+b/a"))


def run(python: str, code: str, *arguments: str) -> str:
    """What the code prints in the environment of this interpreter."""
    ended = subprocess.run([python, "-c", code, *arguments], capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError((ended.stderr.strip().splitlines() or ["no error"])[-1])
    return ended.stdout.strip()


def is_violated(home: Path, new: str, old: str) -> bool:
    wrong = False
    for number, (path, on_disk) in enumerate(PATHS):
        mixed, alone = str(home / f"mixed-{number}"), str(home / f"alone-{number}")
        for table, deletes in ((mixed, old), (alone, new)):
            run(new, WRITE, table, path, on_disk)
            run(deletes, DELETE, table)
        left = json.loads(run(new, READ, mixed))
        print(f"{path}, DELETE WHERE v = 1 by the old version: the new one reads {left}, expected [2];", end=" ")
        print("of its own DELETE:", run(new, READ, alone))
        wrong = wrong or left != [2]
    return wrong


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve(), *sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS")
    sys.exit(int(violated))
