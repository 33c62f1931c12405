"""Whether a gate would judge what a command line asks for: told before an environment is made, and before an engine starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engines.kind import Version
from engines.pair import PairKind
from engines.provider import kind_of
from faults import FAULTS
from known_faults.known import known_faults_in
from records.mistakes import UsageMistake
from runner.command_line.options import Options, options
from runner.replay import read_case
from tombstone.commands import GATE
from tombstone.near import meant
from tombstone.reading import asked_of


def check_gate(engine: str, given: Mapping[str, Any]) -> None:
    """Raise UsageMistake or EngineUnavailable if a gate on the engine refuses these options. ``given``: their texts, by key."""
    chosen = options({**given, "engine": engine})
    require_judgeable(chosen, stops=bool({"exitfirst", "maxfail"} & given.keys()))


def check_engine(given: Mapping[str, Any], version: Version) -> None:
    """Raise UsageMistake if ``--engine`` is not that of the version."""
    engine = given.get("engine", version.engine)
    if engine != version.engine:
        raise UsageMistake(
            f"--engine {engine} is not the engine of {version.title}: leave it out, as the version names its engine."
        )


def given_in(words: Sequence[str]) -> Mapping[str, Any]:
    """The texts of the options that these words give to a gate, by key. Raises UsageMistake."""
    return asked_of(GATE, words).given


def require_judgeable(chosen: Options, *, stops: bool = False) -> None:
    """Raises UsageMistake for what a run would find out later. ``stops``: whether pytest ends it at a failure."""
    if chosen.known_bad is not None:
        _require_fault(chosen.known_bad, chosen)
    if chosen.replay is not None:
        read_case(chosen.replay)
    if chosen.shard is not None and stops:
        raise UsageMistake(
            "-x and --maxfail end a part before its end, and only whole parts can be merged: leave them out."
        )
    known_faults_in(chosen.known_faults)  # the run reads them again: here they are only checked


def _require_fault(name: str, chosen: Options) -> None:
    """Raises UsageMistake for an unknown ``--known-bad``, or one that no case for this engine can show."""
    if isinstance(chosen.kind, PairKind):
        raise UsageMistake("--known-bad builds a fault into one engine: leave it out for two in turn.")
    if name not in FAULTS:
        remedy = meant(name, FAULTS, otherwise="`--known-bad list` names those that are.")
        raise UsageMistake(f"--known-bad {name} is not known: {remedy}")
    of_vacuum = all(id.startswith("VAC") for id in FAULTS[name].caught_by)
    if of_vacuum and not kind_of(chosen.engine).capabilities_of(None).vacuum:
        raise UsageMistake(f"--known-bad {name} changes VACUUM, which {chosen.engine} lacks: name another.")
