"""What a reproduction script reads through Spark: the table, its change feed, its row ids, single files.

``reports.reproduction`` copies what a script needs of this module into it, so it uses pyspark and the standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from reports.laws.actions import file_of
from reports.laws.evidence import Action, Unreadable
from reports.laws.words import named
from reports.spark.session import described, engine_errors


def read_table(spark: Any, root: str, version: int | None) -> Any:
    reader = spark.read.format("delta")
    return (reader if version is None else reader.option("versionAsOf", version)).load(root)


def read_feed(spark: Any, root: str, schema: list[Action], versions: list[int]) -> Any:
    """The table's columns and _change_type. Nothing where there is no version to read."""
    if not versions:
        return None
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    feed = reader.option("startingVersion", versions[0]).option("endingVersion", versions[-1]).load(root)
    names = [field["name"] for field in schema] + ["_change_type"]
    return feed.select(*("`" + name.replace("`", "``") + "`" for name in names))


def read_row_ids(spark: Any, root: str, version: int | None) -> Any:
    """The table's columns, the row's id and its commit version."""
    # Whether an old version may still be read is not what is asked here.
    spark.conf.set("spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration", "false")
    table = read_table(spark, root, version)
    # A table may have a column of its own that is called _metadata.
    metadata = table.metadataColumn("_metadata") if hasattr(table, "metadataColumn") else table["_metadata"]
    return table.select("*", metadata.getField("row_id"), metadata.getField("row_commit_version"))


def stored_rows(spark: Any, root: str, action: Action) -> list[dict[str, Any]]:
    """What the file of an action stores: the columns of each row by their names. Raises Unreadable."""
    return read_parquet(spark, root, action, lambda table: [dict(zip(table.columns, row)) for row in table.collect()])


def stored_fields(spark: Any, root: str, action: Action) -> list[Action]:
    """The columns of the file of an action, in the form of a Delta schema. Raises Unreadable."""
    return read_parquet(spark, root, action, lambda table: table.schema.jsonValue()["fields"])


def read_parquet(spark: Any, root: str, action: Action, ask: Callable[[Any], list[Any]]) -> list[Any]:
    path = file_of(action, root)
    try:
        return ask(spark.read.parquet(os.path.join(root, path)))
    except engine_errors() as problem:
        raise Unreadable(f"{path} cannot be read: {named(described(problem))}") from problem


def paths_in_checkpoint(spark: Any, place: str, kind: str) -> list[str]:
    """The paths of all actions of this kind in one file of a checkpoint."""
    table = spark.read.json(place) if place.endswith(".json") else spark.read.parquet(place)
    if kind not in table.columns:
        return []
    return [row[0] for row in table.select(f"{kind}.path").collect() if row[0] is not None]
