"""VACUUM in all its forms and modes, also with a failing file system; and the VACUUMs that must be refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from delta.tables import DeltaTable
from pyspark.sql import SparkSession

from engines.spark.catalog import named
from engines.spark.inventories import inventory
from engines.spark.io_faults import faulty_path
from engines.spark.result_rows import answered
from engines.spark.settings import settings
from engines.spark.targets import table_text, target
from model.refusals import invalid_vacuum_sql
from model.sql import literal, vacuum_settings, vacuum_sql
from model.steps import InvalidVacuum, IOFault, Vacuum, VacuumForm
from model.values import Row, Type

#: The forms that name the table in the catalog.
_BY_NAME = (VacuumForm.SQL_NAME, VacuumForm.SQL_MANAGED, VacuumForm.API_NAME)

#: How many tasks delete in parallel, and the setting that says so: without it, as many as there are partitions of a
#: shuffle, of which this JVM has one.
_PARALLELISM = {"spark.databricks.delta.vacuum.parallelDelete.parallelism": "3"}


def run_vacuum(spark: SparkSession, root: Path, step: Vacuum) -> tuple[Row, ...]:
    """Run a VACUUM as its form and mode say, with its trouble. SQL answers rows of one path each, the DeltaTable class none.

    What the step needs besides the table (a name, an inventory, settings, the trouble) is gone when it is over, or has
    failed.
    """
    with ExitStack() as needs:
        name = needs.enter_context(_name(spark, root, step.form))
        listing = needs.enter_context(inventory(spark, root, step.mode, step.inventory))
        needs.enter_context(settings(spark, {**vacuum_settings(step), **_parallelism(step)}))
        if step.io_fault is not None:
            assert step.faulty_path is not None, "a trouble has its path"
            needs.enter_context(faulty_path(spark, root / step.faulty_path, step.io_fault))
        if step.form is VacuumForm.API_PATH:
            return answered(DeltaTable.forPath(spark, str(root)).vacuum(step.retain_hours))
        if step.form is VacuumForm.API_NAME:
            return answered(DeltaTable.forName(spark, name).vacuum(step.retain_hours))
        return answered(spark.sql(vacuum_sql(step, name, listing)))


def _parallelism(step: Vacuum) -> dict[str, str]:
    # When one of several tasks fails, the others may go on a little after VACUUM has told its error: then nobody could
    # say what it has deleted.
    return _PARALLELISM if step.parallel and step.io_fault is not IOFault.DELETE_CRASHES else {}


@contextmanager
def _name(spark: SparkSession, root: Path, form: VacuumForm) -> Iterator[str]:
    """How a form names the table."""
    if form in _BY_NAME:
        with named(spark, root, managed=form is VacuumForm.SQL_MANAGED) as name:
            yield name
    elif form is VacuumForm.SQL_QUOTED_PATH:
        yield literal(str(root), Type.STRING)
    else:
        yield table_text(root)


def run_bad_vacuum(spark: SparkSession, root: Path, step: InvalidVacuum) -> tuple[Row, ...]:
    """Try a VACUUM that must be refused. What it needs besides the table lies beside it, and is removed again."""
    with target(spark, root, step.mistake, view=lambda view: _view_of(root, view)) as said_of:
        return answered(spark.sql(invalid_vacuum_sql(step.mistake, said_of, dry_run=step.dry_run)))


def _view_of(root: Path, view: str) -> str:
    return f"CREATE OR REPLACE TEMPORARY VIEW {view} AS SELECT * FROM {table_text(root)}"
