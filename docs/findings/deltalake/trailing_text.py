"""DELETE ignores what follows the first expression of its condition, and deletes more rows than it should.

    pip install deltalake pyarrow
    python trailing_text.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


CONDITIONS = ("id >= 1 xx AND s = 'a'", "id >= 1) AND (s = 'a'", "id >= 1; AND s = 'a'", "id >= 1Y AND s = 'a'")


def is_violated(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"id": [1, 2], "s": ["a", "b"]}))
        try:
            DeltaTable(str(table)).delete(condition)
        except Exception as refusal:
            print(f"DELETE WHERE {condition}: refused, as expected ({str(refusal)[:60]})")
            continue
        logged = DeltaTable(str(table)).history(1)[0]["operationParameters"]
        print(f"DELETE WHERE {condition}: left {rows(table, 'id')}, logged {logged}; expected: it is refused")
        wrong = True
    return wrong


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
