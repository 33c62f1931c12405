"""The Spark SQL text of predicates and commands, for engines and for reports.

Every supported Spark and Delta parses it: VACUUM's clauses are in the only order that Delta before 3.3 allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from model.text.literals import identifier, string_literal, type_sql, typed_literal, written_literal
from model.vocabulary.predicate import (
    And,
    Between,
    Call,
    CaseWhen,
    Cast,
    Compare,
    Constant,
    Expression,
    Function,
    Holds,
    In,
    IsNull,
    Like,
    Literal,
    Member,
    Missing,
    Not,
    Of,
    Op,
    Or,
    Predicate,
    Relate,
    Verbatim,
    Wrapped,
    Wrapper,
)
from model.vocabulary.steps import ALIASED, Delete, Form, Insert, Literals, Mode, Vacuum
from model.vocabulary.values import AnyType, Type

#: The names of the user's functions, which a session registers for itself.
WRAPPERS = {wrapper: f"tombstone_{wrapper.value}" for wrapper in Wrapper}

#: Functions that are infix operators.
_BETWEEN = frozenset({Function.ADD, Function.SUBTRACT, Function.MULTIPLY, Function.REMAINDER, Function.RLIKE})


#: The alias of the table in the forms that have one.
ALIAS = "x"


@dataclass(frozen=True)
class _Style:
    """How a condition is written."""

    zone: str | None = None  # the session's time zone
    literals: Literals = Literals.EXACT
    alias: str | None = None  # of the table, before each of its columns

    def column(self, name: str) -> str:
        return identifier(name) if self.alias is None else f"{self.alias}.{identifier(name)}"


def sql(
    predicate: Predicate, zone: str | None = None, literals: Literals = Literals.EXACT, alias: str | None = None
) -> str:
    """The text of a condition after WHERE. Parentheses preserve the predicate's structure.

    ``zone`` is the session's time zone, an IANA name, in which TIMESTAMPs are written. Without one the text means the same
    in every session, as it must in table properties. ``literals`` is of the values that columns are compared with: those of
    expressions always have their types, on which arithmetic depends. ``alias`` is the table's, which each column has before it,
    except in verbatim texts.
    """
    return _sql(predicate, _Style(zone, literals, alias))


def _sql(predicate: Predicate, style: _Style) -> str:
    if isinstance(predicate, Constant):
        # A bare NULL has no type, and not every version accepts it as a condition.
        return typed_literal(predicate.value, Type.BOOLEAN)
    if isinstance(predicate, Compare):
        return _compare(predicate, style)
    if isinstance(predicate, (Between, In, IsNull, Like, Missing)):
        return _test(predicate, style, negated=False)
    if isinstance(predicate, Not):
        return _not(predicate.operand, style)
    if isinstance(predicate, Relate):
        return f"{_operand(predicate.left, style)} {predicate.op.value} {_operand(predicate.right, style)}"
    if isinstance(predicate, Holds):
        return _expression(predicate.expression, style)
    if isinstance(predicate, Verbatim):
        return predicate.text
    if isinstance(predicate, Wrapped):
        return f"{WRAPPERS[predicate.by]}({_sql(predicate.operand, style)})"
    if isinstance(predicate, And):
        # AND is left-associative, so a left operand needs no parentheses.
        left = (_sql if isinstance(predicate.left, And) else _grouped)(predicate.left, style)
        return f"{left} AND {_grouped(predicate.right, style)}"
    left = (_sql if isinstance(predicate.left, Or) else _grouped)(predicate.left, style)
    return f"{left} OR {_grouped(predicate.right, style)}"


def _test(predicate: Between | In | IsNull | Like | Missing, style: _Style, *, negated: bool) -> str:
    """A test with an optional infix NOT."""
    no = "NOT " if negated else ""
    if isinstance(predicate, Missing):
        return f"{_operand(predicate.expression, style)} IS {no}NULL"
    column, zone, literals = style.column(predicate.column), style.zone, style.literals
    if isinstance(predicate, Between):
        low, high = (
            written_literal(bound, predicate.type, zone, literals) for bound in (predicate.low, predicate.high)
        )
        return f"{column} {no}BETWEEN {low} AND {high}"
    if isinstance(predicate, In):
        # A list with texts may be compared as texts (Spark's "Type Coercion").
        exact = Literals.EXACT if predicate.type in (Type.DATE, Type.TIMESTAMP) else literals
        values = (written_literal(value, predicate.type, zone, exact) for value in predicate.values)
        return f"{column} {no}IN ({', '.join(values)})"
    if isinstance(predicate, IsNull):
        return f"{column} IS {no}NULL"
    return f"{column} {no}LIKE {string_literal(predicate.pattern)}"


def _compare(test: Compare, style: _Style, *, negated: bool = False) -> str:
    """A comparison; ``negated``: of a null-safe one its contrary. As users write it that is IS [NOT] DISTINCT FROM."""
    operator = test.op.value
    if test.op is Op.NULL_SAFE_EQ and style.literals is not Literals.EXACT:
        operator = "IS DISTINCT FROM" if negated else "IS NOT DISTINCT FROM"
    value = written_literal(test.value, test.type, style.zone, style.literals)
    return f"{style.column(test.column)} {operator} {value}"


def _not(operand: Predicate, style: _Style) -> str:
    if isinstance(operand, (Between, In, IsNull, Like, Missing)):
        return _test(operand, style, negated=True)
    if isinstance(operand, Compare) and operand.op is Op.NULL_SAFE_EQ and style.literals is not Literals.EXACT:
        return _compare(operand, style, negated=True)
    return f"NOT ({_sql(operand, style)})"


def _grouped(predicate: Predicate, style: _Style) -> str:
    text = _sql(predicate, style)
    return f"({text})" if isinstance(predicate, (And, Or, Verbatim)) else text


def expression_sql(expression: Expression, zone: str | None = None) -> str:
    """The text of an expression; ``zone`` as in ``sql``. Literals have exactly their types, as arithmetic depends on them."""
    return _expression(expression, _Style(zone))


def _expression(expression: Expression, style: _Style) -> str:
    if isinstance(expression, Of):
        return style.column(expression.column)
    if isinstance(expression, Literal):
        return typed_literal(expression.value, expression.type, style.zone)
    if isinstance(expression, Member):
        return f"{_operand(expression.of, style)}.{identifier(expression.field)}"
    if isinstance(expression, Cast):
        return f"CAST({_expression(expression.of, style)} AS {type_sql(expression.type)})"
    if isinstance(expression, CaseWhen):
        condition = _sql(expression.condition, replace(style, literals=Literals.EXACT))
        then, otherwise = _expression(expression.then, style), _expression(expression.otherwise, style)
        return f"CASE WHEN {condition} THEN {then} ELSE {otherwise} END"
    assert isinstance(expression, Call), "no other expression is left"
    if expression.function in _BETWEEN and len(expression.arguments) == 2:
        left, right = (_operand(argument, style) for argument in expression.arguments)
        return f"{left} {expression.function.value.upper()} {right}"
    arguments = (_expression(argument, style) for argument in expression.arguments)
    return f"{expression.function.value}({', '.join(arguments)})"


def _operand(expression: Expression, style: _Style) -> str:
    """The text of an expression as an operand."""
    text = _expression(expression, style)
    infix = isinstance(expression, Call) and expression.function in _BETWEEN
    return f"({text})" if infix or isinstance(expression, CaseWhen) else text


def delete_sql(step: Delete, table_text: str) -> str:
    """The DELETE of ``step`` on the table that ``table_text`` names, such as ``delta.`/tmp/t` ``.

    TRUNCATE TABLE if that is its form; for API forms the equivalent DELETE. The session has the time zone ``step.zone``.
    Raises ValueError for a TRUNCATE with a condition.
    """
    if step.form is Form.TRUNCATE:
        if step.where is not None:
            raise ValueError("TRUNCATE TABLE cannot have a condition")
        return f"TRUNCATE TABLE {table_text}"
    alias = ALIAS if step.form in ALIASED else None
    statement = f"DELETE FROM {table_text}" + (f" AS {alias}" if alias else "")
    return statement if step.where is None else f"{statement} WHERE {sql(step.where, step.zone, step.literals, alias)}"


def insert_sql(step: Insert, types: Sequence[AnyType], table_text: str) -> str:
    """The INSERT of ``step`` into the table that ``table_text`` names, with columns of these types."""
    rows = (", ".join(map(typed_literal, row, types)) for row in step.rows)
    return f"INSERT INTO {table_text} VALUES {', '.join(f'({row})' for row in rows)}"


def vacuum_sql(step: Vacuum, table_text: str, inventory: str | None = None) -> str:
    """The VACUUM of ``step`` on the table that ``table_text`` names: ``delta.`/tmp/t` ``, a name, or a path in quotes.

    ``inventory`` is the text after USING INVENTORY: a table's name, or a query in parentheses. ``safety_check``,
    ``logging``, ``parallel`` and Mode.LITE_SETTING are session settings and not part of the text (docs/delta.md 1.6). For API
    forms it is the equivalent VACUUM. The order of clauses is that of Delta 3.2 and before; later versions accept any
    (docs/delta.md 1.1). Raises ValueError if the mode needs an inventory and there is none, or the reverse, and for hours
    that are not finite.
    """
    if step.mode.inventory != (inventory is not None):
        raise ValueError(
            f"a VACUUM in the mode {step.mode.value} {'needs an' if step.mode.inventory else 'has no'} inventory"
        )
    words = ["VACUUM", table_text]
    if step.mode in (Mode.FULL, Mode.LITE):
        words.append(step.mode.value)
    if inventory is not None:
        words.append(f"USING INVENTORY {inventory}")
    if step.retain_hours is not None:
        words.append(f"RETAIN {_hours(step.retain_hours)} HOURS")
    if step.dry_run:
        words.append("DRY RUN")
    return " ".join(words)


def _hours(hours: float) -> str:
    """Hours without an exponent, which VACUUM's grammar lacks. Raises ValueError for NaN and infinity."""
    if not math.isfinite(hours):
        raise ValueError(f"RETAIN needs a finite number of hours, not {hours}")
    # repr is the shortest exact text; Decimal expands its exponent. Adding 0.0 drops the sign of -0.0.
    text = format(Decimal(repr(hours + 0.0)), "f")
    return text.removesuffix(".0")


def vacuum_settings(step: Vacuum) -> dict[str, str | None]:
    """All session settings of a VACUUM, so that none remains from the step before. None: not set."""
    prefix = "spark.databricks.delta."
    return {
        f"{prefix}retentionDurationCheck.enabled": _setting(step.safety_check),
        f"{prefix}vacuum.logging.enabled": None if step.logging is None else _setting(step.logging),
        f"{prefix}vacuum.lite.enabled": _setting(
            step.mode is Mode.LITE_SETTING or (step.by_earlier and step.mode.lite)
        ),
        f"{prefix}vacuum.parallelDelete.enabled": _setting(step.parallel),
    }


def _setting(on: bool) -> str:
    return "true" if on else "false"
