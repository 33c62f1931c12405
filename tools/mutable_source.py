"""Source rewritten so that mutmut changes more of it.

mutmut 3 skips decorated functions (two thirds of the clauses' code) and code that runs at import, and does not change bare
conditions. Here decorators are applied after the definition, lambdas outside functions become functions, and a bare
condition gets ``and True``, which mutmut turns into ``or True`` and ``and False``. The meaning stays the same.
"""

# ruff: noqa: N802 - libcst calls visitors by these names

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

_BARE = (cst.Name, cst.Attribute, cst.Call)


class _Rewriter(cst.CSTTransformer):  # type: ignore[misc, unused-ignore] # where libcst is not installed
    def __init__(self) -> None:
        super().__init__()
        self._depth = 0  # of functions and lambdas
        self._lifted: list[cst.FunctionDef] = []  # from the statement of the module that is being visited
        self._number = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        self._depth -= 1
        if self._depth or not updated_node.decorators:
            return updated_node
        name = updated_node.name
        value: cst.BaseExpression = name
        for decorator in reversed(updated_node.decorators):
            value = cst.Call(decorator.decorator, [cst.Arg(value)])
        applied = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(name)], value)])
        return cst.FlattenSentinel([updated_node.with_changes(decorators=()), applied])

    def visit_Decorator(self, node: cst.Decorator) -> None:
        self._depth += 1

    def leave_Decorator(self, original_node: cst.Decorator, updated_node: cst.Decorator) -> cst.Decorator:
        self._depth -= 1
        return updated_node

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self._depth += 1

    def leave_Lambda(self, original_node: cst.Lambda, updated_node: cst.Lambda) -> cst.BaseExpression:
        self._depth -= 1
        if self._depth:
            return updated_node
        self._number += 1
        name = f"lambda_{self._number}"
        value = updated_node.body
        value = value.with_changes(lpar=[cst.LeftParen(), *value.lpar], rpar=[*value.rpar, cst.RightParen()])
        body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(value)])])
        self._lifted.append(cst.FunctionDef(cst.Name(name), updated_node.params, body))
        return cst.Name(name)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        return updated_node.with_changes(test=_with_constant(updated_node.test))

    def leave_CompIf(self, original_node: cst.CompIf, updated_node: cst.CompIf) -> cst.CompIf:
        return updated_node.with_changes(test=_with_constant(updated_node.test))

    def statements(self, of: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
        """A module's statements, each after the functions that its lambdas became."""
        found: list[cst.CSTNode] = []
        for statement in of:
            changed = statement.visit(self)
            rest = changed if isinstance(changed, cst.FlattenSentinel) else [changed]
            found += [*self._lifted, *rest]
            self._lifted = []
        return found


def _with_constant(test: cst.BaseExpression) -> cst.BaseExpression:
    if not isinstance(test, _BARE):
        return test
    return cst.BooleanOperation(test, cst.And(), cst.Name("True"))


def mutable(source: str) -> str:
    """The source of a module, rewritten.

    >>> print(mutable("@clause('A')\\ndef holds(v):\\n    return v.ran\\n"))
    def holds(v):
        return v.ran
    holds = clause('A')(holds)
    <BLANKLINE>
    """
    module = cst.parse_module(source)
    return str(module.with_changes(body=_Rewriter().statements(module.body)).code)
