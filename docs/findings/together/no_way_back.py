"""deltalake 1.6.6 sets a property of a table; then an older deltalake, which wrote the table, refuses each DELETE and VACUUM.

    NEW/bin/pip install deltalake==1.6.6 pyarrow
    OLD/bin/pip install deltalake==1.5.1 pyarrow
    python no_way_back.py NEW/bin/python OLD/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import subprocess
import sys
import tempfile

START = "import sys; import pyarrow as pa; from deltalake import DeltaTable, write_deltalake; table = sys.argv[1]\n"
WRITE = START + "write_deltalake(table, pa.table({'v': [1, 2, 3]}), configuration={'delta.enableDeletionVectors': 'true'})"
SET = START + "DeltaTable(table).alter.set_table_properties({'delta.deletedFileRetentionDuration': 'interval 240 hours'})"
DELETE = START + "print(DeltaTable(table).delete(sys.argv[2])['num_deleted_rows'], 'deleted')"
VACUUM = START + "print(len(DeltaTable(table).vacuum(0, dry_run=False, enforce_retention_duration=False)), 'vacuumed')"
FEATURES = START + "print(sorted(DeltaTable(table).protocol().writer_features or []))"


class Refused(Exception):
    """The other environment ended with this error."""


def run(python: str, code: str, *arguments: str) -> str:
    """What the code prints there."""
    ended = subprocess.run([python, "-c", code, *arguments], capture_output=True, text=True)
    if ended.returncode:
        raise Refused((ended.stderr.strip().splitlines() or ["no error"])[-1])
    return ended.stdout.strip()


def is_violated(table: str, new: str, old: str) -> bool:
    run(old, WRITE, table)
    print("the old version before:", run(old, DELETE, table, "v = 1"), "of a table with", run(old, FEATURES, table))
    run(new, SET, table)
    print("the new version sets delta.deletedFileRetentionDuration; features:", run(new, FEATURES, table))
    refused = False
    for name, code in {"DELETE": DELETE, "VACUUM": VACUUM}.items():
        try:
            print("the old version after,", f"{name}:", run(old, code, table, "v = 2"))
        except Refused as error:
            print("the old version after,", f"{name}:", error)
            refused = True
    return refused


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(f"{directory}/t", *sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS")
    sys.exit(int(violated))
