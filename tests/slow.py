"""Parameters of which only the first are tried unless ``--slow`` is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def slow_after(fast: int, values: Iterable[Any]) -> list[Any]:
    """The values for ``pytest.mark.parametrize``, those after the first ``fast`` marked slow. A tuple is several arguments."""
    found = list(values)
    others = [one if isinstance(one, tuple) else (one,) for one in found[fast:]]
    return [*found[:fast], *(pytest.param(*one, marks=pytest.mark.slow) for one in others)]
