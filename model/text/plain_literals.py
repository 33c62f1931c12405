"""Numbers in SQL as users write them: without a type, for Spark and for DataFusion.

A number with an exponent is a DOUBLE in both. One with a point is a DECIMAL in Spark (its SQL reference, "Literals"), as in the
SQL standard, and a DOUBLE in DataFusion (``datafusion.sql_parser.parse_float_as_decimal`` is false), and both compare a DOUBLE
with a number of another type as DOUBLEs. So a literal means the same in every reading where no other value of the column's
type has its DOUBLE.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal

from model.vocabulary.steps import Literals
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value

#: More digits than any number of a case has.
_EXACT = Context(prec=400)


def plain_number(value: Value, type: AnyType, literals: Literals) -> str | None:
    """The text of a number in a comparison with a column of ``type``: ``1.5``, or ``1.5E+0`` if ``literals`` has exponents.

    None if it must be written with its type: it is no finite number, or a negative zero, which a DECIMAL does not have.
    Numbers with exponents must also be ``told_apart``.
    """
    number = _decimal(value, type)
    if number is None or literals is Literals.EXACT:
        return None
    if literals is Literals.EXPONENTS:
        return f"{number:E}" if told_apart(value, type) else None
    return repr(value) if isinstance(value, float) else f"{number:f}"


def told_apart(value: Value, type: AnyType) -> bool:
    """Whether the number is the only one of ``type`` that has its DOUBLE, so that a comparison as DOUBLEs is exact."""
    number = _decimal(value, type)
    if number is None or isinstance(value, float):
        return number is not None
    step = Decimal(1).scaleb(-type.scale) if isinstance(type, DecimalOf) else Decimal(1)
    return float(_EXACT.subtract(number, step)) < float(number) < float(_EXACT.add(number, step))


def _decimal(value: Value, type: AnyType) -> Decimal | None:
    """The number, of a FLOAT or DOUBLE the shortest that has its DOUBLE; None if it is none that plain text can have."""
    if isinstance(type, DecimalOf) and isinstance(value, Decimal):
        return value
    if type in WHOLE_NUMBERS and isinstance(value, int):
        return Decimal(value)
    if type in (Type.FLOAT, Type.DOUBLE) and isinstance(value, float) and math.isfinite(value):
        return None if value == 0 and math.copysign(1, value) < 0 else Decimal(repr(value))
    return None
