"""Which tests run and in which order, which are marked, and that none without a mark starts a process."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.conftest import pytest_collection_modifyitems
from tests.processes import guarded, starts_process
from tests.slow import slow_except

NAMES = [f"test_{number}" for number in range(50)]

Make = Callable[..., pytest.Function]


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Make:
    def made(name: str, *marks: Any, callobj: Callable[[], None] = lambda: None) -> pytest.Function:
        item = pytest.Function.from_parent(request.node.parent, name=name, callobj=callobj)
        for mark in marks:
            item.add_marker(mark)
        return item

    return made


def selected(items: list[pytest.Item], slow: str | None = None, **config: object) -> list[str]:
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    pytest_collection_modifyitems(cast(Any, SimpleNamespace(getoption=lambda _: slow, hook=hook, **config)), items)
    return [item.name for item in items]


def test_every_slow_test_is_in_one_part_and_all_others_in_each(make: Make) -> None:
    def run(slow: str | None) -> list[str]:
        return selected([make("fast"), *(make(name, pytest.mark.slow) for name in NAMES)], slow)

    assert run(None) == ["fast"] and run("1/1") == ["fast", *NAMES]
    parts = [run(f"{number}/5") for number in range(1, 6)]
    assert all("fast" in part for part in parts)
    assert sorted(name for part in parts for name in part if name != "fast") == sorted(NAMES)


def test_what_is_not_in_a_sample_is_slow() -> None:
    assert slow_except([1, 3], [1, 2, 3]) == [1, pytest.param(2, marks=pytest.mark.slow), 3]


def test_a_worker_begins_with_the_jvm_and_then_with_what_takes_long(make: Make) -> None:
    spark, judge = (pytest.mark.xdist_group(name) for name in ("spark", "judge"))
    items: list[pytest.Item] = [
        make("quick"),
        make("starts", callobj=start),
        make("judges", judge),
        make("marked", pytest.mark.long),
        make("of_jvm", spark),
    ]
    assert selected(items, workerinput={}) == ["of_jvm", "judges", "marked", "starts", "quick"]
    assert [bool(item.get_closest_marker("long")) for item in items] == [False, True, True, False, False]
    assert [item.name for item in items if item.get_closest_marker("process")] == ["starts"]
    assert [item.name for item in items if item.get_closest_marker("spark")] == ["of_jvm"]


def start() -> None:
    subprocess.run(["true"], check=True)


def through_a_function() -> None:
    start()


def test_what_a_function_of_the_tests_starts_is_started_by_the_test(make: Make) -> None:
    assert starts_process(make("one", callobj=through_a_function))
    assert not starts_process(make("other", callobj=lambda: None))


def test_a_process_that_no_mark_tells_of_is_refused(make: Make) -> None:
    with guarded(make("unmarked")), pytest.raises(pytest.fail.Exception, match="mark it"):
        subprocess.run(["true"], check=True)
    with guarded(make("marked", pytest.mark.process)):
        subprocess.run(["true"], check=True)
