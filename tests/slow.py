"""Parameters of which only some are tried unless ``--slow`` is given."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest

#: What ``--slow`` is without a part.
ALL = "1/1"


def all_slow(config: pytest.Config) -> bool:
    """Whether all slow tests run and not a part of them: only then is tried what takes hours."""
    return bool(config.getoption("--slow") == ALL)


def slow_after(fast: int, values: Iterable[Any]) -> list[Any]:
    """The values for ``pytest.mark.parametrize``, those after the first ``fast`` marked slow. A tuple is several arguments."""
    found = list(values)
    return [*found[:fast], *map(_slow, found[fast:])]


def slow_except(fast: Container[Any], values: Iterable[Any]) -> list[Any]:
    """The values in their order, those that are not in ``fast`` marked slow."""
    return [value if value in fast else _slow(value) for value in values]


def _slow(value: Any) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
