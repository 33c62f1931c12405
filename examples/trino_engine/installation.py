"""Where Trino's server is unpacked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.port import EngineUnavailable

#: The environment variable that names the directory of an unpacked server: it has ``lib`` and ``plugin/delta-lake``.
VARIABLE = "TOMBSTONE_TRINO"

#: The newest server in Maven Central: later ones are published elsewhere (https://github.com/trinodb/trino/issues/27524).
VERSION = "476"

_MAIN = "io.trino_trino-main-"


@dataclass(frozen=True)
class Installation:
    home: Path
    version: str


def installation(environ: Mapping[str, str] = os.environ) -> Installation:
    """The server that the environment names. Raises EngineUnavailable, with the remedy."""
    named = environ.get(VARIABLE)
    if not named:
        raise EngineUnavailable(
            f"No server of Trino is named: use `tox -e gate-trino`, or set {VARIABLE} to its directory."
        )
    home = Path(named).absolute()
    mains = sorted((home / "lib").glob(f"{_MAIN}*.jar"))
    if not mains or not (home / "plugin" / "delta-lake").is_dir():
        raise EngineUnavailable(
            f"{VARIABLE} is {named}, where there is no lib/{_MAIN}*.jar or no plugin/delta-lake: name the directory of an "
            "unpacked server of Trino, or unset it."
        )
    return Installation(home, mains[-1].stem.removeprefix(_MAIN))
