"""``python -m runner.surface.ask ENGINE FILE``: ask the engine that is installed here what it offers, and write the inventory."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

from engines.kind import Settings
from engines.port import EngineUnavailable
from engines.provider import DEFAULT, kind_of
from runner.command_line.commands import in_a_sentence
from runner.surface.inventory import EngineSurface, kept, write

Kinds = Mapping[str, Mapping[str, str]]


def _spark() -> Kinds:
    from engines.spark.sessions.session import connect, disconnect
    from engines.spark.surface import surface

    with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
        provider = kind_of("spark").provider(Settings(Path(directory), started=lambda pid: None))
        provider.start()
        try:
            return surface(connect(provider.lease(0)))
        finally:
            disconnect()
            provider.close()


def _deltalake() -> Kinds:
    from engines.deltalake.surface import surface

    properties = {name for inventory in kept(DEFAULT) for name in inventory.kinds.get("property", {})}
    return surface(sorted(properties))


_ASK: Mapping[str, Callable[[], Kinds]] = {"spark": _spark, "deltalake": _deltalake}


def asked(engine: str) -> EngineSurface:
    """What the installed version offers. Raises EngineUnavailable, with the remedy, if none is, or if it cannot be asked."""
    if engine not in _ASK:
        raise EngineUnavailable(f"{engine} cannot be asked what it offers: name a version of {' or '.join(_ASK)}.")
    version = kind_of(engine).installed_version()
    return EngineSurface(engine, version, _title(engine, version), _ASK[engine]())


def _title(engine: str, version: str) -> str:
    if engine != DEFAULT:
        return f"{engine} {version}"
    return f"Delta {version} on PySpark {metadata.version('pyspark')}"


@in_a_sentence
def main(arguments: list[str]) -> int:
    engine, file = arguments
    write(asked(engine), Path(file))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
