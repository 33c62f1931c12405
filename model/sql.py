"""The Spark SQL text of predicates and commands: run by the engine, and shown to people.

The text keeps to what every supported Spark and Delta parses alike: quotes are escaped by a backslash (a doubled one
means something else before Spark 4), and VACUUM's clauses stand in the one order that Delta before 3.3 knows.
"""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

from model.predicate import And, Between, Compare, Constant, In, IsNull, Like, Not, Or, Predicate
from model.steps import Delete, Vacuum
from model.values import Type, Value

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1

#: Characters that Spark's string literals have a short escape for.
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def identifier(name: str) -> str:
    """``name`` between back-ticks; a back-tick in it is doubled, so any name is one identifier."""
    return "`" + name.replace("`", "``") + "`"


def literal(value: Value, type: Type) -> str:
    """The literal of ``value`` for a column of ``type``. NULL is untyped, as users write it.

    A LONG has its ``L`` only where it does not fit an INT. Raises TypeError for a value that is not of the type.
    """
    if value is None:
        return "NULL"
    if type is Type.STRING and isinstance(value, str):
        return _string(value)
    if type is Type.BOOLEAN and isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if type is Type.DATE and isinstance(value, date):
        return f"DATE'{value.isoformat()}'"
    if type in (Type.INTEGER, Type.LONG) and isinstance(value, int) and not isinstance(value, bool):
        needs_suffix = type is Type.LONG and not INT_MIN <= value <= INT_MAX
        return f"{value}L" if needs_suffix else str(value)
    raise TypeError(f"{value!r} is not a value of the type {type.value}")


def _string(text: str) -> str:
    return "'" + "".join(_character(character) for character in text) + "'"


def _character(character: str) -> str:
    """One character of a string literal, for Spark's default parser (spark.sql.parser.escapedStringLiterals=false)."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    # What cannot be seen is spelt out: the text is for people too.
    if not character.isprintable():
        code = ord(character)
        return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
    return character


def sql(predicate: Predicate) -> str:
    """The text of a condition, as it stands behind WHERE. Parentheses keep the predicate's own structure."""
    if isinstance(predicate, Constant):
        # A bare NULL has no type, and not every version takes it as a whole condition.
        return "CAST(NULL AS BOOLEAN)" if predicate.value is None else literal(predicate.value, Type.BOOLEAN)
    if isinstance(predicate, Compare):
        value = literal(predicate.value, predicate.type)
        return f"{identifier(predicate.column)} {predicate.op.value} {value}"
    if isinstance(predicate, (Between, In, IsNull, Like)):
        return _test(predicate, negated=False)
    if isinstance(predicate, Not):
        return _not(predicate.operand)
    if isinstance(predicate, And):
        # AND is left-associative: a chain that leans to the left needs no parentheses.
        left = sql(predicate.left) if isinstance(predicate.left, And) else _grouped(predicate.left)
        return f"{left} AND {_grouped(predicate.right)}"
    left = sql(predicate.left) if isinstance(predicate.left, Or) else _grouped(predicate.left)
    return f"{left} OR {_grouped(predicate.right)}"


def _test(predicate: Between | In | IsNull | Like, *, negated: bool) -> str:
    """A test that SQL can negate by a NOT in its middle."""
    column = identifier(predicate.column)
    no = "NOT " if negated else ""
    if isinstance(predicate, Between):
        low, high = literal(predicate.low, predicate.type), literal(predicate.high, predicate.type)
        return f"{column} {no}BETWEEN {low} AND {high}"
    if isinstance(predicate, In):
        return f"{column} {no}IN ({', '.join(literal(value, predicate.type) for value in predicate.values)})"
    if isinstance(predicate, IsNull):
        return f"{column} IS {no}NULL"
    return f"{column} {no}LIKE {_string(predicate.pattern)}"


def _not(operand: Predicate) -> str:
    if isinstance(operand, (Between, In, IsNull, Like)):
        return _test(operand, negated=True)
    return f"NOT ({sql(operand)})"


def _grouped(predicate: Predicate) -> str:
    return f"({sql(predicate)})" if isinstance(predicate, (And, Or)) else sql(predicate)


def delete_sql(step: Delete, table_text: str) -> str:
    """The DELETE of ``step`` on the table that ``table_text`` names, such as ``delta.`/tmp/t` ``."""
    statement = f"DELETE FROM {table_text}"
    return statement if step.where is None else f"{statement} WHERE {sql(step.where)}"


def vacuum_sql(step: Vacuum, table_text: str) -> str:
    """The VACUUM of ``step`` on the table that ``table_text`` names.

    ``safety_check`` and ``logging`` are session settings and have no place in the text (facts 1.6). The order of the
    clauses is the one fixed order of Delta 3.2 and before; later versions take any (facts 1.1).
    """
    retain = "" if step.retain_hours is None else f" RETAIN {_hours(step.retain_hours)} HOURS"
    return f"VACUUM {table_text}{retain}{' DRY RUN' if step.dry_run else ''}"


def _hours(hours: float) -> str:
    """Hours without an exponent, which the grammar of VACUUM does not know. Raises ValueError for NaN and infinity."""
    if not math.isfinite(hours):
        raise ValueError(f"RETAIN takes a finite number of hours, not {hours}")
    # repr is the shortest text that reads back as the same number; Decimal writes it out. Adding 0.0 drops -0.0's sign.
    text = format(Decimal(repr(hours + 0.0)), "f")
    return text.removesuffix(".0")


def vacuum_settings(step: Vacuum) -> dict[str, str]:
    """The session settings of a VACUUM, always all of them: one step's must not reach the next."""
    prefix = "spark.databricks.delta."
    return {
        f"{prefix}retentionDurationCheck.enabled": str(step.safety_check).lower(),
        f"{prefix}vacuum.logging.enabled": str(step.logging).lower(),
    }
