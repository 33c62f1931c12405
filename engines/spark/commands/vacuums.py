"""VACUUM in all forms and modes, with I/O faults, and invalid VACUUMs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from delta.tables import DeltaTable
from pyspark.sql import SparkSession

from engines.spark.commands.catalog import named
from engines.spark.commands.inventories import inventory
from engines.spark.commands.result_rows import answered
from engines.spark.commands.statements import settings_of_vacuum
from engines.spark.commands.targets import target
from engines.spark.sessions.settings import settings
from engines.spark.storage.file_system import faulty_path
from engines.targets import table_text
from model.text.invalid_sql import invalid_vacuum_sql
from model.text.literals import literal
from model.text.sql import vacuum_sql
from model.vocabulary.steps import InvalidVacuum, Vacuum, VacuumForm
from model.vocabulary.values import Row, Type

#: The forms that name the table in the catalog.
_BY_NAME = (VacuumForm.SQL_NAME, VacuumForm.SQL_MANAGED, VacuumForm.API_NAME)


def run_vacuum(spark: SparkSession, root: Path, path: str, step: Vacuum) -> tuple[Row, ...]:
    """Run a VACUUM in its form, by ``path`` or by a name, and mode, with its I/O fault.

    SQL returns rows of one path each, DeltaTable none. The step's catalog entry, inventory, settings
    and fault are removed afterwards, also after an error.
    """
    with ExitStack() as stack:
        name = stack.enter_context(_name(spark, root, path, step.form))
        listing = stack.enter_context(inventory(spark, root, step.mode, step.inventory))
        stack.enter_context(settings(spark, settings_of_vacuum(step)))
        if step.io_fault is not None:
            assert step.faulty_path is not None, "an I/O fault has a path"
            stack.enter_context(faulty_path(spark, root / step.faulty_path, step.io_fault))
        if step.form is VacuumForm.API_PATH:
            return answered(DeltaTable.forPath(spark, path).vacuum(step.retain_hours))
        if step.form is VacuumForm.API_NAME:
            return answered(DeltaTable.forName(spark, name).vacuum(step.retain_hours))
        return answered(spark.sql(vacuum_sql(step, name, listing)))


@contextmanager
def _name(spark: SparkSession, root: Path, path: str, form: VacuumForm) -> Iterator[str]:
    """How the form refers to the table in SQL, with this spelling of its path."""
    if form in _BY_NAME:
        with named(spark, root, managed=form is VacuumForm.SQL_MANAGED) as name:
            yield name
    elif form is VacuumForm.SQL_QUOTED_PATH:
        yield literal(path, Type.STRING)
    else:
        yield table_text(path)


def run_invalid_vacuum(spark: SparkSession, root: Path, step: InvalidVacuum) -> tuple[Row, ...]:
    """Run an invalid VACUUM. What it needs besides the table is beside it, and removed afterwards."""
    with target(spark, root, step.mistake) as name:
        return answered(spark.sql(invalid_vacuum_sql(step.mistake, name, dry_run=step.dry_run)))
