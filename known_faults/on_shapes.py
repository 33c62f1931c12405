"""The conditions and subjects of known faults that a table's shape can decide.

A predicate answers True: the table has it; False: the table, as it is, cannot have it; None: its shape does not tell. Most
conditions are about a command or about values, which a shape does not contain: it then tells at most that a table cannot have
them. The predicates agree with the code in ``harness.judging.excusing``: none says False if that code may find the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from shapes.shape import Shape

#: Whether a table has it: None where its shape does not tell.
Told = bool | None
OnShape = Callable[[Shape], Told]


def untold(_: Shape) -> Told:
    return None


def _only_if(possible: Callable[[Shape], bool]) -> OnShape:
    """Unknown if this holds for the table; otherwise the table cannot have it."""
    return lambda shape: None if possible(shape) else False


def _has_feature(shape: Shape, name: str) -> bool:
    return name in shape.protocol.features


def _is_set(shape: Shape, name: str, *values: str) -> bool:
    return shape.properties.known.get(name) in values


def maps_columns(shape: Shape) -> bool:
    return shape.properties.known.get("delta.columnMapping.mode", "none") != "none"


def _supports_vectors(shape: Shape) -> bool:
    return _has_feature(shape, "deletionVectors")


def writes_vectors(shape: Shape) -> bool:
    return _supports_vectors(shape) and _is_set(shape, "delta.enableDeletionVectors", "true")


def _has_vectors(shape: Shape) -> Told:
    """Unknown if not: the next command may write one, or a tombstone may have one."""
    return True if shape.vectors.files else None if _supports_vectors(shape) else False


def _has_vector_files(shape: Shape) -> Told:
    return True if set(shape.vectors.kinds) & {"absolute", "relative"} else None if _supports_vectors(shape) else False


def _has_feed(shape: Shape) -> bool:
    return _is_set(shape, "delta.enableChangeDataFeed", "true")


def _partition_types(shape: Shape) -> set[str]:
    return {one.type for one in shape.columns.partition}


def _types(shape: Shape) -> set[str]:
    """The types of all columns, at any depth."""
    return {one.type for one in (*shape.columns.kinds, *shape.columns.nested)} | _partition_types(shape)


def _is_partitioned(shape: Shape) -> bool:
    return bool(shape.columns.partition)


def _has_type(shape: Shape, *types: str) -> bool:
    return bool(_types(shape) & set(types))


def _fractions(types: Collection[str]) -> bool:
    return any(one in ("float", "double") or one.startswith("decimal") for one in types)


def _has_float(shape: Shape) -> bool:
    return _has_type(shape, "float", "double")


def _has_null_partition(shape: Shape) -> bool:
    """Whether a partition column may be NULL."""
    return any(one.nullable for one in shape.columns.partition)


def _names(shape: Shape, *flags: str) -> bool:
    """Whether the name of a column has one of these."""
    return bool({*shape.names.columns, *shape.names.partition} & set(flags))


def _partition_names(shape: Shape, *flags: str) -> bool:
    return bool(set(shape.names.partition) & set(flags))


#: Types whose values need no encoding in a path.
_PLAIN = frozenset({"boolean", "byte", "date", "integer", "long", "short"})


def _encodes_paths(shape: Shape) -> Told:
    """False if all paths of files are relative, and no partition may need encoding."""
    if "encoded" in shape.paths.forms:
        return True
    plain_names = set(shape.names.partition) <= {"begins-with-dot", "begins-with-underscore", "dot", "upper-case"}
    plain = _partition_types(shape) <= _PLAIN and plain_names and set(shape.paths.forms) <= {"hive", "relative"}
    return False if plain else None


def _names_by_uri(shape: Shape) -> Told:
    forms = shape.paths.forms
    return True if "uri" in forms else None if "absolute" in forms else False


def _removed_several_times(shape: Shape) -> bool:
    """Whether it is possible: with deletion vectors, or after a RESTORE, which an incomplete log may not show."""
    seen = sum(shape.history.operations.values())
    return _supports_vectors(shape) or "RESTORE" in shape.history.operations or shape.log.cleaned or seen == 0


#: Types without a least value; those of which this suite has no cases are not in it.
_WITHOUT_RANGE = frozenset({"array", "binary", "boolean", "map", "struct"})
_RANGED = frozenset(
    {"byte", "date", "double", "float", "integer", "long", "short", "string", "timestamp", "timestamp_ntz"}
)


def _vectors_without_ranges(shape: Shape) -> Told:
    types = {one.type for one in shape.columns.kinds}
    if not _supports_vectors(shape) or any(one in _RANGED or one.startswith("decimal") for one in types):
        return False
    return True if types <= _WITHOUT_RANGE else None


def _has_wide_decimal(shape: Shape) -> Told:
    """More than 15 digits: a class of precisions has 10 to 18."""
    if any(one.type == "decimal-38" for one in (*shape.columns.kinds, *shape.columns.partition)):
        return True
    return None if _has_type(shape, "decimal-18", "decimal-38") else False


def _has_null_struct_with_required_field(shape: Shape) -> bool:
    struct = any(one.type == "struct" and one.nullable for one in shape.columns.kinds)
    return struct and any(not one.nullable for one in shape.columns.nested)


#: By the name of a condition (``when``).
CONDITIONS_ON_SHAPES: Mapping[str, OnShape] = {
    # What a table has.
    "ARRAY column": lambda s: any(one.type == "array" for one in s.columns.kinds),
    "MAP column": lambda s: any(one.type == "map" for one in s.columns.kinds),
    "STRING column": lambda s: any(one.type == "string" for one in s.columns.kinds),
    "NULL partition value": _only_if(_has_null_partition),
    "NaN in a file": _only_if(_has_float),
    "bound of a FLOAT that is a DOUBLE now": _only_if(lambda s: "widened" in s.columns.marks and _has_float(s)),
    "broken _last_checkpoint": _only_if(lambda s: "last-checkpoint" in s.log.others),
    "change feed": _has_feed,
    "column that was added later": lambda s: True if "ADD COLUMNS" in s.history.operations else None,
    "checkpoint beside one in parts": _only_if(lambda s: s.log.checkpoint != "none" or s.log.damaged_checkpoint),
    "OPTIMIZE of a file whose path has a tilde": _only_if(lambda s: _encodes_paths(s) is not False),
    "column mapping": maps_columns,
    "commit file no younger than the one before": untold,
    "deletion vectors": _has_vectors,
    "deletion vectors and a column path": _only_if(_supports_vectors),
    "deletion vectors and no ranges": _vectors_without_ranges,
    "deletion vectors with column mapping": lambda s: _supports_vectors(s) and maps_columns(s),
    "empty text of a STRING partition": _only_if(lambda s: "string" in _partition_types(s)),
    "empty text of a partition that is no STRING": _only_if(lambda s: bool(_partition_types(s) - {"string"})),
    "encoded path": _encodes_paths,
    "file named by URI": _names_by_uri,
    "file without rows": untold,
    "partition of a file without visible rows": _only_if(lambda s: bool(s.columns.partition)),
    "first of several partition columns begins with a dot": _only_if(
        lambda s: len(s.columns.partition) > 1 and _partition_names(s, "begins-with-dot")
    ),
    "first partition column begins with a scheme and a colon": _only_if(
        lambda s: _partition_names(s, "colon") and not maps_columns(s)
    ),
    "fractional partition": lambda s: _fractions(_partition_types(s)),
    "link to a directory": untold,
    "long text beyond U+FFFF": _only_if(lambda s: _has_type(s, "string")),
    "missing file of a deletion vector": _only_if(_supports_vectors),
    "partition column begins with a dot or an underscore": lambda s: _partition_names(
        s, "begins-with-dot", "begins-with-underscore"
    ),
    "partition value that is no plain number": _only_if(lambda s: _fractions(_partition_types(s))),
    "path that XML cannot hold": untold,
    "removed by another spelling": untold,
    "several tombstones of a file": _only_if(_removed_several_times),
    "statistics as a struct only": lambda s: _is_set(s, "delta.checkpoint.writeStatsAsJson", "false"),
    "tombstone with a NULL partition value": _only_if(_has_null_partition),
    "tombstone without a time": untold,
    "tombstones that a checkpoint left out": untold,
    "unusual name of the table's directory": lambda s: bool(s.names.table),
    "wide DECIMAL column": _has_wide_decimal,
    "young orphan": untold,
    "young tombstone": untold,
    # What a command says of a table that has something.
    "DROP COLUMN in a table with named statistics of a special name": _only_if(maps_columns),
    "LIKE of a partition": _only_if(_is_partitioned),
    "MERGE with a partition column named with a dot or a backtick": _only_if(
        lambda s: _partition_names(s, "back-tick", "begins-with-dot", "dot")
    ),
    "RENAME COLUMN in a table with named statistics of a special name": _only_if(maps_columns),
    "RESTORE": lambda s: True if "RESTORE" in s.history.operations else None,
    "RESTORE of deletion vectors that are switched off": _only_if(
        lambda s: _supports_vectors(s) or "DROP FEATURE" in s.history.operations
    ),
    "TIMESTAMP before standard time in another time zone": _only_if(lambda s: _has_type(s, "timestamp")),
    "TIMESTAMP partition in another time zone": _only_if(lambda s: "timestamp" in _partition_types(s)),
    "UPDATE by a literal of another type": _only_if(
        lambda s: _has_type(s, "byte", "integer", "short", "timestamp", "timestamp_ntz")
    ),
    "UPDATE with a change feed and a column named with a backtick": _only_if(
        lambda s: _has_feed(s) and _names(s, "back-tick")
    ),
    "MERGE by name or with a change feed, and a column named with a backtick": _only_if(
        lambda s: _names(s, "back-tick")
    ),
    "MERGE by name with deletion vectors and a column named rowIndexCol": _only_if(_supports_vectors),
    "MERGE that adds a column to a table with a data column after a partition column": _only_if(_is_partitioned),
    "ZORDER BY a column named with a backtick": _only_if(lambda s: _names(s, "back-tick")),
    "change feed in another time zone": _only_if(lambda s: _has_feed(s) or _has_feature(s, "changeDataFeed")),
    "damaged row group ignored without deletion vectors": _only_if(lambda s: not writes_vectors(s)),
    "function in Python that decides which files are rewritten": _only_if(lambda s: not writes_vectors(s)),
    "null-safe test of a partition": _only_if(_is_partitioned),
    "partition columns compared with each other": _only_if(lambda s: len(s.columns.partition) > 1),
    "test of a BOOLEAN that is never NULL": _only_if(
        lambda s: any(one.type == "boolean" and not one.nullable for one in (*s.columns.kinds, *s.columns.partition))
    ),
    "test of a NULL struct with a NOT NULL field": _only_if(_has_null_struct_with_required_field),
    "test of a nested column": _only_if(lambda s: _has_type(s, "array", "map", "struct")),
    "vectors switched on with column mapping": _only_if(maps_columns),
    "zeros of both signs": _only_if(_has_float),
    # What a command or a session does with any table.
    **dict.fromkeys(
        (
            "DECIMAL as users write it",
            "DECIMAL of 16 digits as users write it",
            "LIKE with a backslash",
            "MERGE that adds a column",
            "MERGE that adds a column and leaves matched rows, or sets some columns",
            "UPDATE of whole partitions",
            "call with constants of several types",
            "checkpoint by a command",
            "compares with NULL",
            "condition that is no BOOLEAN",
            "function in Python in a condition",
            "inventory by a query that is no table",
            "missing path as the target",
            "overwrite where BETWEEN",
            "plain LIKE beside another test",
            "session that deletes all, or no row of its version",
            "session that opened the table before deletion vectors were switched on",
            "session that opened the table before others committed",
            "test of a CHAR",
            "test of a list",
            "test of a list beside another test",
            "test of a list of thousands",
            "test of a name that is no identifier",  # a hyphen is not told
            "test of a metadata column",
            "test of a range",
            "verbatim test",
            "versions to keep that go back",
            "whole files",
        ),
        untold,
    ),
}

#: By the name of a kind of subject (``symptom.of``).
SUBJECTS_ON_SHAPES: Mapping[str, OnShape] = {
    "data file with several actions": _only_if(_removed_several_times),
    "encoded path": _encodes_paths,
    "file named by URI": _names_by_uri,
    "file of a deletion vector": _has_vector_files,
    "name that resembles a partition": _only_if(
        lambda s: _partition_names(s, "begins-with-dot", "begins-with-underscore")
    ),
    "rows of an empty text as a partition": _only_if(lambda s: "string" in _partition_types(s)),
    "rows whose struct is NULL": _only_if(lambda s: _has_type(s, "struct")),
    "rows with a zero": _only_if(_has_float),
    **dict.fromkeys(
        (
            "changes of rows that stay",
            "file committed since the session opened",
            "file of a tombstone without a time",
            "file of a young tombstone",
            "file removed by another spelling",
            "file removed since the session opened",
            "path behind a link to a directory",
            "path that begins with a dot",
            "rows committed since the session opened",
            "rows for which the condition is NULL",
            "rows of files left alone",
            "rows removed by another spelling",
            "rows that a plain LIKE names",
            "rows with a DECIMAL as users write it",
            "young orphan",
        ),
        untold,
    ),
}


def all_of(told: Collection[Told]) -> Told:
    """Whether a table has all of these."""
    return False if False in told else None if None in told else True


def any_of(told: Collection[Told]) -> Told:
    """Whether a table has one of these."""
    return True if True in told else None if None in told else False
