"""Where the files of a hand-made table lie. Names follow from logical ids, so a case names the same paths everywhere."""

from __future__ import annotations

import re
from datetime import date

from model.table import DataFile, Table
from model.values import Type, Value

#: What stands in a directory name for NULL (Hive's convention, which Spark follows).
NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__"

#: The characters that Hive, and Spark after it, write as %XX in a partition directory's name.
ESCAPED = frozenset(chr(code) for code in range(0x01, 0x20)) | frozenset("\"#%'*/:=?\\\x7f{[]^")


#: What marks the name of a file that no engine made.
BY_HAND = "-0000-4000-8000-000000000000"


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def without_random(path: str) -> str:
    """The path, with a star for the random part of a name that an engine made up."""
    return path if BY_HAND in path else _UUID.sub("*", path)


def is_named_by_engine(path: str) -> bool:
    """Whether an engine made the name up: then it is another one in each run."""
    return without_random(path) != path


def escape(name: str) -> str:
    """``name`` as a part of a partition directory's name."""
    return "".join(f"%{ord(char):02X}" if char in ESCAPED else char for char in name)


def partition_string(value: Value) -> str | None:
    """A partition value as the log has it (PROTOCOL.md, "Partition Value Serialization"); ``None`` for NULL."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def partition_value(text: str | None, type: Type) -> Value:
    """The value that ``text`` in an action's partitionValues stands for; the inverse of ``partition_string``.

    An empty string is NULL (PROTOCOL.md, "Partition Value Serialization").
    """
    if text is None or text == "":
        return None
    if type is Type.STRING:
        return text
    if type is Type.BOOLEAN:
        return text == "true"
    return date.fromisoformat(text) if type is Type.DATE else int(text)


def partition_directory(table: Table, partition: tuple[Value, ...]) -> str:
    """The directory of a partition relative to the table's root, as it is on storage; empty when unpartitioned."""
    parts = []
    for name, value in zip(table.partition_by, partition):
        text = partition_string(value)
        parts.append(f"{escape(name)}={NULL_DIRECTORY if text is None else escape(text)}")
    return "/".join(parts)


def file_path(table: Table, file: DataFile) -> str:
    """The path of a data file relative to the table's root, as it is on storage (not url-encoded)."""
    directory = partition_directory(table, file.partition)
    name = f"part-{file.id:05d}-{file.id:08x}{BY_HAND}.c000.snappy.parquet"
    return f"{directory}/{name}" if directory else name
