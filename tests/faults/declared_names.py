"""What a script defines, against what it uses."""

from __future__ import annotations

import ast

from engines.dialect import DialectFor
from engines.script_library import free_names
from reports.counterexamples.plan import ScriptPlan
from reports.counterexamples.script import reproduction


def check_declared(plan: ScriptPlan, dialect_for: DialectFor) -> None:
    """Raises AssertionError for a script that lacks what it uses, or has parts that it does not use."""
    script = reproduction(plan, dialect_for)
    assert not free_names(script), "a script defines what it uses"
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
