"""The functions that reproduction scripts consist of: those of real modules. A script has the source of those that it calls.

The modules are read, not imported: a script can be written where the engine that they import is not installed.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engines import script_names
from engines.quoting import quoted


@dataclass(frozen=True)
class Import:
    """``from module import name``; without ``module``: ``import name``. ``name`` may have an ``as``."""

    module: str
    name: str


@dataclass(frozen=True)
class Library:
    """The source of functions by name; imports by the name that code uses."""

    functions: Mapping[str, str]
    imports: Mapping[str, Import]

    def __or__(self, other: Library) -> Library:
        return Library({**self.functions, **other.functions}, {**self.imports, **other.imports})

    def called_by(self, code: str) -> list[str]:
        """The names of the functions that code calls, directly or through others."""
        found: list[str] = []
        waiting = [code]
        while waiting:
            used = free_names(waiting.pop(0))
            new = [name for name in self.functions if name in used and name not in found]
            found += new
            waiting += [self.functions[name] for name in new]
        return found

    def lines(self, function: str, result: str = "", **arguments: object) -> list[str]:
        """The lines of a function for ``main``, with literals instead of these of its parameters. ``result``: the variable for
        its return value; without one, ``main`` returns it.
        """
        source = self.functions[function]
        tree = ast.parse(source).body[0]
        assert isinstance(tree, ast.FunctionDef), "a library has functions"
        lines, body = source.split("\n"), tree.body[1:]  # the first is the docstring
        places = [one for line in body for one in ast.walk(line) if isinstance(one, ast.Name) and one.id in arguments]
        for one in sorted(places, key=lambda one: (one.lineno, one.col_offset), reverse=True):
            line, value = lines[one.lineno - 1], quoted([arguments[one.id]])[1:-1]
            lines[one.lineno - 1] = line[: one.col_offset] + value + line[one.end_col_offset :]
        if result:
            last = lines[body[-1].lineno - 1]
            lines[body[-1].lineno - 1] = last.replace("return ", f"{result} = ", 1)
        return textwrap.dedent("\n".join(lines[body[0].lineno - 1 :])).split("\n")

    def import_lines(self, names: Iterable[str]) -> list[str]:
        """The imports for these names: first those of the standard library, whose modules take one line."""
        plain = {name for name in names if name not in self.imports and name in sys.stdlib_module_names}
        grouped: dict[str, set[str]] = {}
        for one in (self.imports[name] for name in names if name in self.imports):
            if one.module or one.name not in sys.stdlib_module_names:
                grouped.setdefault(one.module, set()).add(one.name)
            else:
                plain.add(one.name)
        lines = [f"import {', '.join(sorted(plain))}"] if plain else []
        for module in sorted(
            grouped, key=lambda module: (module.partition(".")[0] not in sys.stdlib_module_names, module)
        ):
            found = sorted(grouped[module])
            lines += [f"from {module} import {', '.join(found)}"] if module else [f"import {name}" for name in found]
        return lines


def library(*files: Path) -> Library:
    """The functions of modules, and what the modules import."""
    functions, imports = {}, {}
    for file in files:
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        functions.update({one.name: _source(text, one) for one in tree.body if isinstance(one, ast.FunctionDef)})
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                if module == script_names.__name__:
                    continue  # a script defines these itself
                imports.update({one.asname or one.name: Import(module, ast.unparse(one)) for one in node.names})
    return Library(functions, imports)


def _source(text: str, function: ast.FunctionDef) -> str:
    return "\n".join(text.split("\n")[function.lineno - 1 : function.end_lineno])


@lru_cache(maxsize=1024)
def free_names(code: str) -> frozenset[str]:
    """The names that code uses and does not define, except for Python's own."""
    top = symtable.symtable(code, "script", "exec")
    used: set[str] = set()
    waiting = [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        used |= {
            one.get_name() for one in table.get_symbols() if one.is_referenced() and (one.is_global() or table is top)
        }
    defined = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    return frozenset(used - defined - vars(builtins).keys())
