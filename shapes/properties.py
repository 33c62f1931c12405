"""The table properties that Delta knows, and what of their values is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from shapes.shape import Properties
from shapes.sizes import size_class

OTHER = "other"  # than Delta allows
SET = "set"


def _flag(value: str) -> str:
    return value.lower() if value.lower() in ("true", "false") else OTHER


def _whole(value: str) -> str:
    return value if re.fullmatch(r"-?[0-9]{1,9}", value) else OTHER


def _size(value: str) -> str:
    return str(size_class(int(value))) if re.fullmatch(r"[0-9]{1,18}", value) else OTHER


_DURATION = re.compile(
    r"(?:interval )?(?:-?[0-9]{1,9}(?:\.[0-9]{1,9})? (?:year|month|week|day|hour|minute|second|millisecond|microsecond)s? ?)+"
)


def _duration(value: str) -> str:
    """In lower case, without ``interval``."""
    text = " ".join(value.lower().split())
    return text.removeprefix("interval ") if _DURATION.fullmatch(text) else OTHER


def _set(_: str) -> str:
    return SET


def _word(*words: str) -> Callable[[str], str]:
    return lambda value: next((word for word in words if word.lower() == value.lower()), OTHER)


#: By name, what is kept of a value.
_KEPT: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(
        (
            *("appendOnly", "autoOptimize", "autoOptimize.optimizeWrite", "castIcebergTimeType"),
            *("checkpoint.writeStatsAsJson", "checkpoint.writeStatsAsStruct", "enableChangeDataCapture"),
            *(
                "enableChangeDataFeed",
                "enableDeletionVectors",
                "enableExpiredLogCleanup",
                "enableFullRetentionRollback",
            ),
            *("enableIcebergCompatV1", "enableIcebergCompatV2", "enableIcebergCompatV3", "enableIcebergWriterCompatV1"),
            *("enableIcebergWriterCompatV3", "enableInCommitTimestamps", "enableInCommitTimestamps-preview"),
            *("enableMaterializePartitionColumnsFeature", "enableRowTracking", "enableTypeWidening"),
            *(
                "enableVariantShredding",
                "ignoreIcebergBucketPartition",
                "ignoreProtocolDefaults",
                "randomizeFilePrefixes",
            ),
            *("rowTrackingSuspended", "compatibility.symlinkFormatManifest.enabled", "tuneFileSizesForRewrites"),
            *("universalFormat.iceberg.atomicConversion.supported", "writePartitionColumnsToParquet"),
        ),
        _flag,
    ),
    **dict.fromkeys(
        (
            *("deletedFileRetentionDuration", "logRetentionDuration", "checkpointRetentionDuration"),
            *("sampleRetentionDuration", "setTransactionRetentionDuration"),
            "dropFeatureTruncateHistory.retentionDuration",
        ),
        _duration,
    ),
    **dict.fromkeys(
        (
            *("checkpointInterval", "dataSkippingNumIndexedCols", "dataSkippingStringPrefixLength"),
            *("minReaderVersion", "minWriterVersion", "randomPrefixLength"),
        ),
        _whole,
    ),
    **dict.fromkeys(
        (
            *("columnMapping.maxColumnId", "inCommitTimestampEnablementVersion", "targetFileSize"),
            "requireCheckpointProtectionBeforeVersion",
        ),
        _size,
    ),
    **dict.fromkeys(
        (
            *("dataSkippingStatsColumns", "inCommitTimestampEnablementTimestamp", "redirectReaderWriter-preview"),
            *(
                "redirectWriterOnly-preview",
                "rowTracking.materializedRowIdColumnName",
                "universalFormat.enabledFormats",
            ),
            *("rowTracking.materializedRowCommitVersionColumnName", "coordinatedCommits.commitCoordinator-preview"),
            *("coordinatedCommits.commitCoordinatorConf-preview", "coordinatedCommits.tableConf-preview"),
            "clusteringColumns",
        ),
        _set,
    ),
    "autoOptimize.autoCompact": _word("true", "false", "auto", "legacy"),
    "checkpointPolicy": _word("classic", "v2"),
    "columnMapping.mode": _word("none", "id", "name"),
    "isolationLevel": _word("Serializable", "WriteSerializable", "SnapshotIsolation"),
    "parquet.compression.codec": _word("none", "uncompressed", "snappy", "gzip", "lz4", "lz4_raw", "zstd", "brotli"),
    "parquet.format.version": _word("1.0.0", "2.12.0"),
}

#: Names are of any case.
_BY_NAME = {f"delta.{name}".lower(): f"delta.{name}" for name in _KEPT}
_CONSTRAINT = "delta.constraints."
_FEATURE = "delta.feature."


def properties_of(configuration: Mapping[str, str]) -> Properties:
    known = {}
    for given, value in configuration.items():
        name = _BY_NAME.get(given.lower())
        if name is not None:
            known[name] = _KEPT[name.removeprefix("delta.")](value or "")
    constraints = sum(given.lower().startswith(_CONSTRAINT) for given in configuration)
    return Properties(dict(sorted(known.items())), constraints, len(unknown_properties(configuration)))


def unknown_properties(configuration: Mapping[str, str]) -> Collection[str]:
    """Without constraints, and features that a writer left among the properties."""
    return [
        given
        for given in configuration
        if given.lower() not in _BY_NAME and not given.lower().startswith((_CONSTRAINT, _FEATURE))
    ]
