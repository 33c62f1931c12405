"""Delta Lake on Spark in a reproduction script: PySpark, and Delta's own classes for the clock."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engines.dialect import Code, Command, Run, ScriptedCase, call, code, literal, quoted
from engines.named_paths import WORKING_DIRECTORY, ScriptPath, script_path, spelling_of
from engines.spark.command_sql import VACUUM_OF_CLONE, command_sql, plain_names, rows_sql
from engines.spark.script_functions import functions_of
from engines.spark.statements import (
    INVENTORY_COLUMNS,
    INVENTORY_VIEW,
    SESSION,
    SPARK_4,
    VIEW,
    settings_of_vacuum,
    view_of,
    view_statement,
)
from engines.spark.versions import GROUP, artifact_for
from engines.spark.wrappers import called_by, lines
from engines.targets import table_text
from model.prediction.history import live_ids
from model.semantics.definitions import table_after
from model.text.invalid_sql import UNKNOWN_PARTITION, invalid_delete_sql, invalid_vacuum_sql
from model.text.layout import clone_of, escape, partition_string
from model.text.session_conf import spark_conf
from model.text.sql import delete_sql, insert_sql, sql, vacuum_sql
from model.vocabulary.commands import (
    Checkpoint,
    CleanUpLog,
    CompactLog,
    Overwrite,
    Restore,
    ShallowClone,
    StreamAppend,
    VacuumClone,
)
from model.vocabulary.commands import Command as CommandOfStep
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

#: The table as a managed one.
_MANAGED = (
    'os.rename(ROOT, f"{ROOT}.aside")  # Spark creates a managed table only in an empty directory',
    "spark.sql(f\"CREATE DATABASE d LOCATION '{os.path.dirname(ROOT)}'\")",
    'spark.sql("CREATE TABLE d.`table` (x INT) USING delta")',
    "shutil.rmtree(ROOT)",
    'os.rename(f"{ROOT}.aside", ROOT)',
)

#: The same table under a name, as an external one; and the names.
_EXTERNAL = ("spark.sql(f\"CREATE TABLE IF NOT EXISTS t USING delta LOCATION '{ROOT}'\")",)
_NAME, _MANAGED_NAME = "t", "d.`table`"

#: Stands for the version that a RESTORE restores, which a variable of the script has.
_VERSION = "@version"

#: The imports by the name that code uses.
_IMPORTS: Mapping[str, str] = {
    "DeltaTable": "from delta.tables import DeltaTable",
    "SparkSession": "from pyspark.sql import SparkSession",
    "arrow_udf": "from pyspark.sql.functions import arrow_udf",
    "expr": "from pyspark.sql.functions import expr",
}


class SparkScript:
    """One for each script: it keeps track of the session's settings and of the tables in the catalog."""

    imports = _IMPORTS
    errors = "Exception"
    local_times = True

    def __init__(self, case: ScriptedCase, *, delta: str, pyspark: str) -> None:
        self.pip = f"pyspark=={pyspark} delta-spark=={delta}"
        self._case = case
        self._table = case.table  # as it is before the command
        self._tables = _tables(case)
        self._root = case.root
        self._inventory = posixpath.dirname(case.root) + "-inventory"
        self._conf: dict[str, str] = {}
        self._managed = False
        self._instant = ""  # of the clock
        steps = [run.step for run in case.runs]
        self._relative = any(spelling_of(step) is Spelling.RELATIVE for step in steps)
        faults = [step.io_fault for step in steps if isinstance(step, Vacuum) and step.io_fault is not None]
        self.functions = functions_of(case.table, faults)
        self._settings_of_session = {
            "spark.jars.packages": f"{GROUP}:{artifact_for(delta=delta, pyspark=pyspark)}:{delta}",
            **SESSION,
            **(SPARK_4 if pyspark.startswith("3.") else {}),
        }

    def start(self) -> Code:
        first, *others = (
            f".config({literal(key)}, {literal(value)})" for key, value in self._settings_of_session.items()
        )
        lines = [
            "spark = (",
            f"    SparkSession.builder{first}",
            *(f"    {config}" for config in others),
            "    .getOrCreate()",
            ")",
        ]
        if not self._relative:
            return code("\n".join(lines), "SparkSession")
        # Its JVM keeps the directory in which it was started.
        return code("\n".join([f"os.chdir({literal(WORKING_DIRECTORY)})", *lines]), "os SparkSession")

    def now(self) -> str:
        return "int(time.time() * 1000)"

    def clock(self, instant: Code, *, first: bool) -> Code:
        self._instant = instant.text
        return Code(f"clock(spark, {instant.text})", instant.uses | {"clock"})

    def rows(self, read: Code) -> Code:
        return Code(f"{read.text}.collect()", read.uses)

    # Commands ---------------------------------------------------------------------------------------------------------

    def command(self, run: Run) -> Command:
        command, wrappers = self._command(run), called_by(run.step)
        if not wrappers:
            return command
        session = "earlier" if isinstance(run.step, Delete) and run.step.by_earlier else "spark"
        uses = {"arrow_udf"} if Wrapper.ARROW in wrappers else set()
        return replace(command, setup=(*lines(wrappers, session), *command.setup), uses=command.uses | uses)

    def _command(self, run: Run) -> Command:
        step, self._table = run.step, self._tables[run.index]
        if isinstance(step, OtherCommand):
            return self._other(step.command)
        if isinstance(step, OpenSession):
            opened = "opened = DeltaTable.forPath(earlier, ROOT)"
            lines = ("earlier = spark.newSession()", opened, "opened_log = delta_log(spark)")
            return Command("opened.toDF().count()", setup=lines, uses=frozenset({"DeltaTable", "delta_log"}))
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

    def _other(self, command: CommandOfStep) -> Command:
        root, table = self._root, self._table
        columns = [(column.name, column.type) for column in table.columns]
        if isinstance(command, (ShallowClone, VacuumClone)):
            setup = [*self._settings(settings_of_vacuum(VACUUM_OF_CLONE)), *self._clock_of("clone", clone_of(root))]
        else:
            setup = self._settings({})
        if isinstance(command, StreamAppend):
            rows = call("spark.sql", quoted(rows_sql(command.rows, plain_names(columns)), root))
            setup.append(f"rows = {rows}")
            cleanup = ('shutil.rmtree(f"{ROOT}-stream")',)
            return Command("append_by_stream(spark, rows)", "", tuple(setup), cleanup, frozenset({"append_by_stream"}))
        if isinstance(command, Overwrite):
            setup.append(f"rows = {call('spark.sql', quoted(rows_sql(command.rows, columns), root))}")
            writer = 'rows.write.format("delta").mode("overwrite")'
            if command.where is not None:
                setup.append(f"replaced = {quoted(sql(command.where), root)}")
                writer += '.option("replaceWhere", replaced)'
            return Command(f"{writer}.save(ROOT)", setup=tuple(setup))
        if isinstance(command, Checkpoint):
            return Command("delta_log(spark).checkpoint()", "", tuple(setup), uses=frozenset({"delta_log"}))
        if isinstance(command, (CompactLog, CleanUpLog)):
            function = "compact_log" if isinstance(command, CompactLog) else "clean_up_log"
            return Command(f"{function}(spark)", "", tuple(setup), uses=frozenset({function}))
        *first, last = command_sql(command, root, columns, _VERSION)
        setup += [call("spark.sql", quoted(statement, root)) for statement in first]
        text = call("spark.sql", quoted(last, root))
        if isinstance(command, Restore):
            text = text.replace(_VERSION, f"{{{self._case.version_before(command.before_step)}}}")
        return Command(text, "", tuple(setup))

    def _sql(
        self, statement: str, setup: Sequence[str], cleanup: Sequence[str] = (), uses: Iterable[str] = ()
    ) -> Command:
        text = call("spark.sql", quoted(statement, self._root))
        return Command(text, f"{text}.collect()", tuple(setup), tuple(cleanup), frozenset(uses))

    def _by_earlier(self, step: Delete | Vacuum) -> Command:
        """A command of the session that has opened the table: what it opened has a clock of its own."""
        wanted = {"spark.sql.session.timeZone": step.zone} if isinstance(step, Delete) else settings_of_vacuum(step)
        setup = [f"opened_log.clock().setTime({self._instant})"]
        for key, value in wanted.items():
            change = "unset" if value is None else "set"
            setup.append(f"earlier.conf.{change}({', '.join(map(literal, (key,) if value is None else (key, value)))})")
        if isinstance(step, Vacuum):
            hours = "" if step.retain_hours is None else repr(step.retain_hours)
            return Command(f"opened.vacuum({hours})", "", tuple(setup))
        condition = "" if step.where is None else quoted(sql(step.where, step.zone, step.literals), self._root)
        return Command(call("opened.delete", condition), "", tuple(setup))

    def _delete(self, step: Delete) -> Command:
        named = script_path(self._root, step.spelling)
        by_path = step.form in DELETES_BY_PATH
        setup = self._settings({"spark.sql.session.timeZone": step.zone, **spark_conf(step.settings)})
        setup += self._link(step.spelling, named)
        name = {Form.SQL_MANAGED: _MANAGED_NAME, Form.VIEW: VIEW}.get(step.form, _NAME)
        if step.form is Form.VIEW:
            setup.append(call("spark.sql", quoted(view_statement(table_text(self._root)), self._root)))
        elif not by_path:
            setup += self._named(step.form is Form.SQL_MANAGED)
        if step.cached:
            load = f'spark.read.format("delta").load({self._argument(named.path)})'
            setup.append(f"{load if by_path else f'spark.table({literal(name)})'}.cache().count()")
        if step.form not in API_DELETE_FORMS:
            table = table_text(named.path) if by_path else name
            return self._sql(delete_sql(step, table), setup, named.cleanup)
        argument = "" if step.where is None else quoted(sql(step.where, step.zone, step.literals), self._root)
        uses = {"DeltaTable"}
        if step.form is Form.API_PATH_COLUMN and step.where is not None:
            argument = call("expr", argument)
            uses.add("expr")
        text = call(f"{self._delta_table(named.path if by_path else None)}.delete", argument)
        return Command(text, "", tuple(setup), named.cleanup, frozenset(uses))

    def _vacuum(self, step: Vacuum) -> Command:
        named = script_path(self._root, step.spelling)
        setup = self._settings({**spark_conf(step.settings), **settings_of_vacuum(step)})
        cleanup: tuple[str, ...] = ()
        uses = set()
        if step.mode.inventory:
            setup += self._listing(step)
            uses.add("inventory")
        if step.io_fault is not None:
            assert step.faulty_path is not None, "an I/O fault has a path"
            setup.append(f"failing_files(spark, {literal(step.io_fault.value)}, {literal(step.faulty_path)})")
            cleanup = ('spark.conf.set("tombstone.fault", "")',)
            uses.add("failing_files")
        setup += self._link(step.spelling, named)
        if step.form in (VacuumForm.SQL_NAME, VacuumForm.SQL_MANAGED, VacuumForm.API_NAME):
            setup += self._named(step.form is VacuumForm.SQL_MANAGED)
        cleanup += named.cleanup
        if step.form in API_VACUUM_FORMS:
            hours = "" if step.retain_hours is None else repr(step.retain_hours)
            table = self._delta_table(named.path if step.form is VacuumForm.API_PATH else None)
            return Command(f"{table}.vacuum({hours})", "", tuple(setup), cleanup, frozenset({"DeltaTable", *uses}))
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
        return self._sql(vacuum_sql(step, targets[step.form], inventories.get(step.mode)), setup, cleanup, uses)

    def _delta_table(self, path: str | None) -> str:
        """The table by its path; None: by its name."""
        if path is None:
            return f"DeltaTable.forName(spark, {literal(_NAME)})"
        return f"DeltaTable.forPath(spark, {self._argument(path)})"

    def _argument(self, path: str) -> str:
        return "ROOT" if path == self._root else quoted(path, self._root)

    def _named(self, managed: bool) -> Sequence[str]:
        """The lines that give the table its name."""
        if not managed:
            return _EXTERNAL
        exists, self._managed = self._managed, True
        return () if exists else _MANAGED

    def _listing(self, step: Vacuum) -> Sequence[str]:
        rows = "inventory(ROOT)"
        if step.inventory is Inventory.FILES:
            rows = "[row for row in inventory(ROOT) if not row[2]]"
        return (
            f'columns = "{", ".join(map(" ".join, INVENTORY_COLUMNS))}"',
            f"table = spark.createDataFrame({rows}, columns)",
            f"table.createOrReplaceTempView({literal(INVENTORY_VIEW)})"
            if step.mode is Mode.INVENTORY_QUERY
            else f'table.write.format("delta").mode("overwrite").save("{self._inventory}")',
        )

    def _link(self, spelling: Spelling, named: ScriptPath) -> Sequence[str]:
        """The link, with a clock of its own: Delta knows a table behind a link by the link's path."""
        if spelling is not Spelling.LINK:
            return ()
        return (*named.setup, *self._clock_of("link", named.path))

    def _clock_of(self, name: str, path: str) -> Sequence[str]:
        """The lines that set the clock of the table at a path other than ``ROOT``, with ``name`` as a variable."""
        hadoop_path = f"spark._jvm.org.apache.hadoop.fs.Path({quoted(path, self._root)})"
        clock = f"spark._jvm.org.apache.spark.util.ManualClock({self._instant})"
        delta = "spark._jvm.org.apache.spark.sql.delta.DeltaLog"
        return (
            f"delta = {delta}",
            f"{name} = {hadoop_path}",
            f"delta.invalidateCache(spark._jsparkSession, {name})",
            f"delta.forTable(spark._jsparkSession, {name}, {clock})",
        )

    def _target(self, mistake: DeleteMistake | VacuumMistake) -> tuple[list[str], str]:
        """The target of an invalid command, and the lines that make it. The paths beside the script's table are free."""
        setup, target = self._settings({}), f"{self._root}-target"
        if mistake in (DeleteMistake.PARTITION_DIRECTORY, VacuumMistake.PARTITION_DIRECTORY):
            return setup, table_text(f"{self._root}/{_partition(self._table)}")
        if mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE):
            return [*setup, f'os.makedirs("{target}")'], table_text(target)
        if mistake in (DeleteMistake.MISSING_PATH, VacuumMistake.MISSING_PATH):
            return setup, table_text(target)
        table = table_text(self._root)
        if (statement := view_of(mistake, table)) is not None:
            return [*setup, call("spark.sql", quoted(statement, self._root))], VIEW
        return setup, table

    def _settings(self, wanted: Mapping[str, str | None]) -> list[str]:
        """The lines that change the settings of the previous step, or the defaults, into these."""
        new = {key: value for key, value in wanted.items() if value is not None}
        old, self._conf = self._conf, new
        lines = [
            f"spark.conf.unset({literal(key)})" for key in old if key not in new and old[key] != _DEFAULTS.get(key)
        ]
        return lines + [
            f"spark.conf.set({literal(key)}, {literal(value)})"
            for key, value in new.items()
            if old.get(key, _DEFAULTS.get(key)) != value
        ]

    # Reads ------------------------------------------------------------------------------------------------------------

    def read(self, version: str) -> Code:
        of = f'.option("versionAsOf", {version})' if version else ""
        return code(f'spark.read.format("delta"){of}.load(ROOT)')

    def changes(self, first: str, last: str) -> Code:
        return code(f"changes(spark, {first}, {last})", "changes")

    def column(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def count(self, path: str) -> Code:
        return code(f"spark.read.parquet({path}).count()")

    def columns(self, path: str) -> Code:
        return code(f"spark.read.parquet({path}).columns")

    def removes_in(self, path: str) -> Code:
        return code(f"removes_in(spark.read.parquet({path}))", "removes_in")

    def row_ids(self) -> Code:
        return code("row_ids(spark)", "row_ids")


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
