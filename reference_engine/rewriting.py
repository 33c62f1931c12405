"""Commands of the reference engine that exchange data files: OPTIMIZE, REORG, UPDATE, MERGE, overwrite, RESTORE, a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from deltalog.entries.actions import Action, Add, Metadata, Txn
from deltalog.entries.protocols import features_of, with_features
from deltalog.snapshot import Snapshot
from model.prediction.commands import rows_after
from model.prediction.delete import matches
from model.prediction.merges import inserted_rows, merged
from model.vocabulary.commands import Merge, Optimize, Overwrite, Purge, StreamAppend, Update
from model.vocabulary.predicate import Predicate, columns_of
from model.vocabulary.steps import Delete
from model.vocabulary.table import Feature
from model.vocabulary.values import Row
from reference_engine.insertion import by_partition
from reference_engine.transaction import MAX_ID, Kept, Transaction, removal, row_count


@dataclass
class Rewriting(Transaction):
    """One such command. ``beside`` are actions that are committed with it."""

    beside: Sequence[Action] = field(default=(), kw_only=True)

    # The same rows in other files -------------------------------------------------------------------------------------

    def optimize(self, command: Optimize) -> None:
        """Write the rows of each partition into one file, where it has several, a deletion vector, or is to be sorted."""
        by_partition: dict[Row, list[Add]] = {}
        for _, add in sorted(self.view.live.items()):
            by_partition.setdefault(self.view.partition(add), []).append(add)
        rewritten = [
            add
            for partition, adds in by_partition.items()
            if self._matches_partition(command.where, partition)
            and (len(adds) > 1 or adds[0].deletion_vector or command.zorder_by)
            for add in adds
        ]
        self._keep_rows("OPTIMIZE", rewritten)

    def purge(self, command: Purge, operation: str = "REORG") -> None:
        """Rewrite the files that have deletion vectors."""
        self._keep_rows(operation, [add for _, add in sorted(self.view.live.items()) if add.deletion_vector])

    def _keep_rows(self, operation: str, rewritten: list[Add]) -> None:
        packs: dict[Row, list[Kept]] = {}
        for add in rewritten:
            packs.setdefault(self.view.partition(add), []).extend(self.view.visible_with_ids(add))
        if rewritten or self.beside:
            self._exchange(operation, rewritten, packs.items(), data_change=False)

    # Other rows -------------------------------------------------------------------------------------------------------

    def update(self, command: Update) -> None:
        def changed(row: Row) -> tuple[Row, ...] | None:
            return (
                tuple(rows_after(command, self.view.table, Counter([row])))
                if self._matches(command.where, row)
                else None
            )

        self._change_rows("UPDATE", changed)

    def merge(self, command: Merge) -> None:
        table = self.view.table
        rows = [row for _, add in sorted(self.view.live.items()) for row in self.view.visible(add)]
        width, into = len(table.columns), self
        if command.adds is not None:
            metadata = self.with_column(command.adds)
            into = replace(self, view=self.view.defined(metadata), beside=[metadata])
        inserted = by_partition(into, inserted_rows(command, table, rows))
        into._change_rows("MERGE", lambda row: merged(command, table, row[:width]), inserted)

    def _change_rows(
        self,
        operation: str,
        change: Callable[[Row], tuple[Row, ...] | None],
        inserted: Iterable[tuple[Row, list[Kept]]] = (),
    ) -> None:
        """Rewrite the files with rows that ``change`` makes others of; None: it leaves the row.

        A changed row keeps its id, in the row commit version of this commit.
        """
        rewritten: list[Add] = []
        packs: dict[tuple[str, Row], list[Kept]] = {}
        changes: list[tuple[Row, str]] = []
        for _, add in sorted(self.view.live.items()):
            rows = [(row, change(row), ids) for row, ids in self.view.visible_with_ids(add)]
            if all(after is None for _, after, _ in rows):
                continue
            rewritten.append(add)
            for row, after, ids in rows:
                if after is not None:
                    changes.append((row, "update_preimage" if after else "delete"))
                    changes += [(one, "update_postimage") for one in after]
                for kept in [(row, ids)] if after is None else [(one, (ids[0], None)) for one in after]:
                    packs.setdefault((add.path, self.partition_of(kept[0])), []).append(kept)
        new = list(inserted)
        changes += [(row, "insert") for _, rows in new for row, _ in rows] if rewritten else []
        if rewritten or new or self.beside:
            files = [(partition, rows) for (_, partition), rows in packs.items()]
            self._exchange(operation, rewritten, [*files, *new], changes=changes)

    def overwrite(self, command: Overwrite) -> None:
        """Remove whole files where the condition is on partitions; else rewrite those with rows that satisfy it."""
        if command.adds is not None:
            metadata = self.with_column(command.adds)
            into = replace(self, view=self.view.defined(metadata), beside=[metadata])
            into._exchange(
                "WRITE", [add for _, add in sorted(self.view.live.items())], by_partition(into, command.rows)
            )
            return
        new = by_partition(self, command.rows)
        where = command.where
        if where is not None and not columns_of(where) <= set(self.view.table.partition_by):
            self._change_rows("WRITE", lambda row: () if self._matches(where, row) else None, new)
            return
        removed = [
            add
            for _, add in sorted(self.view.live.items())
            if self._matches_partition(where, self.view.partition(add))
            and (not command.dynamic or self.view.partition(add) in dict(new))
        ]
        self._exchange("WRITE", removed, new)

    def stream(self, command: StreamAppend) -> None:
        """The append of one batch of a query that this engine has not run before."""
        query = Txn(str(self.uuid), 0, self.at)
        replace(self, beside=[query])._exchange("STREAMING UPDATE", (), by_partition(self, command.rows))

    def restore(self, then: Snapshot) -> None:
        """Exchange the files that differ from those of an earlier version. The protocol loses no feature."""
        now = self.view.snapshot
        protocol = with_features(now.protocol, features_of(then.protocol))
        tracks = "rowTracking" in features_of(protocol)
        removes = [removal(add, self.at) for key, add in now.adds.items() if key not in then.adds]
        back = [
            replace(add, data_change=key not in now.adds)
            for key, add in then.adds.items()
            if key not in now.adds or (tracks and now.adds[key].base_row_id is None)
        ]
        adds = self.with_row_ids(back, beside=then) if tracks else back
        definition: list[Action] = [protocol] if protocol != now.protocol else []
        metadata = _restored(now.metadata, then.metadata)
        definition += [metadata] if metadata != now.metadata else []
        self.commit("RESTORE", *definition, *removes, *adds)

    # Parts ------------------------------------------------------------------------------------------------------------

    def _matches(self, where: Predicate | None, row: Row) -> bool:
        return matches(Delete(where), self.view.table, row) is True

    def _matches_partition(self, where: Predicate | None, partition: Row) -> bool:
        table = self.view.table
        return self._matches(where, table.row(partition, (None,) * len(table.data_columns)))

    def _exchange(
        self,
        operation: str,
        removed: Iterable[Add],
        packs: Iterable[tuple[Row, list[Kept]]],
        *,
        changes: Iterable[tuple[Row, str]] = (),
        data_change: bool = True,
    ) -> None:
        adds = self.write(packs, data_change=data_change)
        feed = self.write_changes(changes) if self.view.table.has(Feature.CHANGE_DATA_FEED) else []
        removes = [removal(add, self.at, data_change=data_change) for add in removed]
        mark = self.row_id_mark(sum(row_count(add) for add in adds)) if adds else []
        self.commit(operation, *self.beside, *removes, *adds, *feed, *mark)


def _restored(now: Metadata, then: Metadata) -> Metadata:
    """That of then, in which no column id counts as unused that has been given since (PROTOCOL.md, "Column Mapping")."""
    greatest = max(int(one.configuration.get(MAX_ID, "0")) for one in (now, then))
    return replace(then, configuration={**then.configuration, MAX_ID: str(greatest)}) if greatest else then
