"""The JSON form of a case: written to be read by people, read back with every fault named.

A field that has its default is left out, so documents stay short. Unions carry a tag: a step its ``"step"``, a
predicate its ``"op"``, an expression its ``"expression"``. ``model.codec.json_values`` has the form of types and values.
"""

from model.codec.conditions import (
    expression_from_json,
    expression_to_json,
    predicate_from_json,
    predicate_to_json,
)
from model.codec.fields import CorruptCase
from model.codec.reading import from_json, loads, step_from_json, table_from_json
from model.codec.json_values import type_from_json, type_to_json, value_from_json, value_to_json
from model.codec.writing import FORMAT, case_id, dumps, step_to_json, table_to_json, to_json

__all__ = [
    "FORMAT",
    "CorruptCase",
    "case_id",
    "dumps",
    "expression_from_json",
    "expression_to_json",
    "from_json",
    "loads",
    "predicate_from_json",
    "predicate_to_json",
    "step_from_json",
    "step_to_json",
    "table_from_json",
    "table_to_json",
    "to_json",
    "type_from_json",
    "type_to_json",
    "value_from_json",
    "value_to_json",
]
