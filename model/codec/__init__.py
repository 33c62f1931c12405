"""The JSON form of a case. Fields that have their default are left out. Unknown fields are refused.

Unions carry a tag: a step its ``"step"``, a predicate its ``"op"``, an expression its ``"expression"``.
``model.codec.json_values`` has the form of types and values.
"""

from model.codec.cases import (
    case_id,
    dumps,
    expression_from_json,
    expression_to_json,
    from_json,
    loads,
    predicate_from_json,
    predicate_to_json,
    step_from_json,
    step_to_json,
    table_from_json,
    table_to_json,
    to_json,
)
from model.codec.converter import FORMAT
from model.codec.json_values import type_from_json, type_to_json, value_from_json, value_to_json
from model.validation import CorruptCase

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
