"""DELETE WHERE to_timestamp(…, format) fails where the format is a partition column (deltalake 1.0 to 1.3, and 1.6.6).

    pip install deltalake pyarrow
    python timestamp_formats.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake


def error_of(directory: str, partition_by: list[str]) -> str:
    """The error of a DELETE of the first row; empty if there is none."""
    rows = pa.table({"day": ["2020-01-31", "2020-02-01"], "format": ["%Y-%m-%d", "%d.%m.%Y"]})
    write_deltalake(directory, rows, partition_by=partition_by)
    try:
        DeltaTable(directory).delete("to_timestamp(day, format, '%Y-%m-%d') = TIMESTAMP '2020-01-31 00:00:00'")
    except Exception as error:
        return str(error)
    return ""


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        plain, partitioned = error_of(f"{home}/plain", []), error_of(f"{home}/partitioned", ["format"])
    print(f"a column: {plain or 'deleted'}", f"a partition column: {partitioned or 'deleted'}", sep="\n")
    return 2 if plain else int("Dictionary(UInt16, Utf8)" in partitioned)


if __name__ == "__main__":
    try:
        code = main()
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
