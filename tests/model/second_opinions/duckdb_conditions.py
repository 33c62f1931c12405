"""Conditions of a DELETE in DuckDB's SQL, for a second opinion on ``model.semantics.evaluate``: it shares no code with it.

Where DuckDB's function differs from Spark's of the same name, the translation does what Spark's documentation says by other
functions of DuckDB. What cannot be translated is not comparable, for one of the reasons in ``NOT_COMPARABLE``. Only the
types of expressions are the model's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

from model.semantics.evaluate import TODAY
from model.semantics.typed import type_of
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
)
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, MapOf, Type, Value, is_nested

#: Why a condition is not comparable.
NOT_COMPARABLE = {
    "text as a real number": "Spark reads these texts as Java does, with the suffixes f and d and hexadecimal digits",
    "text as a boolean or a moment": "DuckDB casts other texts to BOOLEAN, DATE and TIMESTAMP than Spark",
    "regular expression": "the classes and anchors of RE2 are not those of Java",
    "nested literal": "a literal of an array, map or struct is not translated",
    "far date": "Spark's dates wrap around at the ends of a 32-bit number, DuckDB reports an error",
    "wide decimal": "DuckDB's DOUBLE of a DECIMAL with more than 15 digits is not always the nearest one",
}

_REALS = (Type.FLOAT, Type.DOUBLE)

_TYPES = {
    Type.STRING: "VARCHAR",
    Type.BINARY: "BLOB",
    Type.BYTE: "TINYINT",
    Type.SHORT: "SMALLINT",
    Type.INTEGER: "INTEGER",
    Type.LONG: "BIGINT",
    Type.FLOAT: "FLOAT",
    Type.DOUBLE: "DOUBLE",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMPTZ",
    Type.TIMESTAMP_NTZ: "TIMESTAMP",
}

#: Functions that are called in another way in DuckDB; ``{0}`` is the text of the first argument.
_CALLS = {
    Function.TRIM: "trim({0}, ' ')",
    Function.STARTSWITH: "starts_with({0}, {1})",
    Function.SIZE: "len({0})",
    Function.ELEMENT_AT: "map_extract_value({0}, {1})",
    Function.ISNAN: "coalesce(isnan({0}), FALSE)",
    Function.CURRENT_DATE: f"DATE '{TODAY.isoformat()}'",
    Function.RLIKE: "regexp_matches({0}, {1})",
    Function.ADD: "({0} + {1})",
    Function.SUBTRACT: "({0} - {1})",
    Function.MULTIPLY: "({0} * {1})",
    # The remainder by zero is NULL in DuckDB.
    Function.REMAINDER: "(CASE WHEN {0} IS NOT NULL AND {1} = 0 THEN error('by zero') ELSE {0} % {1} END)",
    Function.DATE_ADD: "({0} + CAST({1} AS INTEGER))",
    Function.DATE_SUB: "({0} - CAST({1} AS INTEGER))",
    Function.DATEDIFF: "({0} - {1})",
    # NULL if the value is not found and there are NULLs: DuckDB's list_contains is then FALSE.
    Function.ARRAY_CONTAINS: (
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN list_contains({0}, {1}) THEN TRUE"
        " WHEN list_count({0}) < len({0}) THEN NULL ELSE FALSE END)"
    ),
}

_ARITHMETIC = (Function.ADD, Function.SUBTRACT, Function.MULTIPLY, Function.REMAINDER)


class NotComparable(Exception):
    """A condition means something else in DuckDB. The argument is one of ``NOT_COMPARABLE``."""

    def __init__(self, reason: str) -> None:
        assert reason in NOT_COMPARABLE, reason
        super().__init__(reason)


class Translation:
    """Translates conditions over the columns of ``types``, which are ``c0``, ``c1`` and so on in DuckDB.

    The session's time zone is DuckDB's setting ``TimeZone``.
    """

    def __init__(self, types: Mapping[str, AnyType]) -> None:
        self._types = types
        self._names = {name: f"c{place}" for place, name in enumerate(types)}

    def condition(self, predicate: Predicate) -> str:
        """The text of the condition. Raises NotComparable."""
        if isinstance(predicate, Constant):
            return _literal(predicate.value, Type.BOOLEAN)
        if isinstance(predicate, (And, Or)):
            word = "AND" if isinstance(predicate, And) else "OR"
            return f"({self.condition(predicate.left)} {word} {self.condition(predicate.right)})"
        if isinstance(predicate, Not):
            return f"(NOT {self.condition(predicate.operand)})"
        if isinstance(predicate, Wrapped):
            return self.condition(predicate.operand)
        if isinstance(predicate, Holds):
            return self._expression(predicate.expression)
        if isinstance(predicate, Missing):
            return f"({self._expression(predicate.expression)} IS NULL)"
        if isinstance(predicate, Relate):
            return f"({self._expression(predicate.left)} {_operator(predicate.op)} {self._expression(predicate.right)})"
        assert not isinstance(predicate, Verbatim), "only its engine evaluates a text"
        column = self._names[predicate.column]
        if isinstance(predicate, IsNull):
            return f"({column} IS NULL)"
        if isinstance(predicate, Like):
            return f"({column} LIKE {_text(predicate.pattern)} ESCAPE '\\')"
        if isinstance(predicate, Compare):
            return f"({column} {_operator(predicate.op)} {_literal(predicate.value, predicate.type)})"
        if isinstance(predicate, Between):
            low, high = _literal(predicate.low, predicate.type), _literal(predicate.high, predicate.type)
            return f"({column} BETWEEN {low} AND {high})"
        assert isinstance(predicate, In), predicate
        return f"({column} IN ({', '.join(_literal(value, predicate.type) for value in predicate.values)}))"

    def _expression(self, expression: Expression) -> str:
        if isinstance(expression, Of):
            return self._names[expression.column]
        if isinstance(expression, Literal):
            return _literal(expression.value, expression.type)
        if isinstance(expression, Member):
            return f"struct_extract({self._expression(expression.of)}, {_text(expression.field)})"
        if isinstance(expression, CaseWhen):
            condition, then = self.condition(expression.condition), self._expression(expression.then)
            return f"(CASE WHEN {condition} THEN {then} ELSE {self._expression(expression.otherwise)} END)"
        return self._cast(expression) if isinstance(expression, Cast) else self._call(expression)

    def _cast(self, cast: Cast) -> str:
        source, target, text = type_of(cast.of, self._types), cast.type, self._expression(cast.of)
        if source == target:
            return text
        if source is Type.STRING:
            return _cast_of_text(text, target)
        if isinstance(source, DecimalOf) and target is Type.DOUBLE and source.precision > 15:
            raise NotComparable("wide decimal")
        if source is Type.TIMESTAMP and target is Type.LONG:
            return f"CAST(floor(CAST(epoch_us({text}) AS DECIMAL(38, 6)) / 1000000) AS BIGINT)"
        if source is Type.TIMESTAMP and target is Type.STRING:
            local = f"CAST({text} AS TIMESTAMP)"  # without the offset
            return f"(CASE WHEN year({local}) > 9999 THEN '+' ELSE '' END || CAST({local} AS VARCHAR))"
        if target in WHOLE_NUMBERS and (isinstance(source, DecimalOf) or source in _REALS):
            text = f"trunc({text})"  # DuckDB rounds to the nearest number, Spark towards zero
        if isinstance(source, DecimalOf) and target is Type.STRING:
            text = f"CAST({text} AS DECIMAL(38, {source.scale}))"  # DuckDB writes .5 for a DECIMAL(1, 1)
        if source in _REALS and target is Type.LONG:
            # The greatest LONG has no DOUBLE: Spark casts 2^63 to it.
            return f"(CASE WHEN {text} = 9223372036854775808 THEN 9223372036854775807 ELSE CAST({text} AS BIGINT) END)"
        return f"CAST({text} AS {_type_name(target)})"

    def _call(self, call: Call) -> str:
        function, kinds = call.function, [type_of(argument, self._types) for argument in call.arguments]
        texts = [self._expression(argument) for argument in call.arguments]
        if function is Function.RLIKE and not _is_plain(call.arguments[1]):
            raise NotComparable("regular expression")
        if function in (Function.DATE_ADD, Function.DATE_SUB) and not _is_near(call.arguments[1]):
            raise NotComparable("far date")
        if function is Function.CONCAT:
            return f"({' || '.join(texts)})"
        if function is Function.LENGTH and kinds[0] is Type.BINARY:
            return f"octet_length({texts[0]})"
        if function is Function.SIZE and isinstance(kinds[0], MapOf):
            return f"cardinality({texts[0]})"
        if function is Function.SUBSTRING:
            return _substring(*texts)
        if function in (Function.YEAR, Function.MONTH, Function.DAY) and kinds[0] is Type.TIMESTAMP:
            texts = [f"CAST({texts[0]} AS TIMESTAMP)"]  # in the session's time zone, with a year 0
        if function in _ARITHMETIC and Type.DOUBLE in kinds:
            texts = [f"CAST({text} AS DOUBLE)" for text in texts]
        elif function is Function.REMAINDER:
            texts = [f"CAST({text} AS HUGEINT)" for text in texts]  # the least BIGINT % -1 overflows in DuckDB
        return _CALLS.get(function, f"{function.value}({', '.join(texts)})").format(*texts)


def _cast_of_text(text: str, target: AnyType) -> str:
    """DuckDB casts other texts, such as '1.5' or '1_000', too."""
    if target not in WHOLE_NUMBERS:
        raise NotComparable("text as a real number" if target is Type.DOUBLE else "text as a boolean or a moment")
    stripped = rf"regexp_replace({text}, '^[\x00-\x20\x7f]+|[\x00-\x20\x7f]+$', '', 'g')"
    number = f"CAST({stripped} AS {_type_name(target)})"
    return (
        f"(CASE WHEN {text} IS NULL THEN NULL WHEN regexp_full_match({stripped}, '[+-]?[0-9]+') THEN {number}"
        " ELSE error('not a whole number') END)"
    )


def _substring(text: str, start: str, count: str) -> str:
    """Spark counts from the end if ``start`` is negative, which may lie before the first character; 0 means 1."""
    wide = f"CAST({start} AS BIGINT)"
    first = f"(CASE WHEN {wide} > 0 THEN {wide} WHEN {wide} = 0 THEN 1 ELSE {wide} + length({text}) + 1 END)"
    last = f"greatest({first} + CAST({count} AS BIGINT) - 1, 0)"
    # greatest() leaves out NULLs.
    return f"(CASE WHEN {start} IS NOT NULL AND {count} IS NOT NULL THEN array_slice({text}, greatest({first}, 1), {last}) END)"


def _operator(op: Op) -> str:
    return "IS NOT DISTINCT FROM" if op is Op.NULL_SAFE_EQ else op.value


def _is_plain(pattern: Expression) -> bool:
    """Whether a pattern is of letters, digits and an anchor at its beginning: all regular expressions agree on these."""
    plain = isinstance(pattern, Literal) and isinstance(pattern.value, str)
    return plain and all(one.isalnum() or one in " _-" for one in str(pattern.value).removeprefix("^"))  # type: ignore[union-attr]


def _is_near(days: Expression) -> bool:
    return isinstance(days, Literal) and isinstance(days.value, int) and abs(days.value) < 10**6


def _type_name(type: AnyType) -> str:
    if isinstance(type, DecimalOf):
        return f"DECIMAL({type.precision}, {type.scale})"
    if is_nested(type):
        raise NotComparable("nested literal")
    return _TYPES[type]  # type: ignore[index]


def _literal(value: Value, type: AnyType) -> str:
    name = _type_name(type)
    if isinstance(value, bytes):
        return f"unhex('{value.hex()}')"
    if isinstance(value, datetime):
        local = value if value.tzinfo is None else value.astimezone(timezone.utc).replace(tzinfo=None)
        micros = (local - datetime(1970, 1, 1)) // timedelta(microseconds=1)
        return f"make_{'timestamp' if value.tzinfo is None else 'timestamptz'}({micros})"
    if isinstance(value, date):
        return f"(DATE '1970-01-01' + ({(value - date(1970, 1, 1)).days}))"
    if isinstance(value, str):
        return _text(value)
    text = "NULL" if value is None else f"'{value:f}'" if isinstance(value, Decimal) else f"'{value}'"
    return f"CAST({text} AS {name})"


def _text(text: str) -> str:
    """SQL text cannot hold the character 0."""
    return "(" + " || chr(0) || ".join("'" + part.replace("'", "''") + "'" for part in text.split("\0")) + ")"
