"""The paths and partition values of a case's table. Names are derived from logical ids, so they are the same in every run."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

from model.vocabulary.floats import java_text, nearest_float
from model.vocabulary.table import DataFile, Reference, Table
from model.vocabulary.values import NAN, WHOLE_NUMBERS, AnyType, DecimalOf, Row, Type, Value
from model.vocabulary.widening import narrow_value

#: NULL in a directory name (Hive's convention, which Spark follows).
NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__"

#: The directory of data files outside the root, relative to the root.
OUTSIDE = "../elsewhere"

#: The characters that Hive and Spark write as %XX in a partition directory's name.
ESCAPED = frozenset(chr(code) for code in range(0x01, 0x20)) | frozenset("\"#%'*/:=?\\\x7f{[]^")


#: Stands for the table's path in a text that contains it, as in an absolute path that an engine treats as a relative one.
ROOT = "/:ROOT:"


def clone_of(root: str) -> str:
    """The path of the shallow clone of the table at ``root``: beside it."""
    return f"{root}-beside/clone"


# Names --------------------------------------------------------------------------------------------------------------

#: Marks names of files and columns that no engine generated.
BY_HAND = "-0000-4000-8000-000000000000"

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

# With column mapping, Delta on Spark puts each new file into a directory of two random letters or digits below the
# root, not into its partition's (TransactionalWrite.getCommitter; delta.randomPrefixLength is 2).
_RANDOM_DIRECTORY = re.compile(r"\A[0-9A-Za-z]{2}/(?=[^/]*\Z)")


def without_random(path: str) -> str:
    """The path, with a star for each random part that an engine generated."""
    starred = _UUID.sub(lambda found: found[0] if found[0].endswith(BY_HAND) else "*", path)
    return path if starred == path else _RANDOM_DIRECTORY.sub("*/", starred)


def is_named_by_engine(path: str) -> bool:
    """Whether an engine generated the name, so that it differs in each run."""
    return without_random(path) != path


def physical_name(table: Table, column_name: str) -> str:
    """The name of a top-level column in data files, statistics and partition values (PROTOCOL.md, "Column Mapping").

    Without column mapping the column's own name; else the name that it has been given, or one derived from its position.
    Raises KeyError for an unknown column.
    """
    for index, column in enumerate(table.columns):
        if column.name == column_name:
            derived = f"col-{index:08x}{BY_HAND}" if table.maps_columns else column_name
            return column.physical_name or derived
    raise KeyError(f"the table has no column {column_name!r}")


def physical_field(table: Table, field: str) -> str:
    """The name of a struct's field in data files and statistics: with column mapping ``p_`` and its own name."""
    return f"p_{field}" if table.maps_columns else field


def escape(name: str) -> str:
    """``name`` as a part of a partition directory's name."""
    return "".join(f"%{ord(char):02X}" if char in ESCAPED else char for char in name)


# Partition values ---------------------------------------------------------------------------------------------------

_WHOLE = re.compile(r"-?[0-9]+")
_FLOATING = re.compile(r"(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)|NaN|(-?)Infinity")
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ T])([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6}))?(Z?)")


def partition_string(value: Value, type: AnyType | None = None) -> str | None:
    """A partition value as in the log (PROTOCOL.md, "Partition Value Serialization"); ``None`` for NULL.

    The empty string is NULL there, so it is ``None`` too. A float has the text of a Java double; with ``type`` FLOAT that
    of a Java float, which may be shorter (0.1). A TIMESTAMP is in UTC and ISO form (``2020-01-31T00:00:00.000000Z``, as
    Delta on Spark writes it), independent of time zones. Raises TypeError for bytes and nested values, ValueError for a
    float that is not a FLOAT if that is the type.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return java_text(value, single=type is Type.FLOAT)
    if isinstance(value, Decimal):
        return format(value if value else value.copy_abs(), "f")
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.isoformat(sep=" ")
        return f"{value.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be a partition value")


def partition_value(text: str | None, type: AnyType) -> Value:
    """The value that ``text`` in an action's partitionValues stands for; the inverse of ``partition_string``.

    An empty string is NULL (PROTOCOL.md, "Partition Value Serialization"). A TIMESTAMP without a zone is in UTC. Raises
    ValueError for a text that is not a value of the type, and for BINARY and nested types, which are not supported.
    """
    if text is None or text == "":
        return None
    if type is Type.STRING:
        return text
    value = _parsed(text, type)
    if value is None:
        raise ValueError(
            f"{text!r} is not a partition value of the type {type.value if isinstance(type, Type) else type}"
        )
    return value


def _parsed(text: str, type: AnyType) -> Value:
    """The value, or ``None`` for an invalid text. Raises ValueError for dates and times that do not exist."""
    if isinstance(type, DecimalOf):
        return _decimal(text, type)
    if not isinstance(type, Type):
        return None
    if type in WHOLE_NUMBERS:
        low, high = WHOLE_NUMBERS[type]
        return number if _WHOLE.fullmatch(text) and low <= (number := int(text)) <= high else None
    if type in (Type.FLOAT, Type.DOUBLE):
        return _floating(text, single=type is Type.FLOAT)
    if type is Type.BOOLEAN:
        return {"true": True, "false": False}.get(text)
    if type is Type.DATE:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    if type in (Type.TIMESTAMP, Type.TIMESTAMP_NTZ):
        return _time(text, has_zone=type is Type.TIMESTAMP)
    return None


def _floating(text: str, *, single: bool) -> float | None:
    found = _FLOATING.fullmatch(text)
    if found is None:
        return None
    if found[1] is None:
        return NAN if text == "NaN" else float(text)
    value = nearest_float(float(text)) if single else float(text)
    return value if math.isfinite(value) else None


def _decimal(text: str, type: DecimalOf) -> Decimal | None:
    if _DECIMAL.fullmatch(text) is None:
        return None
    # Computed in whole numbers: the decimal context would round more than 28 digits.
    sign, digits, exponent = Decimal(text).as_tuple()
    shift = int(exponent) + type.scale
    unscaled = int("".join(map(str, digits)))
    if not unscaled:
        return Decimal((0, (0,), -type.scale))
    unscaled, rest = (unscaled * 10**shift, 0) if shift >= 0 else divmod(unscaled, 10**-shift)
    if rest or len(str(unscaled)) > type.precision:
        return None
    return Decimal((sign, tuple(map(int, str(unscaled))), -type.scale))


def _time(text: str, *, has_zone: bool) -> datetime | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    day, separator, clock, fraction, zulu = found.groups()
    if (separator, zulu) != (" ", "") and not (has_zone and (separator, zulu) == ("T", "Z")):
        return None
    local = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '').ljust(6, '0')}")
    return local.replace(tzinfo=timezone.utc) if has_zone else local


# Paths --------------------------------------------------------------------------------------------------------------


def partition_directory(table: Table, partition: Row, *, zone: str | None = None) -> str:
    """The directory of a partition relative to the table's root, as on storage; empty when unpartitioned.

    It uses physical column names. Without ``zone`` it is the directory of the case's own files. With the session's time
    zone it is the directory that Delta on Spark uses (without column mapping), which differs for TIMESTAMP columns: their
    values are in that zone (``2020-01-31 01:30:00.5``).
    """
    texts = []
    for column, value in zip(table.partition_columns, partition):
        local = zone is not None and isinstance(value, datetime)
        texts.append(spark_text(value, zone) if local else partition_string(value, column.type))  # type: ignore[arg-type]
    return _directory(table, texts)


def _directory(table: Table, texts: Sequence[str | None]) -> str:
    names = (escape(physical_name(table, name)) for name in table.partition_by)
    return "/".join(f"{name}={escape(text) if text else NULL_DIRECTORY}" for name, text in zip(names, texts))


def partition_texts(table: Table, file: DataFile) -> tuple[str | None, ...]:
    """The partition values of a data file as in the log: of the narrower type if the column was widened since, of a
    trimmed file without the trailing zeros of DECIMALs, and with ``""`` for NULL if the file has empty NULLs.
    """
    widened = table.widened_column if file.id in table.early_files else None
    texts = []
    for column, value in zip(table.partition_columns, file.partition):
        narrow = table.narrower_type(column) if column == widened else None
        texts.append(
            partition_string(*((value, column.type) if narrow is None else (narrow_value(value, narrow), narrow)))
        )
    if file.trimmed:
        kinds = (column.type for column in table.partition_columns)
        texts = [_trimmed(text) if isinstance(kind, DecimalOf) else text for text, kind in zip(texts, kinds)]
    return tuple("" if text is None and file.empty_nulls else text for text in texts)


def _trimmed(text: str | None) -> str | None:
    return text.rstrip("0").rstrip(".") if text is not None and "." in text else text


def spark_text(value: datetime, zone: str) -> str:
    """A timestamp as Spark's CAST to STRING: in the session's zone, without trailing zeros in the fraction."""
    local = value if value.tzinfo is None else value.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    text = local.isoformat(sep=" ")
    return text.rstrip("0") if "." in text else text


def file_path(table: Table, file: DataFile) -> str:
    """The path of a data file relative to the root, as on storage (not URL-encoded); ``../elsewhere/…`` if it is outside."""
    outside = OUTSIDE if file.reference is Reference.OUTSIDE else ""
    directory = _directory(table, partition_texts(table, file))
    name = f"part-{file.id:05d}-{file.id:08x}{BY_HAND}.c000.snappy.parquet"
    return "/".join(part for part in (outside, directory, name) if part)
