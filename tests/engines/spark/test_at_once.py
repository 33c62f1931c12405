"""Two sessions at once on Delta on Spark: pairs end as documented, and every clause holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.spark.adapter import SparkEngine
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.steps import CrashPoint
from suites.catalogue import CATALOGUE
from tests.handmade.at_once import APPEND, ENDS, pair
from tests.handmade.crashes import ROW
from tests.slow import slow_after

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]


@pytest.mark.parametrize(("case", "ends"), slow_after(2, ENDS))
def test_a_pair_ends_as_documented(case: Case, ends: str | None, spark_engine: SparkEngine, tmp_path: Path) -> None:
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path).judge(case)
    assert judged.failure is None, judged.failure
    outcome = judged.steps[0].outcome
    assert outcome.second is not None and outcome.second.held and outcome.second.error is None
    assert (outcome.error.exception if outcome.error else None) == ends
    assert judged.violated == []


def test_a_first_that_never_comes_to_its_point_ends_before_the_second(
    spark_engine: SparkEngine, tmp_path: Path
) -> None:
    case = pair(APPEND, ROW, point=CrashPoint.DELETION)
    judged = Judge(spark_engine, list(CATALOGUE.values()), tmp_path).judge(case)
    assert judged.failure is None, judged.failure
    second = judged.steps[0].outcome.second
    assert second is not None and not second.held
    assert judged.steps[0].observed.operations == ("WRITE", "DELETE")
    assert judged.violated == []
