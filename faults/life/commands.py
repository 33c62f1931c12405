"""Faults of commands other than DELETE and VACUUM, and of both beside a shallow clone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.paths import from_root
from deltalog.values.schemas import parse_schema
from engines.port import Outcome
from faults.delete.features import drop_row_ids, hidden_rows
from faults.log.log_files import rewrite_oldest_commit, uncommit_below_checkpoint, without_first, write_junk
from faults.machinery import actions, documents, files
from faults.machinery.actions import add_fault, remove_fault
from faults.machinery.fault import Condition, Fault, Tamper, command_fault, vacuum_fault, when
from faults.machinery.members import Edit, JsonAction, becomes, drop, put, raised, within
from faults.machinery.rows import change_rows, lose_values, replace_rows, rows_before, rows_of
from faults.machinery.tampering import Tampering
from model.text.layout import clone_of
from model.vocabulary.capabilities import Need
from model.vocabulary.commands import (
    COMMANDS,
    Command,
    CommandKind,
    Merge,
    Overwrite,
    RenameColumn,
    Restore,
    Update,
    added_by,
)
from model.vocabulary.table import DAY, Feature, retention_of


def _is(kind: type[Command]) -> Condition:
    """The step is this command, and was not refused."""
    return lambda t: isinstance(t.command, kind) and not t.failed


def _overwrites_by_a_condition(t: Tampering) -> bool:
    return isinstance(t.command, Overwrite) and t.command.where is not None


def _of(
    kind: CommandKind, name: str, caught_by: str, tamper: Tamper, sentence: str, needs: Iterable[Need] = ()
) -> Fault:
    """A fault of one kind of commands, on engines that have it, or what else it needs."""
    return command_fault(name, caught_by, tamper, sentence, run=_is(COMMANDS[kind]), needs=needs or [kind])


# Files ----------------------------------------------------------------------------------------------------------------


def _leave_vectors(t: Tampering) -> None:
    """As files are told apart by their paths alone: one that has another deletion vector stays as it is."""
    both = {t.log.path(add) for add in t.log.actions("add")} & set(t.log.removed)
    for version, found in t.log.written.items():
        named = [next((value for kind, value in action.items() if kind in ("add", "remove")), None) for action in found]
        t.log.rewrite(version, [one for one, file in zip(found, named) if not (file and t.log.path(file) in both)])


def _bring_hidden_rows_back(t: Tampering) -> None:
    """A file with a deletion vector is rewritten with all its rows."""
    for path, old in t.log.removed_adds.items():
        hidden = hidden_rows(t.before, old)
        adds = [add for add in actions.new_adds(t) if add["partitionValues"] == old["partitionValues"]]
        if hidden and adds:
            rows = [rows_of(t, adds[0]), rows_before(t, path).take(hidden)]
            replace_rows(t, adds[0], pa.concat_tables(rows, promote_options="permissive"))
            return


def _second_column_set(t: Tampering) -> list[str]:
    """The stored name of the second column that an UPDATE sets."""
    names = [to.column for to in t.command.also[:1]] if isinstance(t.command, Update) else []
    return [field.stored_name for field in t.log.fields if field.name in names]


def _column_added(t: Tampering) -> list[str]:
    """The stored name of the column that a command adds."""
    added = added_by(t.command) if t.command is not None else None
    fields = (one for metadata in t.log.actions("metaData") for one in parse_schema(metadata["schemaString"]))
    return [field.stored_name for field in fields if added is not None and field.name == added.name]


def _append_twice(t: Tampering) -> None:
    for add in actions.new_adds(t)[:1]:
        path = t.root / t.log.path(add)
        again = path.with_name(f"part-again-{path.name.removeprefix('part-')}")
        shutil.copy2(path, again)
        t.log.append({"add": {**add, "path": actions.encoded(again.relative_to(t.root).as_posix())}})


def _set_data_change(value: bool) -> Tamper:
    def both(t: Tampering) -> list[JsonAction]:
        return [*t.log.actions("add"), *actions.removes(t)]

    return actions.every(both, put(dataChange=value))


# The log --------------------------------------------------------------------------------------------------------------


def _clean_up_what_is_old(t: Tampering) -> None:
    """Below the newest checkpoint, all commits outside of the log's retention: also those that others need."""
    text = t.log.configuration.get("delta.logRetentionDuration", "interval 30 days")
    cutoff = t.clock - retention_of(text)
    for version, commit in t.log.history.items():
        if version < t.log.newest_checkpoint and commit.modified < cutoff - cutoff % DAY:
            t.log.uncommit(version)


def undo_and_refuse(t: Tampering) -> Outcome:
    t.log.undo()
    return t.refuse("INTERNAL_ERROR")


# The definition -------------------------------------------------------------------------------------------------------


def _change_definition(edit: Edit) -> Tamper:
    return actions.every(actions.of("metaData"), edit)


def _retentions(properties: JsonAction) -> JsonAction:
    kept = ("delta.deletedFileRetentionDuration", "delta.logRetentionDuration")
    return {key: value for key, value in properties.items() if key in kept}


def _change_fields(change: Callable[[Tampering, list[Any]], list[Any]]) -> Tamper:
    """Change the columns of the step's schema, in JSON."""

    return lambda t: _change_definition(within("schemaString", becomes("fields", partial(change, t))))(t)


def _drop_another(t: Tampering, left: list[Any]) -> list[Any]:
    """Keep the column that was to be dropped, and drop the last other one that is no partition column."""
    schema = json.loads(str(t.log.state.metadata.schema_string))["fields"]
    names = [field["name"] for field in left if field["name"] not in t.log.partition_by]
    return [field for field in schema if field["name"] not in names[-1:]]


def _rename_in_files(t: Tampering, fields: list[Any]) -> list[Any]:
    """The renamed column's name in files is its new one too."""
    for field in fields:
        if isinstance(t.command, RenameColumn) and field["name"] == t.command.to:
            field["metadata"]["delta.columnMapping.physicalName"] = t.command.to
    return fields


def _keep_list(t: Tampering) -> None:
    """The columns with named statistics are listed as they were before."""
    name = "delta.dataSkippingStatsColumns"
    listed = {key: value for key, value in t.log.state.metadata.configuration.items() if key == name}
    _change_definition(within("configuration", put(**listed)))(t)


# Clones ---------------------------------------------------------------------------------------------------------------


def _clone(t: Tampering) -> Path:
    return Path(clone_of(str(t.root)))


def _files_of_clone(t: Tampering) -> list[str]:
    """The files of the clone below the table's root, sorted."""
    if not (_clone(t) / LOG_DIRECTORY).is_dir():
        return []
    adds = read_log(_clone(t)).snapshot().adds.values()
    return sorted(path for path in (from_root(add.file, str(t.root)) for add in adds) if not path.startswith("../"))


def _forgotten_by_source(t: Tampering) -> list[str]:
    """The files of the clone that the source has removed."""
    return [path for path in _files_of_clone(t) if path in t.log.tombstones]


def _in_clone(change: documents.Change) -> Tamper:
    """Change the actions of the clone's first commit."""

    def first_commit(t: Tampering) -> list[str]:
        path = _clone(t) / LOG_DIRECTORY / commit_name(0)
        return [str(path)] if path.is_file() else []

    return documents.in_files(first_commit, change)


_COMPACTIONS = files.new(f"{LOG_DIRECTORY}/*.compacted.json")
_without_removes = documents.in_files(_COMPACTIONS, documents.without(lambda action: "remove" in action))


_VECTORS = [Feature.DELETION_VECTORS]
K = CommandKind

# fmt: off
FAULTS = (
    # rows
    _of(K.OPTIMIZE, "optimize-loses-a-row", "LIFE-1A", change_rows(lambda rows: rows.slice(1)),
        "OPTIMIZE loses a row of a new file."),
    _of(K.OPTIMIZE, "optimize-keeps-a-file-twice", "LIFE-1A", actions.drop_first("remove"),
        "OPTIMIZE does not remove one of the files whose rows it wrote."),
    _of(K.OPTIMIZE, "optimize-forgets-a-vector", "LIFE-1A", _bring_hidden_rows_back,
        "OPTIMIZE writes the rows that a deletion vector hides too.", needs=_VECTORS),
    _of(K.PURGE, "purge-forgets-a-vector", "LIFE-1A", _bring_hidden_rows_back,
        "REORG … APPLY (PURGE) brings the deleted rows back."),
    _of(K.UPDATE, "update-forgets-a-vector", "LIFE-1A", _bring_hidden_rows_back,
        "UPDATE brings back the rows that a deletion vector hides.", needs=_VECTORS),
    _of(K.UPDATE, "update-loses-its-second-value", "LIFE-1A", lose_values(_second_column_set),
        "UPDATE of several columns makes the second one NULL."),
    _of(K.MERGE, "merge-forgets-a-vector", "LIFE-1A", _bring_hidden_rows_back,
        "MERGE brings back the rows that a deletion vector hides.", needs=_VECTORS),
    command_fault("overwrite-removes-other-partitions", "LIFE-1A",
        when(_overwrites_by_a_condition, actions.remove(files.untouched)),
        "An overwrite by a condition removes the files of other partitions too.", needs=[K.OVERWRITE]),
    command_fault("overwrite-keeps-what-it-replaces", "LIFE-1A",
        when(_overwrites_by_a_condition, actions.drop_first("remove")),
        "An overwrite by a condition leaves a file that it should replace.", needs=[K.OVERWRITE]),
    command_fault("dynamic-overwrite-removes-all-partitions", "LIFE-1A",
        when(lambda t: isinstance(t.command, Overwrite) and t.command.dynamic, actions.remove(files.untouched)),
        "An overwrite by partitions removes the files of the others too.", needs=[K.OVERWRITE]),
    _of(K.OVERWRITE, "overwrite-leaves-a-new-column-empty", "LIFE-1A", lose_values(_column_added),
        "An overwrite with a new column adds it, and leaves it NULL in a file."),
    command_fault("merge-loses-a-source-row", "LIFE-1A",
        when(lambda t: isinstance(t.command, Merge) and len(t.command.rows) > 2, change_rows(lambda rows: rows.slice(1))),
        "MERGE loses a row of a source that has three or more.", needs=[K.MERGE]),
    _of(K.MERGE, "merge-leaves-a-new-column-empty", "LIFE-1A", lose_values(_column_added),
        "MERGE with schema evolution adds the new column, and leaves it NULL in a file."),
    _of(K.STREAM_APPEND, "stream-appends-twice", "LIFE-1A", _append_twice,
        "A streaming query appends its first file twice."),
    _of(K.RENAME_COLUMN, "renamed-column-is-lost", "LIFE-1A", _change_fields(_rename_in_files),
        "RENAME COLUMN looks for the column in files under its new name."),
    # what must stay
    command_fault("refused-command-commits", "LIFE-1B", when(lambda t: t.failed, actions.commit_empty),
        "A command that is refused commits a version."),
    command_fault("refused-command-deletes", "LIFE-1B", when(lambda t: t.failed, files.delete_first(lambda t: t.disk.files)),
        "A command that is refused deletes a file."),
    _of(K.OPTIMIZE, "optimize-deletes-what-it-removed", "LIFE-1C LIFE-1H", files.delete_all(lambda t: t.log.removed),
        "OPTIMIZE deletes the files that it removed, and does not wait for VACUUM."),
    _of(K.UPDATE, "update-deletes-what-it-removed", "LIFE-1H LIFE-1C", files.delete_all(lambda t: t.log.removed),
        "UPDATE deletes the files that it removed, and does not wait for VACUUM."),
    command_fault("command-rewrites-an-old-commit", "LIFE-1I", when(lambda t: bool(t.log.history), rewrite_oldest_commit),
        "A command rewrites the oldest commit, with the same actions."),
    command_fault("command-leaves-junk-in-the-log", "LIFE-1I", write_junk,
        "A command leaves a file in the log that is no part of it."),
    command_fault("command-breaks-the-log", "LIFE-1J", when(_is(Update), files.in_each(files.commits, files.cut_off)),
        "UPDATE leaves a truncated commit."),
    _of(K.SET_RETENTION, "refuses-a-retention", "LIFE-1E", undo_and_refuse,
        "A retention cannot be set."),
    # definitions
    _of(K.SET_RETENTION, "retention-replaces-all-properties", "LIFE-1D",
        _change_definition(becomes("configuration", _retentions)),
        "Setting the retention drops all other properties."),
    _of(K.ADD_COLUMN, "added-column-comes-first", "LIFE-1D", _change_fields(lambda _, fields: fields[-1:] + fields[:-1]),
        "ADD COLUMN puts the new column before the others."),
    _of(K.MERGE, "merge-makes-another-table", "LIFE-1D", _change_definition(put(id="11111111-1111-4111-8111-111111111111")),
        "MERGE with schema evolution gives the table another id."),
    _of(K.DROP_COLUMN, "drop-column-drops-another", "LIFE-1D", _change_fields(_drop_another),
        "DROP COLUMN drops another column."),
    _of(K.RENAME_COLUMN, "renamed-column-loses-its-statistics", "LIFE-1D", _keep_list,
        "RENAME COLUMN leaves the old name in the list of the columns with statistics."),
    # actions
    remove_fault("command-removes-nothing", "LIFE-1F", drop("deletionVector"),
        "A remove lacks the deletion vector of its file, so that the file stays.", make=command_fault, needs=_VECTORS),
    remove_fault("command-respells-a-remove", "LIFE-1K", becomes("path", lambda path: path.replace("part-", "%70art-", 1)),
        "The first remove of a command encodes a character of its path that the add does not encode.", make=command_fault),
    add_fault("command-adds-another-size", "LIFE-1F", raised("size"), "The size in an add is one too high.", make=command_fault),
    _of(K.OPTIMIZE, "optimize-changes-data", "LIFE-1G", _set_data_change(True),
        "OPTIMIZE says dataChange=true: streams read all rows again."),
    _of(K.UPDATE, "update-changes-no-data", "LIFE-1G", _set_data_change(False),
        "UPDATE says dataChange=false: streams do not see it."),
    # RESTORE
    _of(K.RESTORE, "restore-loses-a-file", "LIFE-2A LIFE-1A", actions.drop_first("add"),
        "RESTORE does not add one of the files of the version."),
    _of(K.RESTORE, "restore-leaves-vectors", "LIFE-2A LIFE-1A", _leave_vectors,
        "RESTORE takes a file for the same whose deletion vector is another: deleted rows stay deleted.", needs=_VECTORS),
    command_fault("restores-what-is-gone", "LIFE-2B",
        when(lambda t: t.failed and isinstance(t.command, Restore), lambda t: t.answer(())),
        "RESTORE to a version of which files are gone succeeds, and does nothing.", needs=[K.RESTORE]),
    # the log
    _of(K.CLEAN_UP_LOG, "log-clean-up-breaks-a-version", "LIFE-3A", _clean_up_what_is_old,
        "Log clean-up deletes all commits that are older than the log's retention, also those that a newer one needs."),
    _of(K.CLEAN_UP_LOG, "log-clean-up-ignores-the-retention", "LIFE-3A LIFE-1I", uncommit_below_checkpoint,
        "Log clean-up deletes everything below the newest checkpoint, of any age."),
    _of(K.OPTIMIZE, "optimize-loses-row-ids", "LIFE-3B", drop_row_ids,
        "OPTIMIZE gives rows new row ids.", needs=[Feature.ROW_TRACKING]),
    _of(K.UPDATE, "update-loses-row-ids", "LIFE-3B", drop_row_ids,
        "UPDATE gives rows new row ids.", needs=[Feature.ROW_TRACKING]),
    _of(K.CHECKPOINT, "checkpoint-command-drops-tombstones", "LIFE-3C", without_first("remove"),
        "A checkpoint lacks a tombstone that is inside retention."),
    _of(K.CHECKPOINT, "checkpoint-command-loses-a-file", "LIFE-3C", without_first("add"),
        "A checkpoint lacks a live file."),
    _of(K.COMPACT_LOG, "compaction-forgets-a-remove", "LIFE-LOG-1A", _without_removes,
        "A log compaction leaves out the removes of its commits."),
    # clones
    _of(K.SHALLOW_CLONE, "clone-loses-a-file", "LIFE-4A", _in_clone(documents.without_first("add")),
        "A shallow clone lacks a file of its source."),
    _of(K.SHALLOW_CLONE, "clone-forgets-vectors", "LIFE-4A", _in_clone(documents.each("add", drop("deletionVector"))),
        "In a shallow clone the deleted rows are back.", needs=_VECTORS),
    vacuum_fault("vacuum-of-the-source-breaks-a-clone", "LIFE-4A", files.delete_all(_forgotten_by_source),
        "VACUUM of a source deletes the files that only its clone still uses, though they are inside retention.",
        needs=[K.SHALLOW_CLONE]),
    _of(K.VACUUM_CLONE, "vacuum-of-a-clone-deletes-its-source", "LIFE-4B", files.delete_all(_files_of_clone),
        "VACUUM of a clone deletes files of its source."),
)
# fmt: on
