"""Parses the user's DELETE of whole files: without a condition, or with one on partition columns alone; or TRUNCATE TABLE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from model.text.layout import partition_value
from model.vocabulary.predicate import (
    And,
    Between,
    Compare,
    Constant,
    In,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
)
from model.vocabulary.steps import Delete, Form
from model.vocabulary.table import Column
from model.vocabulary.values import AnyType, DecimalOf, Type, Value, type_name
from records.mistakes import UsageMistake

_FORM = "DELETE FROM table [WHERE condition], or TRUNCATE TABLE table"
_TESTS = "=, <>, <, <=, >, >=, <=>, IN, BETWEEN, IS NULL, AND, OR and NOT"

#: Each comparison, and the same with its sides exchanged.
_COMPARISONS: Mapping[type[exp.Expr], tuple[Op, Op]] = {
    exp.EQ: (Op.EQ, Op.EQ),
    exp.NEQ: (Op.NE, Op.NE),
    exp.LT: (Op.LT, Op.GT),
    exp.LTE: (Op.LE, Op.GE),
    exp.GT: (Op.GT, Op.LT),
    exp.GTE: (Op.GE, Op.LE),
    exp.NullSafeEQ: (Op.NULL_SAFE_EQ, Op.NULL_SAFE_EQ),
}

#: The types whose literals are texts, with the name of a literal that says its type.
_TEXTS: Mapping[AnyType, tuple[str, ...]] = {
    Type.STRING: (),
    Type.DATE: ("DATE",),
    Type.TIMESTAMP: ("TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMP"),
    Type.TIMESTAMP_NTZ: ("TIMESTAMPNTZ", "TIMESTAMP"),
}


def delete_of(text: str, partitions: Iterable[Column], others: Iterable[str] = ()) -> Delete:
    """The DELETE that the text asks for; the table's name in it does not matter. ``partitions``: the table's partition columns;
    ``others``: the names of its other columns.

    Raises UsageMistake for any other statement, condition or value.
    """
    statement = _parsed(text)
    if isinstance(statement, exp.TruncateTable):
        if len(statement.expressions) != 1 or any(statement.args.get(name) for name in ("partition", "is_database")):
            raise _unknown(text)
        return Delete(form=Form.TRUNCATE)
    if not isinstance(statement, exp.Delete) or any(
        found for name, found in statement.args.items() if name not in ("this", "where")
    ):
        raise _unknown(text)
    where = statement.args.get("where")
    reader = _Conditions(text, {one.name.lower(): one for one in partitions}, frozenset(map(str.lower, others)))
    return Delete(None if where is None else reader.predicate(where.this))


def _parsed(text: str) -> exp.Expr:
    if text.strip().partition(" ")[0].upper() not in ("DELETE", "TRUNCATE"):
        raise _unknown(text)
    try:
        found = [one for one in parse(text, read="spark") if one is not None]
    except SqlglotError:
        raise _unknown(text) from None
    if len(found) != 1:
        raise UsageMistake(f"--delete {text!r} has {len(found)} statements: write one.")
    return found[0]


def _unknown(text: str) -> UsageMistake:
    return UsageMistake(f"--delete {text!r} cannot be understood: write {_FORM}.")


class _Conditions:
    """Reads conditions on these partition columns, by their names in lower case."""

    def __init__(self, text: str, partitions: Mapping[str, Column], others: frozenset[str]) -> None:
        self._text, self._partitions, self._others = text, partitions, others

    def predicate(self, node: exp.Expr) -> Predicate:
        """Raises UsageMistake."""
        if isinstance(node, exp.Paren):
            return self.predicate(node.this)
        if isinstance(node, exp.Not):
            return Not(self.predicate(node.this))
        if isinstance(node, exp.And):
            return And(self.predicate(node.left), self.predicate(node.right))
        if isinstance(node, exp.Or):
            return Or(self.predicate(node.left), self.predicate(node.right))
        if isinstance(node, exp.Boolean):
            return Constant(bool(node.this))
        if isinstance(node, exp.Null):
            return Constant(None)
        return self._test(node)

    def _test(self, node: exp.Expr) -> Predicate:
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return IsNull(self._column(node.this).name)
        if isinstance(node, exp.Between):
            column = self._column(node.this)
            low, high = (self._value(node.args[name], column) for name in ("low", "high"))
            return Between(column.name, low, high, column.type)
        if isinstance(node, exp.In) and node.expressions:
            column = self._column(node.this)
            return In(column.name, tuple(self._value(one, column) for one in node.expressions), column.type)
        if type(node) in _COMPARISONS:
            op, exchanged = _COMPARISONS[type(node)]
            left, right = node.this, node.expression
            if isinstance(right, exp.Column) and not isinstance(left, exp.Column):
                left, right, op = right, left, exchanged
            column = self._column(left)
            return Compare(column.name, op, self._value(right, column), column.type)
        raise self._not_known(node)

    def _column(self, node: exp.Expr) -> Column:
        if not isinstance(node, exp.Column):
            raise self._not_known(node)
        found = self._partitions.get(node.name.lower())
        if found is not None:
            return found
        if node.name.lower() not in self._others:
            raise UsageMistake(f"--delete {self._text!r} names {node.name}, and the table has no such column.")
        named = ", ".join(one.name for one in self._partitions.values())
        can = (
            f"only a condition on {named} can" if named else "the table has no partitions, and only a DELETE of all can"
        )
        raise UsageMistake(f"--delete {self._text!r} tests {node.name}, which needs data: {can} be rehearsed.")

    def _value(self, node: exp.Expr, column: Column) -> Value:
        """The value of a literal, in the column's type."""
        if isinstance(node, exp.Null):
            return None
        try:
            found = _literal(node, column.type)
        except ValueError:
            found = None
        if found is None:
            raise UsageMistake(
                f"--delete {self._text!r} compares {column.name} with {node.sql(dialect='spark')}: write a value of its type, "
                f"{type_name(column.type)}."
            )
        return found

    def _not_known(self, node: exp.Expr) -> UsageMistake:
        return UsageMistake(
            f"--delete {self._text!r} has {node.sql(dialect='spark')}, which cannot be rehearsed: write tests of a partition "
            f"column against values, with {_TESTS}."
        )


def _literal(node: exp.Expr, type: AnyType) -> Value:
    """None for a literal of another kind. Raises ValueError for a text that the type cannot have."""
    if isinstance(node, exp.Boolean):
        return bool(node.this) if type is Type.BOOLEAN else None
    if type in _TEXTS:
        if isinstance(node, exp.Cast) and node.to.this.name in _TEXTS[type]:
            node = node.this
        if not isinstance(node, exp.Literal) or not node.is_string:
            return None
        return node.this if type is Type.STRING else partition_value(node.this, type)
    sign = ""
    if isinstance(node, exp.Neg):
        sign, node = "-", node.this
    is_number = isinstance(node, exp.Literal) and not node.is_string
    if not is_number or not (isinstance(type, DecimalOf) or type in _NUMBERS):
        return None
    return partition_value(f"{sign}{node.this}", type)


_NUMBERS = frozenset({Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.FLOAT, Type.DOUBLE})
