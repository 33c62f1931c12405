"""Settings of a session that users change, and that must not change what a DELETE or a VACUUM does."""

from __future__ import annotations

from enum import Enum


class Setting(str, Enum):
    """A setting that differs from the rest of the suite. The comment has the usual value."""

    CODE_GENERATION = "code generation"  # as in Spark; off for speed
    ADAPTIVE_EXECUTION = "adaptive execution"  # as in Spark; off for speed
    MANY_PARTITIONS = "many partitions"  # of shuffles and snapshots: some are empty; 1 for speed
    ROW_READER = "row-based reader"  # of Parquet; vectorized
    NO_PUSHDOWN = "no filter pushdown"  # to Parquet; pushed down
    MICROSECONDS = "timestamps in microseconds"  # in new Parquet files; INT96
    IGNORE_CORRUPT_FILES = "corrupt files ignored"  # an error
    IGNORE_MISSING_FILES = "missing files ignored"  # an error
    CASE_SENSITIVE = "case-sensitive names"  # case-insensitive
    ANSI_OFF = "ANSI off"  # on
    NO_METASTORE_CONVERSION = "no metastore conversion"  # convertMetastoreParquet is on
    NO_SKIPPING = "no data skipping"  # files are skipped by statistics
    NO_CHECKSUMS = "no version checksums"  # written
    NO_FILES_IN_CHECKSUMS = "no files in checksums"  # listed
    NO_INCREMENTAL_COMMITS = "no incremental commits"  # checksums are computed from the one before
    NO_METADATA_ROW_INDEX = "no metadata row index"  # deletion vectors use Spark's row index
    FILES_TOGETHER = "small files in one task"  # as many tasks as processors
    SMALL_VECTOR_FILES = "a file for each deletion vector"  # several share one
