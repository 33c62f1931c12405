"""``python -m selfcheck NAME ...``, ``tox -e selfcheck -- power --shard 1/5``: one of the suite's checks of itself."""

from __future__ import annotations

import runpy
import sys

from runner.command_line.commands import ended
from tombstone.mistakes import Mistake
from tombstone.near import meant

#: The modules by name.
CHECKS = {
    "power": "selfcheck.power",  # every known-bad engine against the gate's cases: which clause notices it, and how soon
    "tamper": "selfcheck.tampering",  # what a healthy engine left, tampered with in every way that the schema has
    "soundness": "selfcheck.soundness",  # random cases on a healthy engine: false positives in a thousand
    "corpus": "selfcheck.distillation",  # the cases of smoke and gate, chosen again; a quarter of an hour or more
    "proposals": "selfcheck.proposals",  # the cases of a random run that show what no case of the corpus shows
    "unshown": "selfcheck.unshown",  # the small changes of a command that no case of a run on a real engine would have shown
    "surface": "selfcheck.surface",  # what the lists of docs/surface leave out, tried before the same DELETEs and VACUUMs
    "mutation": "tools.mutation",  # the model and the clauses with one small thing changed: which tests notice it
}


def main(words: list[str]) -> int:
    name = words[0] if words else ""
    if name not in CHECKS:
        remedy = meant(name, CHECKS, otherwise=f"use one of {', '.join(CHECKS)}.", most=1)
        raise Mistake(f"{name or 'Nothing'} is no check: {remedy}")
    sys.argv[:] = [CHECKS[name], *words[1:]]
    runpy.run_module(CHECKS[name], run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    ended(main)
