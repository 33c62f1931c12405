"""The model's prediction for a DELETE of whole files: which files it removes. It needs no data."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from deltalog.entries.actions import Add, CommitInfo, Remove
from deltalog.entries.commits import write_commit
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.paths import from_root
from deltalog.values.schemas import parse_schema
from harness.observing.steps.observation import partition_of
from harness.observing.table.root_paths import relative_log, relative_snapshot
from model.prediction.delete import LiveFile, predict_delete
from model.vocabulary.steps import Delete, Form
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import Type
from records.mistakes import UsageMistake
from rehearsal.definition import type_of
from rehearsal.reading import ReadTable
from rehearsal.rehearsed import Deletion, Sum, sum_of
from rehearsal.releases import Release


def columns_of(read: ReadTable) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The partition columns, and the names of the others. Raises UsageMistake for a type that rehearsals do not support."""
    partitions = read.table.partition_columns
    fields = parse_schema(read.state.snapshot.metadata.schema_string)
    for field in fields:
        if field.name in read.table.partition_by and type_of(field) in (None, Type.BINARY):
            raise UsageMistake(
                f"The partition column {field.name} has the type {field.type}: a DELETE of such a table cannot be rehearsed."
            )
    return partitions, tuple(field.name for field in fields if field.name not in read.table.partition_by)


@dataclass(frozen=True)
class DeletePrediction:
    """``text``: the statement as the user wrote it. ``at``: when it runs, ms since the epoch."""

    read: ReadTable
    release: Release
    delete: Delete
    text: str
    at: int

    @cached_property
    def refusal(self) -> str | None:
        """Why the release refuses the DELETE, without a full stop; None if it does not."""
        if self.delete.form is Form.TRUNCATE and Form.TRUNCATE not in self.release.capabilities.delete_forms:
            return "it does not know TRUNCATE TABLE"
        if self.read.table.has(Feature.APPEND_ONLY):
            return "delta.appendOnly of the table is true"
        return None

    @cached_property
    def removed(self) -> Mapping[str, Add]:
        """The files that it removes, by path; none if it is refused. Raises UsageMistake for a value of another type than its
        column.
        """
        if self.refusal is not None:
            return {}
        live = self.read.state.live
        try:
            files = [LiveFile(path, partition_of(self.read.table, add), ()) for path, add in sorted(live.items())]
        except ValueError as error:
            raise UsageMistake(f"The log has {error}: a DELETE of the table cannot be rehearsed.") from None
        found = predict_delete(files, self.delete, self.read.table).removed
        return {one.path: live[one.path] for one in found}

    @property
    def rows(self) -> int | None:
        """The number of removed rows, by the statistics and the deletion vectors; None if a file has no statistics."""
        counts = [rows_of(add) for add in self.removed.values()]
        return None if None in counts else sum(one for one in counts if one is not None)

    def rehearsed(self) -> Deletion:
        total = sum_of(add.size for add in self.removed.values())
        live = self.read.state.live
        return Deletion(
            release=self.release.title,
            refusal=self.refusal,
            removed=total,
            kept=Sum(len(live) - total.files, sum(add.size for add in live.values()) - total.bytes),
            rows=self.rows,
            with_vectors=sum(add.deletion_vector is not None for add in self.removed.values()),
        )

    def after(self, directory: Path) -> ReadTable:
        """The table after the DELETE by the model. ``directory``: a new one, for the copy of its log."""
        if not self.removed:
            return self.read
        shutil.copytree(self.read.copy / LOG_DIRECTORY, directory / LOG_DIRECTORY)
        write_commit(directory, self.read.state.version + 1, self._actions(), modified=self.at)
        root = self.read.root.path
        log = replace(read_log(directory), root=Path(root))
        state = replace(
            self.read.state, log=relative_log(log), snapshot=relative_snapshot(log.snapshot(), root), by_uri=frozenset()
        )
        return replace(self.read, state=state, copy=directory, stored=log)

    def _actions(self) -> Iterator[CommitInfo | Remove]:
        yield CommitInfo({"timestamp": self.at, "inCommitTimestamp": self.at, "operation": "DELETE"})
        root = self.read.root.path
        for add in self.read.stored.snapshot().adds.values():
            if from_root(add.file, root) in self.removed:
                yield Remove(
                    add.path,
                    self.at,
                    True,
                    extended_file_metadata=True,
                    partition_values=add.partition_values,
                    size=add.size,
                    deletion_vector=add.deletion_vector,
                )


def deletions_of(read: ReadTable, releases: Sequence[Release], text: str, at: int) -> list[DeletePrediction]:
    """The user's DELETE by each release. Raises UsageMistake."""
    from rehearsal.delete_statement import delete_of  # it brings the SQL parser, which no VACUUM needs

    delete = delete_of(text, *columns_of(read))
    return [DeletePrediction(read, release, delete, text, at) for release in releases]


def rows_of(add: Add) -> int | None:
    """The rows of a file that readers see; None if its statistics do not count them."""
    try:
        stored = json.loads(add.stats or "{}").get("numRecords")
    except (ValueError, AttributeError):
        return None
    if not isinstance(stored, int):
        return None
    return stored - (add.deletion_vector.cardinality if add.deletion_vector is not None else 0)
