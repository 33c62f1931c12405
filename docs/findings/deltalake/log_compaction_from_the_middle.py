"""compact_logs leaves out expired removes: who reads the compaction instead of its commits reads deleted rows again.

    pip install deltalake pyarrow
    python log_compaction_from_the_middle.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def is_violated(home: Path) -> bool:
    table, log = str(home / "t"), home / "t" / "_delta_log"
    none = {"delta.deletedFileRetentionDuration": "interval 0 hours"}  # each tombstone has expired at once
    write_deltalake(table, pa.table({"id": [1, 2]}), configuration=none)
    DeltaTable(table).delete("id < 3")
    write_deltalake(table, pa.table({"id": [3]}), mode="append")
    DeltaTable(table).compact_logs(1, 2)

    first, second, third = (log / f"{version:020}.json" for version in range(3))
    by_commits = live(first, second, third)
    by_compaction = live(first, log / f"{1:020}.{2:020}.compacted.json")
    print("live files by the commits:", len(by_commits), "- by the compaction:", len(by_compaction))
    return by_commits != by_compaction


def live(*files: Path) -> set[str]:
    """PROTOCOL.md, "Action Reconciliation"."""
    found: dict[str, bool] = {}
    for action in actions(*files):
        for kind in action.keys() & {"add", "remove"}:
            found[action[kind]["path"]] = kind == "add"
    return {path for path, is_live in found.items() if is_live}


def actions(*files: Path) -> Iterator[dict[str, Any]]:
    for file in files:
        yield from map(json.loads, file.read_text().splitlines())


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
