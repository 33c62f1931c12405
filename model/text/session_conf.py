"""The keys and values of Spark for a session's settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.vocabulary.settings import Setting

_DELTA = "spark.databricks.delta"

#: The settings of Spark and of Delta, by key. Sources: SQLConf.scala of Spark, DeltaSQLConf.scala of Delta.
_CONF: Mapping[Setting, Mapping[str, str]] = {
    Setting.CODE_GENERATION: {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"},
    Setting.ADAPTIVE_EXECUTION: {"spark.sql.adaptive.enabled": "true"},
    # Spark has 200 and Delta 50: with these a step takes ten times as long, and shows no more.
    Setting.MANY_PARTITIONS: {"spark.sql.shuffle.partitions": "8", f"{_DELTA}.snapshotPartitions": "5"},
    Setting.ROW_READER: {"spark.sql.parquet.enableVectorizedReader": "false"},
    Setting.NO_PUSHDOWN: {"spark.sql.parquet.filterPushdown": "false"},
    Setting.MICROSECONDS: {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"},
    Setting.IGNORE_CORRUPT_FILES: {"spark.sql.files.ignoreCorruptFiles": "true"},
    Setting.IGNORE_MISSING_FILES: {"spark.sql.files.ignoreMissingFiles": "true"},
    Setting.CASE_SENSITIVE: {"spark.sql.caseSensitive": "true"},
    Setting.ANSI_OFF: {"spark.sql.ansi.enabled": "false"},
    Setting.NO_METASTORE_CONVERSION: {"spark.sql.hive.convertMetastoreParquet": "false"},
    Setting.NO_SKIPPING: {f"{_DELTA}.stats.skipping": "false"},
    Setting.NO_CHECKSUMS: {f"{_DELTA}.writeChecksumFile.enabled": "false"},
    Setting.NO_FILES_IN_CHECKSUMS: {f"{_DELTA}.allFilesInCrc.enabled": "false"},
    Setting.NO_INCREMENTAL_COMMITS: {f"{_DELTA}.incremental.commit.enabled": "false"},
    Setting.NO_METADATA_ROW_INDEX: {f"{_DELTA}.deletionVectors.useMetadataRowIndex": "false"},
    Setting.FILES_TOGETHER: {"spark.sql.files.minPartitionNum": "1"},
    Setting.SMALL_VECTOR_FILES: {f"{_DELTA}.deletionVectors.packing.targetSize": "1"},
}


def spark_conf(settings: Iterable[Setting]) -> dict[str, str]:
    """The keys and values of these settings for Spark."""
    return {key: value for setting in settings for key, value in _CONF[setting].items()}
