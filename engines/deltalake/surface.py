"""What delta-rs offers: asks the package for its classes, its session's catalog, and whether it takes a name or refuses it."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, TableFeatures, write_deltalake
from deltalake.exceptions import DeltaError
from deltalake.schema import PrimitiveType

Items = Mapping[str, str]

#: How it says that it does not take something.
_REFUSALS = (DeltaError, ValueError, TypeError)

#: The types of PROTOCOL.md, "Primitive Types", and those that others have: the package is asked which it takes.
_TYPES = (
    *("string", "long", "integer", "short", "byte", "float", "double", "boolean", "binary", "date", "timestamp"),
    *("timestamp_ntz", "decimal(10,2)", "void", "variant", "interval", "char(3)", "varchar(3)", "timestamp_nanos"),
)


#: Table properties that Delta Lake does not have, and others do.
_OF_DATABRICKS = ("delta.targetFileSize", "delta.tuneFileSizesForRewrites")


def surface(properties: Iterable[str]) -> dict[str, Items]:
    """What the package offers: by kind, each item with a detail that a release may change. It has no list of table properties,
    so it is asked about Delta's and Databricks' properties, one by one.
    """
    with tempfile.TemporaryDirectory(prefix="tombstone-") as scratch:
        write_deltalake(scratch, pa.table({"a": [1]}))
        table = DeltaTable(scratch)
        return {
            "api": dict(_api()),
            "feature": {name: "" for name in dir(TableFeatures) if not name.startswith("_")},
            "function": dict(_functions(table)),
            "property": dict(_properties(scratch, sorted({*properties, *_OF_DATABRICKS}))),
            "setting": dict(_settings(table)),
            "type": {name: "" for name in _TYPES if _is_type(name)},
        }


def _api() -> Iterator[tuple[str, str]]:
    """The public functions and classes, and the parameters of each: the detail is the default.

    Classes of the package's Rust are listed where the package names them as its own.
    """
    found: dict[str, Any] = {name: getattr(deltalake, name) for name in deltalake.__all__}
    for module in (deltalake.table, deltalake.writer.properties):
        kinds = inspect.getmembers(module, inspect.isclass)
        found |= {name: kind for name, kind in kinds if _is_own(name, kind)}
    for name, value in sorted(found.items()):
        if inspect.isclass(value):
            yield from _class(name, value)
        elif callable(value) and not hasattr(value, "__args__"):  # such as the union DataType
            yield from _callable(name, value)


_OWN = ("deltalake.table", "deltalake.transaction", "deltalake.writer.properties")


def _is_own(name: str, kind: type) -> bool:
    return kind.__module__ in _OWN and not name.startswith("_") and not issubclass(kind, Enum)


def _class(name: str, kind: type) -> Iterator[tuple[str, str]]:
    yield from _callable(name, kind)
    inherited = dir(tuple) if issubclass(kind, tuple) else []
    for member, value in inspect.getmembers(kind):
        if member.startswith("_") or member in inherited:
            continue
        if callable(value):
            yield from _callable(f"{name}.{member}", value)
        elif isinstance(value, property) or inspect.isdatadescriptor(value):
            yield f"{name}.{member}", ""


def _callable(name: str, function: Any) -> Iterator[tuple[str, str]]:
    yield name, ""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # a class or a method of Rust's that does not tell
        return
    for parameter in parameters:
        if parameter.name not in ("self", "cls") and parameter.kind is not parameter.VAR_POSITIONAL:
            default = "" if parameter.default is parameter.empty else f"default {parameter.default!r}"
            yield f"{name}({parameter.name})", default


def _functions(table: DeltaTable) -> Iterator[tuple[str, str]]:
    """Those of the session in which a table is queried; the detail says whether the condition of a DELETE may call it too."""
    for (name,) in _queried(table, "SELECT DISTINCT routine_name FROM information_schema.routines"):
        try:
            table.delete(f"{name}(a, a, a, a, a, a, a) = 'x'")  # with more arguments than it takes
            known = True
        except Exception as refusal:  # noqa: BLE001 - the package raises it itself, without a class of its own
            known = "Invalid function" not in str(refusal)
        yield name, "" if known else "not in DELETE"


def _settings(table: DeltaTable) -> Iterator[tuple[str, str]]:
    for name, value in _queried(table, "SELECT name, value FROM information_schema.df_settings"):
        yield name, "" if name in _OF_THE_MACHINE else f"default {value}"


#: Settings whose default depends on the machine, or has the version of DataFusion in it.
_OF_THE_MACHINE = {
    "datafusion.execution.parquet.created_by",
    "datafusion.execution.planning_concurrency",
    "datafusion.execution.target_partitions",
}


def _queried(table: DeltaTable, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query in a session that lists its settings and functions."""
    session = QueryBuilder().register("t", table)
    session.execute("SET datafusion.catalog.information_schema = true")
    for row in pa.table(session.execute(query)).to_pylist():
        yield tuple(row.values())


def _properties(root: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Those that it takes with some value: any other name it refuses."""
    for name in names:
        for value in ("true", "1", "interval 1 days", "name", "v2", "snapshot", "a"):
            try:
                DeltaTable(root).alter.set_table_properties({name: value})
            except _REFUSALS:
                continue
            yield name, ""
            break


def _is_type(name: str) -> bool:
    try:
        PrimitiveType(name)
    except ValueError:
        return False
    return True
