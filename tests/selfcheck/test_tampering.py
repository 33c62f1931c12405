"""Tampering: what is derived from actions, files and answers, what is noticed, and the list of what nobody promises."""

from __future__ import annotations

import json

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
