"""Two engines in turn on the same tables, as one that a run judges: ``together:3.3.2,deltalake==1.6.6``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engines.dialect import DialectFor
from engines.kind import Costs, EngineKind, Version
from engines.port import Engine, EngineUnavailable
from engines.provider import PAIR, kind_of
from engines.versions import name_of, version_of
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import Rules


class PairKind(EngineKind):
    """``sides`` are A and B. Each step of a case is run by one of them, in an environment of its own."""

    name = "together"

    def __init__(self, a: Version, b: Version) -> None:
        self.sides = a, b
        costs = [kind_of(one.engine).costs for one in self.sides]
        # Each case in both orders, with a read after each step, and two DELETEs at its end.
        self.costs = Costs(min(one.speed for one in costs) / 6, sum(one.start for one in costs))

    @property
    def names(self) -> tuple[str, str]:
        """``Delta 4.4.0`` and ``deltalake 1.6.6``."""
        a, b = (one.called for one in self.sides)
        return a, b

    @property
    def titles(self) -> dict[str, str]:
        """Both versions, with all that decides their environments."""
        return {letter: one.title for letter, one in zip("AB", self.sides, strict=True)}

    @property
    def sets_clock(self) -> bool:
        """Whether both can set the clock: else it is the machine's for both."""
        return all(kind_of(one.engine).rules_of(one.version).own_clock for one in self.sides)

    def capabilities_of(self, version: str | None) -> Capabilities:
        a, b = (kind_of(one.engine).capabilities_of(one.version) for one in self.sides)
        return replace(a.shared(b), sets_clock=self.sets_clock and a.sets_clock and b.sets_clock)

    def rules_of(self, version: str) -> Rules:
        """Those of A: each step is judged by those of the side that ran it."""
        a = self.sides[0]
        return replace(kind_of(a.engine).rules_of(a.version), own_clock=self.sets_clock)

    def dialects_of(self, versions: Mapping[str, str]) -> tuple[DialectFor | None, ...]:
        return tuple(kind_of(one.engine).dialect_of(one.parts) for one in self.sides)

    def installed_version(self) -> str:
        return self.sides[0].version

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        raise EngineUnavailable("Two engines in turn have no adapter: runner.pair opens one for each.")


def pair_of(text: str) -> PairKind:
    """Raises EngineUnavailable, with the remedy, for what does not name two versions."""
    names = text.removeprefix(PAIR).split(",")
    if len(names) != 2:
        raise EngineUnavailable(
            f"{text} must name two versions, such as {PAIR}3.3.2,4.4.0 or {PAIR}4.4.0,deltalake==1.6.6."
        )
    a, b = map(version_of, names)
    if (a.engine, a.number) == (b.engine, b.number):
        raise EngineUnavailable(f"{a.title} is named twice: name two versions.")
    return PairKind(a, b)


def text_of(a: Version, b: Version) -> str:
    """What ``--engine`` takes for both."""
    return PAIR + ",".join(name_of(one.engine, one.number) for one in (a, b))
