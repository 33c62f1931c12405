"""What an engine tells that it was sent is what the record of a step shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.observing.record.step_record import normalise, unrecorded
from harness.observing.steps.observation import Observation
from model.text.steps import step_text
from model.vocabulary.steps import Delete, Vacuum
from records.run import RecordedStep
from tests.builders.observations import make, vacuum_observation
from tests.handmade.steps import PARTITIONED


@pytest.mark.parametrize("record", [normalise, unrecorded])
def test_a_record_has_the_statement(record: Callable[[Observation], RecordedStep], tmp_path: Path) -> None:
    seen = vacuum_observation(PARTITIONED, make(PARTITIONED, tmp_path), Vacuum())
    assert record(seen).text == step_text(Vacuum())
    sent = replace(seen, outcome=replace(seen.outcome, statement="CALL vacuum('t')"))
    assert record(sent).text == "CALL vacuum('t')"


def test_a_long_statement_is_shortened() -> None:
    long = f"DELETE FROM t WHERE v IN ({', '.join(map(str, range(10_000)))})"
    assert len(step_text(Delete(), long)) < 2_000
