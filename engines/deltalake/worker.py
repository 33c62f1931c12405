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

from engines.deltalake.sql import identifier, sql
from engines.deltalake.values import rows_of
from engines.port import EngineError, Outcome, now
from model.steps import BadDelete, BadVacuum, Blunder, Delete, EngineStep, Read, ReadChanges, Vacuum, VacuumBlunder
from model.values import Row

#: What a table of changes has behind the columns of the table.
_OF_CHANGES = ("_change_type", "_commit_version", "_commit_timestamp")


def run(root: Path, step: EngineStep, version: int | None) -> tuple[Row, ...]:
    """One step. Raises whatever deltalake raises."""
    if isinstance(step, Read):
        return _read(root, version)
    if isinstance(step, ReadChanges):
        return _changes(root, version)
    if isinstance(step, Delete):
        return _answer(DeltaTable(str(root)).delete(None if step.where is None else sql(step.where)))
    if isinstance(step, BadDelete):
        return _bad_delete(root, step)
    if isinstance(step, BadVacuum):
        return _bad_vacuum(root, step)
    return _vacuum(root, step)


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


def _vacuum(root: Path, step: Vacuum) -> tuple[Row, ...]:
    hours = step.retain_hours
    found = DeltaTable(str(root)).vacuum(
        retention_hours=int(hours) if hours is not None and hours == int(hours) else hours,  # type: ignore[arg-type]
        dry_run=step.dry_run,
        enforce_retention_duration=step.safety_check,
        full=not step.mode.lite,
    )
    return tuple((f"{root}/{path}",) for path in found)


def _bad_delete(root: Path, step: BadDelete) -> tuple[Row, ...]:
    target, where = root, "1 = 1"
    if step.blunder is Blunder.UNKNOWN_COLUMN:
        where = f"{identifier('no such column')} = 1"
    elif step.blunder is Blunder.NOT_A_TABLE:
        target = _no_table(root)
    elif step.blunder is Blunder.MISSING_PATH:
        target = root.parent / f"{root.name}-missing"
    else:
        raise ValueError(f"{step.blunder.value} is not said to deltalake")
    return _answer(DeltaTable(str(target)).delete(where))


def _bad_vacuum(root: Path, step: BadVacuum) -> tuple[Row, ...]:
    if step.blunder is VacuumBlunder.NOT_A_TABLE:
        target = _no_table(root)
    elif step.blunder is VacuumBlunder.MISSING_PATH:
        target = root.parent / f"{root.name}-missing"
    else:
        raise ValueError(f"{step.blunder.value} is not said to deltalake")
    found = DeltaTable(str(target)).vacuum(dry_run=step.dry_run, full=True)
    return tuple((f"{target}/{path}",) for path in found)


def _no_table(root: Path) -> Path:
    """A directory in the table's that is no table itself."""
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
