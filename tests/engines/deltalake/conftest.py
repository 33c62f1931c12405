"""delta-rs, through the adapter that the gate uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from harness.running.judge import Judge, JudgedCase
from model.vocabulary.case import Case
from suites.catalogue import promised
from tests.find_witnesses import known_faults_of


@pytest.fixture(scope="module")
def engine() -> Iterator[DeltalakeEngine]:
    made = DeltalakeEngine()
    yield made
    made.close()


@pytest.fixture
def mortal() -> Iterator[DeltalakeEngine]:
    """An engine whose process the test may kill."""
    made = DeltalakeEngine()
    yield made
    made.close()
    assert made._child is None


@pytest.fixture
def judged(engine: DeltalakeEngine, tmp_path: Path) -> Callable[[Case], JudgedCase]:
    """A case judged by every clause that delta-rs promises. Nothing may be wrong but its known faults."""
    judge = Judge(engine, promised(engine), tmp_path, known_faults_of("deltalake", engine.versions["deltalake"]))

    def judged(case: Case) -> JudgedCase:
        found = judge.judge(case)
        assert found.failure is None, found.failure.log
        assert found.failed == [], found.wrong
        return found

    return judged
