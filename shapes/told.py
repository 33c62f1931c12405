"""What a table's shape tells of the table.

A predicate answers True: the table has it; False: the table, as it is, cannot have it; None: its shape does not tell. Of what
is about a command or about values, which a shape does not contain, it tells at most that a table cannot have it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from shapes.shape import ColumnKind, Shape

#: Whether a table has it: None where its shape does not tell.
Told = bool | None
OnShape = Callable[[Shape], Told]
#: One that always tells.
Has = Callable[[Shape], bool]


def all_of(told: Collection[Told]) -> Told:
    """Whether a table has all of these."""
    return False if False in told else None if None in told else True


def any_of(told: Collection[Told]) -> Told:
    """Whether a table has one of these."""
    return True if True in told else None if None in told else False


def untold(_: Shape) -> Told:
    return None


def only_if(*possible: OnShape) -> OnShape:
    """Unknown if the table may have all of these; otherwise the table cannot have it."""
    return lambda shape: None if all(one(shape) is not False for one in possible) else False


def both(one: Has, other: Has) -> Has:
    return lambda shape: one(shape) and other(shape)


def has_feature(*names: str) -> Has:
    """Whether it has one of these."""
    return lambda shape: not set(names).isdisjoint(shape.protocol.features)


def is_set(name: str, value: str) -> Has:
    return lambda shape: shape.properties.known.get(name) == value


def ran(operation: str) -> OnShape:
    """Unknown if not: the log may not be whole, and the next command may be one."""
    return lambda shape: True if operation in shape.history.operations else None


def maps_columns(shape: Shape) -> bool:
    return shape.properties.known.get("delta.columnMapping.mode", "none") != "none"


supports_vectors = has_feature("deletionVectors")
writes_vectors = both(supports_vectors, is_set("delta.enableDeletionVectors", "true"))


def has_vectors(shape: Shape) -> Told:
    """Unknown if not: the next command may write one, or a tombstone may have one."""
    return True if shape.vectors.files else only_if(supports_vectors)(shape)


def has_vector_files(shape: Shape) -> Told:
    return True if set(shape.vectors.kinds) & {"absolute", "relative"} else only_if(supports_vectors)(shape)


has_feed = is_set("delta.enableChangeDataFeed", "true")
has_struct_statistics_only = is_set("delta.checkpoint.writeStatsAsJson", "false")


def has_type(*types: str) -> Has:
    """Whether a column, or a part of one at any depth, is of one of these types."""

    def holds(shape: Shape) -> bool:
        own = shape.columns
        return any(one.type in types for one in (*own.kinds, *own.nested, *own.partition))

    return holds


has_float = has_type("float", "double")


def stores(type: str) -> Has:
    """Whether a column of this type is in data files."""
    return lambda shape: any(one.type == type for one in shape.columns.kinds)


def has_column(holds: Callable[[ColumnKind], bool]) -> Has:
    return lambda shape: any(map(holds, (*shape.columns.kinds, *shape.columns.partition)))


def has_partition_column(holds: Callable[[ColumnKind], bool]) -> Has:
    return lambda shape: any(map(holds, shape.columns.partition))


def partitions_by(*types: str) -> Has:
    return has_partition_column(lambda one: one.type in types)


partitions = has_partition_column(lambda _: True)
partitions_by_nullable = has_partition_column(lambda one: one.nullable)
partitions_by_fraction = has_partition_column(
    lambda one: one.type in ("float", "double") or one.type.startswith("decimal")
)


def partitions_by_several(shape: Shape) -> bool:
    return len(shape.columns.partition) > 1


def has_wide_decimal(shape: Shape) -> Told:
    """More than 15 digits: a class of precisions has 10 to 18."""
    if has_column(lambda one: one.type == "decimal-38")(shape):
        return True
    return only_if(has_type("decimal-18", "decimal-38"))(shape)


def has_nullable_struct_with_required_field(shape: Shape) -> bool:
    struct = any(one.type == "struct" and one.nullable for one in shape.columns.kinds)
    return struct and any(not one.nullable for one in shape.columns.nested)


def has_name(*flags: str) -> Has:
    """Whether the name of a column has one of these."""
    return lambda shape: not set(flags).isdisjoint((*shape.names.columns, *shape.names.partition))


def has_partition_name(*flags: str) -> Has:
    """Whether the name of a partition column has one of these."""
    return lambda shape: not set(flags).isdisjoint(shape.names.partition)


#: Types whose values need no encoding in a path.
_PLAIN = frozenset({"boolean", "byte", "date", "integer", "long", "short"})


def encodes_paths(shape: Shape) -> Told:
    """False if all paths of files are relative, and no partition may need encoding."""
    if "encoded" in shape.paths.forms:
        return True
    plain_names = set(shape.names.partition) <= {"begins-with-dot", "begins-with-underscore", "dot", "upper-case"}
    plain_values = all(one.type in _PLAIN for one in shape.columns.partition)
    return False if plain_names and plain_values and set(shape.paths.forms) <= {"hive", "relative"} else None


def names_by_uri(shape: Shape) -> Told:
    forms = shape.paths.forms
    return True if "uri" in forms else None if "absolute" in forms else False


def may_remove_several_times(shape: Shape) -> bool:
    """With deletion vectors, or after a RESTORE, which an incomplete log may not show."""
    seen = sum(shape.history.operations.values())
    return supports_vectors(shape) or "RESTORE" in shape.history.operations or shape.log.cleaned or seen == 0


#: Types without a least value; those of which this suite has no cases are not in it.
_WITHOUT_RANGE = frozenset({"array", "binary", "boolean", "map", "struct"})
_RANGED = frozenset(
    {"byte", "date", "double", "float", "integer", "long", "short", "string", "timestamp", "timestamp_ntz"}
)


def has_vectors_without_ranges(shape: Shape) -> Told:
    types = {one.type for one in shape.columns.kinds}
    if not supports_vectors(shape) or any(one in _RANGED or one.startswith("decimal") for one in types):
        return False
    return True if types <= _WITHOUT_RANGE else None
