"""The model of VACUUM against a second opinion that shares no code with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.model.second_opinions.observed_worlds import observation
from tests.model.second_opinions.second_opinion import second_opinion
from tests.model.second_opinions.vacuum_worlds import world

#: Worlds in each of ten tests.
WORLDS = 400

OPINION = ("plain_log", "second_opinion")


@pytest.mark.parametrize("module", OPINION)
def test_the_second_opinion_shares_no_code_with_the_project(module: str) -> None:
    text = (Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8")
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    own = {name for name in imported if (Path(__file__).parents[3] / name.split(".")[0]).is_dir()}
    assert own <= {f"tests.model.second_opinions.{name}" for name in OPINION}


@pytest.mark.long
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
