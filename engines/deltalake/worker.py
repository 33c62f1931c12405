"""The child process: takes steps from its standard input, runs them with deltalake, and answers on its standard output."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

from engines.deltalake.operations import MISSING, operation
from engines.deltalake.result_rows import rows_of
from engines.port import EngineError, Outcome, now
from model.steps import EngineStep, Read, ReadChanges
from model.values import Row

#: What a table of changes has behind the columns of the table.
_OF_CHANGES = ("_change_type", "_commit_version", "_commit_timestamp")


def run(root: Path, step: EngineStep, version: int | None) -> tuple[Row, ...]:
    """One step. Raises whatever deltalake raises."""
    if isinstance(step, Read):
        return _read(root, version)
    if isinstance(step, ReadChanges):
        return _changes(root, version)
    asked = operation(step)
    place = _target(root, asked.get("at"))
    if "where" in asked:
        return _answer(DeltaTable(str(place)).delete(asked["where"]))
    return tuple((f"{place}/{path}",) for path in DeltaTable(str(place)).vacuum(**asked["arguments"]))


def _answer(metrics: dict[str, Any]) -> tuple[Row, ...]:
    """A row with the number of rows deleted, where DELETE says it: of whole files it does not."""
    return ((metrics["num_deleted_rows"],),) if "num_deleted_rows" in metrics else ()


def _read(root: Path, version: int | None) -> tuple[Row, ...]:
    reader = QueryBuilder().register("t", DeltaTable(str(root), version=version)).execute("SELECT * FROM t")
    return rows_of(_table(reader))


def _table(reader: Any) -> pa.Table:
    """All batches of a query: it comes as Arrow's C stream, whatever package made it."""
    return pa.table(reader.read_all() if hasattr(reader, "read_all") else reader)


def _changes(root: Path, version: int | None) -> tuple[Row, ...]:
    assert version is not None, "the change feed is read of a version"
    table = DeltaTable(str(root))
    changes = _table(table.load_cdf(starting_version=version, ending_version=version))
    columns = [field.name for field in table.schema().fields]
    return rows_of(changes.select([*columns, _OF_CHANGES[0]]))


def _target(root: Path, at: str | None) -> Path:
    """The table, or a place that is none: nothing at all, or a directory inside of the table."""
    if at is None:
        return root
    if at == MISSING:
        return root.parent / f"{root.name}-missing"
    return next((path for path in sorted(root.iterdir()) if path.is_dir() and path.name != "_delta_log"), root.parent)


def outcome(root: Path, step: EngineStep, version: int | None) -> Outcome:
    """What becomes of a step: rows, or an error. A panic of Rust's is an outcome, too."""
    rows: tuple[Row, ...] = ()
    error = None
    started = now()
    try:
        rows = run(root, step, version)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as failure:  # noqa: BLE001 - PanicException is no Exception
        error = EngineError(type(failure).__name__, None, None, str(failure))
    return Outcome(rows, error, started, now())


def main() -> None:
    warnings.simplefilter("ignore")  # of what newer versions will do otherwise: nobody reads it here
    requests = sys.stdin.buffer
    # Whatever else writes to standard output must not come between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            root, step, version = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(outcome(root, step, version), answers)
        answers.flush()


if __name__ == "__main__":
    main()
