"""Two engines in turn, each in processes of its environment: what a run has of them once, and what each of its workers has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from engines.kind import Provider, Settings
from engines.pair import PairKind
from engines.provider import kind_of
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.turns.turn_judge import TurnJudge
from known_faults.known import known_of
from records.known_fault import KnownFault
from runner.gate_version import python_in
from runner.processes.engine_host import Address
from runner.processes.hosted_engine import HostedEngine
from runner.run.controller import Controller
from runner.run.worker import Opened
from suites.catalogue import promised, unsupported


class PairProvider(Provider):
    """Starts both. A lease has the addresses by which a worker opens its own engines with the same JVMs."""

    def __init__(self, kind: PairKind, settings: Settings) -> None:
        self._kind, self._settings = kind, settings
        self._open = ExitStack()
        self._engines: tuple[HostedEngine, ...] = ()

    def start(self) -> None:
        self._engines = opened(self._kind, self._settings.directory, self._settings.started, self._open)

    def lease(self, lost: int) -> list[Address]:
        return [engine.address for engine in self._engines]

    def close(self) -> None:
        self._open.close()


def opened(
    kind: PairKind,
    directory: Path,
    started: Callable[[int], None],
    opening: ExitStack,
    beside: Sequence[Address | None] = (None, None),
) -> tuple[HostedEngine, ...]:
    """Both engines, which ``opening`` closes. Raises EngineUnavailable."""
    engines = []
    for version, address in zip(kind.sides, beside, strict=True):
        wall_clock = not kind.sets_clock and kind_of(version.engine).rules_of(version.version).own_clock
        engine = HostedEngine(
            python_in(version), version.engine, directory, started, wall_clock=wall_clock, beside=address
        )
        opening.callback(engine.close)
        engines.append(engine)
    return tuple(engines)


def two_engines(kind: PairKind, controller: Controller) -> Opened:
    """Both engines, each by what it promises and what is known of it. Raises EngineUnavailable."""
    with ExitStack() as opening:
        engines = opened(kind, controller.directory(), controller.started, opening, controller.lease(0))
        close = opening.pop_all().close
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
