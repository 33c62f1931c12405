"""``python -I tools/moved.py NAME``: an environment of tox.ini that was; says what to call instead, and ends with 2."""

from __future__ import annotations

import sys

#: What to call, by the name of the environment.
INSTEAD = {
    "gate-version": "tombstone gate VERSION",
    "all-versions": "tombstone versions",
    "merge": "tombstone merge PART ...",
    "demo": "tombstone demo",
    "cluster": "tombstone gate --profile smoke --spark-cluster 2",
    "connect": "tombstone gate 4.4.0 --profile smoke --spark-remote local",
    "scale": "tombstone gate --profile scale --step-limit 600 --maxprocesses 2",
    "upgrade-table": "tox -e command -- runner.upgrade_table",
    "together-table": "tox -e command -- runner.turn_table",
    "selftest-slow": "tox -e selftest -- --slow",
    "selftest-random": "tox -e selftest -- -m hypothesis --hypothesis-profile random",
    **{
        name: f"tox -e selfcheck -- {name}"
        for name in ("power", "tamper", "soundness", "corpus", "proposals", "mutation")
    },
}


def main(name: str) -> int:
    instead = INSTEAD[name]
    where = " (in a clone: .venv/bin/python -m tombstone)" if instead.startswith("tombstone ") else ""
    print(f"tox -e {name} is gone: call {instead}{where}.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
