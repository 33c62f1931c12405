"""Tables for the tests of shapes: their names and values can be told from everything else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Action, Add, CommitInfo, DomainMetadata, Metadata, Protocol, Remove, Txn
from deltalog.entries.commits import write_commit
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.log import read_log
from deltalog.values.schemas import Field, array_type, default_metadata, schema_string, struct_type

#: A part of every name, value, path and user of these tables.
SECRET = "zyxwv"

COLUMNS = (
    Field(f"{SECRET} a", "long", False, default_metadata(f"'{SECRET}'")),
    (f"{SECRET}%", "decimal(10,2)"),
    (f"Ü{SECRET}", struct_type([(f".{SECRET}", array_type("string"))])),
    (f"_{SECRET}:day", "string"),
)

PROTOCOL = Protocol(3, 7, ("deletionVectors", SECRET), ("deletionVectors", "domainMetadata", SECRET))

CONFIGURATION = {
    "delta.deletedFileRetentionDuration": "interval 30 days",
    "delta.logRetentionDuration": SECRET,
    "delta.appendOnly": "false",
    "delta.dataSkippingStatsColumns": SECRET,
    "delta.checkpointPolicy": "v2",
    f"delta.constraints.{SECRET}": f"{SECRET} > 1",
    f"{SECRET}.owner": SECRET,
}

METADATA = Metadata(
    SECRET,
    schema_string(COLUMNS),
    (f"_{SECRET}:day",),
    CONFIGURATION,
    name=SECRET,
    description=SECRET,
)

VECTOR = DeletionVectorDescriptor("u", "ab^-aqEH.-t@S}K{vb[*k^", offset=70, size=36, cardinality=12)
INLINE = DeletionVectorDescriptor("i", "0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", size=40, cardinality=6)

COUNTED = json.dumps({"numRecords": 3})
FULL = json.dumps({"numRecords": 3, "minValues": {"a": SECRET}, "maxValues": {"a": SECRET}, "nullCount": {"a": 0}})


def add(path: str, *, stats: str | None = None, vector: DeletionVectorDescriptor | None = None, day: str = "1") -> Add:
    return Add(path, {f"_{SECRET}:day": f"{SECRET}{day}"}, 150, 1, True, stats, deletion_vector=vector)


def info(operation: str, **parameters: object) -> CommitInfo:
    return CommitInfo(
        {
            "operation": operation,
            "operationParameters": {**parameters, "predicate": SECRET},
            "userName": SECRET,
            "engineInfo": f"Apache-Spark/3.5.0 Delta-Lake/3.3.2-{SECRET} {SECRET}",
        }
    )


#: The commits of a table, whose last two come after its checkpoint.
COMMITS: Sequence[Sequence[Action]] = (
    [info("CREATE TABLE"), PROTOCOL, METADATA, Txn(SECRET, 1), DomainMetadata(SECRET, SECRET)],
    [
        info("WRITE"),
        *(add(f"{SECRET}=1/part-{number}.parquet", stats=FULL) for number in range(8)),
        add(f"{SECRET}%20x.parquet", stats=COUNTED, day="2"),
        add(f"s3://{SECRET}/{SECRET}.parquet"),
        add(f"_{SECRET}/a/b/c.parquet", vector=VECTOR),
    ],
    [info("VACUUM START", specifiedRetentionMillis="0", retentionCheckEnabled="false")],
    [
        info("DELETE"),
        Remove(f"{SECRET}=1/part-0.parquet", 5, True),
        Remove(f"{SECRET}=1/part-1.parquet", 5, True),
        add(f"{SECRET}=1/part-1.parquet", vector=INLINE),
    ],
    [CommitInfo({"operation": SECRET, "engineInfo": SECRET}), Txn(SECRET, 2)],
)


def write_table(root: Path, *, checkpoint: bool = True, v2: bool = False, struct: bool = False) -> Path:
    for version, actions in enumerate(COMMITS):
        write_commit(root, version, actions)
        if version == 2 and checkpoint:
            write_checkpoint(root, read_log(root).snapshot(), v2=v2, struct_statistics=struct)
    return root


def write_small(root: Path) -> Path:
    """A table without anything special."""
    write_commit(
        root, 0, [Protocol(1, 2), Metadata("a", schema_string([("a", "long")])), Add("a.parquet", {}, 9, 1, True)]
    )
    return root
