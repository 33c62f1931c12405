"""Sail in a reproduction script: its server, and Spark's client for it. Time passes as in one of delta-rs: the table is made
older.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engines.deltalake.script import DeltalakeScript
from engines.dialect import ScriptCommand, ScriptRun
from engines.named_paths import WORKING_DIRECTORY, script_path, spelling_of
from engines.quoting import called
from engines.script_library import library
from engines.targets import table_text
from model.text.invalid_sql import invalid_delete_sql
from model.text.sql import delete_sql
from model.vocabulary.readings import Reading
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Delete, DeleteMistake, InvalidDelete


class SailScript(DeltalakeScript):
    library = DeltalakeScript.library | library(Path(__file__).with_name("script_functions.py"))
    errors = "Exception"

    def start(self) -> Sequence[str]:
        relative = any(spelling_of(run.step) is Spelling.RELATIVE for run in self._case.runs)
        directory = (called("os.chdir", WORKING_DIRECTORY),) if relative else ()  # in which the server stays
        return (*directory, "server, session = started()")

    def command(self, run: ScriptRun) -> ScriptCommand:
        step = run.step
        assert isinstance(step, (Delete, InvalidDelete)), "the capabilities have no other command"
        named = script_path(self._root, spelling_of(step))
        setup = named.setup
        if isinstance(step, Delete):
            sql = delete_sql(step, table_text(named.path))
            setup += (
                () if step.zone == "UTC" else (called("session.conf.set", "spark.sql.session.timeZone", step.zone),)
            )
        else:
            beside = step.mistake in (DeleteMistake.NOT_A_TABLE, DeleteMistake.MISSING_PATH)
            target = f"{self._root}-target" if beside else self._root
            setup += (
                (called("os.makedirs", target, root=self._root),) if step.mistake is DeleteMistake.NOT_A_TABLE else ()
            )
            sql = invalid_delete_sql(step.mistake, table_text(target))
        text = f"{called('session.sql', sql, root=self._root)}.collect()"
        return ScriptCommand(text, text, setup, named.cleanup)

    def read(self, version: str) -> str:
        return f"read(session{version and f', {version}'})"

    def asked(self, reading: Reading, sought: Mapping[str, str | int | None]) -> None:
        return None
