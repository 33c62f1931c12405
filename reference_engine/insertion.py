"""An append by the reference engine, written with ``deltalog``."""

from __future__ import annotations

from dataclasses import dataclass

from deltalog.actions import Action, CommitInfo
from model.vocabulary.table import Feature
from model.vocabulary.values import Row
from reference_engine.deletion import Deletion, Kept

#: New rows have no stable row id yet: they get that of their place in the file.
_NO_ID = (None, None)


@dataclass
class Insertion(Deletion):
    """One append of ``rows``, in schema order. It writes files as the DELETE ``step`` would."""

    rows: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        """Nothing is predicted."""

    def commit(self) -> None:
        view, table = self.view, self.view.table
        places = [field.name for field in view.fields]
        by_partition: dict[Row, list[Kept]] = {}
        for row in self.rows:
            partition = tuple(row[places.index(name)] for name in table.partition_by)
            by_partition.setdefault(partition, []).append((row, _NO_ID))
        append = {"operation": "WRITE", "operationParameters": {"mode": "Append", "partitionBy": "[]"}}
        actions: list[Action] = [CommitInfo({**self._transaction(), **append, "isBlindAppend": True})]
        count = 0
        for place, (partition, kept) in enumerate(by_partition.items()):
            actions.append(self._write(place, partition, kept, base=count))
            count += len(kept)
        if table.has(Feature.ROW_TRACKING):
            actions.append(self._row_id_mark(count))
        self.storage.commit(view.snapshot.version + 1, actions)
