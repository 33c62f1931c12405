"""Examples of a strategy, the same in every run and profile, and how many of them satisfy a condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis.strategies import SearchStrategy

import harness.campaigns.drawing as _  # noqa: F401 - else Hypothesis draws constants of all modules that are imported

T = TypeVar("T")

#: For properties of whole cases: each takes milliseconds to draw, and is large.
fifty = settings(max_examples=50, suppress_health_check=list(HealthCheck))


def sample(strategy: SearchStrategy[T], *, examples: int = 50, seeds: Iterable[int] = range(8)) -> list[T]:
    """Up to ``examples`` examples of each seed.

    Hypothesis mutates an example about five times before it draws a new one, so examples of one seed are similar. Several
    seeds represent a distribution better than one.

    >>> sorted(sample(st.booleans(), seeds=[1]))
    [False, True]
    """
    found: list[T] = []

    @settings(fifty, max_examples=examples, database=None, phases=[Phase.generate])
    @given(strategy)
    def draw(example: T) -> None:
        found.append(example)

    for number in seeds:
        seed(number)(draw)()
    return found


def check_shares(examples: Collection[T], conditions: Callable[[T], Mapping[str, tuple[float, bool]]]) -> None:
    """Assert that each condition holds for at least this share of the examples, in percent.

    Bounds are a third of the usual share: they detect a condition that is no longer drawn, not a shift.

    >>> check_shares(range(10), lambda number: {"even": (20, number % 2 == 0)})
    """
    counts: Counter[str] = Counter()
    least: dict[str, float] = {}
    for example in examples:
        for name, (bound, holds) in conditions(example).items():
            least[name] = bound
            counts[name] += holds
    shares = {name: 100 * counts[name] / len(examples) for name in least}
    assert least, "there are examples and conditions"
    assert {name: share for name, share in shares.items() if share < least[name]} == {}, shares


def smallest(strategy: SearchStrategy[T], condition: Callable[[T], bool]) -> T:
    """What an example that satisfies the condition shrinks to.

    >>> smallest(st.integers(), lambda number: number > 3)
    4
    """
    shrinking = settings(database=None, phases=[Phase.generate, Phase.shrink], derandomize=True)
    return find(strategy, condition, settings=shrinking)
