"""An engine as the judge sees it: what it promises, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engines.port import Engine
from engines.working_copy import WorkingCopy
from harness.judging.clause import Clause
from harness.judging.excusing.excuses import Excuses


@dataclass(frozen=True)
class Side:
    """``name`` tells the two engines of a case apart that work on one table; it is empty where there is one.

    ``copy`` is that of a bucket, where the engine works; None: the engine works with the files.
    """

    engine: Engine
    clauses: tuple[Clause[Any], ...]
    excuses: Excuses
    name: str = ""
    copy: WorkingCopy | None = None
