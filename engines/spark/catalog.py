"""Names for tables: entries of the session catalog that last for one step and leave the table's files alone.

The catalog is Spark's in-memory one. All sessions of a JVM share it, so each process has a database of its own there.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from model.sql import literal
from model.values import Type

_numbers = itertools.count(1)


@contextmanager
def named(spark: SparkSession, root: Path, *, managed: bool) -> Iterator[str]:
    """A name for the table at ``root``, as an external or as a managed table.

    Delta makes no managed table where files lie already (DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION), so the entry is
    made for an external one and then says that it is managed: that is all in which the two differ. It says external
    again before it is dropped, because dropping a managed table deletes its files.
    """
    database = f"tombstone_{os.getpid()}"
    table = f"t{next(_numbers)}"
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {database}")
    spark.sql(f"CREATE TABLE {database}.{table} USING delta LOCATION {literal(str(root), Type.STRING)}")
    catalog: Any = spark._jsparkSession.sharedState().externalCatalog()
    external = catalog.getTable(database, table)
    try:
        if managed:
            catalog.alterTable(_as_managed(spark, external))
        yield f"{database}.{table}"
    finally:
        catalog.alterTable(external)
        catalog.dropTable(database, table, False, False)  # it must be there; and is not to be purged


def _as_managed(spark: SparkSession, entry: Any) -> Any:
    """The catalog's entry, a CatalogTable, with the other type."""
    jvm: Any = spark._jvm
    type = jvm.org.apache.spark.sql.catalyst.catalog.CatalogTableType
    # The number of its fields differs between versions of Spark, and Scala 2.12 does not tell their names.
    values = [entry.productElement(i) for i in range(entry.productArity())]
    return entry.copy(*(type.MANAGED() if value == type.EXTERNAL() else value for value in values))
