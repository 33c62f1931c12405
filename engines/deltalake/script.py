"""delta-rs in a reproduction script: the package deltalake, and pyarrow.

It uses the system clock, so the table is made older instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from engines.deltalake.operations import DeleteCall, Target, VacuumCall, call_of
from engines.deltalake.script_commands import insert, other_command
from engines.dialect import COLUMNS, Code, Command, Run, ScriptedCase, call, code, quoted
from engines.named_paths import script_path, spelling_of
from model.vocabulary.rules import DELTA_RS_COUNTS
from model.vocabulary.steps import Delete, Insert, OpenSession, OtherCommand, Vacuum

_MAKE_OLDER = '''
def make_older(ms):
    """Lets time pass: moves every timestamp in the log, and every modification time, this many ms into the past."""
    global T
    T -= ms
    instants = "modificationTime|deletionTimestamp|timestamp|inCommitTimestamp|createdTime|lastUpdated"
    instant = re.compile(rf'("(?:{instants})":\\s*)(\\d+)')
    for path in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + "*"):
        if path.suffix == ".json":
            text = instant.sub(lambda found: found[1] + str(int(found[2]) - ms), path.read_text("utf-8"))
            path.write_bytes(text.encode())
CHECKPOINTS    for folder, directories, files in os.walk(os.path.dirname(ROOT)):
        for path in (os.path.join(folder, name) for name in directories + files):
            time_ns = os.lstat(path).st_mtime_ns - ms * 10**6
            os.utime(path, ns=(time_ns, time_ns), follow_symlinks=False)
'''

#: For a log with checkpoints. The sizes and the checksum in _last_checkpoint are wrong afterwards.
_CHECKPOINTS = """        elif path.suffix == ".parquet":
            table = pq.read_table(path)
            actions = table.to_pylist()
            for fields in [fields for action in actions for fields in action.values() if isinstance(fields, dict)]:
                fields.update({key: fields[key] - ms for key in instants.split("|") if fields.get(key) is not None})
            pq.write_table(pa.Table.from_pylist(actions, table.schema), path)
"""

_ROWS = '''
def rows(batches, *others):
    """The rows of a query, in the order of the table's columns."""
    table = pa.table(batches.read_all() if hasattr(batches, "read_all") else batches)
    return zip(*(map(fields, table.column(name).to_pylist()) for name in [*COLUMNS, *others]))


def fields(value):
    """A value in which each struct is the tuple of its fields."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(fields, value))
    return tuple(map(fields, value.values())) if isinstance(value, dict) else value
'''

_READ = """
def read(version=None):
    query = QueryBuilder().register("t", DeltaTable(ROOT, version=version))
    return rows(query.execute("SELECT * FROM t"))
"""

_REMOVES_IN = '''
def removes_in(path):
    """The paths of the removes in a checkpoint file."""
    table = pq.read_table(path)
    removes = table.column("remove").to_pylist() if "remove" in table.column_names else []
    return [remove["path"] for remove in removes if remove and remove["path"] is not None]
'''

#: Defaults of ``DeltaTable.vacuum``, which a script leaves out.
_DEFAULTS = {"retention_hours": None, "enforce_retention_duration": True}


def _encoded(path: str) -> str:
    """deltalake decodes a path after file:."""
    return quote(path, safe="/:") if path.startswith("file:") else path


#: The imports by the name that code uses.
_IMPORTS: Mapping[str, str] = {
    "pa": "import pyarrow as pa",
    "pq": "import pyarrow.parquet as pq",
    "DeltaTable": "from deltalake import DeltaTable",
    "Field": "from deltalake import Field",
    "QueryBuilder": "from deltalake import QueryBuilder",
    "write_deltalake": "from deltalake import write_deltalake",
}


class DeltalakeScript:
    imports = _IMPORTS
    errors = "BaseException"  # a panic of Rust is not an Exception
    local_times = False

    def __init__(self, case: ScriptedCase, *, pip: str) -> None:
        self.pip = pip
        self._case = case
        self._root = case.root
        self._instant = Code()
        older = code(_MAKE_OLDER.replace("CHECKPOINTS", ""), "Path os re")
        if case.checkpoints:
            older = code(_MAKE_OLDER.replace("CHECKPOINTS", _CHECKPOINTS), "Path os re pa pq")
        self.functions: Mapping[str, Code] = {
            "make_older": older,
            "rows": code(_ROWS, f"{COLUMNS} pa"),
            "read": code(_READ, "DeltaTable QueryBuilder rows"),
            "removes_in": code(_REMOVES_IN, "pq"),
        }

    def start(self) -> Code:
        """The processors that were drawn for the case: DataFusion plans a query for as many as the thread may use."""
        if self._case.processors is None:
            return Code()
        first = f"sorted(os.sched_getaffinity(0))[:{self._case.processors}]"
        return code(f'if hasattr(os, "sched_setaffinity"):\n    os.sched_setaffinity(0, {first})', "os")

    def now(self) -> str:
        """T is chosen so that the clock of the first command is the current time."""
        offset = self._case.runs[0].clock.offset
        ago = f" {'-' if offset > 0 else '+'} {abs(offset)}" if offset else ""
        return f"int(time.time() * 1000){ago}"

    def clock(self, instant: Code, *, first: bool) -> Code:
        same, self._instant = first or instant == self._instant, instant
        if same:
            return Code()
        return Code(f"make_older({instant.text} - int(time.time() * 1000))", instant.uses | {"make_older", "time"})

    def command(self, run: Run) -> Command:
        step = run.step
        if isinstance(step, Insert):
            return insert(run.rows_file)
        if isinstance(step, OpenSession):
            return Command("opened.version()", setup=("opened = DeltaTable(ROOT)",), uses=frozenset({"DeltaTable"}))
        if isinstance(step, OtherCommand):
            return other_command(step.command, run.rows_file, self._case)
        wanted = call_of(step)
        named = script_path(self._root, spelling_of(step))
        setup, path = named.setup, self._path(named.path)
        if wanted.target is Target.MISSING:
            path = 'f"{ROOT}-missing"'
        elif wanted.target is Target.DIRECTORY:
            setup = (
                'folders = [entry.path for entry in os.scandir(ROOT) if entry.is_dir() and entry.name != "_delta_log"]',
                "folder = min(folders, default=os.path.dirname(ROOT))",
            )
            path = "folder"
        table = "opened" if isinstance(step, (Delete, Vacuum)) and step.by_earlier else f"DeltaTable({path})"
        if isinstance(wanted, DeleteCall):
            text = call(f"{table}.delete", "" if wanted.where is None else quoted(wanted.where, self._root))
            counts = ", ".join(map(repr, DELTA_RS_COUNTS))
            rows = f"[[counts.get(name) for name in ({counts})] for counts in [{text}]]"
        else:
            arguments = wanted.arguments.items()
            written = ", ".join(f"{key}={value!r}" for key, value in arguments if value != _DEFAULTS.get(key, ...))
            kept = ", ".join(f"max(0, version() - {before})" for before in wanted.keep)
            text = f"{table}.vacuum({written}, keep_versions=[{kept}])" if kept else f"{table}.vacuum({written})"
            rows = f"[[os.path.join(ROOT, file)] for file in {text}]"
        uses = {"version"} if isinstance(wanted, VacuumCall) and wanted.keep else set()
        uses |= set() if table == "opened" else {"DeltaTable"}
        return Command(text, rows, setup, named.cleanup, frozenset(uses))

    def _path(self, path: str) -> str:
        return "ROOT" if path == self._root else quoted(_encoded(path), self._root)

    def rows(self, read: Code) -> Code:
        return read

    def read(self, version: str) -> Code:
        return code(f"read({version})", "read")

    def changes(self, first: str, last: str) -> Code:
        feed = f"DeltaTable(ROOT).load_cdf(starting_version={first}, ending_version={last})"
        return code(f'rows({feed}, "_change_type")', "DeltaTable rows")

    def column(self, name: str) -> str:
        return name

    def count(self, path: str) -> Code:
        return code(f"pq.ParquetFile({path}).metadata.num_rows", "pq")

    def columns(self, path: str) -> Code:
        return code(f"pq.read_schema({path}).names", "pq")

    def removes_in(self, path: str) -> Code:
        return code(f"removes_in({path})", "removes_in")

    def row_ids(self) -> None:
        return None
