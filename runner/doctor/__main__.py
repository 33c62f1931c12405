"""``python -m runner.doctor``: what can be judged on this machine. Exit 0: the default gate can run; 2: it cannot.

``python -m runner.doctor python-for VERSION ...`` writes the Python on which these versions can be judged, as JSON: its
``release`` and ``path``, which is null for the one that runs this. Exit 2 and a sentence if there is none, or no such version, or
if JAVA_HOME names a Java that cannot serve.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from runner.command_line.commands import in_a_sentence
from runner.doctor.judging import needs_of, python_for, require_java
from runner.doctor.pythons import FoundPython, pythons
from runner.doctor.report import lines, look, obstacle
from tombstone.commands import DOCTOR
from tombstone.reading import asked_of

ROOT = Path(__file__).resolve().parent.parent.parent


@in_a_sentence
def main(words: list[str]) -> int:
    if words[:1] == ["python-for"]:
        return _python_for(words[1:])
    asked_of(DOCTOR, words)
    return _diagnosis()


def _diagnosis() -> int:
    found = look(ROOT)
    print("\n".join(lines(found)))
    if reason := obstacle(found):
        print(f"\nThe gate cannot run here. {reason}")
        return 2
    print("\nThe gate can run here.")
    return 0


def _python_for(versions: list[str]) -> int:
    found = pythons()
    # That of this process is the first choice: its environments are there already.
    found = tuple(sorted(found, key=lambda one: one.release != sys.version_info[:2]))
    needs = [needs_of(version) for version in versions]
    require_java(needs)
    chosen = python_for(needs, found)
    path = None if chosen == FoundPython(sys.version_info[:2], Path(sys.executable)) else str(chosen.path)
    print(json.dumps({"release": chosen.number, "path": path}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
