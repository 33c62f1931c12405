"""A list of 30,000 values in the condition of a DELETE ends the process.

    pip install deltalake pyarrow
    python long_list.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import subprocess
import sys
import tempfile

DELETE = """
import sys
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
table = sys.argv[1] + "/t"
write_deltalake(table, pa.table({"id": pa.array([1, 40000])}))
DeltaTable(table).delete(f"id IN ({', '.join(map(str, range(30000)))})")
"""

if __name__ == "__main__":
    from deltalake import __version__

    with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
        done = subprocess.run([sys.executable, "-c", DELETE, directory], capture_output=True, text=True, check=False)
    print(f"the process that deletes ended with {done.returncode}")
    if done.returncode > 0:  # an exception of Python; a signal is negative
        print("CANNOT TELL:", done.stderr[-300:])
        sys.exit(2)
    print("VIOLATED" if done.returncode else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if done.returncode else 0)
