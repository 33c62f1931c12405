"""How a reproduction script asks delta-rs for a step.

``reports.reproduction`` copies what a script needs of this module into it, so it uses deltalake and the standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from reports.laws.evidence import IOFault, Row

#: What ``DeltaTable.vacuum`` does unless it is told otherwise, and what need not be said.
USUAL = {"retention_hours": None, "enforce_retention_duration": True}


def command(op: dict[str, Any], engine: Any, root: str) -> tuple[str, Callable[[], Any]]:
    """A DELETE or a VACUUM, in words, and the asking for it, whose answer is its rows."""
    place, name = target(op.get("at"), root)
    if op["do"].endswith("delete"):
        where = op.get("where")
        text = f"DeltaTable({name}).delete({'' if where is None else repr(where)})"
        return text, lambda: deleted(engine.DeltaTable(place).delete(where))
    said = ", ".join(f"{key}={value!r}" for key, value in op["arguments"].items() if value != USUAL.get(key))
    return (
        f"DeltaTable({name}).vacuum({said})",
        lambda: [[f"{place}/{path}"] for path in engine.DeltaTable(place).vacuum(**op["arguments"])],
    )


def target(at: str | None, root: str) -> tuple[str, str]:
    """The place that is asked about, and its name for people: the table's root, or what is no table."""
    if at is None:
        return root, "t"
    if at == "missing":
        return f"{root}-missing", "'nowhere'"
    inside = sorted(name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name)))
    found = [name for name in inside if name != "_delta_log"]
    return (os.path.join(root, found[0]), repr(found[0])) if found else (os.path.dirname(root), "'..'")


def deleted(metrics: dict[str, Any]) -> list[Row]:
    # Of whole files, delta-rs does not say how many rows they had.
    return [[metrics["num_deleted_rows"]]] if "num_deleted_rows" in metrics else []


@contextmanager
def step_of(op: dict[str, Any], engine: Any, root: str, clock: int, io_fault: IOFault | None) -> Iterator[None]:
    """Nothing is set for the time of a step: the engine's clock is the machine's, and it has no settings."""
    yield
