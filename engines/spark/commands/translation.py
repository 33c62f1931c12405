"""The calls of Delta on Spark for a step: what the worker runs and a script prints. Without PySpark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engines.spark.commands.calls import (
    DELTA_TABLE,
    EARLIER,
    INSTANT,
    OPENED,
    OPENED_LOG,
    SPARK,
    Calls,
    Do,
    Expression,
    Faulty,
    Let,
    Name,
    Named,
    Needed,
    NoTable,
    Place,
)
from engines.spark.commands.columns import condition
from engines.spark.commands.other_commands import VACUUM_OF_CLONE, calls_of_command
from engines.spark.commands.statements import INVENTORY_VIEW, VIEW, settings_of_vacuum, view_statement
from engines.targets import table_text
from model.text.invalid_sql import invalid_delete_sql, invalid_vacuum_sql, view_sql
from model.text.literals import string_literal
from model.text.session_conf import spark_conf
from model.text.sql import WRAPPERS, delete_sql, insert_sql, sql, vacuum_sql
from model.vocabulary.commands import (
    ShallowClone,
    VacuumClone,
    conditions_of,
)
from model.vocabulary.predicate import Predicate, Wrapper, wrappers_of
from model.vocabulary.steps import (
    API_DELETE_FORMS,
    API_VACUUM_FORMS,
    DELETES_BY_PATH,
    VACUUMS_BY_PATH,
    Ask,
    Delete,
    DeleteMistake,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    Listing,
    Mode,
    OpenSession,
    OtherCommand,
    ReadChanges,
    Request,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)

#: The mistakes whose target is a path that is no table's.
_NO_TABLES = [mistake for kind in (DeleteMistake, VacuumMistake) for mistake in (kind.NOT_A_TABLE, kind.MISSING_PATH)]

ZONE = "spark.sql.session.timeZone"


def settings_of(step: Request) -> Mapping[str, str | None]:
    """The settings of the session for a step; None: not set."""
    step = step.delete if isinstance(step, Ask) else step
    found: dict[str, str | None] = {ZONE: step.zone if isinstance(step, (Delete, ReadChanges)) else "UTC"}
    given: Mapping[str, str] = {}
    if isinstance(step, (Delete, Vacuum)):
        found.update(spark_conf(step.settings))
        given = {one.name: one.value for one in step.given}
    if isinstance(step, OtherCommand) and isinstance(step.command, (ShallowClone, VacuumClone)):
        step = VACUUM_OF_CLONE
    return {**found, **(settings_of_vacuum(step) if isinstance(step, Vacuum) else {}), **given}


def functions_of(step: Request) -> tuple[Do, ...]:
    """The calls that register the user's functions that a step's conditions call, in a fixed order."""
    step = step.delete if isinstance(step, Ask) else step
    conditions: tuple[Predicate | None, ...] = (step.where,) if isinstance(step, Delete) else ()
    if isinstance(step, OtherCommand):
        conditions = conditions_of(step.command)
    session = EARLIER if isinstance(step, Delete) and step.by_earlier else SPARK
    used = {wrapper for one in conditions if one is not None for wrapper in wrappers_of(one)}
    return tuple(
        Do(Name(f"register_{wrapper.value}")(session, WRAPPERS[wrapper])) for wrapper in Wrapper if wrapper in used
    )


def calls_of(step: Request, place: Place) -> Calls:
    """Raises TypeError for a step that is no command."""
    calls = _calls_of(step, place)
    return replace(calls, needed=(*functions_of(step), *calls.needed))


def _calls_of(step: Request, place: Place) -> Calls:
    if isinstance(step, (Delete, Vacuum)) and step.by_earlier:
        return _by_earlier(step)
    if isinstance(step, Delete):
        return _delete(step, place)
    if isinstance(step, Vacuum):
        return _vacuum(step, place)
    if isinstance(step, InvalidDelete):
        name, needed = _wrong_target(step.mistake, place)
        return Calls(SPARK.sql(invalid_delete_sql(step.mistake, name)), needed, returns_rows=True)
    if isinstance(step, InvalidVacuum):
        name, needed = _wrong_target(step.mistake, place)
        statement = invalid_vacuum_sql(step.mistake, name, dry_run=step.dry_run)
        return Calls(SPARK.sql(statement), needed, returns_rows=True)
    if isinstance(step, Insert):
        types = [type for _, type in place.columns()]
        return Calls(SPARK.sql(insert_sql(step, types, table_text(place.root))), returns_rows=True)
    if isinstance(step, OpenSession):
        opened = Let(EARLIER, SPARK.newSession()), Let(OPENED, DELTA_TABLE.forPath(EARLIER, place.root))
        return Calls(OPENED.toDF().count(), (*opened, Let(OPENED_LOG, Name("delta_log")(SPARK, place.root))))
    if isinstance(step, OtherCommand):
        return calls_of_command(step.command, place)
    raise TypeError(f"a {type(step).__name__} is not a command")


def reading(root: str, version: object = None) -> Expression:
    """A read of a version of the table; None: of the current one."""
    reader = SPARK.read.format("delta")
    return (reader if version is None else reader.option("versionAsOf", version)).load(root)


def _by_earlier(step: Delete | Vacuum) -> Calls:
    """A command by the session that opened the table earlier, which has another clock."""
    command = OPENED.vacuum(*_hours(step)) if isinstance(step, Vacuum) else OPENED.delete(*_text(step))
    return Calls(command, (Do(OPENED_LOG.clock().setTime(INSTANT)),))


def _text(step: Delete) -> tuple[str, ...]:
    """The condition as the argument of the API's DELETE, if it has one."""
    return () if step.where is None else (sql(step.where, step.zone, step.literals),)


def _hours(step: Vacuum) -> tuple[float, ...]:
    return () if step.retain_hours is None else (step.retain_hours,)


def _named(place: Place, *, managed: bool) -> tuple[str, tuple[Named, ...]]:
    name = place.managed if managed else place.name
    return name, (Named(name, managed),)


def _view(statement: str) -> tuple[str, tuple[Do, ...]]:
    return VIEW, (Do(SPARK.sql(statement), undo=SPARK.catalog.dropTempView(VIEW)),)


def _delete(step: Delete, place: Place) -> Calls:
    name, needed = table_text(place.path), tuple[Needed, ...]()
    by_path = step.form in DELETES_BY_PATH
    if step.form is Form.VIEW:
        name, needed = _view(view_statement(table_text(place.path)))
    elif not by_path:
        name, needed = _named(place, managed=step.form is Form.SQL_MANAGED)
    cached = None if not step.cached else reading(place.path) if by_path else SPARK.table(name)
    if step.form not in API_DELETE_FORMS:
        return Calls(SPARK.sql(delete_sql(step, name)), needed, returns_rows=True, cached=cached)
    table = DELTA_TABLE.forPath(SPARK, place.path) if by_path else DELTA_TABLE.forName(SPARK, name)
    where: tuple[object, ...] = _text(step)
    if step.form is Form.API_PATH_COLUMN and step.where is not None:
        where = (condition(step.where, step.zone),)
    return Calls(table.delete(*where), needed, cached=cached)


def _vacuum(step: Vacuum, place: Place) -> Calls:
    name, needed = table_text(place.path), tuple[Needed, ...]()
    by_path = step.form in VACUUMS_BY_PATH
    if step.form is VacuumForm.SQL_QUOTED_PATH:
        name = string_literal(place.path)
    elif not by_path:
        name, needed = _named(place, managed=step.form is VacuumForm.SQL_MANAGED)
    listing = None
    if step.mode.inventory:
        listing, listed = _inventory(step, place)
        needed += (listed,)
    if step.io_fault is not None:
        assert step.faulty_path is not None, "an I/O fault has a path"
        needed += (Faulty(step.faulty_path, step.io_fault),)
    if step.form in API_VACUUM_FORMS:
        table = DELTA_TABLE.forPath(SPARK, place.path) if by_path else DELTA_TABLE.forName(SPARK, name)
        return Calls(table.vacuum(*_hours(step)), needed, returns_rows=True)
    return Calls(SPARK.sql(vacuum_sql(step, name, listing)), needed, returns_rows=True)


def _inventory(step: Vacuum, place: Place) -> tuple[str, Do]:
    """What follows USING INVENTORY: a query of a temporary view, or a Delta table."""
    rows = Name("inventory")(SPARK, place.root, step.inventory is Inventory.FILES, *place.storage)
    if step.mode is Mode.INVENTORY_QUERY:
        made = Do(rows.createOrReplaceTempView(INVENTORY_VIEW), undo=SPARK.catalog.dropTempView(INVENTORY_VIEW))
        return f"(SELECT {_selected(step.listing, place.root)} FROM {INVENTORY_VIEW})", made
    save = rows.write.format("delta").mode("overwrite").save(place.inventory)
    return table_text(place.inventory), Do(save, undo=Name("remove")(SPARK, place.inventory))


def _selected(listing: Listing, root: str) -> str:
    """What a query selects of an inventory."""
    if listing is Listing.NOT_NULL:
        return "path, length, coalesce(isDir, false) AS isDir, modificationTime"
    if listing is Listing.REORDERED:
        return "modificationTime, isDir, length, path"
    if listing is Listing.TWO_SLASHES:
        path = f"replace(path, {string_literal(f'{root}/')}, {string_literal(f'{root}//')}) AS path"
        return f"{path}, length, isDir, modificationTime"
    return "*"


def _wrong_target(mistake: DeleteMistake | VacuumMistake, place: Place) -> tuple[str, tuple[Needed, ...]]:
    """The target of an invalid command, in SQL. Anything besides the table is beside it."""
    table = table_text(place.root)
    if mistake in (DeleteMistake.PARTITION_DIRECTORY, VacuumMistake.PARTITION_DIRECTORY):
        return table_text(f"{place.root}/{place.partition()}"), ()
    if mistake in _NO_TABLES:
        return table_text(f"{place.root}-target"), (NoTable(mistake),)
    if mistake is DeleteMistake.VIEW:
        return _view(view_sql(VIEW, table))
    return _view(view_statement(table)) if mistake is VacuumMistake.TEMPORARY_VIEW else (table, ())
