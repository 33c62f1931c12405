"""delta-rs in a reproduction script: its time, its answers, its checkpoints.

``reports.reproduction`` copies what a script needs of this module into it, so it uses deltalake and the standard library
only. The engine is the module itself.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable
from typing import Any

from reports.deltalake.aging import age
from reports.instants import now
from reports.laws.evidence import Answer, CannotJudge

#: The table is made so many ms ahead, and then made older: or a checkpoint would leave out the tombstones that are old.
AHEAD = 10 * 365 * 24 * 3_600_000


def start_engine(plan: dict[str, Any], home: str) -> Any:
    import deltalake

    warnings.simplefilter("ignore")  # of what newer versions will do otherwise
    return deltalake


def stop_engine(engine: Any) -> None:
    pass


def versions_of(engine: Any) -> list[str]:
    return [f"deltalake {importlib.metadata.version('deltalake')}"]


def first_instant(engine: Any) -> int:
    """The instant from which all others of the plan count, while the table is made."""
    return now() + AHEAD


def grow_older(engine: Any, root: str, clock: int) -> int:
    """By how many ms the table was made older, so that it is the instant ``clock`` now."""
    by = clock - now()
    age(root, by)
    return by


def answer(ask: Callable[[], Any]) -> Answer:
    try:
        return ask(), None
    except (KeyboardInterrupt, SystemExit, CannotJudge):
        raise
    except BaseException as problem:  # noqa: BLE001 - a panic is no Exception
        return None, {"exception": type(problem).__name__, "condition": None, "message": str(problem)}


def write_checkpoint(engine: Any, root: str, parts: int) -> None:
    # delta-rs writes a checkpoint into one file, and none of a table that it refuses to open.
    _, problem = answer(lambda: engine.DeltaTable(root).create_checkpoint())
    if problem is not None:
        raise CannotJudge(f"delta-rs makes no checkpoint of the table: {problem['message']}")
