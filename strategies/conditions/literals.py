"""How the literals of a condition are written."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.predicate import Predicate, compared_values, leaves
from model.vocabulary.steps import Delete, Literals
from strategies.weights import odds

_LITERALS = odds((5, Literals.EXACT), (3, Literals.PLAIN), (1, Literals.EXPONENTS))


@st.composite
def literals(draw: DrawFn, where: Predicate | None) -> Literals:
    """How the literals of a condition are written: nearly half as users write them, some of these with exponents.

    With their types if no column is compared with a number, a DATE or a TIMESTAMP. Shrinks to that.
    """
    values = [value for test in leaves(where) for value in compared_values(test)] if where is not None else []
    told = any(isinstance(value, (int, float, Decimal, date)) and not isinstance(value, bool) for value in values)
    return draw(_LITERALS) if told else Literals.EXACT


@st.composite
def conditional_deletes(draw: DrawFn, conditions: SearchStrategy[Predicate | None]) -> Delete:
    """DELETEs in SQL by path with such conditions, and literals of theirs. Shrink to a condition, then to exact literals."""
    where = draw(conditions)
    return Delete(where, literals=draw(literals(where)))
