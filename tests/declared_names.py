"""The names that pieces of a script use, against those that they say they use."""

from __future__ import annotations

import ast
import builtins
import symtable

from engines.dialect import DialectFor
from reports.counterexamples import files
from reports.counterexamples.checks import check
from reports.counterexamples.checks.pieces import CannotCheck
from reports.counterexamples.functions import FUNCTIONS
from reports.counterexamples.plan import Arranged, Plan
from reports.counterexamples.script import reproduction

#: What each script has.
_ALWAYS = frozenset({"ROOT", "T", "spark", "__file__"})


def free_names(code: str) -> set[str]:
    """The names that code uses and does not define, except for Python's own."""
    top = symtable.symtable(code, "script", "exec")
    used: set[str] = set()
    waiting = [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        used |= {one.get_name() for one in table.get_symbols() if one.is_referenced() and one.is_global()}
    used |= {one.get_name() for one in top.get_symbols() if one.is_referenced()}
    return used - _defined(top) - vars(builtins).keys()


def _defined(top: symtable.SymbolTable) -> set[str]:
    return {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}


def check_declared(plan: Plan, dialect_for: DialectFor) -> None:
    """Raises AssertionError for a piece that uses what it does not say, or the reverse, and for a script with unused parts."""
    dialect = dialect_for(plan.scripted)
    tables = [plan.things, *(step.things for step in plan.steps if isinstance(step, Arranged))]
    for name, function in {**FUNCTIONS, **dialect.functions, **files.functions(tables)}.items():
        assert free_names(function.text) - _ALWAYS == function.uses, name
    try:
        checked = check(plan.expectation, dialect, plan.table)
    except CannotCheck:
        pass
    else:
        found = free_names("\n".join([*checked.before, *checked.after])) - _ALWAYS - checked.data.keys()
        assert found == checked.uses, plan.expectation
    script = reproduction(plan, dialect_for)
    assert not free_names(script) - _ALWAYS, "a script defines what it uses"
    tree = ast.parse(script)
    referenced = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    top = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    imported = {
        (alias.asname or alias.name)
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert top | imported <= referenced, "a script uses what it defines"
