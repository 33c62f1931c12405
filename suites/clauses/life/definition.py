"""What a command may change of a table's definition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from deltalog.entries.protocols import features_of
from deltalog.values.schemas import parse_schema
from harness.judging.clause import Violation
from harness.judging.severity import Cause
from harness.observing.steps.observation import CommandObservation
from harness.observing.table.definitions import PROPERTIES, has_columns
from model.vocabulary.commands import (
    DropColumn,
    DropFeature,
    RenameColumn,
    Restore,
    SetRetention,
    Switch,
    WidenColumn,
    changes_columns,
)
from model.vocabulary.table import HOUR, Feature, retention_of
from records.expectations import ByReplay
from suites.clauses.life.restorable import restored_snapshot
from suites.clauses.shared.checks import sorted_features

#: What engines set along with a feature: PROTOCOL.md, "Row Tracking", "In-Commit Timestamps", "Column Mapping", "Type Widening".
_ALONG: Mapping[Feature, tuple[str, ...]] = {
    Feature.ROW_TRACKING: (
        "delta.rowTracking.materializedRowIdColumnName",
        "delta.rowTracking.materializedRowCommitVersionColumnName",
        "delta.rowTrackingSuspended",
    ),
    Feature.IN_COMMIT_TIMESTAMPS: (
        "delta.inCommitTimestampEnablementVersion",
        "delta.inCommitTimestampEnablementTimestamp",
    ),
}
#: Versions from before a feature was dropped are read by their checkpoints (PROTOCOL.md, "Checkpoint Protection").
_PROTECTED = "delta.requireCheckpointProtectionBeforeVersion"
_WIDENING = "delta.enableTypeWidening"
_GREATEST_ID = "delta.columnMapping.maxColumnId"
_LISTED = "delta.dataSkippingStatsColumns"


def wrong_definition(c: CommandObservation) -> Violation | None:
    """What the command made of the definition, against what it must make of it."""
    problems = list(_problems(c))
    if not problems:
        return None
    message = f"After the command the table's definition is wrong: {'; '.join(text for _, text in problems)}."
    reason = "the definition of a table must be compared with the one before"
    return Violation("definition", message, ByReplay(reason), cause=Cause(f"wrong: {problems[0][0]}"))


def _problems(c: CommandObservation) -> Iterator[tuple[str, str]]:
    before, after = c.before.snapshot, c.after.snapshot
    command = c.step.command
    fields = parse_schema(after.metadata.schema_string)
    if not has_columns(c.defined, fields):
        due = ", ".join(column.name for column in c.defined.columns)
        yield "columns", f"the columns are {', '.join(field.name for field in fields)}, and must be {due}"
    if after.metadata.partition_columns != c.defined.partition_by:
        yield "partition columns", f"the partition columns are {', '.join(after.metadata.partition_columns)}"
    if before.metadata.id != after.metadata.id:
        yield "id", "the table's id is another"
    kept = not (changes_columns(command) or isinstance(command, Restore))
    if kept and parse_schema(before.metadata.schema_string) != fields:
        yield "schema", "a column has another type, nullability or metadata"
    if not isinstance(command, Restore):
        yield from _properties(c)
    elif c.defined.retention != _retention(after.metadata.configuration, c.defined.retention):
        yield "property", "the retention is not that of the restored version"
    if isinstance(command, Switch):
        yield from _switched_protocol(c, command)
    same = sorted_features(before.protocol) == sorted_features(after.protocol)
    if not same and not isinstance(command, (Switch, DropFeature, WidenColumn)) and not _gains_what_it_needs(c):
        yield "protocol", f"the protocol is {after.protocol}, and was {before.protocol}"


def _switched_protocol(c: CommandObservation, command: Switch) -> Iterator[tuple[str, str]]:
    """A switch drops no feature that is listed or without which the columns cannot be read, and asks of readers only its own."""
    before, after = c.before.snapshot.protocol, c.after.snapshot.protocol
    kept = {*(before.writer_features or ()), *(["columnMapping"] if c.table.maps_columns else [])}
    if lost := sorted(kept - features_of(after)):
        yield "protocol", f"the protocol no longer has {', '.join(lost)}"
    asked = set(after.reader_features or ()) - set(before.reader_features or ()) - features_of(before)
    if others := sorted(asked - {command.feature.value}):
        yield "protocol", f"readers must know {', '.join(others)}"


def _gains_what_it_needs(c: CommandObservation) -> bool:
    """Whether it is a RESTORE, and the protocol has gained what the restored version had (RestoreTableCommand merges both)."""
    restored = restored_snapshot(c) if isinstance(c.step.command, Restore) else None
    if restored is None:
        return False
    before, after = features_of(c.before.snapshot.protocol), features_of(c.after.snapshot.protocol)
    return before <= after <= before | features_of(restored.protocol)


def _properties(c: CommandObservation) -> Iterator[tuple[str, str]]:
    before, after = c.before.snapshot.metadata.configuration, c.after.snapshot.metadata.configuration
    allowed = set(_may_change(c))
    for name in sorted({*before, *after} - allowed):
        if before.get(name) != after.get(name):
            yield "another property", f"{name} is {after.get(name)}, and was {before.get(name)}"
    command = c.step.command
    if isinstance(command, (RenameColumn, DropColumn)) and _LISTED in before:
        due, found = c.defined.indexed_columns, _names_in(after.get(_LISTED, ""))
        if sorted(found) != sorted(due):
            yield "property", f"{_LISTED} lists {', '.join(found)}, and must list {', '.join(due)}"
    if isinstance(command, SetRetention):
        name = _retention_name(command)
        if after.get(name) is None or retention_of(after[name]) != command.hours * HOUR:
            yield "property", f"{name} is {after.get(name)}, and must be {command.hours} hours"
    if isinstance(command, Switch):
        name = PROPERTIES[command.feature]
        if (after.get(name) == "true") is not command.on:
            yield "property", f"{name} is {after.get(name)}, and must be {str(command.on).lower()}"
    if isinstance(command, DropFeature) and after.get(PROPERTIES[command.feature]) == "true":
        yield "property", f"{PROPERTIES[command.feature]} is still true"


def _may_change(c: CommandObservation) -> Iterable[str]:
    command = c.step.command
    if isinstance(command, SetRetention):
        return (_retention_name(command),)
    if isinstance(command, (Switch, DropFeature)):
        protected = (_PROTECTED,) if isinstance(command, DropFeature) else ()
        return (PROPERTIES[command.feature], *_ALONG.get(command.feature, ()), *protected)
    if isinstance(command, WidenColumn):
        return (_WIDENING,)
    listed = (_LISTED,) if isinstance(command, (RenameColumn, DropColumn)) else ()
    return (_GREATEST_ID, *listed) if changes_columns(command) else ()


def _names_in(listed: str) -> list[str]:
    """The names of columns in a list, between back-ticks if they are no identifiers."""
    found = re.findall(r"`((?:[^`]|``)*)`|([^,`.]+)", listed)
    return [quoted.replace("``", "`") or plain for quoted, plain in found]


def _retention_name(command: SetRetention) -> str:
    return "delta.logRetentionDuration" if command.of_log else "delta.deletedFileRetentionDuration"


def _retention(configuration: Mapping[str, str], otherwise: int) -> int:
    text = configuration.get("delta.deletedFileRetentionDuration")
    return otherwise if text is None else retention_of(text)
