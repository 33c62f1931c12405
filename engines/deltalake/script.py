"""delta-rs in a reproduction script: the package deltalake, and pyarrow.

It uses the system clock, so the table is made older instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from engines.deltalake.operations import DeleteCall, Target, VacuumCall, call_of
from engines.deltalake.script_commands import insert, other_command
from engines.dialect import ScriptCommand, ScriptedCase, ScriptRun
from engines.named_paths import script_path, spelling_of
from engines.quoting import Code, called, quoted
from engines.script_library import library
from model.vocabulary.readings import Reading
from model.vocabulary.steps import Delete, Insert, OpenSession, OtherCommand, Vacuum

_LIBRARY = library(Path(__file__).with_name("script_functions.py"))

#: The readings of the worker, as rows; without those of which a script compares no rows.
_ASKED = {
    Reading.ROWS: "rows(DeltaTable(ROOT).to_pyarrow_table())",
    Reading.COUNT: 'numbers("SELECT count(*) FROM t")',
    Reading.COUNTED: "[[DeltaTable(ROOT).count()]]",
}

#: Defaults of ``DeltaTable.vacuum``, which a script leaves out.
_DEFAULTS = {"retention_hours": None, "enforce_retention_duration": True}


def _encoded(path: str) -> str:
    """deltalake decodes a path after file:."""
    return quote(path, safe="/:") if path.startswith("file:") else path


def _opened(path: str, call: DeleteCall | VacuumCall) -> str:
    return f"DeltaTable({path}{', ' + _parameters(call.of_table) if call.of_table else ''})"


def _parameters(given: Mapping[str, str]) -> str:
    return f"**parameters({', '.join(f'{name}={quoted(value)}' for name, value in given.items())})"


class DeltalakeScript:
    library = _LIBRARY
    constants: Mapping[str, str] = {}
    errors = "BaseException"  # a panic of Rust is not an Exception
    local_times = False
    own_clock = False

    def __init__(self, case: ScriptedCase, *, pip: str) -> None:
        self.pip = pip
        self._case = case
        self._root = case.root
        self._instant = ""

    def start(self) -> Sequence[str]:
        """The processors that were drawn for the case."""
        return () if self._case.processors is None else (called("use_processors", self._case.processors),)

    def now(self) -> str:
        """T is chosen so that the clock of the first command is the current time."""
        offset = self._case.runs[0].clock.offset
        ago = f" {'-' if offset > 0 else '+'} {abs(offset)}" if offset else ""
        return f"int(time.time() * 1000){ago}"

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        same, self._instant = first or instant == self._instant, instant
        if same:
            return ()
        passed = f"{instant} - int(time.time() * 1000)"
        if not self._case.checkpoints:
            return (f"make_older({passed})",)
        return (f"passed = {passed}", "make_checkpoints_older(passed)", "make_older(passed)")

    def command(self, run: ScriptRun) -> ScriptCommand:
        step = run.step
        if isinstance(step, Insert):
            return insert(run.rows_file)
        if isinstance(step, OpenSession):
            return ScriptCommand("opened.version()", setup=("opened = DeltaTable(ROOT)",))
        if isinstance(step, OtherCommand):
            return other_command(step.command, run.rows_file, self._case)
        wanted = call_of(step)
        named = script_path(self._root, spelling_of(step))
        path = self._path(named.path)
        if wanted.target is Target.MISSING:
            path = 'f"{ROOT}-missing"'
        elif wanted.target is Target.DIRECTORY:
            path = "no_table()"
        table = "opened" if isinstance(step, (Delete, Vacuum)) and step.by_earlier else _opened(path, wanted)
        if isinstance(wanted, DeleteCall):
            where = () if wanted.where is None else (wanted.where,)
            more = f"{', ' if where else ''}{_parameters(wanted.given)}" if wanted.given else ""
            text = f"{called(f'{table}.delete', *where, root=self._root)[:-1]}{more})"
            return ScriptCommand(text, called("counts", Code(text)), named.setup, named.cleanup)
        arguments = {name: value for name, value in wanted.arguments.items() if name not in wanted.given}.items()
        written = [f"{key}={quoted(value)}" for key, value in arguments if value != _DEFAULTS.get(key, ...)]
        if wanted.keep:
            kept = ", ".join(f"max(0, version() - {before})" if before else "version()" for before in wanted.keep)
            written.append(f"keep_versions=[{kept}]")
        written += [_parameters(wanted.given)] if wanted.given else []
        text = f"{table}.vacuum({', '.join(written)})"
        return ScriptCommand(text, called("in_table", Code(text)), named.setup, named.cleanup)

    def _path(self, path: str) -> str:
        return "ROOT" if path == self._root else quoted(_encoded(path), self._root)

    def rows(self, read: str) -> str:
        return read

    def read(self, version: str) -> str:
        return f"read({version})"

    def asked(self, reading: Reading, sought: Mapping[str, str | int | None]) -> str | None:
        if reading is Reading.FILTERED:
            return called("filtered", dict(sought))
        return _ASKED.get(reading)

    def changes(self, first: str, last: str) -> str:
        return f'rows(DeltaTable(ROOT).load_cdf(starting_version={first}, ending_version={last}), "_change_type")'

    def column(self, name: str) -> str:
        return name

    def count(self, path: str) -> str:
        return f"pq.ParquetFile({path}).metadata.num_rows"

    def columns(self, path: str) -> str:
        return f"pq.read_schema({path}).names"

    def removes_in(self, path: str) -> str:
        return f"removes_in({path})"

    def row_ids(self) -> None:
        return None
