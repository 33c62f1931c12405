"""The model of VACUUM against a second opinion that shares no code with it."""

from __future__ import annotations

import json

import pytest

from tests.second_opinion import second_opinion
from tests.vacuum_worlds import observation, world

#: Worlds in each of ten tests.
WORLDS = 400


@pytest.mark.parametrize("tenth", range(10))
def test_the_model_and_the_second_opinion_agree(tenth: int) -> None:
    for number in range(tenth * WORLDS, (tenth + 1) * WORLDS):
        found = world(number)
        model = {path: fate.fate.value for path, fate in observation(found).fates.items()}
        second = second_opinion(found)
        differing = {
            path: (model.get(path), second.get(path))
            for path in {*model, *second}
            if model.get(path) != second.get(path)
        }
        assert not differing, (number, differing, json.dumps(found))
