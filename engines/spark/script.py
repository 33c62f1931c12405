"""Delta Lake on Spark in a reproduction script: PySpark, and Delta's own classes for the clock."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from engines.dialect import ScriptCommand, ScriptedCase, ScriptRun
from engines.named_paths import WORKING_DIRECTORY, ScriptPath, script_path, spelling_of
from engines.quoting import Code, called, quoted
from engines.script_library import library
from engines.spark.commands.command_sql import VACUUM_OF_CLONE, command_sql, plain_names, rows_sql
from engines.spark.commands.statements import (
    INVENTORY_COLUMNS,
    INVENTORY_VIEW,
    SESSION,
    SPARK_4,
    VIEW,
    settings_of_vacuum,
    view_of,
    view_statement,
)
from engines.spark.sessions.wrappers import called_by
from engines.spark.versions import GROUP, artifact_for
from engines.targets import table_text
from model.prediction.history import live_ids
from model.semantics.definitions import table_after
from model.text.invalid_sql import UNKNOWN_PARTITION, invalid_delete_sql, invalid_vacuum_sql
from model.text.layout import clone_of, escape, partition_string
from model.text.session_conf import spark_conf
from model.text.sql import WRAPPERS, delete_sql, insert_sql, sql, vacuum_sql
from model.vocabulary.commands import (
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    Overwrite,
    Restore,
    ShallowClone,
    StreamAppend,
    VacuumClone,
)
from model.vocabulary.predicate import Wrapper
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    API_DELETE_FORMS,
    API_VACUUM_FORMS,
    DELETES_BY_PATH,
    Delete,
    DeleteMistake,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    Mode,
    OpenSession,
    OtherCommand,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import Table

#: Delta's defaults: no script needs to set them.
_DEFAULTS = {
    "spark.databricks.delta.retentionDurationCheck.enabled": "true",
    "spark.databricks.delta.vacuum.lite.enabled": "false",
    "spark.databricks.delta.vacuum.parallelDelete.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}

#: The names of the same table as an external and as a managed one.
_NAME, _MANAGED_NAME = "t", "d.`table`"

#: The functions that register a function of the user.
_REGISTER = {Wrapper.PYTHON: "register_python", Wrapper.ARROW: "register_arrow"}

#: The variables of ``main`` with the session and with an earlier one.
_SPARK, _EARLIER = Code("spark"), Code("earlier")

#: Stands for the version that a RESTORE restores, which a variable of the script has.
_VERSION = "@version"

_LIBRARY = library(Path(__file__).with_name("script_functions.py"))


class SparkScript:
    """One for each script: it keeps track of the session's settings and of the tables in the catalog."""

    library = _LIBRARY
    errors = "Exception"
    local_times = True
    own_clock = True

    def __init__(self, case: ScriptedCase, *, delta: str, pyspark: str) -> None:
        self.pip = f"pyspark=={pyspark} delta-spark=={delta}"
        self._case = case
        self._table = case.table  # as it is before the command
        self._tables = _tables(case)
        self._root = case.root
        self._inventory = posixpath.dirname(case.root) + "-inventory"
        self._conf: dict[str, str] = {}
        self._managed = False
        self._instant = Code("")  # of the clock
        steps = [run.step for run in case.runs]
        self._relative = any(spelling_of(step) is Spelling.RELATIVE for step in steps)
        self.constants: Mapping[str, str] = {"FAILING_FILE_SYSTEM": _java("FailingLocalFileSystem")}
        self._settings_of_session = {
            "spark.jars.packages": f"{GROUP}:{artifact_for(delta=delta, pyspark=pyspark)}:{delta}",
            **SESSION,
            **(SPARK_4 if pyspark.startswith("3.") else {}),
        }

    def start(self) -> Sequence[str]:
        first, *others = (called(".config", key, value) for key, value in self._settings_of_session.items())
        lines = [
            "spark = (",
            f"    SparkSession.builder{first}",
            *(f"    {config}" for config in others),
            "    .getOrCreate()",
            ")",
        ]
        # Its JVM keeps the directory in which it was started.
        return [called("os.chdir", WORKING_DIRECTORY), *lines] if self._relative else lines

    def now(self) -> str:
        return "int(time.time() * 1000)"

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        self._instant = Code(instant)
        return (called("clock", _SPARK, self._instant),)

    def rows(self, read: str) -> str:
        return f"{read}.collect()"

    # Commands ---------------------------------------------------------------------------------------------------------

    def command(self, run: ScriptRun) -> ScriptCommand:
        command, wrappers = self._command(run), called_by(run.step)
        session = _EARLIER if isinstance(run.step, Delete) and run.step.by_earlier else _SPARK
        registered = [called(_REGISTER[wrapper], session, WRAPPERS[wrapper]) for wrapper in wrappers]
        return replace(command, setup=(*registered, *command.setup))

    def _command(self, run: ScriptRun) -> ScriptCommand:
        step, self._table = run.step, self._tables[run.index]
        if isinstance(step, OtherCommand):
            return self._other(step.command)
        if isinstance(step, OpenSession):
            opened = "opened = DeltaTable.forPath(earlier, ROOT)"
            lines = ("earlier = spark.newSession()", opened, "opened_log = delta_log(spark)")
            return ScriptCommand("opened.toDF().count()", setup=lines)
        if isinstance(step, (Delete, Vacuum)) and step.by_earlier:
            return self._by_earlier(step)
        if isinstance(step, Delete):
            return self._delete(step)
        if isinstance(step, Vacuum):
            return self._vacuum(step)
        if isinstance(step, Insert):
            types = [column.type for column in self._table.columns]
            return self._sql(insert_sql(step, types, table_text(self._root)), self._settings({}))
        if isinstance(step, InvalidDelete):
            setup, target = self._target(step.mistake)
            return self._sql(invalid_delete_sql(step.mistake, target), setup)
        if isinstance(step, InvalidVacuum):
            setup, target = self._target(step.mistake)
            return self._sql(invalid_vacuum_sql(step.mistake, target, dry_run=step.dry_run), setup)
        raise TypeError(f"a {type(step).__name__} is not a command")

    def _other(self, command: Command) -> ScriptCommand:
        root, table = self._root, self._table
        columns = [(column.name, column.type) for column in table.columns]
        if isinstance(command, (ShallowClone, VacuumClone)):
            setup = [*self._settings(settings_of_vacuum(VACUUM_OF_CLONE)), self._clock_of(clone_of(root))]
        else:
            setup = self._settings({})
        if isinstance(command, StreamAppend):
            setup.append(f"rows = {self._statement(rows_sql(command.rows, plain_names(columns)))}")
            cleanup = ('shutil.rmtree(f"{ROOT}-stream")',)
            return ScriptCommand("append_by_stream(spark, rows)", "", tuple(setup), cleanup)
        if isinstance(command, Overwrite):
            setup.append(f"rows = {self._statement(rows_sql(command.rows, columns))}")
            writer = 'rows.write.format("delta").mode("overwrite")'
            if command.where is not None:
                setup.append(f"replaced = {quoted(sql(command.where), root)}")
                writer += '.option("replaceWhere", replaced)'
            return ScriptCommand(f"{writer}.save(ROOT)", setup=tuple(setup))
        if isinstance(command, Checkpoint):
            return ScriptCommand("delta_log(spark).checkpoint()", "", tuple(setup))
        if isinstance(command, CompactLog):
            return ScriptCommand(f"compact_log(spark, {command.commits or 0})", "", tuple(setup))
        if isinstance(command, CleanUpLog):
            return ScriptCommand("clean_up_log(spark)", "", tuple(setup))
        *first, last = command_sql(command, root, columns, _VERSION)
        setup += map(self._statement, first)
        text = self._statement(last)
        if isinstance(command, Restore):
            text = text.replace(_VERSION, f"{{{self._case.version_before(command.before_step)}}}")
        return ScriptCommand(text, "", tuple(setup))

    def _sql(self, statement: str, setup: Sequence[str], cleanup: Sequence[str] = ()) -> ScriptCommand:
        text = self._statement(statement)
        return ScriptCommand(text, f"{text}.collect()", tuple(setup), tuple(cleanup))

    def _statement(self, statement: str) -> str:
        return called("spark.sql", statement, root=self._root)

    def _by_earlier(self, step: Delete | Vacuum) -> ScriptCommand:
        """A command of the session that has opened the table: what it opened has a clock of its own."""
        wanted = {"spark.sql.session.timeZone": step.zone} if isinstance(step, Delete) else settings_of_vacuum(step)
        setup = [f"opened_log.clock().setTime({self._instant})"]
        for key, value in wanted.items():
            setup.append(called("earlier.conf.unset", key) if value is None else called("earlier.conf.set", key, value))
        if isinstance(step, Vacuum):
            hours = "" if step.retain_hours is None else repr(step.retain_hours)
            return ScriptCommand(f"opened.vacuum({hours})", "", tuple(setup))
        return ScriptCommand(called("opened.delete", *self._condition(step), root=self._root), "", tuple(setup))

    def _condition(self, step: Delete) -> Sequence[str]:
        """The argument of the API's DELETE, if it has one."""
        return () if step.where is None else (sql(step.where, step.zone, step.literals),)

    def _delete(self, step: Delete) -> ScriptCommand:
        named = script_path(self._root, step.spelling)
        by_path = step.form in DELETES_BY_PATH
        setup = self._settings({"spark.sql.session.timeZone": step.zone, **spark_conf(step.settings)})
        setup += self._link(step.spelling, named)
        name = {Form.SQL_MANAGED: _MANAGED_NAME, Form.VIEW: VIEW}.get(step.form, _NAME)
        if step.form is Form.VIEW:
            setup.append(self._statement(view_statement(table_text(self._root))))
        elif not by_path:
            setup += self._named(step.form is Form.SQL_MANAGED)
        if step.cached:
            load = f'spark.read.format("delta").load({self._argument(named.path)})'
            setup.append(f"{load if by_path else called('spark.table', name)}.cache().count()")
        if step.form not in API_DELETE_FORMS:
            table = table_text(named.path) if by_path else name
            return self._sql(delete_sql(step, table), setup, named.cleanup)
        condition: Sequence[str] = self._condition(step)
        if step.form is Form.API_PATH_COLUMN and condition:
            condition = (Code(called("expr", *condition, root=self._root)),)
        table = self._delta_table(named.path if by_path else None)
        return ScriptCommand(called(f"{table}.delete", *condition, root=self._root), "", tuple(setup), named.cleanup)

    def _vacuum(self, step: Vacuum) -> ScriptCommand:
        named = script_path(self._root, step.spelling)
        setup = self._settings({**spark_conf(step.settings), **settings_of_vacuum(step)})
        cleanup: tuple[str, ...] = ()
        if step.mode.inventory:
            setup += self._listing(step)
        if step.io_fault is not None:
            assert step.faulty_path is not None, "an I/O fault has a path"
            setup.append(called("failing_files", _SPARK, step.io_fault.value, step.faulty_path))
            cleanup = ('spark.conf.set("tombstone.fault", "")',)
        setup += self._link(step.spelling, named)
        if step.form in (VacuumForm.SQL_NAME, VacuumForm.SQL_MANAGED, VacuumForm.API_NAME):
            setup += self._named(step.form is VacuumForm.SQL_MANAGED)
        cleanup += named.cleanup
        if step.form in API_VACUUM_FORMS:
            hours = "" if step.retain_hours is None else repr(step.retain_hours)
            table = self._delta_table(named.path if step.form is VacuumForm.API_PATH else None)
            return ScriptCommand(f"{table}.vacuum({hours})", "", tuple(setup), cleanup)
        targets = {
            VacuumForm.SQL_PATH: table_text(named.path),
            VacuumForm.SQL_QUOTED_PATH: f"'{named.path}'",
            VacuumForm.SQL_NAME: _NAME,
            VacuumForm.SQL_MANAGED: _MANAGED_NAME,
        }
        inventories = {
            Mode.INVENTORY_TABLE: table_text(self._inventory),
            Mode.INVENTORY_QUERY: f"(SELECT * FROM {INVENTORY_VIEW})",
        }
        return self._sql(vacuum_sql(step, targets[step.form], inventories.get(step.mode)), setup, cleanup)

    def _delta_table(self, path: str | None) -> str:
        """The table by its path; None: by its name."""
        if path is None:
            return called("DeltaTable.forName", _SPARK, _NAME)
        return f"DeltaTable.forPath(spark, {self._argument(path)})"

    def _argument(self, path: str) -> str:
        return "ROOT" if path == self._root else quoted(path, self._root)

    def _named(self, managed: bool) -> Sequence[str]:
        """The lines that give the table its name."""
        if not managed:
            return (self._statement(f"CREATE TABLE IF NOT EXISTS {_NAME} USING delta LOCATION '{self._root}'"),)
        exists, self._managed = self._managed, True
        return () if exists else ("make_managed(spark)",)

    def _listing(self, step: Vacuum) -> Sequence[str]:
        rows = "inventory_of_files()" if step.inventory is Inventory.FILES else "inventory()"
        lines = (
            f"columns = {quoted(', '.join(map(' '.join, INVENTORY_COLUMNS)))}",
            f"table = spark.createDataFrame({rows}, columns)",
        )
        if step.mode is Mode.INVENTORY_QUERY:
            return (*lines, called("table.createOrReplaceTempView", INVENTORY_VIEW))
        return (*lines, called('table.write.format("delta").mode("overwrite").save', self._inventory))

    def _link(self, spelling: Spelling, named: ScriptPath) -> Sequence[str]:
        """The link, with a clock of its own: Delta knows a table behind a link by the link's path."""
        if spelling is not Spelling.LINK:
            return ()
        return (*named.setup, self._clock_of(named.path))

    def _clock_of(self, path: str) -> str:
        """The line that sets the clock of the table at a path other than ``ROOT``."""
        return called("clock", _SPARK, self._instant, path, root=self._root)

    def _target(self, mistake: DeleteMistake | VacuumMistake) -> tuple[list[str], str]:
        """The target of an invalid command, and the lines that make it. The paths beside the script's table are free."""
        setup, target = self._settings({}), f"{self._root}-target"
        if mistake in (DeleteMistake.PARTITION_DIRECTORY, VacuumMistake.PARTITION_DIRECTORY):
            return setup, table_text(f"{self._root}/{_partition(self._table)}")
        if mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE):
            return [*setup, called("os.makedirs", target)], table_text(target)
        if mistake in (DeleteMistake.MISSING_PATH, VacuumMistake.MISSING_PATH):
            return setup, table_text(target)
        table = table_text(self._root)
        if (statement := view_of(mistake, table)) is not None:
            return [*setup, self._statement(statement)], VIEW
        return setup, table

    def _settings(self, wanted: Mapping[str, str | None]) -> list[str]:
        """The lines that change the settings of the previous step, or the defaults, into these."""
        new = {key: value for key, value in wanted.items() if value is not None}
        old, self._conf = self._conf, new
        lines = [called("spark.conf.unset", key) for key in old if key not in new and old[key] != _DEFAULTS.get(key)]
        return lines + [
            called("spark.conf.set", key, value)
            for key, value in new.items()
            if old.get(key, _DEFAULTS.get(key)) != value
        ]

    # Reads ------------------------------------------------------------------------------------------------------------

    def read(self, version: str) -> str:
        of = f'.option("versionAsOf", {version})' if version else ""
        return f'spark.read.format("delta"){of}.load(ROOT)'

    def changes(self, first: str, last: str) -> str:
        return f"changes(spark, {first}, {last})"

    def column(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def count(self, path: str) -> str:
        return f"spark.read.parquet({path}).count()"

    def columns(self, path: str) -> str:
        return f"spark.read.parquet({path}).columns"

    def removes_in(self, path: str) -> str:
        return f"removes_in(spark.read.parquet({path}))"

    def row_ids(self) -> str:
        own = any(column.name == "_metadata" for column in self._case.table.columns)
        return "row_ids(spark, hidden=True)" if own else "row_ids(spark)"


@cache
def _java(name: str) -> str:
    return Path(__file__).with_name(f"{name}.java").read_text(encoding="utf-8")


def _tables(case: ScriptedCase) -> dict[int, Table]:
    """The table before each step that the engine runs."""
    table, tables = case.table, dict[int, Table]()
    for run in case.runs:
        tables[run.index] = table
        if isinstance(run.step, OtherCommand) and not run.failed:
            command, restored = run.step.command, None
            if isinstance(command, Restore):  # other steps than those of the engine leave the definition as it is
                restored = next(tables[index] for index in sorted(tables) if index >= command.before_step)
            table = table_after(command, table, restored=restored)
    return tables


def _partition(table: Table) -> str:
    """The directory of a live file's partition, by its first column, in SQL; a missing one if there is none.

    Of several the first by its text, as in ``model.prediction.refusals.named_partition``.
    """
    live = [file for file in table.files if file.id in live_ids(table)]
    first = table.partition_columns[:1]
    texts = [partition_string(file.partition[0], first[0].type) for file in live if first]
    values = sorted(text for text in texts if text is not None)
    return f"{escape(first[0].name)}={escape(values[0])}" if values else UNKNOWN_PARTITION
