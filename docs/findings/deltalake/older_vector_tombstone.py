"""VACUUM deletes a file removed an hour ago, because its tombstone without the deletion vector has expired.

    pip install deltalake pyarrow
    python older_vector_tombstone.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import base64
import os
import sys
import tempfile
import time
from pathlib import Path

from deltalake import DeltaTable, __version__

OLD = time.time() - 30 * 86400  # the default retention is a week


def is_violated(home: Path) -> bool:
    lost = False
    for mode in ("LITE", "FULL"):
        table = home / mode
        (table / "_delta_log").mkdir(parents=True)
        (table / "a.parquet").write_bytes(base64.b64decode(FILE))
        os.utime(table / "a.parquet", (OLD, OLD))
        for version, commit in enumerate(COMMITS):
            commit = commit.replace("A_MONTH_AGO", str(int(OLD * 1000)))
            commit = commit.replace("AN_HOUR_AGO", str(int((time.time() - 3600) * 1000)))
            (table / "_delta_log" / f"{version:020}.json").write_text(commit)
        deleted = DeltaTable(str(table)).vacuum(full=mode == "FULL", dry_run=False)
        there = (table / "a.parquet").exists()
        found = "there" if there else "GONE; expected: kept for a week"
        print(f"{mode} deleted {deleted}; the file that version 1 reads, removed an hour ago, is {found}")
        lost = lost or not there
    return lost


# Data. Version 1 adds a deletion vector to the file, version 2 removes the file.
COMMITS = (
    r"""{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000000","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}
{"add":{"path":"a.parquet","partitionValues":{},"size":177,"modificationTime":1,"dataChange":true}}""",
    """{"remove":{"path":"a.parquet","dataChange":true,"deletionTimestamp":A_MONTH_AGO}}
{"add":{"path":"a.parquet","partitionValues":{},"size":177,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"i","pathOrInlineDv":"0rJua","sizeInBytes":40,"cardinality":1}}}""",
    """{"remove":{"path":"a.parquet","dataChange":true,"deletionTimestamp":AN_HOUR_AGO,"deletionVector":{"storageType":"i","pathOrInlineDv":"0rJua","sizeInBytes":40,"cardinality":1}}}""",
)
FILE = "UEFSMRUAFSwVLCwVBBUAFQYVBhwAAAACAAAABAEBAAAAAAAAAAIAAAAAAAAAFQQZLDUAGAZzY2hlbWEVAgAVBCUCGAJpZAAWBBkcGRwmABwVBBklBgAZGAJpZBUAFgQWUhZSJghJHBUAFQAVAgA8KQYZJgAEAAAAFlIWBCYIFlIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRkcHAAAAHwAAABQQVIx"


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
