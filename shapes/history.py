"""What commitInfo says: who wrote, which operations, and how VACUUMs were called."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from shapes.shape import HistoryShape, VacuumRun
from shapes.sizes import size_class

_NONE = "none"
_OTHER = "other"

#: The writers that are known, as they call themselves in ``engineInfo``.
_WRITERS = (
    *("Apache-Spark", "Delta-Lake", "Databricks-Runtime", "Delta-Standalone", "Delta-Flink", "Apache-Flink"),
    *("delta-kernel-rs", "delta-rs", "Kernel", "Trino", "Starburst", "Presto", "Apache-Hive", "DuckDB", "Sail"),
    *("Daft", "Polars", "ClickHouse", "EMR", "Fabric", "Synapse", "Snowflake", "BigQuery", "Redshift"),
)
_WRITER = re.compile(
    rf"(?<![\w.-])({'|'.join(map(re.escape, _WRITERS))})(?![A-Za-z])"
    r"(?:[/: -](?:v|py-|rust-)?([0-9]{1,6}(?:\.[0-9]{1,6}){0,3}))?"
)

_OPERATIONS = frozenset(
    {
        *("ADD COLUMNS", "ADD CONSTRAINT", "CHANGE COLUMN", "CHANGE COLUMNS", "CLONE", "CLUSTER BY", "COMPUTE STATS"),
        *("CONVERT", "CREATE OR REPLACE TABLE", "CREATE OR REPLACE TABLE AS SELECT", "CREATE TABLE"),
        *("CREATE TABLE AS SELECT", "DELETE", "DOMAIN METADATA CLEANUP", "DROP COLUMNS", "DROP CONSTRAINT"),
        *("DROP FEATURE", "Deletion Vector Tombstones", "Empty Commit", "FSCK", "MERGE", "Manual Update", "OPTIMIZE"),
        *("OPTIMIZE CHECKPOINT", "REMOVE COLUMN MAPPING", "RENAME COLUMN", "REORG", "REORG TABLE UPGRADE UNIFORM"),
        *("REPLACE COLUMNS", "REPLACE TABLE", "REPLACE TABLE AS SELECT", "RESTORE", "ROW TRACKING BACKFILL"),
        *("ROW TRACKING UNBACKFILL", "SET TBLPROPERTIES", "STREAMING UPDATE", "TRUNCATE", "UNSET TBLPROPERTIES"),
        *("UPDATE", "UPDATE COLUMN METADATA", "UPDATE SCHEMA", "UPGRADE PROTOCOL", "VACUUM END", "VACUUM START"),
        *("WRITE", "ADD COLUMN", "ADD FEATURE", "UPDATE FIELD METADATA", "UPDATE TABLE METADATA", "FILESYSTEM CHECK"),
    }
)


def writer_of(engine: object) -> str:
    """The known names and versions in ``engineInfo``, and nothing else of it.

    >>> writer_of("Apache-Spark/3.5.0 Delta-Lake/3.3.2-SNAPSHOT by bob@example.com")
    'Apache-Spark/3.5.0 Delta-Lake/3.3.2'
    """
    if not isinstance(engine, str):
        return _NONE
    found = _WRITER.findall(engine)
    return " ".join(f"{name}/{version}" if version else name for name, version in found) or _OTHER


class Seen:
    """The commitInfo of the commits that were read so far."""

    def __init__(self) -> None:
        self._writers: set[str] = set()
        self._operations: Counter[str] = Counter()
        self._vacuums: set[VacuumRun] = set()

    def add(self, info: Mapping[str, object] | None) -> None:
        """The commitInfo of a commit, if it has one."""
        if info is None:
            self._writers.add(_NONE)
            self._operations[_NONE] += 1
            return
        operation = info.get("operation")
        self._writers.add(writer_of(info.get("engineInfo")))
        self._operations[str(operation) if operation in _OPERATIONS else _OTHER] += 1
        if operation == "VACUUM START":
            parameters = info.get("operationParameters")
            self._vacuums.add(_vacuum(parameters if isinstance(parameters, Mapping) else {}))

    @property
    def history(self) -> HistoryShape:
        return HistoryShape(
            writers=tuple(sorted(self._writers)),
            operations={name: size_class(count) for name, count in sorted(self._operations.items())},
            vacuums=tuple(sorted(self._vacuums, key=_order)),
        )


def _order(vacuum: VacuumRun) -> tuple[int, str]:
    return (-1 if vacuum.retain_ms is None else vacuum.retain_ms, str(vacuum.checked))


def _vacuum(parameters: Mapping[str, object]) -> VacuumRun:
    retain, checked = (_value(parameters.get(name)) for name in ("specifiedRetentionMillis", "retentionCheckEnabled"))
    whole = isinstance(retain, int) and not isinstance(retain, bool)
    return VacuumRun(retain if whole else None, checked if isinstance(checked, bool) else None)  # type: ignore[arg-type]


def _value(given: object) -> object:
    """Parameters are JSON in a text, or plain."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return None


def infos_of(lines: Iterable[bytes]) -> Mapping[str, object] | None:
    """The first commitInfo of a commit; no other line is parsed. Raises ValueError."""
    for line in lines:
        if b'"commitInfo"' in line:
            document = json.loads(line)
            if isinstance(document, Mapping) and isinstance(document.get("commitInfo"), Mapping):
                return document["commitInfo"]  # type: ignore[no-any-return]
    return None
