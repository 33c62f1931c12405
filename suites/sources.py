"""The addresses of the sources that clauses cite, by the keys of docs/sources.md.

>>> resolve("C 1.2")
Link(label='How Delta behaves, 1.2', address='docs/delta.md#1.2')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_DELTA = "https://github.com/delta-io/delta/blob/v4.4.0"


@dataclass(frozen=True)
class Link:
    """``address`` is a URL, or a path in this project."""

    label: str
    address: str


#: Articles by key.
ARTICLES: Mapping[str, Link] = {
    "S0": Link("“Delta Lake Delete”, on Delta 0.4", "docs/sources.md#S0"),
    "S1": Link(
        "“Table file formats - vacuum: Delta Lake”",
        "https://www.waitingforcode.com/delta-lake/table-file-formats-vacuum-delta-lake/read",
    ),
    "S2": Link(
        "“Truncating a Delta Lake table, aka metadata-only operations”",
        "https://www.waitingforcode.com/delta-lake/truncating-delta-lake-table-metadata-only-operations/read",
    ),
    "S3": Link("“Error Conditions”, of Spark", "https://spark.apache.org/docs/latest/sql-error-conditions.html"),
    "S4": Link("“Optimizations”, of Delta Lake", "https://docs.delta.io/optimizations-oss/"),
    "S5": Link("“Table utility commands”, of Delta Lake", "https://docs.delta.io/delta-utility/"),
    "S6": Link("“Table deletes, updates, and merges”, of Delta Lake", "https://docs.delta.io/delta-update/"),
    "S7": Link("“Concurrency control”, of Delta Lake", "https://docs.delta.io/concurrency-control/"),
    "S8": Link("“Storage configuration”, of Delta Lake", "https://docs.delta.io/delta-storage/"),
    "S9": Link("“Table streaming reads and writes”, of Delta Lake", "https://docs.delta.io/delta-streaming/"),
}

#: Sections of docs/delta.md, cited as ``C 1.2``. Each has an anchor of its number there.
DELTA_SECTIONS: tuple[str, ...] = (
    *("1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7"),
    *("2.1", "2.2", "2.3", "2.4", "2.5"),
    *("3", "5"),
)

#: Sections of PROTOCOL.md, cited as ``P Row Tracking``, with the anchor of each. The number at an anchor's end distinguishes
#: headings of the same name.
PROTOCOL_SECTIONS: Mapping[str, str] = {
    "Action Reconciliation": "action-reconciliation",
    "Add CDC File": "add-cdc-file",
    "Add File and Remove File": "add-file-and-remove-file",
    "Append-only Tables": "append-only-tables",
    "CHECK Constraints": "check-constraints",
    "Change Data Files": "change-data-files",
    "Change Metadata": "change-metadata",
    "Checkpoint Metadata": "checkpoint-metadata",
    "Checkpoints": "checkpoints-1",  # the requirements for writers
    "Checkpoints for readers": "checkpoints",
    "Column Mapping": "column-mapping",
    "Commit Provenance Information": "commit-provenance-information",
    "Creation of New Log Entries": "creation-of-new-log-entries",
    "Data Files": "data-files",
    "Default Columns": "default-columns",
    "Deletion Vector Descriptor Schema": "deletion-vector-descriptor-schema",
    "Deletion Vector File Storage Format": "deletion-vector-file-storage-format",
    "Deletion Vector Format": "deletion-vector-format",
    "Deletion Vectors": "deletion-vectors",
    "Delta Data Type to Parquet Type Mappings": "delta-data-type-to-parquet-type-mappings",
    "Delta Log Entries": "delta-log-entries-1",  # the requirements for writers
    "Generated Columns": "generated-columns",
    "Identity Columns": "identity-columns",
    "In-Commit Timestamps": "in-commit-timestamps",
    "JSON checksum": "json-checksum",
    "Last Checkpoint File": "last-checkpoint-file",
    "Log Compaction Files": "log-compaction-files",
    "Metadata Cleanup": "metadata-cleanup",
    "Overview": "overview",
    "Per-file Statistics": "per-file-statistics",
    "Protocol Evolution": "protocol-evolution",
    "Row Tracking": "row-tracking",
    "Sidecar File Information": "sidecar-file-information",
    "Sidecar Files": "sidecar-files",
    "Table Features": "table-features",
    "V2 Spec": "v2-spec",
    "VACUUM Protocol Check": "vacuum-protocol-check",
    "Version Checksum File": "version-checksum-file",
    "Writer Requirement for Deletion Vectors": "writer-requirement-for-deletion-vectors",
}


_API = "https://delta-io.github.io/delta-rs/api/delta_table/"
_OPERATIONS = "https://docs.rs/deltalake-core/latest/deltalake_core/operations"

#: The documentation of delta-rs, cited as ``R DeltaTable.delete``.
DELTA_RS_PAGES: Mapping[str, str] = {
    "DeltaTable.delete": f"{_API}#deltalake.DeltaTable.delete",
    "DeltaTable.count": f"{_API}#deltalake.DeltaTable.count",
    "DeltaTable.to_pyarrow_dataset": f"{_API}#deltalake.DeltaTable.to_pyarrow_dataset",
    "DeltaTable.to_pyarrow_table": f"{_API}#deltalake.DeltaTable.to_pyarrow_table",
    "DeltaTable.vacuum": f"{_API}#deltalake.DeltaTable.vacuum",
    "DeleteMetrics": f"{_OPERATIONS}/delete/struct.DeleteMetrics.html",
    "VacuumBuilder.with_keep_versions": (f"{_OPERATIONS}/vacuum/struct.VacuumBuilder.html#method.with_keep_versions"),
    "VacuumEndOperationMetrics": f"{_OPERATIONS}/vacuum/struct.VacuumEndOperationMetrics.html",
    "VacuumMetrics": f"{_OPERATIONS}/vacuum/struct.VacuumMetrics.html",
}


def resolve(source: str) -> Link:
    """The link of a clause's source. Raises ValueError for an unknown document or section."""
    key, _, section = source.partition(" ")
    if source in ARTICLES:
        return ARTICLES[source]
    if key == "P" and section in PROTOCOL_SECTIONS:
        return Link(f"PROTOCOL.md, {section}", f"{_DELTA}/PROTOCOL.md#{PROTOCOL_SECTIONS[section]}")
    if key == "C" and section in DELTA_SECTIONS:
        return Link(f"How Delta behaves, {section}", f"docs/delta.md#{section}")
    if key == "R" and section in DELTA_RS_PAGES:
        return Link(f"delta-rs, {section}", DELTA_RS_PAGES[section])
    raise ValueError(f"{source!r} is not a source in docs/sources.md")
