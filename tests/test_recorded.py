"""The model and the clauses say of cases that do not change what they said when it was found right (``tests.recorded``)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.recorded import KINDS, names, recorded, told

CASES = [(kind, name) for kind in KINDS for name in names(kind)]


@cache
def kept(kind: str) -> dict[str, Any]:
    return recorded(kind)


@pytest.mark.parametrize(("kind", "name"), CASES, ids=str)
def test_nothing_else_is_said_of_a_case(kind: str, name: str, tmp_path: Path) -> None:
    now = json.loads(json.dumps(told(kind, name, tmp_path)))
    assert now == kept(kind)[name], "see python -m tests.recorded where the change is wanted"


@pytest.mark.parametrize("kind", KINDS)
def test_no_more_is_recorded_than_there_is(kind: str) -> None:
    assert set(kept(kind)) == set(names(kind))
    assert not any("failure" in row for row in kept(kind).values())
