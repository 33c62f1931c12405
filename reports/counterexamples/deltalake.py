"""delta-rs in a script: the package deltalake, and pyarrow. It uses the system clock, so the table is made older instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from model.vocabulary.rules import DELTA_RS_COUNTS
from reports.counterexamples.dialect import Command, Op, Plan, call, quoted
from reports.counterexamples.spellings import named_path

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
    for folder, directories, files in os.walk(os.path.dirname(ROOT)):
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


class Deltalake:
    errors = "BaseException"  # a panic of Rust is not an Exception
    imports: Sequence[str] = (
        "import pyarrow as pa",
        "import pyarrow.parquet as pq",
        "from deltalake import DeltaTable",
        "from deltalake import QueryBuilder",
    )

    def __init__(self, plan: Plan) -> None:
        self._root = str(plan["root"])
        if any(op["do"] == "insert" for op in plan["steps"]):
            self.imports = ("import base64", "import io", *self.imports, "from deltalake import write_deltalake")
        offsets = [op["clock"]["offset"] for op in plan["steps"] if "clock" in op]
        self._offset = offsets[0]
        self._instant = ""
        self._processors: int | None = plan.get("processors")
        older = _MAKE_OLDER
        if any(file["path"].startswith("_delta_log/") and "content" in file for file in plan["table"]):
            start = older.index("    for folder")
            older = older[:start] + _CHECKPOINTS + older[start:]
        self.functions: Mapping[str, str] = {
            "make_older": older,
            "rows": _ROWS,
            "read": _READ,
            "removes_in": _REMOVES_IN,
        }

    def start(self) -> Sequence[str]:
        """The processors that were drawn for the case: DataFusion plans a query for as many as the thread may use."""
        if self._processors is None:
            return ()
        return (
            'if hasattr(os, "sched_setaffinity"):',
            f"    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:{self._processors}])",
        )

    def now(self) -> str:
        """T is chosen so that the clock of the first command is the current time."""
        ago = f" {'-' if self._offset > 0 else '+'} {abs(self._offset)}" if self._offset else ""
        return f"int(time.time() * 1000){ago}"

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        same, self._instant = first or instant == self._instant, instant
        return () if same else (f"make_older({instant} - int(time.time() * 1000))",)

    def command(self, op: Op) -> Command:
        setup: list[str] = []
        if op["do"] == "insert":
            setup = [f"rows_file = io.BytesIO(base64.b64decode({op['content']!r}))"]
            return Command('write_deltalake(ROOT, pq.read_table(rows_file), mode="append")', "", tuple(setup))
        named = named_path(op, self._root)
        setup += named.setup
        path = "ROOT" if named.path == self._root else quoted(_encoded(named.path), self._root)
        if op.get("at") == "missing":
            path = 'f"{ROOT}-missing"'
        elif op.get("at") is not None:
            setup = [
                'folders = [entry.path for entry in os.scandir(ROOT) if entry.is_dir() and entry.name != "_delta_log"]',
                "folder = min(folders, default=os.path.dirname(ROOT))",
            ]
            path = "folder"
        if op["do"].endswith("delete"):
            where = "" if op.get("where") is None else quoted(op["where"], self._root)
            text = call(f"DeltaTable({path}).delete", where)
            counts = ", ".join(map(repr, DELTA_RS_COUNTS))
            return Command(
                text, f"[[counts.get(name) for name in ({counts})] for counts in [{text}]]", tuple(setup), named.cleanup
            )
        arguments = op["arguments"].items()
        written = ", ".join(f"{key}={value!r}" for key, value in arguments if value != _DEFAULTS.get(key, ...))
        text = f"DeltaTable({path}).vacuum({written})"
        return Command(text, f"[[os.path.join(ROOT, file)] for file in {text}]", tuple(setup), named.cleanup)

    def rows(self, text: str) -> str:
        return text

    def read(self, version: str) -> str:
        return f"read({version})"

    def changes(self, first: str, last: str) -> str:
        feed = f"DeltaTable(ROOT).load_cdf(starting_version={first}, ending_version={last})"
        return f'rows({feed}, "_change_type")'

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
