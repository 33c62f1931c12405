"""A part of the ways to tamper: each way is in one part, and every part knows the names of all."""

from __future__ import annotations

from pathlib import Path

from harness.judging.excusing.excuses import Excuses
from model.vocabulary.case import Case
from reference_engine import ReferenceEngine
from selfcheck.tampering.command import TamperingPlan, Tried, problems, table, tampered_with
from selfcheck.tampering.unpromised import Unpromised
from tests.handmade.steps import IN_A, PARTITIONED
from tombstone.parts import Part


def tried(directory: Path, shard: Part) -> dict[str, Tried]:
    plan = TamperingPlan(None, "DELETE: commit: add.*", 0, 1, shard)
    return tampered_with(ReferenceEngine(), [], Excuses(), directory, [Case(PARTITIONED, (IN_A,))], plan)


def test_each_way_is_tried_in_one_part_and_named_in_all(tmp_path: Path) -> None:
    parts = [tried(tmp_path / str(number), Part(number, 3)) for number in (1, 2, 3)]
    whole = tried(tmp_path / "whole", Part(1, 1))
    names = {name for name, one in whole.items() if one.tried}
    assert len(names) > 5 and all(part.keys() == whole.keys() for part in parts)
    in_parts = [name for part in parts for name, one in part.items() if one.tried]
    assert sorted(in_parts) == sorted(names) and all(any(one.tried for one in part.values()) for part in parts)


def test_a_way_of_another_part_is_no_problem_but_a_listed_one_that_nothing_has_is() -> None:
    found = {"of another part": Tried(), "seen": Tried(2, 2)}
    listed = [Unpromised(("of another *",), "Nobody promises it.", "P"), Unpromised(("never",), "Nor this.", "P")]
    assert problems(found, listed, whole=True) == ["LISTED, NEVER TRIED: never"]
    assert "of another part" not in table(found, listed, "A part") and "| seen | 2 | 2 |" in table(found, [], "A part")
