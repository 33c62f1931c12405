"""The change data feed of a partition value with a space or a percent sign cannot be read.

    pip install deltalake pyarrow
    python change_feed_paths.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def is_violated(home: Path) -> bool:
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
