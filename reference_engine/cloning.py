"""SHALLOW CLONE of the reference engine: a table beside the source that names the source's files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deltalog.entries.actions import Action, Add
from deltalog.entries.commits import write_commit
from deltalog.storage.paths import encode
from model.text.layout import clone_of
from reference_engine.transaction import Transaction


def clone(transaction: Transaction) -> None:
    """Write the clone of the transaction's table."""
    root, snapshot = transaction.view.root, transaction.view.snapshot
    metadata = replace(snapshot.metadata, id=str(transaction.uuid))
    actions: list[Action] = [transaction.info("CLONE", metadata), snapshot.protocol, metadata]
    actions += snapshot.domains.values()
    actions += (_absolute(add, root) for add in snapshot.adds.values())
    write_commit(Path(clone_of(str(root))), 0, actions, modified=transaction.at)


def _absolute(add: Add, root: Path) -> Add:
    """The add with the URIs of its file and of the file of its deletion vector."""
    vector = add.deletion_vector
    if vector is not None and vector.file is not None:
        vector = replace(vector, storage="p", path_or_inline=_uri(root / vector.file))
    return replace(add, path=_uri(root / add.file), deletion_vector=vector, data_change=True)


def _uri(file: Path) -> str:
    return "file://" + encode(file.as_posix())
