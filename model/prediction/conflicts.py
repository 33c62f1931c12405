"""The conflicts of two sessions at once: why one of them may be refused (docs.delta.io, "Concurrency control").

A session that commits after another one is refused where the other has changed what it read. It reads the partitions that its
condition does not exclude: "make the separation explicit in the operation condition". A blind append reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from model.semantics.evaluate import WouldFail, evaluate
from model.vocabulary.commands import Merge, Optimize, Overwrite, Restore, StreamAppend, Update, When
from model.vocabulary.predicate import And, Predicate, columns_of
from model.vocabulary.steps import Delete, Insert, OtherCommand, SessionStep, Vacuum
from model.vocabulary.table import Table
from model.vocabulary.values import Row


class Conflict(Enum):
    """A documented conflict, by the exception and the error class of Delta on Spark.

    All but WRITE are in "Concurrency control"; that one is in the API's io.delta.exceptions: RESTORE ends so if anybody has
    committed anything, as it writes its commit without looking what the others did.
    """

    APPEND = ("ConcurrentAppendException", "DELTA_CONCURRENT_APPEND")
    DELETE_READ = ("ConcurrentDeleteReadException", "DELTA_CONCURRENT_DELETE_READ")
    DELETE_DELETE = ("ConcurrentDeleteDeleteException", "DELTA_CONCURRENT_DELETE_DELETE")
    METADATA = ("MetadataChangedException", "DELTA_METADATA_CHANGED")
    PROTOCOL = ("ProtocolChangedException", "DELTA_PROTOCOL_CHANGED")
    TRANSACTION = ("ConcurrentTransactionException", "DELTA_CONCURRENT_TRANSACTION")
    WRITE = ("ConcurrentWriteException", "DELTA_CONCURRENT_WRITE")


#: The exception of delta-rs for all of them.
_DELTA_RS = "CommitFailedError"


def conflicts_named(exception: str, condition: str | None, *, classes: bool) -> frozenset[Conflict]:
    """The conflicts that an error may stand for: none if it is no conflict, all if the engine's errors have no ``classes``."""
    if not classes:
        return frozenset(Conflict) if exception == _DELTA_RS else frozenset()
    named = (condition or "").partition(".")[0]  # without its subclass, such as WITH_PARTITION_HINT
    return frozenset(one for one in Conflict if exception == one.value[0] or named == one.value[1])


@dataclass(frozen=True)
class Changed:
    """What commits have changed, as far as a conflict may be about it."""

    added: frozenset[Row] = frozenset()  # the partitions in which they added files
    removed: frozenset[Row] = frozenset()  # ... in which they removed files
    metadata: bool = False
    protocol: bool = False
    transactions: bool = False
    anything: bool = False


def is_founded(conflict: Conflict, step: SessionStep, table: Table, others: Changed) -> bool:
    """Whether the step may be refused for this conflict, as others have committed these changes since it began."""
    if conflict is Conflict.WRITE:
        return others.anything and isinstance(step, OtherCommand) and isinstance(step.command, Restore)
    if conflict is Conflict.METADATA:
        return others.metadata
    if conflict is Conflict.PROTOCOL:
        return others.protocol
    if conflict is Conflict.TRANSACTION:
        return others.transactions and isinstance(step, OtherCommand) and isinstance(step.command, StreamAppend)
    partitions = others.added if conflict is Conflict.APPEND else others.removed
    return any(reads(step, table, partition) for partition in partitions)


def reads(step: SessionStep, table: Table, partition: Row) -> bool:
    """Whether a command may depend on the rows of this partition."""
    if isinstance(step, (Insert, Vacuum)):
        return False
    if isinstance(step, Delete):
        return _may_match(step.where, table, partition)
    if isinstance(step, OtherCommand):
        command = step.command
        if isinstance(command, StreamAppend):
            return False
        if isinstance(command, (Update, Overwrite, Optimize)):
            return _may_match(command.where, table, partition)
        if isinstance(command, Merge) and all(clause.when is not When.BY_SOURCE for clause in command.clauses):
            return _may_match(command.on, table, partition)
    return True


def _may_match(where: Predicate | None, table: Table, partition: Row) -> bool:
    """Whether the partition satisfies all parts of the condition, joined by AND, that are on partition columns alone."""
    names = table.partition_by
    row = dict(zip(names, partition))
    types = {column.name: column.type for column in table.columns}
    for part in _conjuncts(where) if where is not None else ():
        if columns_of(part) and columns_of(part) <= set(names):
            try:
                if evaluate(part, row, types=types) is not True:
                    return False
            except WouldFail:
                continue
    return True


def _conjuncts(where: Predicate) -> Iterator[Predicate]:
    if isinstance(where, And):
        yield from _conjuncts(where.left)
        yield from _conjuncts(where.right)
    else:
        yield where
