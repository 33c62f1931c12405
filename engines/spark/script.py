"""Delta Lake on Spark in a reproduction script: PySpark, and Delta's own classes for the clock."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from engines.dialect import ScriptCommand, ScriptedCase, ScriptRun
from engines.named_paths import WORKING_DIRECTORY, script_path, spelling_of
from engines.quoting import Code, called, quoted
from engines.script_library import library
from engines.spark.commands.calls import INSTANT, SPARK, Do, Faulty, Let, Name, Needed, NoTable, Place, written
from engines.spark.commands.statements import SESSION, SPARK_4
from engines.spark.commands.translation import calls_of, reading, settings_of
from engines.spark.versions import DELTA_NEEDS, GROUP, artifact_for, usual_pyspark
from model.prediction.history import live_ids
from model.semantics.definitions import table_after
from model.text.invalid_sql import UNKNOWN_PARTITION
from model.text.layout import escape, partition_string
from model.vocabulary.commands import Restore
from model.vocabulary.readings import Reading
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Delete, EngineStep, OpenSession, OtherCommand, Vacuum
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
        if pyspark != usual_pyspark(delta):
            self.pip = f"pyspark=={pyspark} {DELTA_NEEDS} && pip install --no-deps delta-spark=={delta}"
        self._case = case
        self._tables = _tables(case)
        self._root = case.root
        self._conf: dict[str, dict[str, str]] = {}  # by session
        self._managed = False
        self._instant = ""  # of the clock
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
        self._instant = instant
        return (f"clock(spark, {instant})",)

    def rows(self, read: str) -> str:
        return f"{read}.collect()"

    # Commands ---------------------------------------------------------------------------------------------------------

    def command(self, run: ScriptRun) -> ScriptCommand:
        step, table = run.step, self._tables[run.index]
        named = script_path(self._root, spelling_of(step))
        place = Place(
            self._root,
            named.path,
            *(_NAME, _MANAGED_NAME),
            inventory=posixpath.dirname(self._root) + "-inventory",
            columns=lambda: [(column.name, column.type) for column in table.columns],
            partition=lambda: _partition(table),
            partition_by=lambda: table.partition_by,
            version=_VERSION,
        )
        if isinstance(step, OpenSession):
            self._conf.pop("earlier", None)
        calls = calls_of(step, place)
        setup = [*self._settings(step), *named.setup]
        if spelling_of(step) is Spelling.LINK:  # Delta knows a table behind a link by the link's path, its clock too
            setup.append(self._written(Name("clock")(SPARK, INSTANT, named.path)))
        for one in calls.needed:
            setup += self._lines(one)
        if calls.cached is not None:
            setup.append(self._written(calls.cached.cache().count()))
        faulty = any(isinstance(one, Faulty) for one in calls.needed)
        healthy = ('spark.conf.set("tombstone.fault", "")',) if faulty else ()
        text = self._written(calls.command)
        if isinstance(step, OtherCommand) and isinstance(step.command, Restore):
            version = self._case.version_before(step.command.before_step)
            text = text.replace(quoted(_VERSION), version).replace(_VERSION, f"{{{version}}}")
        rows = self._written(calls.command.collect()) if calls.returns_rows else ""
        return ScriptCommand(text, rows, tuple(setup), (*healthy, *named.cleanup))

    def _written(self, value: object) -> str:
        return written(value, {INSTANT.word: self._instant}, self._root)

    def _lines(self, one: Needed) -> Sequence[str]:
        """What a command needs. The paths beside the script's table, and the names in its catalog, are free."""
        if isinstance(one, Let):
            return (f"{one.name.word} = {self._written(one.value)}",)
        if isinstance(one, Do):
            return (self._written(one.call),)
        if isinstance(one, Faulty):
            return (self._written(Name("failing_files")(SPARK, one.fault.value, one.path)),)
        if isinstance(one, NoTable):
            path = f"{self._root}-target"
            return (called("os.makedirs", path, root=self._root),) if one.exists else ()
        if not one.managed:
            statement = f"CREATE TABLE IF NOT EXISTS {one.name} USING delta LOCATION '{self._root}'"
            return (self._written(SPARK.sql(statement)),)
        exists, self._managed = self._managed, True
        return () if exists else ("make_managed(spark)",)

    def _settings(self, step: EngineStep) -> Sequence[str]:
        """The lines that change the settings of the session's previous step, or the defaults, into those of this one."""
        session = "earlier" if isinstance(step, (Delete, Vacuum)) and step.by_earlier else "spark"
        new = {key: value for key, value in settings_of(step).items() if value is not None}
        old, self._conf[session] = self._conf.get(session, {}), new
        unset = [key for key in old if key not in new and old[key] != _DEFAULTS.get(key)]
        changed = [(key, value) for key, value in new.items() if old.get(key, _DEFAULTS.get(key)) != value]
        return [
            *(called(f"{session}.conf.unset", key) for key in unset),
            *(called(f"{session}.conf.set", *item) for item in changed),
        ]

    # Reads ------------------------------------------------------------------------------------------------------------

    def read(self, version: str) -> str:
        return self._written(reading(self._root, Code(version) if version else None))

    def asked(self, reading: Reading, sought: Mapping[str, str | int | None]) -> str | None:
        return self.rows(f'{self.read("")}.selectExpr("count(*)")') if reading is Reading.COUNT else None

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
