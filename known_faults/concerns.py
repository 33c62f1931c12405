"""Whom a known fault concerns, in words for readers of a report, by its condition (``when``).

The conditions themselves are code (``harness.judging.excusing.conditions``). An entry's ``concerns`` is more exact.
"""

from __future__ import annotations

from collections.abc import Mapping

from records.known_fault import KnownFault

#: By condition, the end of "Concerns you only if …".
CONCERNS: Mapping[str, str] = {
    "ARRAY column": "a table has an ARRAY column",
    "DECIMAL as users write it": "a condition has a DECIMAL as a plain number, such as 1.5",
    "DECIMAL of 16 digits as users write it": "a condition has a number of 16 digits or more with a decimal point",
    "DROP COLUMN in a table with named statistics of a special name": (
        "you DROP a column, and delta.dataSkippingStatsColumns has a name with a character such as # or a blank"
    ),
    "LIKE of a partition": "a condition has LIKE on a partition column",
    "LIKE with a backslash": "a condition has LIKE with a backslash in its pattern",
    "MAP column": "a table has a MAP column",
    "MERGE with a partition column named with a dot or a backtick": (
        "you MERGE into a table with a partition column whose name has a dot or a backtick"
    ),
    "NULL partition value": "a partition column has NULLs",
    "NaN in a file": "a FLOAT or DOUBLE column has NaN",
    "RENAME COLUMN in a table with named statistics of a special name": (
        "you RENAME a column, and delta.dataSkippingStatsColumns has a name with a character such as # or a blank"
    ),
    "RESTORE": "you RESTORE a table",
    "RESTORE of deletion vectors that are switched off": (
        "you RESTORE a table to a version at which deletion vectors were switched off and a file still had one"
    ),
    "STRING column": "a table has a STRING column",
    "TIMESTAMP before standard time in another time zone": (
        "a table has TIMESTAMPs from before standard time (about 1900), and sessions have other time zones than UTC"
    ),
    "TIMESTAMP partition in another time zone": (
        "a table is partitioned by a TIMESTAMP, and sessions have different time zones"
    ),
    "UPDATE by a literal of another type": "you UPDATE a column by a literal of another type",
    "UPDATE of whole partitions": "you UPDATE whole partitions",
    "UPDATE with a change feed and a column named with a backtick": (
        "you UPDATE a table that has a change data feed and a column whose name has a backtick"
    ),
    "MERGE by name or with a change feed, and a column named with a backtick": (
        "you MERGE with * into a table with a column whose name has a backtick, or it has a change data feed too"
    ),
    "MERGE by name with deletion vectors and a column named rowIndexCol": (
        "you MERGE into a table with deletion vectors, and it and the source have a column rowIndexCol"
    ),
    "MERGE that adds a column": "you MERGE into a table with schema evolution (merge_schema), and the source has a new column",
    "MERGE that adds a column to a table with a data column after a partition column": (
        "you MERGE with schema evolution into a table with a data column after a partition column"
    ),
    "MERGE that adds a column and leaves matched rows, or sets some columns": (
        "you MERGE with schema evolution, and rows that match are left as they are, or only some columns are set"
    ),
    "ZORDER BY a column named with a backtick": "you OPTIMIZE ZORDER BY a column whose name has a backtick",
    "bound of a FLOAT that is a DOUBLE now": "the type of a column was widened from FLOAT to DOUBLE",
    "column that was added later": "a column was added to a table that has files",
    "broken _last_checkpoint": "the file _last_checkpoint of a table is damaged",
    "call with constants of several types": (
        "a condition calls a function with constants of several types, such as greatest(2, 0.5)"
    ),
    "change feed": "a table has a change data feed",
    "change feed in another time zone": "you read the change data feed in another time zone than the JVM's",
    "checkpoint beside one in parts": "a version has two checkpoints, one of them in parts",
    "checkpoint by a command": "you write checkpoints by a command",
    "column mapping": "a table has column mapping",
    "commit file no younger than the one before": (
        "the clocks of a table's writers differ, or its log was copied, so that a commit's file is older than the "
        "one before"
    ),
    "compares with NULL": "a condition compares with NULL, as x = NULL does",
    "condition that is no BOOLEAN": "a condition may be no BOOLEAN, such as 0 or 'false'",
    "damaged row group ignored without deletion vectors": (
        "you set spark.sql.files.ignoreCorruptFiles, and a file without deletion vectors is damaged in part"
    ),
    "deletion vectors": "a table has deletion vectors",
    "deletion vectors and a column path": "a table has deletion vectors and a column named path",
    "deletion vectors and no ranges": (
        "a table has deletion vectors and no column with a minimum, such as BOOLEANs alone"
    ),
    "deletion vectors with column mapping": "a table has deletion vectors and column mapping",
    "empty text of a STRING partition": "a STRING partition value is '' in the log, as some writers write NULL",
    "empty text of a partition that is no STRING": (
        "a partition value of another type than STRING is '' in the log, as some writers write NULL"
    ),
    "encoded path": (
        "a path has characters that are percent-encoded in the log, such as a space, or a letter that is not ASCII"
    ),
    "OPTIMIZE of a file whose path has a tilde": "you run OPTIMIZE, and a partition value or column has a tilde",
    "file named by URI": "the log names a file by a whole URI, as that of a shallow clone does",
    "file without rows": "a table has a file without rows",
    "partition of a file without visible rows": (
        "another writer leaves a file without rows, or one whose rows a deletion vector hides all, in a partition"
    ),
    "first of several partition columns begins with a dot": (
        "a table has several partition columns, and the name of the first begins with a dot"
    ),
    "first partition column begins with a scheme and a colon": (
        "the name of the first partition column begins like a URI, such as time:utc"
    ),
    "fractional partition": "a table is partitioned by a FLOAT, DOUBLE or DECIMAL",
    "function in Python in a condition": "a condition calls a function in Python",
    "function in Python that decides which files are rewritten": (
        "a DELETE or UPDATE without deletion vectors has a condition with a function in Python"
    ),
    "inventory by a query that is no table": (
        "you run VACUUM USING INVENTORY by a query with a column that is never NULL or columns in another order, or with "
        "paths with two slashes after the root"
    ),
    "link to a directory": "a symbolic link to a directory lies in a table's directory",
    "long text beyond U+FFFF": "a text is longer than 32 characters and has characters beyond U+FFFF, such as emoji",
    "missing file of a deletion vector": (
        "the file of a live deletion vector is gone, as after a VACUUM of this version"
    ),
    "missing path as the target": "you name a table by a path where there is none",
    "null-safe test of a partition": (
        "a condition has a null-safe comparison of a partition column (IS NOT DISTINCT FROM)"
    ),
    "overwrite where BETWEEN": "you overwrite by replaceWhere with BETWEEN",
    "partition column begins with a dot or an underscore": (
        "the name of a partition column begins with a dot or an underscore"
    ),
    "partition columns compared with each other": "a condition compares two partition columns with each other",
    "partition value that is no plain number": (
        "a partition value is infinite, very large, very small or a negative DECIMAL"
    ),
    "path that XML cannot hold": "the name of a file has a character that XML cannot hold, such as U+FFFF",
    "plain LIKE beside another test": (
        "a condition has LIKE without a wildcard beside another test of the same column"
    ),
    "removed by another spelling": (
        "another writer removes a file by another spelling of its path than it was added by"
    ),
    "session that deletes all, or no row of its version": (
        "you keep a DeltaTable object open while others commit, and DELETE all rows, or rows that its version "
        "does not have"
    ),
    "session that opened the table before deletion vectors were switched on": (
        "you keep a session open while another one switches deletion vectors on"
    ),
    "session that opened the table before others committed": "you keep a DeltaTable object open while others commit",
    "several tombstones of a file": "a file was removed several times: it has deletion vectors, or was restored",
    "statistics as a struct only": (
        "a checkpoint has statistics as a struct only (delta.checkpoint.writeStatsAsJson is false)"
    ),
    "test of a BOOLEAN that is never NULL": "a condition tests a BOOLEAN column without NULLs for both of its values",
    "test of a CHAR": "a condition compares a CHAR(n) column with a text of less than n characters",
    "test of a NULL struct with a NOT NULL field": "a table has a struct that may be NULL, with a field that may not",
    "test of a list": "a condition has IN with a list",
    "test of a list beside another test": "a condition has IN beside another test of the same column",
    "test of a list of thousands": "a condition has IN with thousands of values",
    "test of a metadata column": "a condition names a metadata column, such as _metadata.file_size",
    "test of a name that is no identifier": "a condition names a column whose name is no identifier, such as `a.b`",
    "test of a nested column": "a condition tests a struct, an array or a map",
    "test of a range": "a condition has BETWEEN",
    "tombstone with a NULL partition value": "a partition column has NULLs",
    "tombstone without a time": "another writer leaves the time of a remove out",
    "tombstones that a checkpoint left out": "you run VACUUM LITE after a checkpoint that left expired removes out",
    "unusual name of the table's directory": "the name of a table's directory has unusual characters, such as %",
    "vectors switched on with column mapping": "you switch deletion vectors on for a table with column mapping",
    "verbatim test": "a condition calls a function",
    "versions to keep that go back": "you VACUUM with keep_versions",
    "whole files": "a DELETE removes whole files",
    "wide DECIMAL column": "a table has a DECIMAL column of more than 15 digits",
    "young orphan": "a table has young files that no version refers to",
    "young tombstone": "you VACUUM a table of which old files were removed within the retention",
    "zeros of both signs": (
        "a FLOAT or DOUBLE column has -0.0, and a condition compares it with 0.0, or the other way round"
    ),
}


def concerns(fault: KnownFault) -> str:
    """Whom the fault concerns, as the end of "Concerns you only if …"; empty where nothing says it."""
    return whom(fault.concerns, fault.when)


def whom(own: str | None, condition: str | None) -> str:
    """Whom an entry concerns, by its ``concerns`` and ``when``, which may both be missing."""
    return own or CONCERNS.get(condition or "", "")
