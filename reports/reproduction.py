"""Reproduction scripts: one standalone ``reproduce.py`` for one violation, which needs only the engine's own packages.

A plan is plain JSON-able data (all instants in ms from the start):

- ``clause``, ``sentence``, ``case``: what is checked, on which case;
- ``engine``: ``spark`` or ``deltalake``; ``pip``: what to install; for Spark ``packages``: the Maven coordinates for
  ``spark.jars.packages``;
- ``files``: ``{"path", "content" (base64), "modified"}``; ``directories``: paths, relative to the table's root;
- ``commits``: ``{"version", "modified", "lines": [action], "checkpoint"}``, in order from version 0, and, where there is a
  checksum file beside the commit, ``"checksum"``: its object. Inside them ``{"$ms": n}`` is an instant, and
  ``{"$root": path}`` the absolute URI of a file of the table. With ``"parts"``, Delta divides the checkpoint into as many
  files (fewer, where it has fewer files to tell of);
- where they are not empty: ``links``: ``{"path", "target", "modified"}``, symbolic links, both paths relative to the root;
  ``pruned``: the log loses all below this version; ``broken_last_checkpoint``: ``_last_checkpoint`` is cut off in the middle.
  Paths of files, directories and links may lie beside the root, in a directory that the script makes: ``../name``;
- ``ops``: what is done, in order. Each has ``step``, its place in the case's program (its place in ``ops`` by default),
  and, where the engine runs it, ``clock`` and for Spark ``conf`` (settings for this step only):
  ``{"do": "delete" or "vacuum", "sql"}``, ``{"do": "delete", "form", "where"}`` with one of model's forms and the
  condition as SQL (``None``: none), ``{"do": "read", "before_step"}``, ``{"do": "changes", "of_step"}``,
  ``{"do": "bad delete", "sql", "setup": [sql], "directories": [path]}`` (both done before; a directory may lie beside
  the table: ``{table}-beside``), ``{"do": "bad vacuum"}`` likewise; and ``{"do": "append", "files", "lines", "modified"}``,
  ``{"do": "litter", "files", "directories", "links"}``. ``{table}`` becomes the table's path, ``{name}`` and ``{managed}``
  its name as an external and as a managed table. A VACUUM may say ``{"form", "hours"}`` in place of ``sql``, where it is
  no SQL; ``inventory``: one of model's kinds, which the SQL then has as ``delta.`{table}-inventory``` or as the view
  ``tombstone_inventory``; ``trouble``: ``{"kind", "path"}``, one of model's (``reports.spark.troubles``). A setting of ``None``
  in ``conf`` is not set at all. A clock is ``{"offset", "removed_by_step"}`` as in model's Moment. To deltalake, a command
  is said otherwise (``engines.deltalake.operations``): ``where`` is in DataFusion's SQL, ``arguments`` are those of
  ``DeltaTable.vacuum``, and ``at`` is what is asked in place of the table, ``missing`` or a ``directory`` of it;
- ``law``: ``{"name", "params"}``, one of ``reports.laws``; ``at_step``: the step that it judges. Where several ops have
  this step, the last one of them is judged.
"""

from __future__ import annotations

import ast
import inspect
import pprint
import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from reports import building, instants, laws, looking, plurals, script, values, vectors
from reports.deltalake import aging
from reports.deltalake import asking as deltalake_asking
from reports.deltalake import reading as deltalake_reading
from reports.deltalake import session as deltalake_session
from reports.spark import asking as spark_asking
from reports.spark import io_faults as spark_troubles
from reports.spark import reading as spark_reading
from reports.spark import session as spark_session

_KEYS = ("clause", "sentence", "case", "engine", "pip", "directories", "files", "commits", "ops", "law", "at_step")
_OPTIONAL = ("packages", "links", "pruned", "broken_last_checkpoint")
#: The part of each engine. All have the same names for what the other modules ask of them.
_PARTS = {
    "spark": (spark_session, spark_reading, spark_asking, spark_troubles),
    "deltalake": (aging, deltalake_session, deltalake_reading, deltalake_asking),
}
_ENGINE_OPS = ("delete", "bad delete", "vacuum", "bad vacuum", "read", "changes")
_LINE = 100  # characters of base64 on one line


class InvalidPlan(Exception):
    """A plan that no script can be made of. The text is one sentence that says what is wrong."""


def reproduction(plan: Mapping[str, Any]) -> str:
    """The text of ``reproduce.py`` for a plan (its form: this module's docstring). The same plan gives the same text.

    The script exits with 0 where the law holds, 1 where it is violated, and 2 where it could not be checked. Raises
    InvalidPlan for a missing key, an unknown law or parameters that do not fit it, or a step that the engine does not run.
    """
    _validate(plan)
    law = plan["law"]["name"]
    part = _PARTS[plan["engine"]]
    pieces = _pieces((instants, plurals, values, vectors, *laws.MODULES, *part, looking, building, script))
    io_fault = ["file_system_trouble"] if any(op.get("trouble") for op in plan["ops"]) else []
    own = pieces.needed([law])
    rest = [name for name in pieces.needed(["main", *io_fault]) if name not in own]
    # Types and constants are run when the script is loaded, so they stand before everything that uses them.
    types = [name for name in pieces.order if name in {*own, *rest} and not pieces.is_function(name)]
    sections = [
        _opening(plan),
        "from __future__ import annotations",
        pieces.imports([*own, *rest]),
        _heading("The table, the steps and the law"),
        _plan_text(plan),
        _heading("What a law sees"),
        "\n".join(pieces.sources[name] for name in types if not pieces.is_class(name)),
        *(pieces.sources[name] for name in types if pieces.is_class(name)),
        _heading("The law"),
        *(pieces.sources[name] for name in [law, *own] if name not in types),
        _heading("How the table is made and looked at"),
        *(pieces.sources[name] for name in rest if name not in types),
        _heading("The bytes of the files"),
        _contents_text(plan),
        f'if __name__ == "__main__":\n    sys.exit(main({", ".join(["PLAN", "CONTENTS", law, *io_fault])}))',
    ]
    seen: set[str] = set()
    unique = [section for section in sections if not (section in seen or seen.add(section))]  # type: ignore[func-returns-value]
    return "\n\n\n".join(unique) + "\n"


def _validate(plan: Mapping[str, Any]) -> None:
    if missing := [key for key in _KEYS if key not in plan]:
        raise InvalidPlan(f"The plan lacks {', '.join(missing)}.")
    if plan["engine"] not in _PARTS:
        raise InvalidPlan(f"The plan's engine {plan['engine']!r} is unknown: known are {', '.join(_PARTS)}.")
    name, params = plan["law"]["name"], plan["law"]["params"]
    if name not in laws.LAWS:
        raise InvalidPlan(f"The plan's law {name!r} is unknown: known are {', '.join(sorted(laws.LAWS))}.")
    try:
        inspect.signature(laws.LAWS[name]).bind(None, **params)
    except TypeError as error:
        raise InvalidPlan(f"The parameters {sorted(params)} do not fit the law {name}: {error}.") from error
    judged = [op["do"] for place, op in enumerate(plan["ops"]) if op.get("step", place) == plan["at_step"]]
    if not judged or judged[-1] not in _ENGINE_OPS:
        raise InvalidPlan(f"The plan's at_step is {plan['at_step']}, but the engine runs no such step.")
    if [commit["version"] for commit in plan["commits"]] != list(range(len(plan["commits"]))) or not plan["commits"]:
        raise InvalidPlan("The plan's commits must be versions 0, 1, 2, … in order, at least one.")
    paths = [file["path"] for file in _files(plan)]
    if len(paths) != len(set(paths)):
        raise InvalidPlan("The plan has two files with the same path.")


def _files(plan: Mapping[str, Any]) -> list[Any]:
    return [*plan["files"], *(file for op in plan["ops"] for file in op.get("files", []))]


def _opening(plan: Mapping[str, Any]) -> str:
    text = (
        f"{plan['clause']}: {plan['sentence']}\n\n"
        f"This script makes the table of case {plan['case']} in a temporary directory, runs the steps on it, and checks the\n"
        "promise above. It needs nothing but this:\n\n"
        f"    pip install {plan['pip']}\n"
        "    python reproduce.py\n\n"
        "It exits with 0 where the promise HOLDS, 1 where it IS VIOLATED, 2 where it could not be checked. With --keep\n"
        "it leaves the table for you to look at. Instants are in ms from the start of the script.\n"
    )
    # A docstring must not end early, and must not hold an escape by accident.
    return '"""' + text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + '"""'


def _heading(text: str) -> str:
    return f"# ---- {text} ".ljust(100, "-")


def _plan_text(plan: Mapping[str, Any]) -> str:
    shown = {key: plan[key] for key in _KEYS if key != "pip"}
    shown |= {key: plan[key] for key in _OPTIONAL if plan.get(key)}
    shown["files"] = [_without_content(file) for file in plan["files"]]
    shown["ops"] = [
        {**op, "files": [_without_content(file) for file in op["files"]]} if "files" in op else op for op in plan["ops"]
    ]
    return "PLAN: dict[str, Any] = " + pprint.pformat(shown, width=118, sort_dicts=False)


def _without_content(file: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in file.items() if key != "content"}


def _contents_text(plan: Mapping[str, Any]) -> str:
    lines = ["CONTENTS = {"]
    for file in _files(plan):
        content = file["content"]
        lines.append(f"    {file['path']!r}: (")
        lines += [f'        "{content[place : place + _LINE]}"' for place in range(0, max(len(content), 1), _LINE)]
        lines.append("    ),")
    return "\n".join([*lines, "}"])


class _Pieces:
    """The top-level definitions of some modules: their source, and which of them each one uses."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self.sources: dict[str, str] = {}
        self.order: list[str] = []
        self._nodes: dict[str, ast.stmt] = {}
        self._uses: dict[str, list[str]] = {}
        self._imported: dict[str, str] = {}  # name → the statement that imports it
        for module in modules:
            self._read(inspect.getsource(module))

    def _read(self, text: str) -> None:
        # Means nothing to the script's reader.
        text = re.sub(r"  # type: ignore\[.*?\]$|noqa: [A-Z]+\d+ - ", "", text, flags=re.MULTILINE)
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._import(node)
                continue
            name = _defined(node)
            if name is None:
                continue
            first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
            while lines[first - 2].startswith("#"):
                first -= 1
            self.sources[name] = "\n".join(lines[first - 1 : node.end_lineno])
            self._nodes[name] = node
            self._uses[name] = _used(node)
            self.order.append(name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.split(".")[0]
                self._imported[bound] = ast.unparse(ast.Import([alias]))
            elif node.module is not None and node.module.split(".")[0] not in ("reports", "__future__"):
                self._imported[alias.name] = f"from {node.module} import {alias.name}"

    def is_function(self, name: str) -> bool:
        return isinstance(self._nodes[name], ast.FunctionDef)

    def is_class(self, name: str) -> bool:
        return isinstance(self._nodes[name], ast.ClassDef)

    def needed(self, roots: Iterable[str]) -> list[str]:
        """The roots and all that they use, in the order of use."""
        found: list[str] = []
        waiting = list(roots)
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                found.append(name)
                waiting += [used for used in self._uses[name] if used in self._nodes]
        return found

    def imports(self, names: Iterable[str]) -> str:
        used = {"sys", "Any", *(used for name in names for used in self._uses[name])}
        statements = {statement for name, statement in self._imported.items() if name in used}
        plain = sorted(statement for statement in statements if statement.startswith("import"))
        from_modules: dict[str, list[str]] = {}
        for statement in sorted(statements.difference(plain)):
            module, _, name = statement.removeprefix("from ").partition(" import ")
            from_modules.setdefault(module, []).append(name)
        return "\n".join(
            [*plain, *(f"from {module} import {', '.join(names)}" for module, names in from_modules.items())]
        )


@cache
def _pieces(modules: tuple[ModuleType, ...]) -> _Pieces:
    """Read once for all the scripts of a run."""
    return _Pieces(modules)


def _used(definition: ast.stmt) -> list[str]:
    """The names that a definition uses and does not bind itself, in their order."""
    # Annotations are names too: the script then has all the types that a reader meets.
    names = [node for node in ast.walk(definition) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
    used = [node for node in names if isinstance(node.ctx, ast.Load) and node.id not in own]
    return [node.id for node in sorted(used, key=lambda node: (node.lineno, node.col_offset))]


def _defined(node: ast.stmt) -> str | None:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None
