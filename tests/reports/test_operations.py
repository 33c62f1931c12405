"""The share of each operation of programs in ``summary.md``."""

from __future__ import annotations

from typing import Any

from model.vocabulary.operations import Operation
from records.run import RecordedCase
from reports.document.markdown import markdown
from reports.findings.coverage import Covered
from reports.render.run import run_document
from tests.builders.small_streams import case, run, taken


def program(number: int, campaign: str, operations: dict[str, int], **fields: Any) -> RecordedCase:
    counts = {name: {"steps": count} for name, count in operations.items()}
    return case(number, campaign=campaign, coverage={"operations": counts}, **fields)


CASES = [
    program(1, "programs", {"DELETE": 2, "VACUUM": 1}),
    program(2, "exploration", {"DELETE": 1, "clock": 3}),
    program(3, "exploration", {"read": 40}, origin="shrunk"),
    program(4, "row-deletes", {"invalid VACUUM": 9}),
    case(5, campaign="exploration"),
]


def test_operations_are_added_up_by_campaign() -> None:
    shares = taken(Covered(), CASES).operations()
    assert shares.campaigns == ("programs", "exploration")
    assert shares.count("exploration", Operation.CLOCK) == 3
    assert shares.share("exploration", Operation.CLOCK) == 75
    assert set(Operation) - set(shares.never) == {Operation.DELETE, Operation.VACUUM, Operation.CLOCK}


def test_the_summary_says_of_operations_that_all_ran_or_nothing() -> None:
    everything = program(1, "exploration", dict.fromkeys((one.value for one in Operation), 1))
    assert "every operation ran" in markdown(run_document(run(everything)))
    assert "Operations of programs" not in markdown(run_document(run(CASES[3])))
