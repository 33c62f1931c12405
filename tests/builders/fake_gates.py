"""Stands for tox in the commands about versions: a gate that judges one case, and a run of two versions in turn."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from engines.kind import Version
from engines.pair import PairKind
from records.mistakes import UsageMistake
from records.run import Header
from runner import all_versions, gate_version, kept_turns, turn_table, upgrade, upgrade_table
from tests.builders.small_streams import CLAUSES, case, header, kept
from tests.builders.turn_ways import WAY, run_in_turn, write_in_turn

#: How a gate ends, and its exit code.
ENDS = {
    "passes": 0,
    "fails": 1,
    "does-not-end": 2,
    "unexercised": 2,  # it judges all its cases, and none exercises a clause
    "chosen": 0,  # the user left a clause out
    "other-case": 0,  # unless it shares its cases
    "no-report": 1,  # tox cannot make the environment
}


class Gate:
    """``ends``: how the gate of a version ends, if not ``passes``. ``turn``: what two versions show in turn: a way by which the
    first (``back``) or the second (``forward``) goes wrong, or why they cannot run. It prints what it is asked for."""

    def __init__(self, ends: Mapping[str, str] | None = None, turn: str = "") -> None:
        self.ends, self.turn = dict(ends or {}), turn

    def asked_for(self, words: Sequence[str]) -> int:
        """``3.3.2=fails``, ``turn=back``: what the commands from now on use."""
        ends = dict(word.split("=", 1) for word in words)
        self.turn, self.ends = ends.pop("turn", ""), ends
        return 0

    def in_turn(self, a: Version, b: Version, options: Sequence[str], *, report: Path) -> int:
        print(f"(in turn: {a.title}, {b.title})")
        if self.turn not in ("", "back", "forward"):
            raise UsageMistake(self.turn)
        names = PairKind(a, b).names
        side, other = names[:: 1 if self.turn == "back" else -1]
        ways = (replace(WAY, side=side, other=other),) if self.turn else ()
        write_in_turn(run_in_turn(names, *ways, cases=1), report)
        return 1 if ways else 0

    def __call__(self, version: Version, arguments: Sequence[str], *, report: Path | None = None) -> int:
        end = self.ends.get(version.version, "passes")
        print(f"(gate of {version.title}: {shlex.join(arguments)}: {end})")
        if report is not None and end not in ("does-not-end", "no-report"):
            clauses = CLAUSES[:1] if end == "unexercised" else CLAUSES[1:] if end == "chosen" else CLAUSES
            failing = ("VAC-SAFE-1",) if end == "fails" else ()
            other = end == "other-case" and "--shared-with" not in arguments
            judged = case(2 if other else 1, failing=failing, clauses=clauses)
            kept(report, judged, first=_header(version, chosen=end == "chosen"))
        return ENDS[end]


def _header(version: Version, *, chosen: bool) -> Header:
    if version.engine == "spark":
        first = header(versions={"delta": version.version, "pyspark": version.parts["pyspark"]})
    else:
        others = {"pyarrow": "26.0.1", "library": "3.2"}
        first = header(engine=next(iter(version.parts)), versions={**version.parts, **others})
    if chosen:
        one, *more = first.clauses
        return replace(first, clauses=(replace(one, status="disabled", reason="--clause does not select it."), *more))
    return first


@contextmanager
def used(gate: Gate, root: Path) -> Iterator[None]:
    """The commands about versions use it, in the checkout ``root``."""
    with ExitStack() as stack:
        for module in (upgrade, all_versions, upgrade_table, gate_version):
            stack.enter_context(patch.object(module, "run_gate", gate))
        for module in (upgrade, all_versions, upgrade_table, turn_table):
            stack.enter_context(patch.object(module, "ROOT", root))
        for module in (upgrade, kept_turns):
            stack.enter_context(patch.object(module, "run_in_turn", gate.in_turn))
        yield
