"""``python -m selfcheck.tampering``: what a healthy engine's steps left, tampered with in every way that the schema has.

The ways are derived from the actions, files and answers themselves: each field changed, dropped, exchanged; each file
removed, rewritten, touched. Each is tried on steps of some cases. ``selfcheck/tampering/unpromised.toml`` lists those that
nobody promises to be wrong, with the reason. Exits with 0 if every other way is noticed in most of its cases; with 1 if one
is not, or a listed one is; with 2 if the command cannot be executed. Writes a table to ``build/tampering.md``.
"""

from __future__ import annotations

from runner.command_line.commands import ended
from selfcheck.tampering.command import main

if __name__ == "__main__":
    ended(main)
