"""``python -m runner.processes.engine_host ENGINE DIRECTORY``: an engine of this environment, for a judge in another one.

Prints where it answers, as a line of JSON, and ends with its standard input. ``--wall-clock``: with the machine's clock.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from engines.kind import Settings
from engines.port import Engine
from engines.provider import kind_of
from records.mistakes import UsageMistake
from runner.command_line.commands import ended
from runner.processes.channel import Server

WALL_CLOCK = "--wall-clock"


def serve(engine: Engine) -> Server:
    """Calls of the engine's members, by their names."""
    facts = engine.name, dict(engine.versions), engine.capabilities, engine.rules

    def run(*arguments: object) -> object:
        root, step, clock, version = arguments
        return engine.run(root, step, clock=clock, version=version)  # type: ignore[arg-type] # as engines.port says

    return Server({"facts": lambda: facts, "run": run, "use_processors": engine.use_processors})


def main(arguments: list[str]) -> int:
    """0 when its standard input ends, 2 if the engine cannot be opened."""
    names = [one for one in arguments if one != WALL_CLOCK]
    if len(names) != 2:
        raise UsageMistake("Name the engine and a directory of the run.")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the judge ends it
    kind, answers = kind_of(names[0]), sys.stdout
    sys.stdout = sys.stderr
    if WALL_CLOCK in arguments:
        kind = kind.with_options({"spark_clock": "machine"})
    provider = kind.provider(
        Settings(Path(names[1]), lambda pid: print(json.dumps({"started": pid}), file=answers, flush=True))
    )
    try:
        provider.start()
        engine = kind.open_adapter(provider.lease, time_limit=120)
        server = serve(engine)
        print(json.dumps({"address": server.address, "key": server.key.hex()}), file=answers, flush=True)
        sys.stdin.read()
        server.close()
        engine.close()
    finally:
        provider.close()
    return 0


if __name__ == "__main__":
    ended(main)
