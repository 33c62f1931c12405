"""Mutants of a module: its source with one small thing changed, by the operators of mutmut.

mutmut itself leaves out every function that has a decorator: all clauses, and all properties. So what is asked of it are its
operators (``mutmut.mutation.mutators``); where they are used is decided here, and how a mutant is tested in
``selfcheck.mutant_trials``. Added is one operator: a bare condition is turned round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

#: Modules in which a string with a space is no text for people, but part of a statement.
STATEMENTS = ("model/sql.py", "model/literals.py")

#: What decides nothing while a program runs: types, and what is looked at when a module is imported.
_LEFT_OUT = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Raise)


@dataclass(frozen=True)
class Mutant:
    """One change of one module."""

    module: str  # its path below the root, with "/"
    line: int  # of what is changed
    scope: str  # the function or method whose body it is in ("Class.method"); empty: the module itself
    start: int  # what is changed, as offsets in the source
    end: int
    text: str  # what stands there instead

    def source(self, original: str) -> str:
        """The mutant's source."""
        return original[: self.start] + self.text + original[self.end :]

    def lines(self, original: str) -> tuple[str, str]:
        """The lines that are changed, as they are and as they become, each without what it is indented by."""
        first = original.rfind("\n", 0, self.start) + 1
        last = original.find("\n", self.end)
        before = original[first:last]
        after = original[first : self.start] + self.text + original[self.end : last]
        return _plain(before), _plain(after)


Change = tuple[cst.CSTNode, cst.CSTNode, str]


class _Finder(cst.CSTVisitor):  # type: ignore[misc, unused-ignore] # where libcst is not installed
    """Walks a module, and keeps every change with the scope in which it is."""

    def __init__(self, *, texts: bool) -> None:
        super().__init__()
        self._texts = texts
        self._names: list[str] = []
        self._bodies: dict[cst.CSTNode, str] = {}  # of the outermost functions
        self._scope = ""
        self.found: list[Change] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _LEFT_OUT) or self._is_text(node) or _is_of_types(node):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._names.append(node.name.value)
        if isinstance(node, cst.FunctionDef) and not self._scope:
            self._bodies[node.body] = ".".join(self._names)
        # What is changed in a function's head (its defaults) is changed where it is defined.
        self._scope = self._scope or self._bodies.get(node, "")
        self.found += [(of, changed, self._scope) for of, changed in _changes(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self._names.pop()
        if original_node in self._bodies:
            self._scope = ""

    def _is_text(self, node: cst.CSTNode) -> bool:
        """Whether it is a sentence for people."""
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString):
            return True  # a docstring
        if self._texts:
            return False
        if isinstance(node, cst.SimpleString):
            return " " in node.value
        if isinstance(node, cst.ConcatenatedString):
            return True
        return isinstance(node, cst.FormattedString) and any(
            isinstance(part, cst.FormattedStringText) and " " in part.value for part in node.parts
        )


def _is_of_types(node: cst.CSTNode) -> bool:
    """Whether it names types for a checker only: an alias, a type variable, what a module exports."""
    if not isinstance(node, cst.Assign):
        return False
    target, value = node.targets[0].target, node.value
    if isinstance(target, cst.Name) and target.value == "__all__":
        return True
    called = value.func if isinstance(value, cst.Call) else value.value if isinstance(value, cst.Subscript) else None
    return isinstance(called, cst.Name) and called.value in ("Union", "TypeVar", "Callable", "Mapping", "tuple", "dict")


def _changes(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            made = list(operator(node))
            # Of the ways to change a string one is enough.
            yield from ((node, changed) for changed in (made[:1] if isinstance(node, cst.BaseString) else made))
    if isinstance(node, (cst.If, cst.While, cst.CompIf)) and isinstance(node.test, (cst.Name, cst.Attribute, cst.Call)):
        yield node.test, cst.UnaryOperation(cst.Not(), node.test)


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """All mutants of a module, in the order of its lines. Some may not be Python: what they are is not looked at."""
    module = path.relative_to(root).as_posix()
    source = path.read_text(encoding="utf-8")
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    finder = _Finder(texts=module in STATEMENTS)
    wrapper.module.visit(finder)
    starts = [0, *(match.end() for match in re.finditer("\n", source))]
    found = {}
    for node, changed, scope in finder.found:
        where = positions[node]
        start = starts[where.start.line - 1] + where.start.column
        end = starts[where.end.line - 1] + where.end.column
        if source[start:end].split() != _code(wrapper.module, node).split():
            raise ValueError(f"{module}, line {where.start.line}: {_code(wrapper.module, node)!r} does not stand there")
        if not source[start:end].startswith(" "):
            text = _code(wrapper.module, changed)
        else:
            text = f" {_code(wrapper.module, changed)}"
        if text != source[start:end]:
            found[start, end, text] = Mutant(module, where.start.line, scope, start, end, text)
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.start, mutant.text))


def _code(module: cst.Module, node: cst.CSTNode) -> str:
    """The node's text, without parentheses around it: its position does not count them either."""
    if isinstance(node, cst.BaseExpression):
        node = node.with_changes(lpar=(), rpar=())
    return str(module.code_for_node(node)).strip()


def is_python(source: str) -> bool:
    """Whether it can be compiled: a few changes make no sense where they are made."""
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _plain(lines: str) -> str:
    return "\n".join(line.strip() for line in lines.splitlines())


def mutants(paths: Iterable[Path], root: Path) -> list[Mutant]:
    """The mutants of several modules."""
    return [mutant for path in paths for mutant in mutants_of(path, root)]
