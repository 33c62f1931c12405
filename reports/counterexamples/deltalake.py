"""delta-rs in a script: the package deltalake, and pyarrow. Its clock is the machine's, so the table is made older instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.counterexamples.dialect import Command, Op, Plan, call, quoted

_GROW_OLDER = '''
def grow_older(ms):
    """Lets time pass: every instant in the log, and every modification time, is so much earlier."""
    global T
    T -= ms
    instants = "modificationTime|deletionTimestamp|timestamp|inCommitTimestamp|createdTime|lastUpdated"
    instant = re.compile(rf'("(?:{instants})":\\s*)(\\d+)')
    for one in sorted(os.listdir(f"{ROOT}/_delta_log")):
        place = f"{ROOT}/_delta_log/{one}"
        if one[:20].isdigit() and one.endswith(".json"):
            with open(place, encoding="utf-8") as file:
                text = file.read()
            with open(place, "w", encoding="utf-8", newline="\\n") as file:
                file.write(instant.sub(lambda found: found[1] + str(int(found[2]) - ms), text))
    for folder, directories, files in os.walk(os.path.dirname(ROOT)):
        for place in (os.path.join(folder, one) for one in directories + files):
            time_ns = os.lstat(place).st_mtime_ns - ms * 10**6
            os.utime(place, ns=(time_ns, time_ns), follow_symlinks=False)
'''

#: In the middle of it, where the log has checkpoints. Their sizes, and the pointer's checksum, are untrue then.
_CHECKPOINTS = """        elif one[:20].isdigit() and one.endswith(".parquet"):
            table = pq.read_table(place)
            actions = table.to_pylist()
            for fields in [fields for action in actions for fields in action.values() if isinstance(fields, dict)]:
                fields.update({key: fields[key] - ms for key in instants.split("|") if fields.get(key) is not None})
            pq.write_table(pa.Table.from_pylist(actions, table.schema), place)
"""

_ROWS = '''
def rows(batches, *others):
    """The rows of a query, in the order of the table's columns."""
    table = pa.table(batches.read_all() if hasattr(batches, "read_all") else batches)
    return zip(*(table.column(one).to_pylist() for one in [*COLUMNS, *others]))
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
    return [one["path"] for one in removes if one and one["path"] is not None]
'''

#: What ``DeltaTable.vacuum`` does by default, and what need not be written.
_USUAL = {"retention_hours": None, "enforce_retention_duration": True}


class Deltalake:
    errors = "BaseException"  # a panic is no Exception
    imports: Sequence[str] = (
        "import pyarrow as pa",
        "import pyarrow.parquet as pq",
        "from deltalake import DeltaTable",
        "from deltalake import QueryBuilder",
    )

    def __init__(self, plan: Plan) -> None:
        self._root = str(plan["root"])
        offsets = [op["clock"]["offset"] for op in plan["steps"] if "clock" in op]
        self._offset = offsets[0]
        self._instant = ""
        grow = _GROW_OLDER
        if any(one["path"].startswith("_delta_log/") and "content" in one for one in plan["table"]):
            start = grow.index("    for folder")
            grow = grow[:start] + _CHECKPOINTS + grow[start:]
        self.functions: Mapping[str, str] = {
            "grow_older": grow,
            "rows": _ROWS,
            "read": _READ,
            "removes_in": _REMOVES_IN,
        }

    def start(self) -> Sequence[str]:
        return ()

    def now(self) -> str:
        """T, such that the first command's instant is now."""
        ago = f" {'-' if self._offset > 0 else '+'} {abs(self._offset)}" if self._offset else ""
        return f"int(time.time() * 1000){ago}"

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        same, self._instant = first or instant == self._instant, instant
        return () if same else (f"grow_older({instant} - int(time.time() * 1000))",)

    def command(self, op: Op) -> Command:
        setup: list[str] = []
        place = "ROOT"
        if op.get("at") == "missing":
            place = 'f"{ROOT}-missing"'
        elif op.get("at") is not None:
            setup = [
                'folders = [one.path for one in os.scandir(ROOT) if one.is_dir() and one.name != "_delta_log"]',
                "folder = min(folders, default=os.path.dirname(ROOT))",
            ]
            place = "folder"
        if op["do"].endswith("delete"):
            where = "" if op.get("where") is None else quoted(op["where"], self._root)
            return Command(f"[{call(f'DeltaTable({place}).delete', where)}.items()]", setup=tuple(setup))
        arguments = op["arguments"].items()
        written = ", ".join(f"{key}={value!r}" for key, value in arguments if value != _USUAL.get(key, ...))
        listed = f'[[f"{{ROOT}}/{{path}}"] for path in DeltaTable({place}).vacuum({written})]'
        return Command(listed, setup=tuple(setup))

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
