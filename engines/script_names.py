"""The names that every reproduction script defines itself, for the functions that it consists of. Tests give them values."""

from __future__ import annotations

import argparse

#: The path of the script's table, and the start of the case in ms since the epoch.
ROOT, T = "/tmp/tombstone/table", 0

#: The table's columns, as a read of the engine names them.
COLUMNS: list[str] = []

#: The Java source of engines/spark/FailingLocalFileSystem.java.
FAILING_FILE_SYSTEM = ""

#: In a script of two engines: the Python of each side, or the side whose steps the process runs; and the versions of the table
#: before and after steps.
GIVEN = argparse.Namespace(a=None, b=None, side=None)
KNOWN: dict[str, int] = {}
