"""The table of how far likeness tells which tables are alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.command_line.commands import in_a_sentence
from runner.plugin import ROOT
from shapes.document import read_shapes
from tools.likeness import main, pairs

SHAPES = ROOT / "examples" / "shapes"


def test_pairs_are_the_same_or_tell_of_different_conditions() -> None:
    vectors, types = (read_shapes(SHAPES / f"{name}.json", option="").shapes[0].shape for name in ("vectors", "types"))
    equal, *others = pairs([vectors, vectors, types])
    assert (equal.likeness, equal.same, equal.differing) == (19, True, 0)
    assert all(one.likeness < 16 and not one.same and one.differing > 3 for one in others) and len(others) == 2


def test_a_row_for_each_class_that_has_pairs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert in_a_sentence(main)([str(SHAPES / "vectors.json")]) == 0
    assert capsys.readouterr().out == "likeness      pairs  the same  differing answers\n", "one shape has no pair"
    assert in_a_sentence(main)([]) == 2
    assert capsys.readouterr().err == "Name one file of shapes: python -m tools.likeness SHAPES.json.\n"
