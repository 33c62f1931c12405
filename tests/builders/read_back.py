"""What the JSON form of a part of a case is read back as."""

from __future__ import annotations

from model.codec import from_json, to_json
from model.codec.converter import FORM
from model.vocabulary.case import Case
from model.vocabulary.predicate import Predicate
from model.vocabulary.table import Table


def table_read_back(table: Table) -> Table:
    return from_json(to_json(Case(table, ()))).table


def predicate_read_back(predicate: Predicate) -> Predicate:
    found: Predicate = FORM.read(FORM.write(predicate), Predicate)
    return found
