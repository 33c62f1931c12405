"""How a path is written in a log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from deltalog.storage.paths import from_root, is_absolute

PathForm = Literal["absolute", "encoded", "hidden", "hive", "outside", "relative", "uri"]

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SCHEMES = frozenset({"abfs", "abfss", "adl", "dbfs", "file", "gs", "hdfs", "r2", "s3", "s3a", "s3n", "wasb", "wasbs"})


@dataclass(frozen=True)
class WrittenPath:
    """``depth`` is the number of directories below the root; 0 for a file outside of it."""

    forms: frozenset[PathForm]
    scheme: str | None
    depth: int


def written(path: str, file: str, root: str) -> WrittenPath:
    """How the path of a ``file`` (the decoded path) is written; ``root`` is the table's absolute path."""
    uri = _URI.match(path)
    below = from_root(file, root) if is_absolute(file) else file
    outside = is_absolute(below) or below.startswith("../")
    directories = [] if outside else below.split("/")[:-1]
    forms = set(_forms(path, below.split("/"), directories, outside))
    forms.add("uri" if uri else "absolute" if path.startswith("/") else "relative")
    scheme = None if uri is None else uri.group(1).lower()
    return WrittenPath(frozenset(forms), scheme if scheme is None or scheme in _SCHEMES else "other", len(directories))


def _forms(path: str, parts: list[str], directories: list[str], outside: bool) -> Iterator[PathForm]:
    if "%" in path:
        yield "encoded"
    if outside:
        yield "outside"
    elif any(part[:1] in ("_", ".") for part in parts):
        yield "hidden"
    if any("=" in part for part in directories):
        yield "hive"
