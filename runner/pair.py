"""Opens two engines in turn, each in a process of its environment, for a worker of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from engines.pair import PairKind
from engines.provider import kind_of
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.turns.turn_judge import TurnJudge
from known_faults.known import known_of
from records.known_fault import KnownFault
from runner.gate_version import python_in
from runner.processes.engine_host import WALL_CLOCK
from runner.processes.hosted_engine import HostedEngine
from runner.run.controller import Controller
from runner.run.worker import Opened
from suites.catalogue import promised, unsupported


def two_engines(kind: PairKind, controller: Controller) -> Opened:
    """Both engines, each by what it promises and what is known of it. Raises EngineUnavailable."""
    with ExitStack() as opened:
        engines = []
        for version in kind.sides:
            wall_clock = not kind.sets_clock and kind_of(version.engine).rules_of(version.version).own_clock
            engine = HostedEngine(
                python_in(version),
                version.engine,
                controller.directory(),
                controller.started,
                options=[WALL_CLOCK] * wall_clock,
            )
            opened.callback(engine.close)
            engines.append(engine)
        close = opened.pop_all().close
    controller.speak(tuple(engine.dialect for engine in engines))
    a, b = map(unsupported, engines)

    def judge(directory: Path, selects: Callable[[str], bool], _: Sequence[KnownFault]) -> TurnJudge:
        side_a, side_b = (
            Side(
                engine,
                tuple(replace(clause, recorded=selects(clause.id)) for clause in promised(engine)),
                Excuses(known_of(version)),
                name,
            )
            for engine, version, name in zip(engines, kind.sides, kind.names, strict=True)
        )
        return TurnJudge(side_a, side_b, directory)

    capabilities = kind.capabilities_of(None)
    inapplicable = {id: reason for id, reason in a.items() if id in b}
    return Opened(" and ".join(kind.names), kind.titles, capabilities, inapplicable, judge, close)
