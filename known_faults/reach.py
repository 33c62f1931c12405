"""How far the known faults reach: whom they can meet, by what their entries are bound to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from known_faults.concerned import concerned
from known_faults.known import known_faults_in, known_faults_of
from records.known_fault import KnownFault
from shapes.reach import Reached, by_shape
from shapes.told import any_of

#: What comes of a log made by hand, of damage, or of odd names.
ODD = frozenset(
    {
        "DROP COLUMN in a table with named statistics of a special name",
        "MERGE by name or with a change feed, and a column named with a backtick",
        "MERGE by name with deletion vectors and a column named rowIndexCol",
        "MERGE with a partition column named with a dot or a backtick",
        "OPTIMIZE of a file whose path has a tilde",
        "RENAME COLUMN in a table with named statistics of a special name",
        "UPDATE with a change feed and a column named with a backtick",
        "ZORDER BY a column named with a backtick",
        "broken _last_checkpoint",
        "checkpoint beside one in parts",
        "commit file no younger than the one before",
        "damaged row group ignored without deletion vectors",
        "deletion vectors and a column path",
        "empty text of a STRING partition",
        "empty text of a partition that is no STRING",
        "file of a tombstone without a time",
        "file removed by another spelling",
        "file without rows",
        "first of several partition columns begins with a dot",
        "first partition column begins with a scheme and a colon",
        "link to a directory",
        "long text beyond U+FFFF",
        "missing file of a deletion vector",
        "missing path as the target",
        "name that resembles a partition",
        "partition column begins with a dot or an underscore",
        "partition of a file without visible rows",
        "partition value that is no plain number",
        "path behind a link to a directory",
        "path that XML cannot hold",
        "path that begins with a dot",
        "removed by another spelling",
        "rows of an empty text as a partition",
        "rows removed by another spelling",
        "test of a name that is no identifier",
        "tombstone without a time",
        "unusual name of the table's directory",
    }
)


def reach_of(entries: Sequence[KnownFault]) -> Reached | None:
    """Whom a known fault can meet that has these entries; None if one of them is bound to nothing."""
    if not entries or any(one.when is None and one.symptom.of is None for one in entries):
        return None
    usual = [one for one in entries if one.when not in ODD and one.symptom.of not in ODD]
    counted = usual or entries
    return by_shape(lambda shape: any_of([concerned(one, shape) for one in counted]), is_odd=not usual)


@cache
def reaches(engine: str) -> Mapping[str, Reached]:
    """By their reasons, of the known faults of an engine whose entries say it. Raises EngineUnavailable for an engine that is
    not known."""
    found: dict[str, list[KnownFault]] = {}
    for one in known_faults_in(known_faults_of(engine)):
        found.setdefault(one.reason, []).append(one)
    told = ((reason, reach_of(entries)) for reason, entries in found.items())
    return {reason: one for reason, one in told if one is not None}
