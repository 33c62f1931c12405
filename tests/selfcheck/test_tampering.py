"""Tampering: what is derived from actions, files and answers, what is noticed, and the list of what nobody promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.judging.excusing.excuses import Excuses
from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, Read, Vacuum
from reference_engine import ReferenceEngine
from selfcheck.tampering.command import TamperingPlan, Tried, problems, table, tampered_with
from selfcheck.tampering.unpromised import LISTED, Unpromised, unpromised
from selfcheck.tampering.values import changed, changes
from suites.catalogue import CATALOGUE
from tests.handmade.steps import AGED, IN_A, PARTITIONED
from tombstone.parts import Part

#: A DELETE that rewrites a file, a VACUUM, a read.
CASES = (Case(PARTITIONED, (IN_A, Read(), Delete())), Case(AGED, (Vacuum(dry_run=True), Vacuum())))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tried]:
    """Every way in these cases."""
    directory = tmp_path_factory.mktemp("tampering")
    plan = TamperingPlan("smoke", "*", 0, 1)
    return tampered_with(ReferenceEngine(), list(CATALOGUE.values()), Excuses(), directory, CASES, plan)


@pytest.mark.long
def test_every_way_is_noticed_or_listed(found: dict[str, Tried]) -> None:
    listed = unpromised(LISTED, "model")
    told = ("NOT NOTICED", "THE SUITE FAILS")
    wrong = [problem for problem in problems(found, listed, whole=False) if problem.startswith(told)]
    assert len(found) > 300 and not wrong, wrong
    assert "READ: answer: a row dropped" in found, "the steps after a tampered one were run too"


def test_each_member_of_an_object_is_changed_and_dropped_at_any_depth() -> None:
    value = {"size": 3, "stats": '{"numRecords":2}', "partitionValues": {"p": "a"}, "dataChange": True}
    edited = {}
    for name, change in changes(value):
        copy = json.loads(json.dumps(value))
        change(copy)
        assert copy != value, name
        edited[name] = copy
    assert edited["size changed"]["size"] == 4 and edited["size set to 0"]["size"] == 0
    assert "size" not in edited["size dropped"] and edited["dataChange changed"]["dataChange"] is False
    assert edited["stats.numRecords changed"]["stats"] == '{"numRecords": 3}'
    assert edited["partitionValues: a value changed"]["partitionValues"] == {"p": "ax"}
    assert edited["partitionValues: a key dropped"]["partitionValues"] == {}


@pytest.mark.parametrize("value", [True, 0, 1.5, "a", "7", [], [1], None, {}])
def test_a_changed_value_is_another(value: object) -> None:
    assert changed(value) != value


def test_what_is_neither_noticed_nor_listed_fails_and_so_does_what_is_both() -> None:
    found = {"seen": Tried(4, 3), "half": Tried(4, 2), "unseen": Tried(4, 0), "known": Tried(4, 0)}
    listed = [Unpromised(("seen", "known", "never"), "It is not promised.", "P Checkpoints")]
    assert [problem.partition(" (")[0] for problem in problems(found, listed, whole=True)] == [
        "LISTED, YET NOTICED: seen",
        "NOT NOTICED: half",
        "NOT NOTICED: unseen",
        "LISTED, NEVER TRIED: never",
    ]
    assert "| known | 4 | 0 | not promised: It is not promised. |" in table(found, listed, "Tampering")


def test_the_list_gives_a_reason_and_a_source_for_each_entry() -> None:
    for entry in unpromised(LISTED, "model"):
        assert entry.ways and entry.reason.endswith(".") and entry.source


# Parts ------------------------------------------------------------------------------------------------------------------


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
