"""An append by the reference engine, written with ``deltalog``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from model.vocabulary.values import Row
from reference_engine.transaction import NO_ID, Kept, Transaction


@dataclass
class Insertion(Transaction):
    """One append of ``rows``, in schema order."""

    rows: tuple[Row, ...] = field(kw_only=True)

    def run(self) -> None:
        append = {"operationParameters": {"mode": "Append", "partitionBy": "[]"}, "isBlindAppend": True}
        adds = self.write(by_partition(self, self.rows))
        self.commit("WRITE", *adds, *self.row_id_mark(len(self.rows)), **append)


def by_partition(transaction: Transaction, rows: Iterable[Row]) -> list[tuple[Row, list[Kept]]]:
    """New rows by their partitions."""
    packs: dict[Row, list[Kept]] = {}
    for row in rows:
        packs.setdefault(transaction.partition_of(row), []).append((row, NO_ID))
    return list(packs.items())
