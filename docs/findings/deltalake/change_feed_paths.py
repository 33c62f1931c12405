"""The change data feed of a partition value with a space or a percent sign cannot be read.

Needs deltalake and pyarrow only. Run: python change_feed_paths.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def shows(home: Path) -> bool:
    failed = False
    for value in ("ab", "a b", "a%b"):
        table = home / str(len(list(home.iterdir())))
        write_deltalake(
            str(table),
            pa.table({"id": [1, 2], "p": [value, value]}),
            partition_by=["p"],
            configuration={"delta.enableChangeDataFeed": "true"},
        )
        DeltaTable(str(table)).delete("id = 1")
        try:
            feed = pa.table(DeltaTable(str(table)).load_cdf(starting_version=1).read_all())
        except Exception as failure:
            print(f"p = {value!r}: the feed cannot be read: {str(failure)[:200]}")
            print("   on disk:", [path.name for path in (table / "_change_data").iterdir()])
            failed = True
            continue
        changes = list(zip(feed.column("id").to_pylist(), feed.column("_change_type").to_pylist()))
        print(f"p = {value!r}: the feed has {changes}, expected [(1, 'delete')]")
        failed = failed or changes != [(1, "delete")]
    return failed


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
