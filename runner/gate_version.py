"""``python -m runner.gate_version DELTA[@PYSPARK] [pytest's options]``: the gate for that version, in its own environment."""

from __future__ import annotations

import sys

from engines.versions import pair_of
from runner.commands import in_a_sentence
from runner.environments import run_gate
from runner.options import UsageMistake

_USAGE = "Name the version: tox -e gate-version -- 3.3.2 (or 3.3.2@3.5.3, with the PySpark), then options of the gate."


@in_a_sentence
def main(arguments: list[str]) -> int:
    """The gate's exit code; 2 if the version cannot be judged on this machine."""
    if not arguments or arguments[0].startswith("-"):
        raise UsageMistake(_USAGE)
    return run_gate(pair_of(arguments[0]), arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
