"""Cases for the faults of an engine that reads the literals of a condition wrong."""

from __future__ import annotations

from decimal import Decimal

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Literals, Read
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import DecimalOf, Type

AMOUNT = DecimalOf(18, 2)
#: Its 17 digits are those of no DOUBLE, but it is the only amount that has its DOUBLE.
MANY_DIGITS = Decimal("123456789012345.67")

AMOUNTS = Table(
    (Column("id", Type.INTEGER), Column("amount", AMOUNT)),
    (),
    (DataFile(0, (), ((1, MANY_DIGITS), (2, Decimal("5.00"))), -DAY),),
    (Commit(-HOUR, adds=(0,)),),
)

#: By the name of the fault that a case shows.
SHOWING_LITERALS: dict[str, Case] = {
    "reads-decimals-as-doubles": Case(
        AMOUNTS, (Delete(Compare("amount", Op.EQ, MANY_DIGITS, AMOUNT), literals=Literals.PLAIN), Read())
    ),
}
