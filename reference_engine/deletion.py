"""DELETE of the reference engine: what the model predicts, written with ``deltalog``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from deltalog.data.deletion_vectors import write_vector_file
from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.values.statistics import statistics_text
from model.prediction.delete import (
    ConditionScope,
    DeleteMethod,
    DeletePrediction,
    LiveFile,
    matches,
    may_fail,
    predict_delete,
)
from model.text.layout import physical_name
from model.vocabulary.rules import DELTA_RS, DELTA_RS_COUNTS
from model.vocabulary.steps import Delete, Form
from model.vocabulary.table import Feature
from model.vocabulary.values import Row
from reference_engine.recorded_predicate import recorded
from reference_engine.refusals import failing
from reference_engine.transaction import Kept, Transaction, removal, row_count


@dataclass
class Deletion(Transaction):
    """One DELETE. With ``one_file`` the survivors of a partition go into one file."""

    step: Delete = field(kw_only=True)
    one_file: bool = False

    def __post_init__(self) -> None:
        live = self.view.files_for(self.step.where)
        self.predicted: DeletePrediction = predict_delete(
            live,
            self.step,
            self.view.table,
            writes_vectors=self.rules.writes_vectors,
            keeps_emptied_files=self.rules.keeps_emptied_files,
        )
        self.files = {file.path: file for file in live}
        #: As delta-rs returns them; None for what it does not know.
        self.counts: dict[str, int | None] = dict.fromkeys(DELTA_RS_COUNTS, 0)

    def run(self) -> None:
        """Execute it. Raises Refused where the condition is an error for some row."""
        where = self.step.where
        if where is not None and may_fail(self.step, self.view.table, self.view.rows_for(where)):
            raise failing(where, self.view.table)
        if not self.predicted.commits:
            return
        view, predicted = self.view, self.predicted
        rewrites = predicted.method is DeleteMethod.REWRITE
        adds = self._rewrite() if rewrites else self._write_vectors()
        changes = self._changes() if rewrites and view.table.has(Feature.CHANGE_DATA_FEED) else []
        removes = [removal(view.live[path], self.at) for path in sorted(predicted.touched)]
        mark = self.row_id_mark(sum(row_count(add) for add in adds)) if rewrites else []
        self.commit("DELETE", *removes, *adds, *changes, *mark, **self._info(removes, adds, changes))

    @property
    def zone(self) -> str:
        return self.step.zone

    def answer(self) -> tuple[Row, ...]:
        """num_affected_rows, for the forms that return it: -1 where whole files were removed without being counted.

        Or the counts of delta-rs.
        """
        if self.rules.implementation == DELTA_RS.implementation:
            return (tuple(self.counts.values()),)
        if not self.step.returns_rows:
            return ()
        total = self.predicted.deleted.total()
        if self.predicted.scope is not ConditionScope.ROWS and self.predicted.commits:
            total = total if total and self._counted() else -1
        return ((total,),)

    def _counted(self) -> bool:
        return all(file.counted for file in self.predicted.removed)

    # The files --------------------------------------------------------------------------------------------------------

    def _rewrite(self) -> list[Add]:
        packs: dict[object, tuple[Row, list[Kept]]] = {}
        for file in self.predicted.removed:
            kept = self._kept(file)
            if kept:
                packs.setdefault(file.partition if self.one_file else file.path, (file.partition, []))[1].extend(kept)
        return self.write(packs.values())

    def _kept(self, file: LiveFile) -> list[Kept]:
        """The surviving rows of a removed file."""
        return [
            kept
            for kept in self.view.visible_with_ids(self.view.live[file.path])
            if matches(self.step, self.view.table, kept[0]) is not True
        ]

    def _write_vectors(self) -> list[Add]:
        paths = sorted(self.predicted.hidden_rows)
        if not paths:
            return []
        hidden = [self.predicted.hidden_rows[path] for path in paths]
        root, uuid = self.view.root, self.uuid
        vectors = self.storage.write(
            root / f"deletion_vector_{uuid}.bin", lambda: write_vector_file(root, uuid, hidden, modified=self.at)
        )
        return [
            replace(self.view.live[path], deletion_vector=vector, data_change=True, stats=self._wide_statistics(path))
            for path, vector in zip(paths, vectors)
        ]

    def _wide_statistics(self, path: str) -> str:
        """The statistics of the columns that the table has: Delta drops those of dropped columns."""
        table = self.view.table
        names = {physical_name(table, column.name) for column in table.columns}
        stats = {
            key: {name: one for name, one in value.items() if name in names} if isinstance(value, dict) else value
            for key, value in json.loads(self.view.live[path].stats or "{}", parse_float=Decimal).items()
        }
        return statistics_text({**stats, "numRecords": len(self.files[path].rows), "tightBounds": False})

    def _changes(self) -> list[Cdc]:
        """Change files, one for each partition that lost rows."""
        return self.write_changes(
            (row, "delete")
            for file in self.predicted.removed
            for row in file.visible
            if matches(self.step, self.view.table, row) is True
        )

    # The commit ---------------------------------------------------------------------------------------------

    def _info(self, removes: list[Remove], adds: list[Add], changes: list[Cdc]) -> dict[str, object]:
        """The members of commitInfo that are those of a DELETE."""
        truncates = self.step.form is Form.TRUNCATE
        tags = {"tags": {"delta.rowTracking.preserved": "true"}} if self.view.table.has(Feature.ROW_TRACKING) else {}
        condition = {"predicate": json.dumps([recorded(self.step.where, self.step.zone)])}
        operation = {"operation": "TRUNCATE"} if truncates else {}
        return {
            **operation,
            "operationParameters": {} if truncates else condition,
            "isBlindAppend": False,
            "operationMetrics": self._metrics(removes, adds, changes),
            **tags,
        }

    def _metrics(self, removes: list[Remove], adds: list[Add], changes: list[Cdc]) -> Mapping[str, object]:
        """operationMetrics, counted as Delta or delta-rs does."""
        if self.rules.implementation == DELTA_RS.implementation:
            copied = sum(row_count(add) for add in adds)
            counts = (self.predicted.deleted.total(), len(adds) + len(changes), len(removes), copied)
            self.counts = dict(zip(DELTA_RS_COUNTS, counts))
            if self.predicted.method is DeleteMethod.METADATA_ONLY and not self._counted():
                self.counts[DELTA_RS_COUNTS[0]] = None
            return {name: count for name, count in self.counts.items() if count is not None}
        predicted, live = self.predicted, self.view.live
        removed = [live[path] for path in predicted.removed_paths]
        if self.step.form is Form.TRUNCATE:
            return {"numRemovedFiles": str(len(removed)), "executionTimeMs": "1"}
        updated = sum(1 for path in predicted.hidden_rows if live[path].deletion_vector)
        written = [add for add in adds if self.view.place(add) not in live]
        rewrites = predicted.method is DeleteMethod.REWRITE
        metrics = {
            "numRemovedFiles": len(removes) - len(predicted.hidden_rows),
            "numAddedFiles": len(written),
            "numAddedChangeFiles": len(changes),
            "numDeletedRows": predicted.deleted.total(),
            "numCopiedRows": sum(row_count(add) for add in written) if rewrites else 0,
            "numRemovedBytes": 0
            if predicted.method is DeleteMethod.DELETION_VECTORS
            else sum(add.size for add in removed),
            "numAddedBytes": sum(add.size for add in written),
            "numDeletionVectorsAdded": len(predicted.hidden_rows),
            "numDeletionVectorsRemoved": updated + sum(1 for add in removed if add.deletion_vector),
            "numDeletionVectorsUpdated": updated,
            "executionTimeMs": 1,
            "scanTimeMs": 0,
            "rewriteTimeMs": 0,
        }
        if not self.rules.counts_vectors:
            for part in ("Added", "Removed", "Updated"):
                del metrics[f"numDeletionVectors{part}"]
        if predicted.method is DeleteMethod.METADATA_ONLY and not (self._counted() and predicted.deleted):
            for name in ("numDeletedRows", "numCopiedRows", "numAddedFiles"):
                del metrics[name]
        return {name: str(value) for name, value in metrics.items()}
