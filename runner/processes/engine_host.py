"""``python -m runner.processes.engine_host ENGINE DIRECTORY``: an engine of this environment, for a judge in another one.

Prints where it answers, as a line of JSON, and ends with its standard input. ``--wall-clock``: with the machine's clock.
``--beside=HOST:PORT:KEY``: with the JVM of the host that answers there.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from engines.kind import Settings
from engines.port import Engine
from engines.provider import kind_of
from records.mistakes import UsageMistake
from runner.command_line.commands import ended
from runner.processes.channel import Caller, Server

WALL_CLOCK = "--wall-clock"
BESIDE = "--beside="

#: Where a host answers, and the key that it asks for.
Address = tuple[str, int, str]


def serve(engine: Engine, lease: Callable[[int], Any]) -> Server:
    """Calls of the engine's members, by their names, and the leases of its process."""
    facts = engine.name, dict(engine.versions), engine.capabilities, engine.rules

    def run(*arguments: object) -> object:
        root, step, clock, version = arguments
        return engine.run(root, step, clock=clock, version=version)  # type: ignore[arg-type] # as engines.port says

    return Server({"facts": lambda: facts, "run": run, "use_processors": engine.use_processors, "lease": lease})


def main(arguments: list[str]) -> int:
    """0 when its standard input ends, 2 if the engine cannot be opened."""
    names = [one for one in arguments if not one.startswith("--")]
    beside = [one.removeprefix(BESIDE).split(":") for one in arguments if one.startswith(BESIDE)]
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
    lease = provider.lease
    try:
        if beside:
            ((host, port, key),) = beside
            lease = partial(Caller((host, int(port)), bytes.fromhex(key)).call, "lease")
        else:
            provider.start()
        engine = kind.open_adapter(lease, time_limit=120)
        server = serve(engine, lease)
        print(json.dumps({"address": server.address, "key": server.key.hex()}), file=answers, flush=True)
        sys.stdin.read()
        server.close()
        engine.close()
    finally:
        provider.close()
    return 0


if __name__ == "__main__":
    ended(main)
