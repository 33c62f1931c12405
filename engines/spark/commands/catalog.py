"""Table names: entries of the session catalog that exist for one step. The table's files are not changed.

The sessions of a JVM share its in-memory catalog, so each process uses its own database.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from engines.spark.sessions.session import has_jvm
from model.text.literals import literal
from model.vocabulary.values import Type

_numbers = itertools.count(1)


def free_name() -> str:
    """A name that no table has."""
    return f"{_database()}.t{next(_numbers)}"


@contextmanager
def named(spark: SparkSession, root: Path, name: str, *, managed: bool) -> Iterator[None]:
    """A name of ``free_name`` for the table at ``root``, as an external or a managed table.

    Delta does not create a managed table in a directory with files (DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION), so the
    entry is created as external and its type changed to managed, which is the only difference. It is changed back
    before it is dropped, because dropping a managed table deletes its files.
    """
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {_database()}")
    spark.sql(f"CREATE TABLE {name} USING delta LOCATION {literal(str(root), Type.STRING)}")
    if not has_jvm(spark):
        try:
            yield
        finally:
            spark.sql(f"DROP TABLE IF EXISTS {name}")  # external: its files stay
        return
    catalog: Any = spark._jsparkSession.sharedState().externalCatalog()
    external = catalog.getTable(*name.split("."))
    try:
        if managed:
            catalog.alterTable(_as_managed(spark, external))
        yield
    finally:
        catalog.alterTable(external)
        catalog.dropTable(*name.split("."), False, False)  # ignoreIfNotExists, purge


def drop_database(spark: SparkSession) -> None:
    """Drop the database of this process, in the catalog of a server that lives on."""
    spark.sql(f"DROP DATABASE IF EXISTS {_database()} CASCADE")


def _database() -> str:
    return f"tombstone_{os.getpid()}"


def _as_managed(spark: SparkSession, entry: Any) -> Any:
    """The CatalogTable with the type MANAGED."""
    jvm: Any = spark._jvm
    type = jvm.org.apache.spark.sql.catalyst.catalog.CatalogTableType
    # The number of fields differs between versions of Spark, and Scala 2.12 does not report their names.
    values = [entry.productElement(i) for i in range(entry.productArity())]
    return entry.copy(*(type.MANAGED() if value == type.EXTERNAL() else value for value in values))
