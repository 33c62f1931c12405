"""The JSON form of a case. Fields with their default are omitted; unknown fields are refused.

Unions have a tag: ``"step"``, ``"op"`` for predicates, ``"expression"``. ``model.codec.json_values`` has types and values,
``model.codec.converter`` the parts of a case.
"""

from model.codec.cases import case_id, dumps, from_json, loads, to_json
from model.codec.converter import FORMAT
from model.codec.json_values import value_to_json
from model.codec.plain import InvalidCase

__all__ = [
    "FORMAT",
    "InvalidCase",
    "case_id",
    "dumps",
    "from_json",
    "loads",
    "to_json",
    "value_to_json",
]
